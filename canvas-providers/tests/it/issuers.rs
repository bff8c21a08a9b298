//! Who gets a sealed part back: its issuer, in place, and nobody else.

use crate::support;

use std::collections::{BTreeMap, BTreeSet};

use canvas_providers::{AnswerContext, Body, Decoded, Event, Issuer, Provider, RequestOptions};
use serde_json::Value;

/// Keys whose strings only their issuer can open.
const SEALED: [&str; 6] =
    ["signature", "thoughtSignature", "thought_signature", "encrypted_content", "data", "redactedContent"];

/// Three issuers of one wire: its own host, another host of the same model, another model.
fn issuers(provider: Provider) -> [Issuer; 3] {
    let [model, other] = match provider.name() {
        "gemini" | "gemini-interactions" => ["gemini-3-pro", "gemini-3-flash"],
        _ => ["one", "two"],
    };
    // OpenAI itself seals nothing in Chat Completions.
    let host = match provider {
        Provider::OpenAiChat => "openrouter.ai".to_owned(),
        _ => provider.issuer(model).host,
    };
    [(host.as_str(), model), ("models.invalid", model), (host.as_str(), other)]
        .map(|(host, model)| Issuer::new(host, model))
}

fn decode(provider: Provider, streamed: bool, bytes: &[u8], issuer: Issuer) -> Option<Decoded> {
    let context = AnswerContext::new(issuer);
    if !streamed {
        return provider.decode_slice(bytes, &context).ok();
    }
    let mut stream = provider.stream_framed(support::framing(provider), context);
    stream.feed(bytes, &mut |_| {});
    Some(stream.finish())
}

/// Sealed strings under these keys, each with how often it is there.
fn sealed_in(value: &Value, key: &str, out: &mut BTreeMap<String, usize>) {
    match value {
        Value::String(text) if SEALED.contains(&key) && text.len() > 16 => {
            *out.entry(text.clone()).or_default() += 1;
        }
        Value::Array(items) => items.iter().for_each(|item| sealed_in(item, key, out)),
        Value::Object(map) => map.iter().for_each(|(key, item)| sealed_in(item, key, out)),
        _ => {}
    }
}

/// All strings, wherever they are.
fn strings_in<'a>(value: &'a Value, out: &mut BTreeSet<&'a str>) {
    match value {
        Value::String(text) => drop(out.insert(text)),
        Value::Array(items) => items.iter().for_each(|item| strings_in(item, out)),
        Value::Object(map) => map.values().for_each(|item| strings_in(item, out)),
        _ => {}
    }
}

#[derive(Default)]
struct Cell {
    kept: usize,
    dropped: usize,
}

#[test]
fn a_sealed_part_goes_to_its_issuer_alone() {
    let mut matrix: BTreeMap<(&str, usize, &str, usize), Cell> = BTreeMap::new();
    for made_by in Provider::ALL {
        let Some(folder) = support::recorded(made_by.name()) else {
            support::say(&format!("SKIPPED: recorded answers of {made_by} (not in CANVAS_DATA)"));
            continue;
        };
        let index = support::read_json(&folder.join("../index.json"));
        for case in index["cases"].as_array().expect("cases") {
            if case["provider"] != made_by.name() {
                continue;
            }
            let file = folder.join("..").join(case["file"].as_str().expect("a file name"));
            let bytes = support::read_bytes(&file);
            for (first, issuer) in issuers(*made_by).into_iter().enumerate() {
                let streamed = case["streamed"] == true;
                let Some(answer) = decode(*made_by, streamed, &bytes, issuer.clone()) else { continue };
                let id = case["id"].as_str().expect("an id");
                let history: Vec<Event> = [Event::user("Begin.")]
                    .into_iter()
                    .chain(answer.events)
                    .chain([Event::user("Go on.")])
                    .collect();
                check(id, *made_by, first, &issuer, &history, &mut matrix);
            }
        }
    }
    for made_by in Provider::ALL {
        for (first, issuer) in issuers(*made_by).iter().enumerate() {
            let cells = matrix.iter().filter(|((wire, by, ..), _)| (*wire, *by) == (made_by.name(), first));
            let (mut own, mut others, mut dropped) = (0, 0, 0);
            for ((_, _, asked, second), cell) in cells {
                if (*asked, *second) == (made_by.name(), first) {
                    own = cell.kept;
                } else {
                    (others, dropped) = (others + cell.kept, dropped + cell.dropped);
                }
            }
            support::say(&format!(
                "{made_by} of {} {}: {own} sealed parts go back to it, {others} to others, who are spared {dropped}",
                issuer.host, issuer.model
            ));
        }
    }
}

fn check<'m>(
    id: &str,
    made_by: Provider,
    first: usize,
    issuer: &Issuer,
    history: &[Event],
    matrix: &mut BTreeMap<(&'m str, usize, &'m str, usize), Cell>,
) {
    let mut seals = BTreeMap::new();
    for event in history {
        for part in event.envelope.iter().flat_map(|envelope| &envelope.parts) {
            sealed_in(part, "", &mut seals);
        }
    }
    // Responses refuses reasoning without the item that it led to.
    let mut led_nowhere = BTreeMap::new();
    if made_by == Provider::OpenAiResponses {
        let answer = &history[1..history.len() - 1];
        for event in answer.iter().rev().take_while(|event| matches!(event.body, Body::Thinking(_))) {
            event.envelope.iter().for_each(|kept| sealed_in(&kept.parts[0], "", &mut led_nowhere));
        }
    }
    for asked in Provider::ALL {
        for (second, to) in issuers(*asked).iter().enumerate() {
            let options = RequestOptions::default();
            let request = asked.request(to, "", &[], history, &options).expect("a request of any answer");
            let is_own = made_by == *asked && issuer == to;
            let cell = matrix.entry((made_by.name(), first, asked.name(), second)).or_default();
            let mut strings = BTreeSet::new();
            strings_in(&request.body, &mut strings);
            let mut kept = BTreeMap::new();
            sealed_in(&request.body, "", &mut kept);
            for (seal, count) in &seals {
                let back = kept.get(seal).copied().unwrap_or_default();
                cell.kept += back;
                cell.dropped += count - back.min(*count);
                if is_own && !led_nowhere.contains_key(seal) {
                    assert_eq!(back, *count, "{id}: {seal:.20}… goes back to {}", to.model);
                } else {
                    assert!(
                        !strings.contains(seal.as_str()),
                        "{id}: {seal:.20}… goes to {asked} {}",
                        to.model
                    );
                }
            }
        }
    }
}

//! Every type of the board that travels as JSON: its samples come back as they went, its schema knows them, and
//! `.ci/typescript` lets the TypeScript compiler judge them by the interfaces of the board's specification.

#![expect(clippy::print_stdout, reason = "counts are the result of the comparison")]

mod sample;
mod samples;

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;

use self::samples::{NO_JSON, all};

#[test]
fn every_sample_comes_back_as_it_went() {
    for sample in all() {
        let back = (sample.again)(sample.json.clone());
        assert_eq!(back.as_ref(), Ok(&sample.json), "{}", sample.of);
    }
}

#[test]
fn schemas_know_the_samples() {
    let samples = all();
    let whole: BTreeSet<&str> = samples.iter().flat_map(|sample| strings(&sample.json)).collect();
    for sample in &samples {
        let schema = (sample.schema)();
        if let (Value::Object(fields), Some(properties)) = (&sample.json, schema.get("properties")) {
            for field in fields.keys() {
                assert!(properties.get(field).is_some(), "{} has no {field} in its schema", sample.of);
            }
        }
        for variant in variants(&schema) {
            assert!(whole.contains(variant), "no sample of {} has {variant}", sample.of);
        }
    }
}

#[test]
fn optional_fields_are_there_and_not_there() {
    let samples = all();
    for sample in &samples {
        let schema = (sample.written)();
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else { continue };
        let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let required: BTreeSet<&str> = strings_of(required).collect();
        for field in properties.keys().filter(|field| !required.contains(field.as_str())) {
            let there: BTreeSet<bool> = samples
                .iter()
                .filter(|other| other.rust == sample.rust)
                .map(|other| other.json.get(field).is_some())
                .collect();
            assert_eq!(there.len(), 2, "samples of {} have {field}: {there:?}", sample.of);
        }
    }
}

/// Writes the samples as TypeScript to the file that `CANVAS_TYPESCRIPT` names, after the interfaces of the document.
#[test]
fn typescript() {
    let folder = std::env::var("CANVAS_DATA").map_or_else(
        |_| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let Ok(interfaces) = std::fs::read_to_string(folder.join("ts/spec002.ts")) else {
        println!("SKIPPED: the TypeScript interfaces of the board (not in CANVAS_DATA)");
        return;
    };
    let declared: BTreeSet<&str> = interfaces
        .lines()
        .filter_map(|line| line.strip_prefix("interface ").or_else(|| line.strip_prefix("type ")))
        .filter_map(|rest| rest.split(|char: char| !char.is_alphanumeric()).next())
        .collect();
    let strict: Vec<_> = all().into_iter().filter(|sample| sample.strict).collect();
    let covered: BTreeSet<&str> = strict.iter().map(|sample| sample.of).collect();
    let others: BTreeSet<&str> = NO_JSON.into_iter().collect();
    assert!(
        covered.is_disjoint(&others),
        "strike from the lists what has samples now: {:?}",
        covered.intersection(&others)
    );
    let known: BTreeSet<&str> = covered.union(&others).copied().collect();
    assert_eq!(known, declared, "each type of the document has samples, or a reason to have none");

    println!(
        "board: {} samples of {} types; {} more have functions and are no JSON",
        strict.len(),
        covered.len(),
        NO_JSON.len()
    );
    if let Ok(file) = std::env::var("CANVAS_TYPESCRIPT") {
        let mut text = interfaces;
        for (at, sample) in strict.iter().enumerate() {
            let json = (sample.again)(sample.json.clone()).expect("it comes back, as another test says");
            let of = match sample.of {
                // How a component is drawn is the host's.
                "ComponentDefinition" => "Omit<ComponentDefinition, \"render\">",
                name => name,
            };
            text.push_str(&format!("export const sample{at}: {of} = {json};\n"));
        }
        std::fs::write(file, text).expect("the file that CANVAS_TYPESCRIPT names can be written");
    }
}

/// Names that a schema's enums may have.
fn variants(schema: &Value) -> Vec<&str> {
    let mut found = Vec::new();
    match schema {
        Value::Object(fields) => {
            for (key, value) in fields {
                match (key.as_str(), value) {
                    ("const", Value::String(name)) => found.push(name.as_str()),
                    ("enum", Value::Array(names)) => found.extend(strings_of(names)),
                    (_, value) => found.extend(variants(value)),
                }
            }
        }
        Value::Array(items) => found.extend(items.iter().flat_map(variants)),
        _ => {}
    }
    found
}

fn strings_of(values: &[Value]) -> impl Iterator<Item = &str> {
    values.iter().filter_map(Value::as_str)
}

/// All strings of a sample.
fn strings(json: &Value) -> Vec<&str> {
    match json {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(fields) => fields.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

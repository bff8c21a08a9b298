//! A model that does what a refusal says, and no more: it knows what it has sent, what it has read and what it means.

use serde_json::{Value, json};

use super::Call;

/// What a model knows besides the refusal.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mind {
    /// The text that it has read.
    pub(crate) read: String,
    /// The heading below which it means its change, where the same lines stand below others.
    pub(crate) heading: &'static str,
    /// The line, from 1, that it means where the heading does not tell.
    pub(crate) line: usize,
    /// The change as it would write it now, where what it sent was no patch at all.
    pub(crate) meant: String,
}

/// The next call; `None` where the refusal says that nothing is left to do.
pub(crate) fn next_call(sent: &Call, reply: &Value, mind: &Mind) -> Option<Call> {
    let error = &reply["error"];
    let mut next = sent.clone();
    match (error["code"].as_str()?, error["reason"].as_str().unwrap_or("")) {
        ("LOCK_NOT_AVAILABLE", _) => {
            // Its own lease is in the refusal.
            let arguments = json!({"lease_id": error["lease_id"], "patch": mind.meant});
            return Some(Call { tool: "canvas_apply_patch", arguments });
        }
        ("INVALID_ARGUMENTS", _) if error["place"] == "/base_revision_id" => {
            next.arguments["base_revision_id"] = reply["revision_id"].clone();
        }
        ("INVALID_ARGUMENTS", _) => {
            // The message lists the arguments that there are.
            assert!(error["message"].as_str()?.contains("`patch`"));
            next.arguments = json!({"lease_id": sent.arguments["lease_id"], "patch": mind.meant});
        }
        (_, "STALE_BASE") => {
            let patch = patch_of(sent);
            next.arguments["base_revision_id"] = reply["revision_id"].clone();
            let rebased = error["rebased_patch"].as_str().map(str::to_owned);
            let near = &error["changes_near"]["diff"];
            let rewritten = || rewritten(patch, near.as_str().or_else(|| error["changes"]["diff"].as_str())?);
            next.arguments["patch"] = json!(rebased.or_else(rewritten).unwrap_or_else(|| patch.to_owned()));
        }
        ("PATCH_REJECTED", _) => next.arguments["patch"] = json!(mended(patch_of(sent), error, mind)?),
        (code, _) => panic!("{code} has no next call"),
    }
    Some(next)
}

fn patch_of(call: &Call) -> &str {
    call.arguments["patch"].as_str().unwrap_or_default()
}

/// A patch whose old lines others have rewritten: the diff shows them.
fn rewritten(patch: &str, diff: &str) -> Option<String> {
    let body: Vec<&str> = diff.lines().filter(|line| !line.starts_with("@@")).collect();
    let (old, new) = body.windows(2).find_map(|pair| {
        let (old, new) = (pair[0].strip_prefix('-')?, pair[1].strip_prefix('+')?);
        patch.contains(old).then_some((old, new))
    })?;
    Some(patch.replacen(old, new, 1))
}

fn mended(sent: &str, error: &Value, mind: &Mind) -> Option<String> {
    if error["already_applied"] == true {
        return None;
    }
    if let Some(rebased) = error["rebased_patch"].as_str() {
        return Some(rebased.to_owned());
    }
    let mut lines: Vec<String> = sent.lines().map(str::to_owned).collect();
    // The last first, so that the numbers of the others stay.
    for conflict in error["conflicts"].as_array()?.iter().rev() {
        match conflict["reason"].as_str()? {
            "NOT_FOUND" if conflict["present_at"].is_u64() => {
                drop_hunk(&mut lines, number(&conflict["hunk"]))
            }
            "NOT_FOUND" => mend_line(&mut lines, conflict, mind),
            "AMBIGUOUS" => return Some(placed(&lines, conflict, mind)),
            "BAD_LINE" => {
                for line in lines.iter_mut().filter(|line| !line.starts_with(['+', '-', '@'])) {
                    line.insert(0, ' ');
                }
            }
            "NO_EFFECT" => return None,
            "ESCAPED_NEWLINES" => return Some(sent.replace("\\n", "\n")),
            "UNEXPECTED_TEXT" => {
                let first = lines.iter().position(|line| line.starts_with("@@"))?;
                lines.drain(..first);
                let end = lines.iter().position(|line| !line.starts_with(['@', '+', '-', ' ']));
                lines.truncate(end.unwrap_or(lines.len()));
            }
            "NO_HUNKS" if lines.first().is_some_and(|line| line.starts_with(' ')) => {
                lines.insert(0, "@@".into())
            }
            "NO_HUNKS" if sent.starts_with("*** ") => {
                lines.retain(|line| !line.starts_with("*** "));
                lines.insert(0, "@@".into());
            }
            "NO_HUNKS" | "NO_ANCHOR" => return Some(mind.meant.clone()),
            reason => panic!("{reason}: {error}"),
        }
    }
    let mended = lines.concat_lines();
    mended.contains(['+', '-']).then_some(mended).filter(|patch| patch.contains("@@"))
}

trait ConcatLines {
    fn concat_lines(&self) -> String;
}

impl ConcatLines for Vec<String> {
    fn concat_lines(&self) -> String {
        self.iter().map(|line| format!("{line}\n")).collect()
    }
}

fn number(value: &Value) -> usize {
    value
        .as_u64()
        .and_then(|number| usize::try_from(number).ok())
        .unwrap_or_else(|| panic!("{value} is no number"))
}

/// Mends the line of the patch that a conflict names, by what it shows of the document.
fn mend_line(lines: &mut Vec<String>, conflict: &Value, mind: &Mind) {
    let at = number(&conflict["patch_line"]) - 1;
    let mark = lines[at][..1.min(lines[at].len())].to_owned();
    let line = number(&conflict["line"]);
    match conflict["difference"].as_str().unwrap_or_default() {
        "EXTRA" => drop(lines.remove(at)),
        "LEFT_OUT" => lines.insert(at, format!(" {}", quoted(conflict, line).expect("it is shown"))),
        "ELIDED" => {
            let below = lines[at + 1][1..].to_owned();
            let read = mind.read.lines().skip(line - 1).take_while(|read| *read != below);
            lines.splice(at..=at, read.map(|read| format!("{mark}{read}")).collect::<Vec<_>>());
        }
        "LINE_NUMBER" => {
            for line in lines.iter_mut().filter(|line| !line.starts_with("@@")) {
                let (mark, rest) = line.split_at(1);
                let text = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                let marks = [": ", ":", "→"];
                let text = marks.iter().find_map(|mark| text.strip_prefix(mark)).unwrap_or(rest);
                *line = format!("{mark}{text}");
            }
        }
        "HTML_ESCAPED" => {
            for line in lines {
                *line = line.replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&");
            }
        }
        _ => {
            // Each old line from there on is that of the document, as far as lines are shown.
            let (mut at, mut line, mut is_first) = (at, line, true);
            while at < lines.len() && !lines[at].starts_with("@@") {
                if !lines[at].starts_with('+') {
                    let own = lines[at].get(1..).unwrap_or_default().to_owned();
                    let mark = lines[at].get(..1).unwrap_or(" ").to_owned();
                    let Some(text) =
                        whole(conflict, line).or_else(|| is_first.then(|| spliced(&own, conflict)))
                    else {
                        break;
                    };
                    lines[at] = format!("{mark}{text}");
                    (line, is_first) = (line + 1, false);
                }
                at += 1;
            }
        }
    }
}

/// A line of the document that a conflict quotes, whole or cut.
fn quoted(conflict: &Value, line: usize) -> Option<&str> {
    let quotes = conflict["nearby"].as_array()?;
    quotes.iter().find_map(|quote| quote.as_str()?.strip_prefix(&format!("{line}: ")))
}

fn whole(conflict: &Value, line: usize) -> Option<String> {
    quoted(conflict, line).filter(|text| !text.starts_with('…') && !text.ends_with('…')).map(str::to_owned)
}

/// A long line with what differs in the windows that are shown.
fn spliced(own: &str, conflict: &Value) -> String {
    let window = |text: &str| -> Vec<char> { text.trim_matches('…').chars().collect() };
    let actual = quoted(conflict, number(&conflict["line"])).or_else(|| conflict["actual"].as_str());
    let expected = window(conflict["expected"].as_str().unwrap_or_default());
    let actual = window(actual.unwrap_or_default());
    let same = expected.iter().zip(&actual).take_while(|(e, a)| e == a).count();
    // The shortest pair of pieces after which both windows go on alike.
    let rest = |of: &[char], from: usize| of[same + from..].to_vec();
    let mut pairs: Vec<(usize, usize)> = (0..=expected.len() - same)
        .flat_map(|e| (0..=actual.len() - same).map(move |a| (e, a)))
        .filter(|&(e, a)| {
            let (e, a) = (rest(&expected, e), rest(&actual, a));
            e.iter().zip(&a).all(|(e, a)| e == a) && (e.len().min(a.len()) > 8 || e.len() == a.len())
        })
        .collect();
    pairs.sort_by_key(|(e, a)| e + a);
    let (e, a) = pairs.first().copied().expect("the windows end alike");
    let text = |of: &[char]| of.iter().collect::<String>();
    let (old, new) = (text(&expected[..same + e]), text(&actual[..same + a]));
    assert!(own.contains(&old), "{own} {old}");
    own.replacen(&old, &new, 1)
}

/// Takes a hunk out, by its number from 1.
fn drop_hunk(lines: &mut Vec<String>, hunk: usize) {
    let mut seen = 0;
    lines.retain(|line| {
        seen += usize::from(line.starts_with("@@"));
        seen != hunk
    });
}

/// The hunk alone under the header of the place that is meant.
fn placed(lines: &[String], conflict: &Value, mind: &Mind) -> String {
    let places = conflict["places"].as_array().expect("places are shown");
    assert!((1..=3).contains(&places.len()), "{conflict}");
    let meant = places.iter().find(|place| place["heading"] == mind.heading && !mind.heading.is_empty());
    let header = match meant {
        Some(place) => place["header"].as_str().expect("it decides").to_owned(),
        None => {
            let (place, line) = (&places[0], mind.line.to_string());
            let known = number(&conflict["candidates"][0]).to_string();
            place["header"].as_str().expect("it decides").replace(&known, &line)
        }
    };
    let body = lines.iter().skip_while(|line| !line.starts_with("@@")).skip(1);
    let body = body.take_while(|line| !line.starts_with("@@")).cloned().collect::<Vec<_>>();
    format!("{header}\n{}", body.concat_lines())
}

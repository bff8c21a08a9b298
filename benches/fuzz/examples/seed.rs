//! Writes seeds for every target into `benches/fuzz/corpus`, of real edits in `CANVAS_DATA` (default `../shared/data`).

use std::error::Error;
use std::path::Path;
use std::{env, fs};

use canvas_fuzz::BETWEEN;
use canvas_patch::{build, outline};
use serde_json::{Value, json};

/// Lines of a text around its first change: short inputs are run and mutated faster.
const LINES: usize = 40;

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let data = env::var("CANVAS_DATA").map_or_else(|_| root.join("../../../shared/data"), Into::into);
    let corpus = fs::read_to_string(data.join("patch/corpus_dev.jsonl"))?;
    let mut written = 0;
    for (number, row) in corpus.lines().enumerate() {
        let row: Value = serde_json::from_str(row)?;
        let (Some(before), Some(after)) = (row["before"].as_str(), row["after"].as_str()) else { continue };
        let excerpts = (excerpt(before, before, after), excerpt(after, before, after));
        let (before, after) = (excerpts.0.as_str(), excerpts.1.as_str());
        let patch = build(before, after, 3);
        let outline = outline(before);
        let index = outline.sections().len() / 2;
        let titles = outline.path(index);
        let word = before.split_whitespace().nth(number).unwrap_or("a");
        let delta = serde_json::to_string(&canvas_patch::Delta::between(before, after))?;
        let address = match number % 4 {
            0 => json!({"section": titles, "item": 1}),
            1 => json!({"section": titles, "ordinal": 1, "fence": 1}),
            2 => json!({"grep": word}),
            _ => json!({"lines": [1, number]}),
        };
        let expression = format!(r"^.*\b{}\w+", regex::escape(word));
        let query: &str = if number.is_multiple_of(2) { word } else { &expression };
        let (address, titles) = (address.to_string(), titles.join("\n"));
        let other = before.replace("- ", "* ");
        let seeds: [(&str, Vec<&str>); 6] = [
            ("parse", vec![before, &patch]),
            ("apply", vec![before, after, "\u{3}\u{8}\u{2}\u{9}\u{5}\u{3}\u{7}"]),
            ("outline", vec![before, after]),
            ("address", vec![before, &address, &titles]),
            ("grep", vec![before, query, "\u{3}\u{9}("]),
            ("delta", vec![before, after, &other, &delta]),
        ];
        for (target, parts) in seeds {
            let folder = root.join("corpus").join(target);
            fs::create_dir_all(&folder)?;
            let parts: Vec<&[u8]> = parts.into_iter().map(str::as_bytes).collect();
            fs::write(folder.join(format!("seed-{number}")), parts.join(&BETWEEN))?;
            written += 1;
        }
    }
    println!("{written} seeds");
    Ok(())
}

fn excerpt(text: &str, before: &str, after: &str) -> String {
    let same = before.lines().zip(after.lines()).take_while(|(old, new)| old == new).count();
    text.split_inclusive('\n').skip(same.saturating_sub(LINES / 2)).take(LINES).collect()
}

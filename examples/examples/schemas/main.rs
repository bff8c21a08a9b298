//! Writes the JSON Schema (2020-12) of each public type that is JSON, and the pages that are made of the same types.
//!
//! ```text
//! cargo run -p canvas-examples --example schemas              lists what it would write
//! cargo run -p canvas-examples --example schemas -- FOLDER    writes the schemas, and replies that were recorded
//! cargo run -p canvas-examples --example schemas -- --pages   writes REPLIES.md, FAILURES.md and the types of bindings anew
//! ```

mod bindings;
mod fields;
mod files;
mod pages;
mod recorded;
#[cfg(test)]
mod tests;
mod types;

use std::error::Error;
use std::io::Write as _;
use std::path::Path;
use std::{env, fs, io};

use files::SchemaFile;

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    let argument = env::args().nth(1);
    match argument.as_deref() {
        None => {
            for SchemaFile { name, schema } in files::all() {
                writeln!(out, "{name:<48} {}", schema["title"].as_str().unwrap_or_default())?;
            }
        }
        Some("--pages") => {
            for (path, text) in pages::all().into_iter().chain(bindings::all()) {
                fs::write(&path, text)?;
                writeln!(out, "{}", path.display())?;
            }
        }
        Some(option) if option.starts_with('-') => {
            return Err(format!("there is no option {option}: give a folder, --pages or nothing").into());
        }
        Some(folder) => {
            let folder = Path::new(folder);
            for SchemaFile { name, schema } in files::all() {
                let path = folder.join(name);
                fs::create_dir_all(path.parent().unwrap_or(folder))?;
                fs::write(path, format!("{schema:#}\n"))?;
            }
            let lines: String =
                recorded::all().iter().map(|recorded| format!("{}\n", recorded.line())).collect();
            fs::write(folder.join("recorded.jsonl"), lines)?;
        }
    }
    Ok(())
}

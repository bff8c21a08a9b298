//! Prints what a model pays to read, beside what it paid before.
//!
//! ```text
//! CANVAS_DATA=… cargo run -p canvas-tokens
//! ```

#![expect(clippy::print_stdout, reason = "the table is the result")]

use canvas_providers::Provider;
use canvas_tokens::before::before;
use canvas_tokens::play::{HIDDEN, Kind, play, refusals};
use canvas_tokens::{Counter, script, structure, tools};

fn main() {
    let counter = Counter::o200k();
    println!("{:<34} {:>8} {:>8}", "tokens (o200k)", "before", "now");
    for (name, tokens) in tools::counts(&counter) {
        println!("{name:<34} {:>8} {tokens:>8}", shown(before(&name)));
    }
    print!("\n{:<20}", "tools on the wire");
    for provider in Provider::ALL {
        print!(" {:>19}", provider.name());
    }
    for (toolset, tokens) in tools::counts_by_provider(&counter) {
        print!("\n{toolset:<20}");
        for tokens in tokens {
            print!(" {tokens:>19}");
        }
    }
    println!("\n\n{:<34} {:>8} {:>8} {:>8} {:>8}", "ten edits", "typed", "by tool", "read", "by tool");
    for structure::Compared { task, patch, tool } in structure::compare(&counter) {
        println!("{task:<34} {:>8} {:>8} {:>8} {:>8}", patch.typed, tool.typed, patch.read, tool.read);
    }
    let Some(tasks) = script::tasks() else {
        println!("SKIPPED: no corpus; set CANVAS_DATA");
        return;
    };
    let head = format!("replies of {} tasks", tasks.len());
    println!("\n{head:<34} {:>8} {:>8} {:>8} {:>8} {:>8}", "before", "now", "replies", "median", "largest");
    let mut all = Kind::default();
    for (name, kind) in play(&tasks, &counter) {
        row(&name, &kind);
        if name != HIDDEN {
            all.tokens.extend(&kind.tokens);
        }
    }
    row("all replies", &all);
    println!("\nrefusals of mistakes drawn in their documents");
    for (name, kind) in refusals(&tasks, &counter) {
        row(&name, &kind);
    }
}

fn row(name: &str, kind: &Kind) {
    let (before, now) = (before(name), kind.total());
    let saved =
        before.map_or_else(String::new, |before| format!("  {:+.1} %", 100.0 * share(now, before) - 100.0));
    let before = shown(before);
    println!(
        "{name:<34} {before:>8} {now:>8} {:>8} {:>8} {:>8}{saved}",
        kind.tokens.len(),
        kind.median(),
        kind.largest(),
    );
}

fn shown(tokens: Option<usize>) -> String {
    tokens.map_or_else(|| "-".to_owned(), |tokens| tokens.to_string())
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

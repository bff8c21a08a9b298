//! Prints the works of the packages for other languages as JSON lines, each with the time that it takes in Rust.
//!
//! `.ci/compare bindings` hands the lines to `benches/bindings`.

use std::io::{self, Write as _};

use canvas_benches::apply;
use canvas_benches::inputs::Edited;
use canvas_benches::measure::{Effort, Subject, side_by_side};
use canvas_patch::{ApplyError, ApplyOptions};
use serde_json::json;

const SIZE: usize = 100_000;
const HUNKS: [usize; 2] = [1, 200];

fn main() -> io::Result<()> {
    let out = &mut io::stdout().lock();
    for hunks in HUNKS {
        let input = Edited::new(SIZE, hunks).expect("100 KB have room for all hunks");
        let subjects = [
            Subject::new("text", || apply::canvas(&input), |text| *text == input.after),
            Subject::new("whole", || whole(&input), |(text, ..)| *text == input.after),
        ];
        let outcomes = side_by_side(&subjects, Effort::FULL);
        let median = |index: usize| {
            let time = outcomes[index].time.as_ref().map_err(|flaw| io::Error::other(format!("{flaw:?}")));
            time.map(|time| time.median_ns)
        };
        let Edited { before, after, patch } = &input;
        writeln!(
            out,
            "{}",
            json!({
                "work": format!("apply-{hunks}"),
                "before": before,
                "after": after,
                "patch": patch,
                "rust_ns": median(0)?,
                "rust_whole_ns": median(1)?,
            })
        )?;
    }
    Ok(())
}

/// Applies a patch, and returns the summary, the places and the inverse too, like the packages.
fn whole(input: &Edited) -> Result<(String, String, usize, String), ApplyError> {
    let applied = canvas_patch::apply(&input.before, &input.patch, &ApplyOptions::default())?;
    let (summary, spans, inverse) = (applied.summary().to_string(), applied.spans().len(), applied.inverse());
    Ok((applied.into_text(), summary, spans, inverse))
}

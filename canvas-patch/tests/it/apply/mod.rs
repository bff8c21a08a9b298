//! What a patch does to a text, and what is said where it does nothing: one line a case.

mod anchored;
mod nearest;
mod refused;
mod remedies;
mod result;
mod strict;

use canvas_patch::{Applied, ApplyError, ApplyOptions, Conflict, Mode, apply};

fn run<'t>(mode: Mode, text: &'t str, patch: &str) -> Result<Applied<'t>, ApplyError> {
    apply(text, patch, &ApplyOptions { mode, ..ApplyOptions::default() })
}

/// The patch applies in strict mode, and does the same in anchored mode wherever it has an anchor.
#[track_caller]
fn applies(text: &str, patch: &str, after: &str) {
    let applied = run(Mode::Strict, text, patch).unwrap_or_else(|e| panic!("{patch:?}: {e}"));
    assert_eq!(applied.text(), after, "{patch:?}");
    assert_eq!(applied.repairs(), []);
    leads_back(text, &applied);
    match run(Mode::Anchored, text, patch) {
        Ok(anchored) => assert_eq!((anchored.text(), anchored.repairs()), (after, &[][..]), "{patch:?}"),
        Err(e) => assert_eq!(e.reason().code(), "NO_ANCHOR", "{patch:?}"),
    }
}

/// The patch applies in anchored mode only, with these repairs: `0:FENCE_REMOVED 1:BARE_HEADER`.
#[track_caller]
fn adapts(text: &str, patch: &str, after: &str, repairs: &str) {
    let applied = run(Mode::Anchored, text, patch).unwrap_or_else(|e| panic!("{patch:?}: {e}"));
    let made: Vec<_> = applied.repairs().iter().map(|r| format!("{}:{}", r.hunk, r.kind.code())).collect();
    assert_eq!((applied.text(), made.join(" ").as_str()), (after, repairs), "{patch:?}");
    leads_back(text, &applied);
    assert!(run(Mode::Strict, text, patch).is_err(), "{patch:?} is strict");
}

/// The patch is refused for these conflicts, each as [`shown`].
#[track_caller]
fn refuses(mode: Mode, text: &str, patch: &str, conflicts: &[&str]) {
    match run(mode, text, patch) {
        Ok(applied) => panic!("{patch:?} gave {:?}", applied.text()),
        Err(e) => {
            assert_eq!(e.conflicts().iter().map(shown).collect::<Vec<_>>(), conflicts, "{mode:?} {patch:?}");
        }
    }
}

/// `hunk:REASON patch_line`, then where they are known `@line:column DIFFERENCE expected|actual` and `[candidates]`.
fn shown(conflict: &Conflict) -> String {
    let mut shown = format!("{}:{} {}", conflict.hunk, conflict.reason, conflict.patch_line);
    if let Some(line) = conflict.line {
        shown += &format!(" @{line}");
    }
    if let Some(d) = &conflict.mismatch {
        let actual = d.actual.as_deref().unwrap_or("-");
        shown += &format!(":{} {} {}|{actual}", d.column, d.difference.code(), d.expected);
    }
    if !conflict.candidates.is_empty() {
        shown += &format!(" {:?}", conflict.candidates);
    }
    shown
}

/// The exact patch does the same, the inverse gives the text before; outside the spans nothing has changed.
#[track_caller]
fn leads_back(text: &str, applied: &Applied<'_>) {
    let exact =
        run(Mode::Strict, text, &applied.patch()).unwrap_or_else(|e| panic!("{}: {e}", applied.patch()));
    assert_eq!(exact.text(), applied.text(), "{:?}", applied.patch());
    let inverse = applied.inverse();
    let back = run(Mode::Strict, applied.text(), &inverse).unwrap_or_else(|e| panic!("{inverse:?}: {e}"));
    assert_eq!(back.text(), text, "{inverse:?}");
    let (mut old_at, mut new_at) = (0, 0);
    for span in applied.spans() {
        assert_eq!(text[old_at..span.old_bytes.start], applied.text()[new_at..span.new_bytes.start]);
        (old_at, new_at) = (span.old_bytes.end, span.new_bytes.end);
    }
    assert_eq!(text[old_at..], applied.text()[new_at..]);
}

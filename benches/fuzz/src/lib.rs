//! What the fuzz targets share: how an input is read, and what holds for every text and patch.
//!
//! An input is a few texts with a byte 0xFF between them, which no UTF-8 has. So inputs are legible, a seed is a plain
//! file, and libFuzzer's own mutations of bytes and words are mutations of the texts.

use canvas_patch::{ApplyError, ApplyOptions, Delta, LineRange, Mode, Reason, Suggestion, apply};

/// The separator of the texts of an input.
pub const BETWEEN: u8 = 0xff;

/// The texts of an input; those that are not there are empty, and bytes that are no UTF-8 are replaced.
pub fn texts<const N: usize>(data: &[u8]) -> [String; N] {
    let mut parts = data.splitn(N, |&byte| byte == BETWEEN);
    std::array::from_fn(|_| String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned())
}

/// What the two modes make of a patch.
pub fn check_both(text: &str, patch: &str) {
    let in_mode = |mode| apply(text, patch, &ApplyOptions { mode, ..ApplyOptions::default() });
    let (strict, anchored) = (in_mode(Mode::Strict), in_mode(Mode::Anchored));
    match (&strict, &anchored) {
        (Ok(strict), Ok(anchored)) => {
            assert_eq!(strict.text(), anchored.text(), "the modes never give different bytes");
            assert_eq!(anchored.repairs(), [], "nothing is to be repaired");
        }
        (Ok(_), Err(refused)) => {
            assert!(refused.conflicts().iter().any(|c| c.reason == Reason::NoAnchor), "{refused}");
        }
        (Err(_), Ok(anchored)) if patch.starts_with("@@") && patch.ends_with('\n') => {
            assert!(!anchored.repairs().is_empty(), "what is not repaired was right");
        }
        _ => {}
    }
    for refused in [&strict, &anchored].into_iter().filter_map(|result| result.as_ref().err()) {
        check_refusal(text, patch, refused);
    }
    for applied in [&strict, &anchored].into_iter().filter_map(|result| result.as_ref().ok()) {
        let after = applied.text();
        assert_ne!(after, text, "nothing succeeds without effect");
        assert_eq!(strictly(after, &applied.inverse()).as_deref(), Ok(text), "the inverse leads back");
        let printed = applied.patch();
        let again = apply(text, &printed, &ApplyOptions::default()).expect("a printed patch applies");
        assert_eq!((again.text(), again.patch()), (after, printed), "print and parse");
        let delta = applied.delta();
        assert_eq!(delta.apply(text).as_deref(), Ok(after));
        assert_eq!(delta.inverse().apply(after).as_deref(), Ok(text));
        let (mut old_at, mut new_at) = (0, 0);
        for span in applied.spans() {
            let (old, new) = (&span.old_bytes, &span.new_bytes);
            assert_eq!(text[old_at..old.start], after[new_at..new.start], "a change lies in a span");
            assert_eq!(span.old_lines, lines_before(text, old.start)..lines_before(text, old.end));
            assert_eq!(span.new_lines, lines_before(after, new.start)..lines_before(after, new.end));
            (old_at, new_at) = (old.end, new.end);
        }
        assert_eq!(text[old_at..], after[new_at..], "a change lies in a span");
    }
}

/// The text after in strict mode.
pub fn strictly(text: &str, patch: &str) -> Result<String, ApplyError> {
    apply(text, patch, &ApplyOptions::default()).map(|applied| applied.into_text())
}

fn check_refusal(text: &str, patch: &str, refused: &ApplyError) {
    let hunks = patch.lines().filter(|line| line.starts_with("@@")).count();
    let (patch_lines, text_lines) = (patch.lines().count(), text.lines().count());
    assert!(!refused.conflicts().is_empty());
    assert!(!refused.to_string().is_empty());
    for conflict in refused.conflicts() {
        assert!((1..=patch_lines + 1).contains(&conflict.patch_line), "{conflict:?}");
        assert!(conflict.hunk <= hunks, "{conflict:?}");
        assert!(conflict.line.is_none_or(|line| line > 0), "{conflict:?}");
        assert!(conflict.candidates.is_sorted(), "{conflict:?}");
        assert!(conflict.candidates.iter().all(|line| (1..=text_lines + 1).contains(line)), "{conflict:?}");
        let places = conflict.places.iter().map(|place| place.line);
        assert!(places.eq(conflict.candidates.iter().copied().take(conflict.places.len())), "{conflict:?}");
        for quoted in conflict.nearby.iter().chain(conflict.places.iter().flat_map(|place| &place.nearby)) {
            let line = text.split('\n').nth(quoted.line - 1).expect("the line is there");
            let is_there = line.strip_suffix('\r').unwrap_or(line) == quoted.text || line == quoted.text;
            assert!(is_there || line.chars().count() > 200, "{conflict:?}");
        }
    }
    if let Some(Suggestion::Rebased(rebased)) = refused.suggestion() {
        assert!(rebased.len() <= 2 * patch.len() + 64 * hunks + 1024);
        let anchored =
            apply(text, rebased, &ApplyOptions { mode: Mode::Anchored, ..ApplyOptions::default() });
        let anchored = anchored.expect("what is offered was tried");
        assert_eq!(strictly(text, rebased).as_deref(), Ok(anchored.text()));
    }
    let json = serde_json::to_string(refused).expect("a refusal is JSON");
    assert_eq!(serde_json::from_str::<ApplyError>(&json).as_ref().ok(), Some(refused), "{json}");
}

/// An edit leads there and back, and its JSON form is the same edit.
pub fn check_delta(before: &str, after: &str) -> Delta {
    let edit = Delta::between(before, after);
    assert_eq!(edit.is_empty(), before == after);
    assert_eq!(edit.apply(before).as_deref(), Ok(after));
    assert_eq!(edit.inverse().apply(after).as_deref(), Ok(before));
    assert_eq!(edit.inverse().inverse(), edit);
    for edit in [&edit, &edit.inverse()] {
        let json = serde_json::to_string(edit).expect("an edit is JSON");
        assert_eq!(serde_json::from_str::<Delta>(&json).as_ref().ok(), Some(edit), "{json}");
    }
    edit
}

/// Lines that are in a text, of which there is at least one.
pub fn check_lines(text: &str, lines: LineRange) {
    let count = text.split_inclusive('\n').count();
    assert!(1 <= lines.start && lines.start <= lines.end && lines.end <= count, "{lines:?} of {count}");
}

fn lines_before(text: &str, at: usize) -> usize {
    text[..at].split_inclusive('\n').count()
}

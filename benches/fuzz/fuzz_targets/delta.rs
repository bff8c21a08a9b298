//! Edits as values: of two texts, of JSON, and past one another.
#![no_main]

use canvas_fuzz::{check_delta, texts};
use canvas_patch::{Delta, TextEdit};
use libfuzzer_sys::fuzz_target;

// A text, two that may become of it, and an edit in JSON.
fuzz_target!(|data: &[u8]| {
    let [text, one, other, json] = texts(data);
    let (one, other) = (check_delta(&text, &one), check_delta(&text, &other));
    check_pair(&text, &one, &other);
    let Ok(stored) = serde_json::from_str::<Delta>(&json) else { return };
    let again = serde_json::to_string(&stored).expect("an edit is JSON");
    assert_eq!(serde_json::from_str::<Delta>(&again).ok().as_ref(), Some(&stored));
    assert_eq!(stored.inverse().inverse(), stored);
    assert_eq!(Delta::try_from(Vec::<TextEdit>::from(stored.inverse())), Ok(stored.inverse()));
    match stored.apply(&text) {
        Ok(after) => {
            assert_eq!(after == text, stored.is_empty());
            assert_eq!(stored.inverse().apply(&after).as_ref(), Ok(&text));
            check_pair(&text, &stored, &one);
        }
        Err(mismatch) => assert!(stored.edits().iter().any(|stretch| stretch.at == mismatch.at)),
    }
    // Also where it does not fit.
    for moved in [stored.transform(&one), one.transform(&stored)].into_iter().flatten() {
        let _ = moved.apply(&text);
    }
});

/// Whichever of two edits comes first, the text is the same, unless they are in each other's way.
fn check_pair(text: &str, a: &Delta, b: &Delta) {
    let (past_b, past_a) = (a.transform(b), b.transform(a));
    assert_eq!(past_b.is_err(), past_a.is_err());
    let (Ok(past_b), Ok(past_a)) = (past_b, past_a) else { return };
    let by = |edit: &Delta, text: &str| edit.apply(text).expect("an edit fits where it was moved to");
    let both = by(&past_a, &by(a, text));
    assert_eq!(both, by(&past_b, &by(b, text)));
    // Moved back over what it was moved past, it is as it was, and takes itself back alone.
    assert_eq!(by(&past_b.inverse(), &both), by(b, text));
    assert_eq!(Delta::try_from(Vec::<TextEdit>::from(past_b.clone())), Ok(past_b));
}

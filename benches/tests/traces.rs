//! The first merges of recorded sessions of several people.

use canvas_benches::traces::{SESSIONS, count, triples};

/// No keystroke is lost without a refusal.
#[test]
fn merged_texts_have_all_keystrokes() {
    for session in SESSIONS {
        // The recordings may be lacking.
        for saves in [1, 5, 20] {
            let Some(triples) = triples(session, 1_500, saves) else { return };
            let counts = count(&triples, None).expect("no files are used");
            assert!(counts.by_line > 0, "{session}: {counts:?}");
            assert_eq!(counts.lost, 0, "{session}: {counts:?}");
        }
    }
}

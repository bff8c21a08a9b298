//! Laws over generated texts and changes.

use canvas_core::text::{Mode, Options, apply, build};
use canvas_tools::{Dialect, DiffStream, NativeOptions, RenderOptions, apply_native, render_native};
use proptest::prelude::*;

/// Few words, so that lines repeat; markers of the forms among them, and every terminator.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        6 => prop::sample::select(vec!["a", "b", "c", "", "# A", "## B", "- x"]),
        // What a form could take for its own.
        1 => prop::sample::select(vec![
            "=======", "===", "\\=======", "***", "*** End of File", "@@", "+a", "-a", " a", ">>>>>>> REPLACE",
            "<<<<<<< SEARCH", "*** End Patch", ":start_line:1", "a\rb",
        ]),
    ];
    // Mixed terminators are rare, texts without a last one are not.
    let newline = prop_oneof![12 => Just("\n"), 1 => Just("\r\n")];
    (prop::collection::vec((line, newline), 0..12), any::<bool>()).prop_map(|(lines, open)| {
        let mut text: String = lines.iter().flat_map(|(line, newline)| [*line, *newline]).collect();
        if open && text.ends_with('\n') {
            let kept = text.trim_end_matches(['\r', '\n']).len();
            text.truncate(kept);
        }
        text
    })
}

fn change() -> impl Strategy<Value = (String, String)> {
    (text(), text(), 0..3_usize, any::<bool>()).prop_map(|(before, other, keep, crlf)| {
        // A part of the text is replaced by one of another.
        let lines: Vec<&str> = before.split_inclusive('\n').collect();
        let third = lines.len() / 3;
        let other: Vec<&str> = other.split_inclusive('\n').take(3).collect();
        let after: String = match keep {
            0 => other.concat(),
            1 => [&lines[..third], &other[..], &lines[third..]].concat().concat(),
            _ => [&lines[..third], &other[..], &lines[(2 * third).min(lines.len())..]].concat().concat(),
        };
        if crlf {
            (
                before.replace('\n', "\r\n").replace("\r\r", "\r"),
                after.replace('\n', "\r\n").replace("\r\r", "\r"),
            )
        } else {
            (before, after)
        }
    })
}

fn dialects() -> impl Strategy<Value = Dialect> {
    prop::sample::select(Dialect::ALL.to_vec())
}

/// Makes calls one after the other; `None` where one is refused.
fn run(dialect: Dialect, text: &str, calls: &[serde_json::Value]) -> Option<String> {
    let mut text = text.to_owned();
    for call in calls {
        text = apply_native(dialect, &text, call, &NativeOptions::default()).ok()?.text;
    }
    Some(text)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    /// What is rendered does what it was rendered for. Only changes of terminators and of the end cannot be said.
    #[test]
    fn rendered_calls_lead_there((before, after) in change(), dialect in dialects()) {
        let path = NativeOptions::default().path;
        match render_native(&before, &after, dialect, path, &RenderOptions::default()) {
            Ok(calls) => prop_assert_eq!(run(dialect, &before, &calls), Some(after)),
            Err(_) => {
                let plain = !before.contains('\r') && !after.contains('\r');
                let ends = |text: &str| text.is_empty() || text.ends_with('\n');
                let by_string = matches!(dialect, Dialect::TextEditor | Dialect::Edit | Dialect::Replace);
                prop_assert!(!plain || !by_string && (!ends(&before) || !ends(&after)), "{:?} {:?}", before, after);
            }
        }
    }

    /// A call with any context is refused, or has the lines that it was written for; where no form has anything to say of
    /// terminators and of the end, it has all bytes.
    #[test]
    fn accepted_calls_do_what_they_say((before, after) in change(), dialect in dialects(), context in 0..4_usize) {
        let path = NativeOptions::default().path;
        let options = RenderOptions { context, unique: false };
        let calls = render_native(&before, &after, dialect, path, &options).unwrap_or_default();
        let Some(done) = run(dialect, &before, &calls) else { return Ok(()) };
        prop_assert!(done.lines().eq(after.lines()), "{:?}", done);
        let ends = |text: &str| text.is_empty() || text.ends_with('\n');
        if !before.contains('\r') && !after.contains('\r') && ends(&before) && ends(&after) {
            prop_assert_eq!(done, after);
        }
    }

    /// A V4A diff without anchors is an anchored patch with bare headers, and does the same.
    #[test]
    fn v4a_is_the_anchored_patch((before, after) in change(), context in 0..4_usize) {
        let (path, options) = (NativeOptions::default().path, RenderOptions { context, unique: false });
        let calls = render_native(&before, &after, Dialect::ApplyPatch, path, &options).unwrap_or_default();
        prop_assume!(calls.first().is_some_and(|call| call["type"] == "update_file"));
        let patch = calls[0]["diff"].as_str().unwrap_or_default();
        let anchored = Options { mode: Mode::Anchored, ..Options::default() };
        let unified = apply(&before, patch, &anchored).map(|applied| applied.into_text()).ok();
        prop_assert_eq!(run(Dialect::ApplyPatch, &before, &calls), unified);
    }

    /// However a diff is cut, it is the same one.
    #[test]
    fn streams_cut_anywhere((before, after) in change(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8)) {
        let diff = build(&before, &after, 1).replace("@@ -", "@@ - ä");
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(diff.len() + 1)).collect();
        places.sort_unstable();
        let (mut stream, mut from) = (DiffStream::default(), 0);
        for place in places.into_iter().chain([diff.len()]) {
            stream.push(&diff.as_bytes()[from..place]);
            from = place;
        }
        let added = diff.lines().filter(|line| line.starts_with('+')).count();
        prop_assert_eq!(stream.added(), added);
        prop_assert_eq!(stream.finish(), Ok(diff));
    }

    /// Whatever is sent, nothing panics, and what is accepted is a change.
    #[test]
    fn any_call_is_answered(before in text(), sent in "[-+ @*=<>\\\\a\r\nSEARCH]{0,40}", dialect in dialects()) {
        use serde_json::json;
        for call in [
            json!({"text": sent}), json!({"input": sent}), json!({"type": "update_file", "path": "document.md", "diff": sent}),
            json!({"file_path": "document.md", "old_string": sent, "new_string": "x"}),
            json!({"command": "str_replace", "path": "document.md", "old_str": sent, "new_str": "x"}),
            json!(sent),
        ] {
            if let Ok(edit) = apply_native(dialect, &before, &call, &NativeOptions::default()) {
                prop_assert_ne!(edit.text, before.clone());
            }
        }
    }
}

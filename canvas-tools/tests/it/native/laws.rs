//! Laws over generated texts and changes.

use canvas_core::text::{ApplyOptions, Mode, apply, build};
use canvas_tools::native::{Dialect, DiffStream, NativeOptions, RenderOptions, apply_native, render_native};
use canvas_tools::strategies::{dialects, native_calls, native_changes, native_texts};
use proptest::prelude::*;

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
    fn rendered_calls_lead_there((before, after) in native_changes(), dialect in dialects()) {
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
    fn accepted_calls_do_what_they_say((before, after) in native_changes(), dialect in dialects(), context in 0..4_usize) {
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

    /// Whatever takes a change, a unified patch read either way or a call of any form, makes the same of it.
    #[test]
    fn all_that_is_taken_is_the_same((before, after) in native_changes(), context in 0..4_usize) {
        // A unified patch says more of terminators and of the end than the others can.
        let plain = |text: String| text.lines().map(|line| line.replace('\r', "") + "\n").collect::<String>();
        let (before, after) = (plain(before), plain(after));
        let patch = build(&before, &after, context);
        let unified = |mode| {
            let options = ApplyOptions { mode, ..ApplyOptions::default() };
            apply(&before, &patch, &options).ok().map(|applied| applied.into_text())
        };
        let mut taken = vec![unified(Mode::Strict), unified(Mode::Anchored)];
        for dialect in Dialect::ALL {
            let options = RenderOptions { context, unique: false };
            let calls = render_native(&before, &after, dialect, NativeOptions::default().path, &options);
            taken.push(calls.ok().and_then(|calls| run(dialect, &before, &calls)));
        }
        prop_assert!(taken.iter().flatten().all(|text| *text == after), "{:?}", taken);
    }

    /// Calls that have gone wrong on the way are refused, or are edits that fit the text and are no nothing.
    #[test]
    fn damaged_calls_are_edits_or_nothing(made in native_calls()) {
        if let Ok(edit) = apply_native(made.dialect, &made.text, &made.call, &NativeOptions::default()) {
            prop_assert!(!edit.delta.is_empty() && edit.text != made.text);
            prop_assert_eq!(edit.delta.apply(&made.text), Ok(edit.text.clone()));
            prop_assert_eq!(edit.delta.inverse().apply(&edit.text), Ok(made.text));
        }
    }

    /// A V4A diff without anchors is an anchored patch with bare headers, and does the same.
    #[test]
    fn v4a_is_the_anchored_patch((before, after) in native_changes(), context in 0..4_usize) {
        let (path, options) = (NativeOptions::default().path, RenderOptions { context, unique: false });
        let calls = render_native(&before, &after, Dialect::ApplyPatch, path, &options).unwrap_or_default();
        prop_assume!(calls.first().is_some_and(|call| call["type"] == "update_file"));
        let patch = calls[0]["diff"].as_str().unwrap_or_default();
        let anchored = ApplyOptions { mode: Mode::Anchored, ..ApplyOptions::default() };
        let unified = apply(&before, patch, &anchored).map(|applied| applied.into_text()).ok();
        prop_assert_eq!(run(Dialect::ApplyPatch, &before, &calls), unified);
    }

    /// However a diff is cut, it is the same one.
    #[test]
    fn streams_cut_anywhere((before, after) in native_changes(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8)) {
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

    /// Cut in two at any byte, a diff is the same edit.
    #[test]
    fn streams_cut_at_every_byte((before, after) in native_changes()) {
        let (path, options) = (NativeOptions::default().path, RenderOptions::default());
        let calls = render_native(&before, &after, Dialect::ApplyPatch, path, &options).unwrap_or_default();
        prop_assume!(!calls.is_empty());
        let diff = calls[0]["diff"].as_str().unwrap_or_default().replace('a', "ä");
        for cut in 0..=diff.len() {
            let mut stream = DiffStream::default();
            stream.push(&diff.as_bytes()[..cut]);
            stream.push(&diff.as_bytes()[cut..]);
            let mut call = calls[0].clone();
            call["diff"] = stream.finish().expect("the whole is UTF-8").replace('ä', "a").into();
            prop_assert_eq!(run(Dialect::ApplyPatch, &before, &[call]), Some(after.clone()));
        }
    }

    /// Whatever is sent, nothing panics, and what is accepted is a change.
    #[test]
    fn any_call_is_answered(before in native_texts(), sent in "[-+ @*=<>\\\\a\r\nSEARCH]{0,40}", dialect in dialects()) {
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

//! Hunks that are located while their patch is being written.

use canvas_core::text::{ApplyOptions, Mode, build, find_lines};
use canvas_tools::{HunkPreview, HunkState, PatchPreview};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::json;

fn located(start_line: usize, end_line: usize) -> HunkState {
    HunkState::Located { start_line, end_line }
}

/// The states of the hunks, of a patch that arrives in one piece of a call's arguments.
fn states(text: &str, patch: &str) -> Vec<HunkState> {
    let mut preview = PatchPreview::of_arguments(text, "patch");
    let arguments = json!({"lease_id": "lease-1-0", "patch": patch, "base_revision_id": "r1-00000000"});
    let events = preview.push(arguments.to_string().as_bytes());
    assert!(preview.finish().is_empty(), "{patch:?}");
    assert!((1..).zip(&events).all(|(number, event)| event.hunk == number));
    events.into_iter().map(|event| event.state).collect()
}

#[test]
fn hunks_are_located() {
    let text = "# A\r\n\r\n- x\r\n- y\r\n\r\n# B\r\n\r\n- x\r\n日本語 🦀\r\n\ttab\r\nend";
    for (patch, expected) in [
        ("@@\n-- y\n+- z\n", vec![located(4, 4)]),
        ("@@\n-- x\n+- z\n", vec![HunkState::Ambiguous { candidates: vec![3, 8] }]),
        ("@@\n # B\n \n-- x\n", vec![located(6, 8)]),
        // A blank line that has lost its space.
        ("@@\n # B\n\n-- x\n\n\n", vec![located(6, 8)]),
        (
            "@@ -9 +9 @@\n-日本語 🦀\n+x\n@@\n-\ttab\n@@\n-end\n\\ No newline at end of file\n",
            vec![located(9, 9), located(10, 10), located(11, 11)],
        ),
        ("@@\n-nowhere\n+x\n@@\n+x\n", vec![HunkState::Missing, HunkState::Missing]),
        ("--- a/x\n+++ b/x\n@@ -4 +4 @@\n-- y\n+- z", vec![located(4, 4)]),
        ("*** Begin Patch\n@@\n-- y\n*** End Patch\n", vec![located(4, 4)]),
        ("no hunk at all", vec![]),
        ("", vec![]),
    ] {
        assert_eq!(states(text, patch), expected, "{patch:?}");
    }
    let events = PatchPreview::of_diff(text).push(b"@@\n - x\n-- y\n+a\n+b\n@@ next");
    assert_eq!(events, [], "the header of the next hunk has not ended");
    let events = PatchPreview::of_diff(text).push(b"@@\n - x\n-- y\n+a\n+b\n@@\n");
    assert_eq!(events, [HunkPreview { hunk: 1, added: 2, removed: 1, state: located(3, 4) }]);
}

/// Other members, nested ones of the same name, and keys in escapes are told apart.
#[test]
fn the_patch_is_found_in_the_arguments() {
    let one = vec![located(1, 1)];
    for (arguments, expected) in [
        (r#"{"patch":"@@\n-a\n"}"#, one.clone()),
        (
            r#"{ "scope" : {"path": ["patch", "@@"], "patch": "@@\n-a\n"}, "patch" : "@@\n-a\n" }"#,
            one.clone(),
        ),
        (r#"{"other":"patch","patches":"@@\n-a\n","patch":"@@\n-a\n"}"#, one.clone()),
        (r#"{"\u0070atch":"\u0040@\n-a\n"}"#, one.clone()),
        (r#"{"text":"\\\"patch\":","patch":"@@\n-a\n"}"#, one),
        (r#"{"patch":7}"#, vec![]),
        (r#"{"patch":["@@\n-a\n"]}"#, vec![]),
        (r#"["patch","@@\n-a\n"]"#, vec![]),
        (r#""patch""#, vec![]),
    ] {
        let events = PatchPreview::of_arguments("a\nb\n", "patch").push(arguments.as_bytes());
        let states: Vec<_> = events.into_iter().map(|event| event.state).collect();
        assert_eq!(states, expected, "{arguments}");
    }
}

/// Whatever arrives, cut inside escapes too, nothing panics; a patch that breaks off has no last hunk.
#[test]
fn broken_streams_are_survived() {
    for arguments in [
        r#"{"patch":"@@\n-a\"#,
        r#"{"patch":"@@\n-\u00"#,
        r#"{"patch":"@@\n-\ud83e"#,
        r#"}}]]""""#,
        "{\"patch\":\"@@\n-a",
    ] {
        let mut preview = PatchPreview::of_arguments("a\n", "patch");
        assert_eq!((preview.push(arguments.as_bytes()), preview.finish()), (vec![], vec![]), "{arguments}");
    }
    let mut preview = PatchPreview::of_arguments("\u{fffd}\n", "patch");
    assert_eq!(preview.push(br#"{"patch":"@@\n-\ud83e"}"#)[0].state, located(1, 1));
}

/// As many equal lines as a text may have cost no more than a pass over them.
#[test]
fn equal_lines_are_ambiguous() {
    let text = "- todo\n".repeat(50_000);
    let hunk = format!("@@\n{}", " - todo\n".repeat(5_000));
    let state = states(&text, &hunk.repeat(20)).pop();
    assert_eq!(state, Some(HunkState::Ambiguous { candidates: (1..=64).collect() }));
    let broken = text.replace("- todo\n- todo\n", "- todo\n- done\n");
    assert_eq!(states(&broken, &hunk), [HunkState::Missing]);
}

fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![3 => "[ab]{0,2}", 1 => Just("日本".to_owned()), 1 => Just("🦀\t\"\\".to_owned()), 1 => Just("\u{202e}x".to_owned())];
    prop::collection::vec(line, 1..20).prop_map(|lines| lines.join("\n") + "\n")
}

proptest! {
    /// Any split of the bytes gives the same events, in both forms.
    #[test]
    fn events_do_not_depend_on_the_split(
        before in text(),
        after in text(),
        context in 0_usize..3,
        cuts in prop::collection::vec(any::<Index>(), 0..8),
        escaped in any::<bool>(),
    ) {
        let patch = build(&before, &after, context);
        let arguments = json!({"patch": patch}).to_string();
        let arguments = if escaped { ascii(&arguments) } else { arguments };
        let whole = PatchPreview::of_arguments(&before, "patch").push(arguments.as_bytes());
        let pieces = |bytes: &[u8], mut preview: PatchPreview<'_>| {
            let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            at.extend([0, bytes.len()]);
            at.sort_unstable();
            let mut events: Vec<_> = at.windows(2).flat_map(|cut| preview.push(&bytes[cut[0]..cut[1]])).collect();
            events.extend(preview.finish());
            events
        };
        prop_assert_eq!(&pieces(arguments.as_bytes(), PatchPreview::of_arguments(&before, "patch")), &whole);
        prop_assert_eq!(&pieces(patch.as_bytes(), PatchPreview::of_diff(&before)), &whole);
    }

    /// What is located is where the patch goes, and what is ambiguous or missing is so for a search of the text.
    #[test]
    fn the_places_are_those_of_the_text(before in text(), after in text(), other in text(), context in 0_usize..3) {
        let patch = build(&before, &after, context);
        let hunks: Vec<Vec<&str>> = patch.split("@@ -").skip(1).map(|hunk| {
            let lines = hunk.lines().skip(1).filter(|line| line.starts_with([' ', '-']));
            lines.map(|line| &line[1..]).collect()
        }).collect();
        for text in [&before, &other] {
            let events = PatchPreview::of_diff(text);
            let mut events_of = events.clone();
            let mut found = events_of.push(patch.as_bytes());
            found.extend(events_of.finish());
            prop_assert_eq!(found.len(), hunks.len());
            for (old, event) in hunks.iter().zip(&found) {
                let places = if old.is_empty() { vec![] } else { find_lines(text, std::slice::from_ref(old), 64).remove(0) };
                let expected = match places[..] {
                    [] => HunkState::Missing,
                    [start] => located(start + 1, start + old.len()),
                    _ => HunkState::Ambiguous { candidates: places.iter().map(|place| place + 1).collect() },
                };
                prop_assert_eq!(&event.state, &expected);
            }
            let options = ApplyOptions { mode: Mode::Anchored, ..ApplyOptions::default() };
            if canvas_core::text::apply(text, &patch, &options).is_ok() {
                prop_assert!(found.iter().all(|event| event.state != HunkState::Missing));
            }
        }
    }
}

/// The same JSON with every other character than ASCII escaped.
fn ascii(json: &str) -> String {
    let mut units = [0; 2];
    json.chars()
        .map(|c| match c {
            _ if c.is_ascii() => c.to_string(),
            _ => c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
        })
        .collect()
}

//! Outlines that are kept up to date, over texts that are long enough to be read in parts.

use canvas_patch::{Address, ApplyOptions, LiveOutline, Part, apply, build, outline, resolve};

fn text(sections: usize) -> String {
    let section = |n: usize| {
        let level = "#".repeat(1 + n % 3);
        let fence = if n % 5 == 0 { "```\n# no heading\n```\n\n" } else { "" };
        format!(
            "{level} Section {n}\n\nSome prose\nin two lines.\n\n- one\n- two\n  - three\n\n{fence}> ## Quoted {n}\n\n"
        )
    };
    (0..sections).map(section).collect()
}

/// The lines at several places of a text replaced.
fn replaced(before: &str, places: &[usize], new: &str) -> String {
    let lines: Vec<_> = before.split_inclusive('\n').collect();
    let line =
        |(at, line): (usize, &&str)| if places.contains(&at) { new.to_owned() } else { (*line).to_owned() };
    lines.iter().enumerate().map(line).collect()
}

#[test]
fn patches_keep_the_outline_right() {
    let before = text(400);
    let count = before.lines().count();
    let mut live = LiveOutline::new(before);
    for round in 0..60_usize {
        let places: Vec<_> = (0..=round % 4).map(|k| (round * 7919 + k * 1301) % count).collect();
        let news =
            ["", "# New\n", "- item\n", "```\n", "text\n---\n", "<!--\n", "[x]: y\n", "a\nb\n\n", "> q\n"];
        let new = news[round % news.len()];
        let after = replaced(live.text(), &places, new);
        let patch = build(live.text(), &after, 3);
        if patch.is_empty() {
            continue;
        }
        let before = live.text().to_owned();
        let applied = apply(&before, &patch, &ApplyOptions::default()).expect("a built patch applies");
        let delta = applied.delta();
        live.edit(applied.into_text(), delta.edits());
        assert_eq!(live.text(), after);
        assert!(live.outline() == &outline(&after), "{round}: {new:?} at {places:?}");
        for part in [None, Some(Part::Item(vec![2])), Some(Part::Fence(1))] {
            for ordinal in [Some(1), Some(2), None] {
                let path = vec![format!("Section {}", round * 5)];
                let address = Address::Section { path, ordinal, part: part.clone() };
                assert_eq!(live.resolve(&address), resolve(&after, &address));
            }
        }
        if round % 9 == 8 {
            // What a fence has swallowed comes back.
            let back =
                apply(&after, &build(&after, &before, 3), &ApplyOptions::default()).expect("it applies too");
            let delta = back.delta();
            live.edit(back.into_text(), delta.edits());
            assert!(live.outline() == &outline(&before));
        }
    }
}

#[test]
fn hostile_texts_take_linear_time() {
    const MANY: usize = 20_000;
    for text in [
        "# A\n".repeat(MANY),
        "# A\r".repeat(MANY),
        "- # A\r".repeat(MANY),
        "[a]: b\r".repeat(MANY),
        "> ".repeat(MANY) + "# A\n\n# B\n",
        "a".repeat(10 * MANY),
        "\n".repeat(10 * MANY),
        "\r".repeat(10 * MANY),
        "```\n\n".repeat(MANY),
    ] {
        let mut live = LiveOutline::new(text.clone());
        for after in
            [format!("{text}x"), format!("# x\n{text}"), format!("```\n{text}"), text.replacen('a', "b", 1)]
        {
            live.edit(after, &[]);
            assert!(live.outline() == &outline(live.text()));
        }
    }
}

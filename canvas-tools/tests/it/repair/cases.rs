//! The 42 refusals: what stood in the document, what was sent, and what was meant.

use std::path::PathBuf;

use canvas_core::text::build;
use serde_json::{Value, json};

use super::model::Mind;
use crate::document_tools::world::World;

/// A mistake.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) text: String,
    /// What happens after the model has read all under a lease, and the lease that it has then.
    pub(crate) before: fn(&mut World, String) -> String,
    pub(crate) tool: &'static str,
    /// Without the lease; `FIRST` as a base is the first revision.
    pub(crate) arguments: Value,
    /// Code and reason.
    pub(crate) refused: &'static str,
    pub(crate) wanted: String,
    pub(crate) mind: Mind,
}

/// A patch on a text that leads to `wanted`.
fn case(name: &'static str, text: &str, patch: &str, refused: &'static str, wanted: &str) -> Case {
    Case {
        name,
        text: text.to_owned(),
        before: |_, lease| lease,
        tool: "canvas_apply_patch",
        arguments: json!({"patch": patch}),
        refused,
        wanted: wanted.to_owned(),
        mind: Mind { read: text.to_owned(), meant: build(text, wanted, 1), ..Mind::default() },
    }
}

const NOT_FOUND: &str = "PATCH_REJECTED/NOT_FOUND";
const NO_HUNKS: &str = "PATCH_REJECTED/NO_HUNKS";
const STALE_BASE: &str = "PATCH_REJECTED/STALE_BASE";

/// Those whose text was not kept, as small cases of the same mistake.
pub(crate) fn small() -> Vec<Case> {
    forms().into_iter().chain(places()).chain(bases()).collect()
}

/// Those of the trial itself; `None` where its data are not there.
pub(crate) fn of_the_trial() -> Option<Vec<Case>> {
    Some(kept(&refusals()?))
}

#[expect(clippy::disallowed_methods, reason = "a test is its own host")]
fn refusals() -> Option<Vec<Value>> {
    let data = std::env::var_os("CANVAS_DATA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"), PathBuf::from);
    let lines = std::fs::read_to_string(data.join("repair/refusals.jsonl")).ok()?;
    Some(lines.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect())
}

/// Those whose text and call were kept.
fn kept(refusals: &[Value]) -> Vec<Case> {
    let find = |case: &str| {
        let with_text = |row: &&Value| row["case"] == case && row["text"].is_string();
        let row = refusals.iter().rfind(with_text).unwrap_or_else(|| panic!("no {case}"));
        (row["text"].as_str().unwrap(), row["arguments"]["patch"].as_str().unwrap())
    };
    let of = |name, case_name: &str, refused, wanted: &dyn Fn(&str) -> String| {
        let (text, patch) = find(case_name);
        case(name, text, patch, refused, &wanted(text))
    };
    // What the trial had meant by each.
    let once = |text: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from:?} is not there");
        text.replacen(from, to, 1)
    };
    let hosts = |text: &str| {
        let found = once(text, "'*.py' | xargs grep", "'*.py' -print0 | xargs -0 grep");
        const HOSTS: &str = "      cat hosts | xargs -I{} ssh root@{} hostname\n";
        once(&found, HOSTS, &format!("{HOSTS}      cat hosts | parallel ssh root@{{}} hostname\n"))
    };
    let resources = |text: &str| {
        let start = text.find("## More resources\n").unwrap();
        text[start..text.find("## Disclaimer\n").unwrap()].to_owned()
    };
    let moved = |text: &str| {
        let patch = find("M03-elided-lines").1;
        let added = patch.lines().filter_map(|line| line.strip_prefix('+'));
        let added: String = added.map(|line| format!("{line}\n")).collect();
        once(&once(text, &resources(text), ""), "## macOS only\n", &format!("{added}## macOS only\n"))
    };
    let after = |text: &str, start: &str, line: &str| {
        let whole = text.lines().find(|one| one.starts_with(start)).unwrap();
        once(text, &format!("{whole}\n"), &format!("{whole}\n{line}\n"))
    };
    const THEORY: &str = "- [Type Theory](https://example.com/type-theory#readme) - Types and proofs.";
    let theory = |text: &str| {
        let first = text.lines().find(|line| !line.is_empty() && text.matches(line).count() == 1);
        after(text, first.expect("a line that stands there once"), THEORY)
    };
    let editors = |text: &str| {
        let lines = (1..).zip(text.split_inclusive('\n'));
        lines
            .map(|(n, line)| if n == 62 { "\n<!-- editors follow -->\n\n".into() } else { line.to_owned() })
            .collect()
    };
    let mut ambiguous = of("M10", "M10-ambiguous-wrong-number", "PATCH_REJECTED/AMBIGUOUS", &editors);
    ambiguous.mind.line = 62;
    vec![
        of("M01", "M01-missing-leading-space", "PATCH_REJECTED/BAD_LINE", &hosts),
        of("M02", "M02-indented-context-one-space-short", NOT_FOUND, &hosts),
        of("M03", "M03-elided-lines", NOT_FOUND, &moved),
        of("M03b", "M03b-elided-with-minus", NOT_FOUND, &|text| once(text, &resources(text), "")),
        of("M03c", "M03c-elided-context", NOT_FOUND, &|text| once(text, "[shellcheck]", "[ShellCheck]")),
        of("M04", "M04-tabs-as-spaces", NOT_FOUND, &|text| {
            let line = find("M04-tabs-as-spaces").1.lines().find_map(|line| line.strip_prefix('+')).unwrap();
            after(text, "\t- [Cross-Platform]", line)
        }),
        of("M07b", "M07-header-pure-insert", "PATCH_REJECTED/NO_ANCHOR", &theory),
        of("M08", "M08-no-header", NO_HUNKS, &|text| {
            after(text, "- [VLM Arch", "- [Proof Theory](https://example.com/proof-theory#readme) - Proofs.")
        }),
        ambiguous,
        of("M11", "M11-ambiguous-two-places", NOT_FOUND, &|text| {
            const ZED: &str = "- [Zed](https://github.com/zed-industries/awesome-zed#readme) - Editor.\n";
            once(text, "\n## Contents\n", &format!("{ZED}\n## Contents\n"))
        }),
        of("M12", "M12-crlf-LF-and-missing-trailing-space", NOT_FOUND, &|text| {
            let start = text.find("However, when acquiring").unwrap();
            let end = text.find("pain point:\r\n").unwrap() + "pain point:\r\n".len();
            let new = "However, code that acquires several disposables only to clean them up, and never refers to them, \
                       hits a pain point:\r\n";
            let shorter = once(text, &text[start..end], new);
            once(&shorter, ": A local variable named '_' is already defined", "")
        }),
        of("M30", "M30-out-of-order", "PATCH_REJECTED/MISORDERED", &|text| {
            let first = once(text, "\n## Meta\n", "\n## Meta information\n");
            once(&first, "\n## Disclaimer\n", "\n## Disclaimers\n")
        }),
        of("M32", "M32-no-effect", "PATCH_REJECTED/NO_EFFECT", &str::to_owned),
        of("M33", "M33-line-number-prefix", NOT_FOUND, &|text| {
            once(text, "\nThe scope:\n", "\nScope of this:\n")
        }),
        of("R5", "R5-curly-quotes", NOT_FOUND, &|text| {
            let line = text.lines().find(|line| line.starts_with("- Use `xargs`")).unwrap();
            once(text, line, "- Use `xargs` (or `parallel`). It is very powerful. Examples:")
        }),
    ]
}

const NOTES: &str = "# Notes\n\n## Meta\n\nScope:\n\n- `pstree -p` shows the tree of processes.\n\n## One-liners\n\nSome examples.\n";

/// What is no unified diff of the document.
fn forms() -> Vec<Case> {
    let line = "- `pstree -p` shows the tree of processes.\n";
    let wanted = NOTES.replace("shows the tree", "helps to show the tree");
    let new = "- `pstree -p` helps to show the tree of processes.\n";
    let meta = NOTES.replace("## Meta\n", "## Meta information\n");
    let of = |name, patch: String, refused| case(name, NOTES, &patch, refused, &wanted);
    let with_arguments = |name, arguments| Case { arguments, ..of(name, String::new(), "INVALID_ARGUMENTS") };
    let place = |place: &'static str, case: Case| Case { refused: place, ..case };
    vec![
        of("M22", format!("@@\n-{line}+{new}").replace('\n', "\\n"), "PATCH_REJECTED/ESCAPED_NEWLINES"),
        of(
            "M23",
            format!("*** Begin Patch\n*** Update File: canvas.md\n@@ ## Meta\n-{line}+{new}*** End Patch\n"),
            "PATCH_REJECTED/UNEXPECTED_TEXT",
        ),
        of(
            "M24",
            format!("*** Begin Patch\n*** Update File: canvas.md\n-{line}+{new}*** End Patch\n"),
            NO_HUNKS,
        ),
        of("M25", format!("<<<<<<< SEARCH\n{line}=======\n{new}>>>>>>> REPLACE\n"), NO_HUNKS),
        place(
            "INVALID_ARGUMENTS at \"/new_str\"",
            with_arguments(
                "M26",
                json!({"old_str": "- `pstree -p` shows", "new_str": "- `pstree -p` helps to show"}),
            ),
        ),
        place(
            "INVALID_ARGUMENTS at \"/diff\"",
            with_arguments("M27", json!({"diff": format!("@@\n-{line}+{new}")})),
        ),
        of("M34", String::new(), NO_HUNKS),
        of("M35", wanted.clone(), NO_HUNKS),
        case(
            "M36",
            NOTES,
            &format!(
                "--- canvas\n+++ canvas\n@@ -0,0 +1,11 @@\n{}",
                meta.lines().map(|line| format!("+{line}\n")).collect::<String>()
            ),
            "PATCH_REJECTED/NO_ANCHOR",
            &meta,
        ),
        case(
            "M37",
            NOTES,
            "Here is the patch:\n\n@@ -3 +3 @@\n-## Meta\n+## Meta information\n\nThis renames the section.\n",
            "PATCH_REJECTED/UNEXPECTED_TEXT",
            &meta,
        ),
    ]
}

const SETTINGS: &str = "---\ntitle: Settings\n---\n\n# Settings\n\n## `$FormatEnumerationLimit`\n\nDetermines how many enumerated items are \
included in a display. This variable\ndoesn't affect the underlying objects, only the display. When the value of\nthe variable is \
fewer, an ellipsis is shown.\n\n## `$MaximumHistoryCount`\n\nDetermines how many commands are saved in the command history for the \
current\nsession.\n\n```csharp\nref int A()\n{\n    // The arguments contribute here:\n    return ref a;\n}\n\n## B\n    // The arguments \
contribute here:\n```\n\n## Python\n\n>>> 2+3\n5\n";

/// Lines that are not as they were quoted, stand at several places, or are in already.
fn places() -> Vec<Case> {
    let of = |name, patch: &str, refused, from: &str, to: &str| {
        assert!(SETTINGS.contains(from), "{from:?}");
        case(name, SETTINGS, patch, refused, &SETTINGS.replacen(from, to, 1))
    };
    let history = "Determines how many commands are saved in the command history for the current\n";
    let short = "Sets how many commands are saved in the command history for the current\n";
    let misquoted = history.replace("for the", "of the");
    let japanese = "# メモ\n\n- カレントディレクトリ（とサブディレクトリ）全体を公開するなら、`python -m http.server 7777`（Python 3の場合）。\n- 別の行。\n";
    let served = japanese.replace("`python -m", "`python3 -m");
    let half = japanese.lines().nth(2).unwrap().replace('（', "(").replace('）', ")");
    let half_new = served.lines().nth(2).unwrap();
    let steps = "# A\n\n- one\n- same\n\n# B\n\n- two\n- same\n\n# C\n\n- three\n- same\n";
    let mut fence = case("M18", steps, "@@\n \n - same\n", "PATCH_REJECTED/NO_EFFECT", steps);
    fence = Case {
        arguments: json!({"patch": "@@\n-- same\n+- other\n"}),
        refused: "PATCH_REJECTED/AMBIGUOUS",
        wanted: steps.replace("- two\n- same\n", "- two\n- other\n"),
        mind: Mind { heading: "B", ..fence.mind },
        ..fence
    };
    let words = |n: usize| format!("word{n} ").repeat(30);
    let long =
        format!("# Long\n\n{}has to be{}\n\nmiddle\n\n{}ends here: \n\nlast\n", words(1), words(2), words(3));
    let long_patch = format!(
        "@@\n-{}must be{}\n+short\n@@\n-middle\n+centre\n@@\n-{}ends here:\n+end\n",
        words(1),
        words(2),
        words(3)
    );
    let long_wanted = "# Long\n\nshort\n\ncentre\n\nend\n\nlast\n";
    let rollout = "# R\n\nThis is purely a change\nthat enables code to work naturally.\n\n## Related Issues\n\nThis proposal addresses one issue and\nanother (8605).\n";
    let daily = "# Guide\n\n## Daily use\n\nMuch text.\n\n## One-liners\n\nMore text.\n";
    vec![
        case(
            "M16",
            rollout,
            "--- a/canvas.md\n+++ b/canvas.md\n@@ -4,6 +4,10 @@\n that enables code to work naturally.\n\n+## Rollout\n\n+It ships in one release.\n+\n ## Related Issues\n\n This proposal addresses one issue and\n-another (8605).\n+another (8606).\n",
            NOT_FOUND,
            &rollout
                .replace("## Related Issues", "## Rollout\n\nIt ships in one release.\n\n## Related Issues")
                .replace("8605", "8606"),
        ),
        case("M17", &long, &long_patch, NOT_FOUND, long_wanted),
        fence,
        case("M19", japanese, &format!("@@\n-{half}\n+{half_new}\n"), NOT_FOUND, &served),
        of("M20", &format!("@@\n-{misquoted}+{short}"), NOT_FOUND, history, short),
        of(
            "M20b",
            &format!("@@\n ## `$MaximumHistoryCount`\n \n-{misquoted}+{short} session.\n"),
            NOT_FOUND,
            history,
            short,
        ),
        of(
            "M20c",
            "@@ -6,3 +6,3 @@\n-Determines how many enumerated items get included in a display. This variable\n-doesn't affect the objects \
             beneath, only the display. When the value of\n+Sets how many enumerated items are included. This variable\n+doesn't change \
             the objects, only the display. When the value of\n",
            NOT_FOUND,
            "Determines how many enumerated items are included in a display. This variable\ndoesn't affect the underlying objects, only the display. When the value of\n",
            "Sets how many enumerated items are included. This variable\ndoesn't change the objects, only the display. When the value of\n",
        ),
        of("M39", "@@\n-&gt;&gt;&gt; 2+3\n+&gt;&gt;&gt; 2+4\n", NOT_FOUND, ">>> 2+3\n", ">>> 2+4\n"),
        case("M29b", daily, "@@\n-## Everyday use\n+## Daily use\n", NOT_FOUND, daily),
        case(
            "M29c",
            daily,
            "@@\n-## Everyday use\n+## Daily use\n@@\n-## One-liners\n+## One liners\n",
            NOT_FOUND,
            &daily.replace("One-liners", "One liners"),
        ),
        Case {
            before: |world, lease| {
                assert!(world.patch(&lease, SAME).is_ok());
                lease
            },
            ..case(
                "M15",
                daily,
                SAME,
                NOT_FOUND,
                &daily.replace("Much text.\n", "Much text.\nOf mine.\nAnd more.\n"),
            )
        },
    ]
}

const SAME: &str = "@@\n Much text.\n+Of mine.\n+And more.\n \n";

/// Older revisions, and the lease.
fn bases() -> Vec<Case> {
    let text = "# Theory\n\n- [Proofs](#proofs)\n\n## Future Considerations\n\n### Advanced\n\nText.\n";
    let own = |world: &mut World, lease: String| {
        assert!(world.patch(&lease, "@@\n-Text.\n+Other text.\n").is_ok());
        lease
    };
    let by_me = text.replace("Text.\n", "Other text.\n");
    let based = |name, patch: &str, base: &str, wanted: &str| Case {
        arguments: json!({"patch": patch, "base_revision_id": base}),
        ..case(name, text, patch, STALE_BASE, wanted)
    };
    let theory = "@@\n - [Proofs](#proofs)\n+- [Types](#types)\n";
    let with_theory =
        |text: &str| text.replace("- [Proofs](#proofs)\n", "- [Proofs](#proofs)\n- [Types](#types)\n");
    let heading = "@@\n-## Future Considerations\n+## Future considerations\n \n ### Advanced\n";
    vec![
        Case { before: own, ..based("M07", theory, "FIRST", &with_theory(&by_me)) },
        Case {
            before: own,
            ..based("M09", "@@\n-Other text.\n+My text.\n", "FIRST", &text.replace("Text.", "My text."))
        },
        Case {
            refused: "INVALID_ARGUMENTS at \"/base_revision_id\"",
            ..based("M14", theory, "latest", &with_theory(text))
        },
        Case { before: own, ..based("M14b", theory, "r1-deadbeef", &with_theory(&by_me)) },
        Case {
            before: |world, _| {
                world.edit(&world.text().replace("## Future Considerations", "## Future Work"));
                world.check_out()
            },
            ..based(
                "A3",
                heading,
                "FIRST",
                &text.replace("## Future Considerations", "## Future considerations"),
            )
        },
        Case {
            tool: "canvas_check_out",
            arguments: json!({}),
            ..case("M05", text, "", "LOCK_NOT_AVAILABLE/HELD", &with_theory(text))
        },
    ]
}

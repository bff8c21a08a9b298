//! Sixty more mistakes: twelve kinds in five texts that are hard to copy. The model of the trial repairs each in one round.

use canvas_core::document::RangeHash;
use canvas_core::text::build;
use serde_json::{Value, json};

use super::cases::Case;
use super::model::Mind;
use super::{Ended, play};
use crate::document_tools::world::{World, failure};

/// A text, and the line in it that is to be replaced. It stands between `near` and `by`, far below `far away`.
fn texts() -> [(String, String); 5] {
    let long =
        format!("The {} of a long line ends here, and {} follows.", "middle ".repeat(60), "more ".repeat(60));
    let around = |target: &str| format!("# Head\n\nfar away\n{}\nnear\n{target}\nby\nlast\n", "\n".repeat(8));
    let cells = "| cell\tone | \"two\" & <three> |";
    let japanese = "- 設定（🦀 と 👩‍👩‍👧）を保存し、`再起動` する。 終わり";
    let right_to_left = "שלום \u{200f}עולם (v2.0) مرحبا بالعالم ends";
    let todo = "- todo item ends";
    let mut many = around(todo);
    many.push_str(&"- todo\n".repeat(500));
    [
        (around(&long), long.clone()),
        (around(cells).replace('\n', "\r\n"), cells.to_owned()),
        (around(japanese), japanese.to_owned()),
        (around(right_to_left), right_to_left.to_owned()),
        (many, todo.to_owned()),
    ]
}

/// The document with another line in place of the target.
fn wanted(text: &str, target: &str) -> String {
    text.replacen(target, "new line", 1)
}

/// The kinds that are patches: what is sent, and how it is refused.
fn patches(target: &str) -> Vec<(&'static str, String, &'static str)> {
    const NOT_FOUND: &str = "PATCH_REJECTED/NOT_FOUND";
    let hunk = |old: &str| format!("@@\n near\n-{old}\n+new line\n by\n");
    let (first, last) = target.rsplit_once(' ').expect("it has a space");
    let cut = |word: &str| format!("{first} {word}");
    vec![
        ("word", hunk(&cut("differs")), NOT_FOUND),
        ("space", hunk(&format!("{first}\u{a0}{last}")), NOT_FOUND),
        ("trailing", hunk(&format!("{target}  ")), NOT_FOUND),
        ("indented", hunk(&format!("  {target}")), NOT_FOUND),
        (
            "number",
            hunk(target)
                .replace("\n near", "\n 12→near")
                .replace(&format!("-{target}"), &format!("-13→{target}")),
            NOT_FOUND,
        ),
        ("left-out", format!("@@\n near\n-{target}\n+new line\n last\n"), NOT_FOUND),
        ("extra", format!("@@\n near\n never there\n-{target}\n+new line\n by\n"), NOT_FOUND),
    ]
}

#[test]
#[expect(clippy::print_stdout, reason = "it makes a table")]
fn sixty_drawn_mistakes_are_repaired_in_one_round() {
    let (mut repaired, mut all) = (0, 0);
    for (number, (text, target)) in texts().into_iter().enumerate() {
        let wanted = wanted(&text, &target);
        let mind = || Mind { read: text.clone(), meant: build(&text, &wanted, 1), ..Mind::default() };
        let good = format!("@@\n near\n-{target}\n+new line\n by\n");
        let case = |name: &'static str, arguments: Value, refused: &'static str| Case {
            name,
            text: text.clone(),
            before: |_, lease| lease,
            tool: "canvas_apply_patch",
            arguments,
            refused,
            wanted: wanted.clone(),
            mind: mind(),
        };
        let mut cases: Vec<Case> = patches(&target)
            .into_iter()
            .map(|(name, patch, refused)| case(name, json!({"patch": patch}), refused))
            .collect();
        cases.push(case("diff", json!({"diff": good}), "INVALID_ARGUMENTS at \"/diff\""));
        cases.push(Case {
            before: |world, _| {
                world.edit(&world.text().replacen("far away", "far, far away", 1));
                world.check_out()
            },
            wanted: wanted.replacen("far away", "far, far away", 1),
            ..case(
                "elsewhere",
                json!({"patch": good, "base_revision_id": "FIRST"}),
                "PATCH_REJECTED/STALE_BASE",
            )
        });
        cases.push(Case {
            before: |world, _| {
                world.edit(&world.text().replacen("\nnear", "\nnear it", 1));
                world.check_out()
            },
            wanted: wanted.replacen("\nnear", "\nnear it", 1),
            ..case("near", json!({"patch": good, "base_revision_id": "FIRST"}), "PATCH_REJECTED/STALE_BASE")
        });
        for case in &cases {
            let ended = play(case);
            println!("{number} {:>10} {ended:?}", case.name);
            repaired += usize::from(ended == Ended::Mended);
        }
        all += cases.len() + 2;
        repaired += usize::from(is_found_where_it_moved(&text, &target));
        repaired += usize::from(is_placed_by_its_number(&text));
    }
    println!("{repaired} of {all} repaired at once");
    assert_eq!((repaired, all), (60, 60));
}

/// A line is replaced by number after the user has put one above it.
fn is_found_where_it_moved(text: &str, target: &str) -> bool {
    let world = World::extended(text);
    let lease = world.check_out();
    assert!(world.under(&lease, "canvas_read_all").is_ok());
    let line = text.lines().position(|line| line == target).unwrap() + 1;
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    world.edit(&text.replacen("far away", &format!("one more{end}far away"), 1));
    let lease = world.check_out();
    let call = |line: &Value, base: Value| {
        let hash = RangeHash::of(&format!("{target}{end}"));
        let mut call = json!({"lease_id": lease, "start_line": line, "end_line": line, "expect_hash": hash, "text": "new line"});
        if !base.is_null() {
            call["base_revision_id"] = base;
        }
        world.tool("canvas_replace_lines", call)
    };
    let refused = call(&json!(line), Value::Null);
    assert_eq!(failure(&refused), "PATCH_REJECTED/CONTENT_CHANGED at \"/start_line\"");
    let now = &refused.body()["error"]["lines"]["start_line"];
    let done = call(now, refused.body()["revision_id"].clone());
    done.is_ok()
        && world.text() == wanted(text, target).replacen("far away", &format!("one more{end}far away"), 1)
}

/// A number that is right decides nothing before its line was shown; the refusal shows it.
fn is_placed_by_its_number(text: &str) -> bool {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let text = format!("{text}{}", format!("twin{end}other{end}").repeat(40));
    let world = World::extended(&text);
    let lease = world.check_out();
    let line = text.lines().count() - 41;
    assert_eq!(text.lines().nth(line - 1), Some("twin"));
    let patch = format!("@@ -{line} +{line} @@\n-twin{end}+TWIN{end}");
    let refused = world.patch(&lease, &patch);
    assert_eq!(failure(&refused), "PATCH_REJECTED/AMBIGUOUS", "{}", refused.body());
    let conflict = &refused.body()["error"]["conflicts"][0];
    assert!(conflict["places"].as_array().is_some_and(|places| places.len() == 3), "{conflict}");
    let done = world.patch(&lease, &patch);
    done.is_ok() && world.text().lines().nth(line - 1) == Some("TWIN")
}

//! Two windows show one document, and both save: the second edit is moved past the first, or refused with both texts.
//!
//! Random pairs of edits, each judged by a law and compared with `git merge-file`, with and without merges by words. 300
//! pairs; 10,000 with `CANVAS_LAWS=full`.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use canvas_core::document::{Edit, EditRefusal, StaleCause};
use canvas_core::lease::Timestamp;
use canvas_core::policy::WriteRules;
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::{CallId, CanvasId, ConversationId, Engine, OpKey, Policy};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

const NOW: Timestamp = Timestamp::from_millis(1_000);

/// What a window does at a line of the document.
#[derive(Debug, Clone, Copy)]
enum Change {
    Keep,
    Replace,
    Remove,
    InsertBefore,
    /// What the other window may write too, letter by letter.
    ReplaceAlike,
    InsertAlike,
}

/// A document of up to 12 lines, a third of them blank, with what either window does at each.
fn pair() -> impl Strategy<Value = Vec<(bool, Change, Change)>> {
    let change = || {
        prop_oneof![
            // Most lines stay, so that edits meet in about a third of the pairs.
            18 => Just(Change::Keep),
            1 => Just(Change::Replace),
            1 => Just(Change::Remove),
            1 => Just(Change::InsertBefore),
            1 => Just(Change::ReplaceAlike),
            1 => Just(Change::InsertAlike),
        ]
    };
    prop::collection::vec((prop::bool::weighted(0.3), change(), change()), 1..12)
}

/// Line `i` of the document, each but the blank ones another.
fn line(i: usize, is_blank: bool) -> String {
    if is_blank { "\n".to_owned() } else { format!("line {i}\n") }
}

fn save(
    pair: &[(bool, Change, Change)],
    who: &str,
    change: impl Fn(&(bool, Change, Change)) -> Change,
) -> String {
    let mut text = String::new();
    for (i, one) in pair.iter().enumerate() {
        let line = line(i, one.0);
        match change(one) {
            Change::Keep => text.push_str(&line),
            Change::Remove => {}
            Change::Replace => drop(writeln!(text, "{who} replaces {i}")),
            Change::InsertBefore => drop(write!(text, "{who} inserts {i}\n{line}")),
            Change::ReplaceAlike => drop(writeln!(text, "both replace {i}")),
            Change::InsertAlike => drop(write!(text, "both insert {i}\n{line}")),
        }
    }
    text
}

/// The document after both windows have saved, or the text that the refusal holds.
fn both(start: &str, first: &str, second: &str, merge_words: bool) -> Result<String, Box<EditRefusal>> {
    let writes = WriteRules { merge_words, ..WriteRules::default() };
    let engine = Engine::new(MemoryStore::new(|| NOW), Policy { writes, ..Policy::default() });
    let canvas = CanvasId::new("c").expect("a name");
    let key = |call: &str| OpKey {
        conversation: ConversationId::new("user").expect("a name"),
        turn: Default::default(),
        call: CallId::new(call).expect("a name"),
        person: None,
    };
    block_on(async {
        let base = engine.create(&canvas, start, &key("create"), NOW).await.expect("it is new").revision;
        let one = engine.call(&canvas, &key("first"), Edit::on(base, first), NOW).await.expect("memory");
        one.result.expect("the base is the document");
        let two = engine.call(&canvas, &key("second"), Edit::on(base, second), NOW).await.expect("memory");
        let text = engine.snapshot(&canvas, NOW).await.expect("memory").text().to_owned();
        match two.result {
            Ok(_) => Ok(text),
            Err(refusal) => {
                assert_eq!(text, first, "a refused edit changes nothing");
                Err(Box::new(refusal))
            }
        }
    })
}

/// The merge of git; `None` where it sees a conflict.
fn git(folder: &Path, start: &str, first: &str, second: &str) -> Option<String> {
    for (name, text) in [("first", first), ("start", start), ("second", second)] {
        fs::write(folder.join(name), text).expect("a folder of our own");
    }
    let merge = ["merge-file", "-p", "first", "start", "second"];
    let merged = Command::new("git").args(merge).current_dir(folder).output().expect("git runs");
    merged.status.success().then(|| String::from_utf8(merged.stdout).expect("its inputs are UTF-8"))
}

fn unique(text: &str) -> HashSet<&str> {
    text.lines().filter(|line| !line.is_empty()).collect()
}

/// What one window wrote is there, what one of them removed is not, and all else has stayed.
#[track_caller]
fn check_no_line_is_lost(start: &str, first: &str, second: &str, text: &str) {
    let [start, first, second, text] = [start, first, second, text].map(unique);
    for line in start.iter().chain(&first).chain(&second).chain(&text) {
        let expected = match start.contains(line) {
            true => first.contains(line) && second.contains(line),
            false => first.contains(line) || second.contains(line),
        };
        assert_eq!(text.contains(line), expected, "{line:?} in {text:?} of {first:?} and {second:?}");
    }
}

#[derive(Debug, Default)]
struct Counts {
    same: usize,
    /// The same lines in another order, where both insert at one place.
    reordered: usize,
    only_ours: usize,
    only_git: usize,
    neither: usize,
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures are what the full run is for")]
fn no_line_of_two_windows_is_lost() {
    let pairs = if std::env::var("CANVAS_LAWS").is_ok_and(|laws| laws == "full") { 10_000 } else { 300 };
    let folder = std::env::temp_dir().join(format!("canvas-two-windows-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a temporary folder");
    let (mut runner, mut counts) = (TestRunner::deterministic(), [Counts::default(), Counts::default()]);
    for _ in 0..pairs {
        let pair = pair().new_tree(&mut runner).expect("nothing is filtered").current();
        let start: String = pair.iter().enumerate().map(|(i, one)| line(i, one.0)).collect();
        let (first, second) = (save(&pair, "first", |one| one.1), save(&pair, "second", |one| one.2));
        let theirs = git(&folder, &start, &first, &second);
        let ours = [false, true].map(|merge_words| both(&start, &first, &second, merge_words));
        if let [Ok(by_line), by_word] = &ours {
            assert_eq!(by_word.as_ref().ok(), Some(by_line), "words matter only where lines conflict");
        }
        for (ours, counts) in ours.into_iter().zip(&mut counts) {
            match &ours {
                Ok(text) => check_no_line_is_lost(&start, &first, &second, text),
                Err(refusal) => {
                    let EditRefusal::StaleEdit(stale) = &**refusal else { panic!("{refusal}") };
                    assert!(matches!(stale.cause, StaleCause::Conflict { .. }), "{stale}");
                    assert_eq!(stale.markdown, second);
                }
            }
            *match (ours, &theirs) {
                (Ok(ours), Some(theirs)) if ours == *theirs => &mut counts.same,
                (Ok(ours), Some(theirs)) => {
                    assert_eq!(unique(&ours), unique(theirs), "{start:?} {first:?} {second:?}");
                    &mut counts.reordered
                }
                (Ok(_), None) => &mut counts.only_ours,
                (Err(_), Some(_)) => &mut counts.only_git,
                (Err(_), None) => &mut counts.neither,
            } += 1;
        }
    }
    fs::remove_dir_all(&folder).expect("it is ours");
    for (counts, how) in counts.iter().zip(["lines", "words"]) {
        println!("{pairs} pairs of edits, ours by {how} beside git merge-file: {counts:?}");
        assert!(counts.same > pairs / 3 && counts.neither > 0, "the pairs show too little: {counts:?}");
        assert_eq!(counts.only_git, 0, "git takes pairs that are refused here: {counts:?}");
    }
    assert!(counts[1].only_ours > counts[0].only_ours, "insertions at one place are kept: {counts:?}");
}

//! The corpora of real changes, broken patches and patches written by models: our own small ones, and the large ones of
//! `CANVAS_DATA` where they are at hand.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use canvas_patch::{
    ApplyOptions, BuildOptions, Chunks, Delta, Mode, Reason, apply, build, build_unique, build_with_delta,
};
use serde_json::Value;

/// The rows of our own corpus, and those of the large one where it is at hand.
#[expect(clippy::disallowed_methods, reason = "a test is a host")]
pub(crate) fn rows(own: &str, large: &str) -> Vec<Value> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()));
    let mut text = read(&here.join("tests/corpus").join(own)).expect("our own corpus is in the repository");
    let data = std::env::var("CANVAS_DATA").map_or_else(|_| here.join("../../shared/data"), PathBuf::from);
    match read(&data.join("patch").join(large)) {
        Ok(large) => text.push_str(&large),
        Err(e) => say(&format!("SKIPPED: {large}, only {own} is checked ({e})")),
    }
    text.lines().map(|line| serde_json::from_str(line).expect("the corpus is JSON lines")).collect()
}

#[expect(clippy::print_stdout, reason = "counts are the result of a corpus run")]
pub(crate) fn say(line: &str) {
    println!("{line}");
}

pub(crate) fn field<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap_or_else(|| panic!("{}: no text in {name}", row["id"]))
}

fn options(mode: Mode) -> ApplyOptions<'static> {
    ApplyOptions { mode, ..ApplyOptions::default() }
}

#[test]
fn real_changes_apply_strictly_and_back() {
    let rows = rows("changes.jsonl", "corpus_dev.jsonl");
    let (mut anchored_same, mut anchored_refused) = (0, BTreeMap::new());
    for row in &rows {
        let (before, patch, after) = (field(row, "before"), field(row, "patch"), field(row, "after"));
        let applied = apply(before, patch, &options(Mode::Strict));
        let applied = applied.unwrap_or_else(|e| panic!("{}: {e}", row["id"]));
        assert!(applied.text() == after, "{}: other bytes", row["id"]);
        let back = apply(after, &applied.inverse(), &options(Mode::Strict));
        let back = back.unwrap_or_else(|e| panic!("{}: inverse: {e}", row["id"]));
        assert!(back.text() == before, "{}: the inverse gives other bytes", row["id"]);
        match apply(before, patch, &options(Mode::Anchored)) {
            Ok(anchored) => {
                assert!(anchored.text() == after, "{}: anchored gives other bytes", row["id"]);
                anchored_same += 1;
            }
            Err(e) => *anchored_refused.entry(e.reason().code()).or_insert(0) += 1,
        }
    }
    say(&format!(
        "changes: {0} of {0} strict, {0} inverses; anchored {anchored_same}, refused {anchored_refused:?}",
        rows.len()
    ));
}

/// Hunks, and changed lines, of a patch without file names or with them.
fn size_of(patch: &str) -> (usize, usize) {
    let body = patch.lines().skip_while(|line| !line.starts_with("@@"));
    body.fold((0, 0), |(hunks, changed), line| {
        (hunks + usize::from(line.starts_with("@@")), changed + usize::from(line.starts_with(['+', '-'])))
    })
}

#[test]
fn built_patches_are_as_small_as_those_of_git() {
    let rows = rows("changes.jsonl", "corpus_dev.jsonl");
    let (mut ours, mut gits, mut more, mut fewer) = ((0, 0), (0, 0), 0, 0);
    let (mut narrow, mut ambiguous, mut unique) = (0, 0, 0);
    let mut coarser = Vec::new();
    for row in &rows {
        let (before, after) = (field(row, "before"), field(row, "after"));
        let context = usize::try_from(row["context"].as_u64().expect("a number")).expect("a small one");
        let built = build(before, after, context);
        let applied = apply(before, &built, &options(Mode::Strict));
        assert!(applied.is_ok_and(|applied| applied.text() == after), "{}: built", row["id"]);
        let both = (built.clone(), Delta::between(before, after));
        assert_eq!(build_with_delta(before, after, context), both, "{}", row["id"]);
        let (our, git) = (size_of(&built), size_of(field(row, "patch")));
        if our.0 > git.0 {
            coarser.push(format!("{}: {} hunks, git has {}", row["id"], our.0, git.0));
        }
        (ours, gits) = ((ours.0 + our.0, ours.1 + our.1), (gits.0 + git.0, gits.1 + git.1));
        more += usize::from(our.1 > git.1);
        fewer += usize::from(our.1 < git.1);

        let widest_context = 16;
        let built = build_unique(before, after, &BuildOptions { context, widest_context });
        narrow += built_narrow(before, after, context);
        ambiguous += built.ambiguous.len();
        unique += built.summary.hunks - built.ambiguous.len();
        match apply(before, &built.patch, &options(Mode::Anchored)) {
            Ok(applied) => assert!(applied.text() == after, "{}: unique", row["id"]),
            // Patches with exact arithmetic are taken by it, unless a hunk shows nothing of the text.
            Err(e) => assert_eq!(e.reason(), Reason::NoAnchor, "{}", row["id"]),
        }
    }
    say(&format!("changes: {} built; hunks {} (git {})", rows.len(), ours.0, gits.0));
    say(&format!(
        "changes: changed lines {} (git {}), more in {more} rows, fewer in {fewer}",
        ours.1, gits.1
    ));
    say(&format!(
        "changes: {narrow} hunks ambiguous as they were; widened: {unique} unique, {ambiguous} ambiguous"
    ));
    assert!(coarser.is_empty(), "{coarser:#?}");
}

/// Hunks that stay ambiguous where context may not grow.
fn built_narrow(before: &str, after: &str, context: usize) -> usize {
    build_unique(before, after, &BuildOptions { context, widest_context: context }).ambiguous.len()
}

#[test]
fn broken_patches_are_refused() {
    let rows = rows("broken.jsonl", "negative_dev.jsonl");
    let (mut verdicts, mut wrong) = (BTreeMap::new(), Vec::new());
    for row in &rows {
        let result = apply(field(row, "before"), field(row, "patch"), &options(Mode::Strict));
        let label = field(row, "strict");
        match &result {
            Ok(_) if label == "reject" => wrong.push(format!("{}: accepted", row["id"])),
            Err(e) if label == "accept" => wrong.push(format!("{}: {e}", row["id"])),
            _ => {}
        }
        let verdict = result.map_or_else(|e| e.reason().code(), |_| "applied");
        *verdicts.entry((field(row, "mutation"), label, verdict)).or_insert(0) += 1;
    }
    for ((mutation, label, verdict), n) in &verdicts {
        say(&format!("broken: {mutation} ({label}): {verdict} {n}"));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    say(&format!("broken: {} judged, none wrong", rows.len()));
}

#[test]
fn patches_of_models_apply_where_their_content_is_unique() {
    let rows = rows("models.jsonl", "llm_diffs.jsonl");
    let (mut unique, mut no_effect, mut reasons) = (0, 0, BTreeMap::new());
    for row in &rows {
        let (before, patch) = (field(row, "before"), field(row, "single_file_patch"));
        let result = apply(before, patch, &options(Mode::Anchored));
        if let Err(e) = &result {
            for conflict in e.conflicts() {
                assert!(
                    conflict.hunk > 0
                        || matches!(conflict.reason, Reason::NoEffect | Reason::NoHunks | Reason::MultiFile)
                );
            }
        }
        let verdict = result.as_ref().map_or_else(|e| e.reason().code(), |_| "applied");
        *reasons.entry(verdict).or_insert(0) += 1;
        if let Some(expected) = row["strict_unique_after"].as_str() {
            unique += 1;
            if expected == before {
                no_effect += 1;
                assert_eq!(verdict, "NO_EFFECT", "{}", row["id"]);
            } else {
                let applied = result.unwrap_or_else(|e| panic!("{}: {e}", row["id"]));
                assert!(applied.text() == expected, "{}: other bytes", row["id"]);
            }
        }
    }
    say(&format!("models: {} rows, {unique} unique ({no_effect} without effect), {reasons:?}", rows.len()));
}

/// What `git apply --recount` makes of a text; `Ok(None)` where it refuses.
///
/// # Errors
///
/// Where git is not installed or the folder cannot be written.
#[expect(clippy::disallowed_methods, reason = "a test is a host")]
fn git_apply(folder: &Path, text: &str, patch: &str) -> std::io::Result<Option<String>> {
    std::fs::write(folder.join("f"), text)?;
    let mut git = Command::new("git")
        .args(["apply", "--recount", "-"])
        .current_dir(folder)
        // No repository around the folder, and nobody's settings.
        .env("GIT_CEILING_DIRECTORIES", folder.parent().expect("the folder lies in another"))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    // Git may refuse before it has read everything.
    let _ = git.stdin.take().expect("stdin is piped").write_all(patch.as_bytes());
    match git.wait()?.success() {
        true => std::fs::read_to_string(folder.join("f")).map(Some),
        false => Ok(None),
    }
}

#[test]
fn git_gives_the_same_bytes() {
    let rows = rows("models.jsonl", "llm_diffs.jsonl");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("git_gives_the_same_bytes");
    std::fs::create_dir_all(&folder).expect("the temporary folder can be made");
    let (mut applied, mut both, mut wrong) = (0, 0, Vec::new());
    for row in &rows {
        let (before, patch) = (field(row, "before"), field(row, "single_file_patch"));
        let Ok(ours) = apply(before, patch, &options(Mode::Anchored)) else { continue };
        applied += 1;
        match git_apply(&folder, before, patch) {
            Ok(Some(gits)) => {
                both += 1;
                if gits != ours.text() {
                    wrong.push(row["id"].to_string());
                }
            }
            Ok(None) => {}
            Err(e) => return say(&format!("SKIPPED: git, nothing is compared ({e})")),
        }
    }
    say(&format!("git: {both} of {applied} applied rows of {} compared, {} differ", rows.len(), wrong.len()));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The chunks that an edit has touched.
fn touched(chunks: &Chunks, text: &str, (range, new): (std::ops::Range<usize>, &str)) -> (usize, usize) {
    let after = [&text[..range.start], new, &text[range.end..]].concat();
    let edited = chunks.edited(&after, [(range, new.len())]);
    let new = edited.chunks.ranges().zip(edited.kept).filter(|(_, kept)| kept.is_none());
    new.fold((0, 0), |(count, bytes), (chunk, _)| (count + 1, bytes + chunk.len()))
}

/// Real texts one after the other, each line of some replaced, removed or doubled.
#[test]
fn an_edit_of_a_line_touches_few_chunks() {
    let rows = rows("changes.jsonl", "corpus_dev.jsonl");
    let mut texts = vec![String::new()];
    for row in &rows {
        let before = field(row, "before");
        match texts.last_mut() {
            Some(last) if last.len() < 1 << 20 => last.push_str(before),
            _ => texts.push(before.to_owned()),
        }
    }
    // Our own corpus is too short for many chunks.
    let short = texts.iter().map(String::len).sum::<usize>() < 1 << 20;
    if short {
        texts = vec![(0..200).map(|n| texts.concat().replace("a", &format!("{n}a"))).collect()];
    }
    let mut found = Vec::new();
    for text in texts.iter().filter(|text| text.len() > 64 << 10) {
        let chunks = Chunks::new(text);
        let starts: Vec<_> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        for (n, line) in starts.windows(2).step_by(starts.len().div_ceil(400)).enumerate() {
            let (range, old) = (line[0]..line[1], &text[line[0]..line[1]]);
            let new = ["another line\n".to_owned(), String::new(), old.repeat(2)];
            found.push(touched(&chunks, text, (range, &new[n % 3])));
        }
    }
    let of = |part: usize, sorted: &[usize]| sorted[(sorted.len() * part / 100).min(sorted.len() - 1)];
    let (mut counts, mut bytes): (Vec<_>, Vec<_>) = found.into_iter().unzip();
    counts.sort_unstable();
    bytes.sort_unstable();
    let summary = |sorted: &[usize]| {
        format!("{} at the median, {} at 99 %, {} at most", of(50, sorted), of(99, sorted), of(100, sorted))
    };
    say(&format!("{} edits of a line: chunks {}; bytes {}", counts.len(), summary(&counts), summary(&bytes)));
    assert!(counts.len() > 300 && of(50, &counts) <= 3 && of(99, &counts) <= 8, "{}", summary(&counts));
}

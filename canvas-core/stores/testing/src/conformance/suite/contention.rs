//! Races on threads, because commits that end within one poll meet nowhere else.
//!
//! Chance does not decide the verdict. Each thread records its successful commits, their versions, and the rows that it was
//! shown. Afterwards the records must form one history. The closeness of the races decides only how long they last.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use canvas_core::store::{Collected, Commit, Committed, Head, Loaded, Store, Version};
use canvas_core::{Blob, BlobId, CodedError as _};

use super::threads::{Contest, Line, Runner, THREADS, on_threads};
use super::{
    CanvasId, NO_DRIVER, NO_THREADS, PASSED, Verdict, brief, canvas, commit, deletion, done, find, has, row,
    same, same_head, unchanged,
};
use crate::conformance::harness::Harness;
use crate::conformance::stored::again;

/// Longer than any run takes.
const FAR: Duration = Duration::from_secs(86_400);

/// Builds a thread's next commit on a row. The number is unique among all commits.
type Next = fn(&Loaded, usize) -> Commit;

pub(crate) async fn commits_on_threads<H: Harness>(harness: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    race(harness, store, id, |row, number| {
        let edit = commit(row.head.canvas(), Some(row.version.clone()), &format!("{number}\n"));
        // Now and then an empty bump, which must win or lose like any other commit.
        let is_bump = number % 4 == 3;
        if is_bump { Commit { head: Arc::clone(&row.head), blobs: Vec::new(), ..edit } } else { edit }
    })
    .await
}

pub(crate) async fn limits_on_threads<H: Harness>(harness: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    race(harness, store, id, |row, number| {
        let edit = commit(row.head.canvas(), Some(row.version.clone()), &format!("{number}\n"));
        Commit { not_after: Some(row.clock.saturating_add(FAR)), ..edit }
    })
    .await
}

pub(crate) async fn deletions_on_threads<H: Harness>(
    harness: &H,
    store: &H::Store,
    id: &CanvasId,
) -> Verdict {
    race(harness, store, id, |row, number| {
        if !row.head.is_deleted() {
            return deletion(row);
        }
        let document = Blob::text(format!("{number}\n"));
        let head = again(&row.head, document.id());
        Commit { expected: Some(row.version.clone()), head, blobs: vec![document], not_after: None }
    })
    .await
}

/// The commits and rows that a thread got as results.
#[derive(Default)]
struct Notes {
    won: Vec<Won>,
    shown: Vec<(Version, Arc<Head>)>,
}

struct Won {
    expected: Option<Version>,
    version: Version,
    head: Arc<Head>,
}

/// Lets threads commit to one row until enough commits were close. Afterwards the successful ones must form a single chain
/// of versions.
async fn race<H: Harness>(harness: &H, store: &H::Store, id: &CanvasId, next: Next) -> Verdict {
    let Some(driver) = harness.driver() else { return NO_DRIVER };
    let first = commit(id, None, "start\n");
    let head = Arc::clone(&first.head);
    let (start, _) = done(store, first).await?;
    let contest = Arc::new(Contest::default());
    let mut tasks = Vec::new();
    for thread in 0..THREADS {
        let (peer, runner, id) = (harness.peer(store).await, contest.runner(), id.clone());
        tasks.push(commit_again_and_again(peer, runner, id, thread, next));
    }
    let Some(notes) = on_threads(&driver, tasks).await? else { return NO_THREADS };
    let notes: Vec<_> = notes.into_iter().collect::<Result<_, _>>()?;
    let last = row(store, id).await?;
    is_one_history((start, head), (last.version, last.head), &notes)?;
    PASSED
}

async fn commit_again_and_again<S: Store>(
    store: S,
    contest: Runner,
    id: CanvasId,
    thread: usize,
    next: Next,
) -> Result<Notes, String> {
    let mut notes = Notes::default();
    let mut current = row(&store, &id).await?;
    let mut number = thread;
    while !contest.is_over() {
        number += THREADS;
        let next = next(&current, number);
        let (expected, head) = (current.version.clone(), Arc::clone(&next.head));
        match contest.commit(&store, next).await {
            Ok(Committed::Done { version, clock }) => {
                let won = Won { expected: Some(expected), version: version.clone(), head: Arc::clone(&head) };
                notes.won.push(won);
                current = Loaded { head, version, clock, document: None };
            }
            Ok(Committed::Conflict(Some(row))) => {
                same("a conflict with the version that was expected", row.version == expected, false)?;
                current = row;
                notes.shown.push((current.version.clone(), Arc::clone(&current.head)));
            }
            other => return Err(format!("one of several commits gave {}", brief(&other))),
        }
        // Load now and then, like a caller that only reads.
        if number.is_multiple_of(5) {
            current = row(&store, &id).await?;
            notes.shown.push((current.version.clone(), Arc::clone(&current.head)));
        }
    }
    Ok(notes)
}

/// Checks that the successful commits form one chain, from the first state of the row to the last.
fn is_one_history(
    (start, first): (Version, Arc<Head>),
    (last, head): (Version, Arc<Head>),
    notes: &[Notes],
) -> Result<(), String> {
    let (mut heads, mut after) = (HashMap::from([(&start, &first)]), HashMap::new());
    for won in notes.iter().flat_map(|notes| &notes.won) {
        if heads.insert(&won.version, &won.head).is_some() {
            return Err(format!("two states of the row have the version {}", won.version.as_str()));
        }
        let Some(expected) = &won.expected else { continue };
        if after.insert(expected, &won.version).is_some() {
            return Err(format!("two commits on the version {} were done", expected.as_str()));
        }
    }
    let (mut end, mut steps) = (&start, 0);
    while let Some(version) = after.get(end) {
        (end, steps) = (version, steps + 1);
    }
    same("the number of commits that led to the row, of those that were done,", steps, after.len())?;
    same("the row's version after a race", &last, end)?;
    same_head("the row's head after a race", &head, heads[end])?;
    for (version, shown) in notes.iter().flat_map(|notes| &notes.shown) {
        let Some(head) = heads.get(version) else {
            return Err(format!("a thread was shown the version {}, of no commit", version.as_str()));
        };
        same_head("the head that a thread was shown with a version", shown, head)?;
    }
    Ok(())
}

pub(crate) async fn creations_on_threads<H: Harness>(harness: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    let Some(driver) = harness.driver() else { return NO_DRIVER };
    let (contest, line) = (Arc::new(Contest::default()), Arc::new(Line::default()));
    let mut tasks = Vec::new();
    for thread in 0..THREADS {
        let (peer, runner, line) = (harness.peer(store).await, contest.runner(), Arc::clone(&line));
        tasks.push(create_one_after_the_other(peer, runner, line, thread));
    }
    let Some(rounds) = on_threads(&driver, tasks).await? else { return NO_THREADS };
    let mut rounds: Vec<_> = rounds.into_iter().map(|it| it.map(Vec::into_iter)).collect::<Result<_, _>>()?;
    for round in 0_usize.. {
        // A thread that ended earlier took no part in the last rounds.
        let notes: Vec<Notes> = rounds.iter_mut().filter_map(Iterator::next).collect();
        if notes.is_empty() {
            break;
        }
        let won: Vec<&Won> = notes.iter().flat_map(|notes| &notes.won).collect();
        let [won] = *won else {
            return Err(format!("of several first commits at once {} were done", won.len()));
        };
        unchanged(store, &won.head, &won.version).await.map_err(|how| format!("in round {round} {how}"))?;
        for (version, head) in notes.iter().flat_map(|notes| &notes.shown) {
            same("the version in a loser's conflict", version, &won.version)?;
            same_head("the head in a loser's conflict", head, &won.head)?;
        }
    }
    PASSED
}

async fn create_one_after_the_other<S: Store>(
    store: S,
    contest: Runner,
    line: Arc<Line>,
    thread: usize,
) -> Result<Vec<Notes>, String> {
    let mut rounds = Vec::new();
    while !contest.is_over() {
        let round = rounds.len();
        line.wait(round, &contest);
        let next = commit(&canvas(&round.to_string()), None, &format!("{thread}\n"));
        let (head, mut notes) = (Arc::clone(&next.head), Notes::default());
        match contest.commit(&store, next).await {
            Ok(Committed::Done { version, .. }) => notes.won.push(Won { expected: None, version, head }),
            Ok(Committed::Conflict(Some(row))) => notes.shown.push((row.version, row.head)),
            other => return Err(format!("one of several first commits gave {}", brief(&other))),
        }
        rounds.push(notes);
    }
    Ok(rounds)
}

pub(crate) async fn collections_on_threads<H: Harness>(
    harness: &H,
    store: &H::Store,
    id: &CanvasId,
) -> Verdict {
    let Some(driver) = harness.driver() else { return NO_DRIVER };
    done(store, commit(id, None, "0\n")).await?;
    let contest = Arc::new(Contest::default());
    let mut tasks = Vec::new();
    for thread in 0..THREADS {
        let (peer, runner, id) = (harness.peer(store).await, contest.runner(), id.clone());
        tasks.push(put_or_collect(peer, runner, id, thread));
    }
    let Some(ends) = on_threads(&driver, tasks).await? else { return NO_THREADS };
    ends.into_iter().collect::<Result<(), _>>()?;
    let last = row(store, id).await?;
    same("the document after the last collection", needs(store, &last).await?, true)?;
    PASSED
}

/// Collects on the first thread, and puts a few texts again and again on the others.
async fn put_or_collect<S: Store>(
    store: S,
    contest: Runner,
    id: CanvasId,
    thread: usize,
) -> Result<(), String> {
    for number in thread.. {
        if contest.is_over() {
            break;
        }
        let current = row(&store, &id).await?;
        if thread == 0 {
            let collected = store.collect(&id, &Default::default(), Duration::ZERO, &current.version).await;
            match collected.map_err(|e| format!("a collection failed: {}", e.message()))? {
                Collected::Done { .. } => contest.happened(),
                Collected::Conflict => {}
            }
            continue;
        }
        let text = format!("{}\n", number % 3);
        let next = commit(&id, Some(current.version), &text);
        let head = Arc::clone(&next.head);
        let current = match contest.commit(&store, next).await {
            Ok(Committed::Done { version, clock }) => Loaded { head, version, clock, document: None },
            Ok(Committed::Conflict(Some(row))) => row,
            other => return Err(format!("a commit beside a collection gave {}", brief(&other))),
        };
        let is_there = needs(&store, &current).await?;
        // A missing blob is a violation only if the row is still the same. Otherwise it belonged to an older row.
        if !is_there && find(&store, &id).await?.is_some_and(|row| row.version == current.version) {
            return Err("a collection dropped a blob that was put again and that the head needs".to_owned());
        }
    }
    Ok(())
}

/// Whether the document of a row exists.
async fn needs<S: Store>(store: &S, row: &Loaded) -> Result<bool, String> {
    let text = |number: usize| format!("{number}\n");
    let document = row.head.document();
    let number = (0..3).find(|number| BlobId::of(text(*number).as_bytes()) == document);
    has(store, row.head.canvas(), &text(number.ok_or("the head has a document that nobody committed")?)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(name: &str) -> Version {
        Version::new(name)
    }

    fn head(text: &str) -> Arc<Head> {
        commit(&canvas("c"), None, text).head
    }

    fn won(expected: &str, to: &str) -> Won {
        Won { expected: Some(version(expected)), version: version(to), head: head(to) }
    }

    /// Versions, each with the text that was shown with it.
    type Shown<'a> = &'a [(&'a str, &'a str)];

    /// Judges the notes of two threads, from version `0` to the last one.
    fn judge(last: &str, notes: [(Vec<Won>, Shown<'_>); 2]) -> Result<(), String> {
        let notes = notes.map(|(won, shown)| Notes {
            won,
            shown: shown.iter().map(|(of, text)| (version(of), head(text))).collect(),
        });
        is_one_history((version("0"), head("0")), (version(last), head(last)), &notes)
    }

    #[test]
    fn only_one_chain_is_a_history() {
        let none = || (Vec::new(), &[][..]);
        let is_wrong = |last, notes, how: &str| {
            let error = judge(last, notes).unwrap_err();
            assert!(error.contains(how), "{error}");
        };
        assert_eq!(judge("0", [none(), none()]), Ok(()));
        let (even, odd) = (vec![won("0", "1"), won("2", "3")], vec![won("1", "2")]);
        assert_eq!(judge("3", [(even, &[("2", "2")]), (odd, &[("0", "0"), ("1", "1")])]), Ok(()));
        is_wrong("2", [(vec![won("0", "1")], &[]), (vec![won("0", "2")], &[])], "on the version 0 were done");
        is_wrong("1", [(vec![won("0", "1")], &[]), (vec![won("1", "1")], &[])], "have the version 1");
        is_wrong("1", [(vec![won("0", "1")], &[]), (vec![won("7", "2")], &[])], "that led to the row");
        is_wrong("0", [(vec![won("0", "1")], &[]), none()], "the row's version");
        is_wrong("1", [(vec![won("0", "1")], &[("1", "0")]), none()], "was shown with a version");
        is_wrong("1", [(vec![won("0", "1")], &[("7", "1")]), none()], "of no commit");
    }
}

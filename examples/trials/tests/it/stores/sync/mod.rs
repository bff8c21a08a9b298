//! Hidden messages keep a model in step with the document, on every store and over every restart of its server: the
//! first text and the diffs and snapshots of the messages, applied as written, give the stored text.
//!
//! Two conversations, a user, and a host that may be restarted between any two steps. A restart drops engine and store;
//! what is left are the sessions, which a host keeps beside its chats, and what the store keeps. `story` is what is done,
//! `reader` what a model makes of its messages, `runner` does it and holds one against the other.

mod reader;
mod runner;
mod story;

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

#[cfg(feature = "object-store")]
use super::world::Bucket;
#[cfg(feature = "postgres")]
use super::world::Postgres;
#[cfg(feature = "sqlite")]
use super::world::Sqlite;
use super::world::{Memory, Place};
use runner::{Host, run};
use story::{Story, story};

fn holds<P: Place + Default>(story: &Story, restarts: bool) -> Result<(), TestCaseError> {
    run::<P>(story, restarts, Host::Sound).map(drop).map_err(TestCaseError::fail)
}

proptest! {
    #![proptest_config(crate::stores::config())]

    #[test]
    fn messages_add_up_on_memory(story in story()) {
        holds::<Memory>(&story, false)?;
    }

    #[cfg(feature = "sqlite")]
    #[test]
    fn messages_add_up_on_sqlite(story in story()) {
        holds::<Sqlite>(&story, false)?;
    }

    #[cfg(feature = "sqlite")]
    #[test]
    fn messages_add_up_on_sqlite_opened_anew_for_each_step(story in story()) {
        holds::<Sqlite>(&story, true)?;
    }

    #[cfg(feature = "object-store")]
    #[test]
    fn messages_add_up_on_a_bucket_opened_anew_for_each_step(story in story()) {
        holds::<Bucket>(&story, true)?;
    }

    #[cfg(feature = "postgres")]
    #[test]
    fn messages_add_up_on_postgres_connected_anew_for_each_step(story in story()) {
        holds::<Postgres>(&story, true)?;
    }
}

/// The same stories each time.
fn stories(count: usize) -> impl Iterator<Item = Story> {
    let mut runner = TestRunner::deterministic();
    std::iter::repeat_with(move || story().new_tree(&mut runner).expect("nothing is rejected").current())
        .take(count)
}

/// A law says nothing of what never comes up.
#[test]
#[expect(clippy::print_stdout, reason = "the counts are for those who run the tests with --nocapture")]
fn everything_comes_up() {
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for story in stories(300) {
        for (what, count) in run::<Memory>(&story, true, Host::Sound).unwrap() {
            *seen.entry(what).or_default() += count;
        }
    }
    println!("{seen:?}");
    for what in [
        "cancel",
        "diff",
        "diff in a longer fence",
        "edit",
        "end",
        "lease lost",
        "lease refused",
        "message",
        "patch",
        "patch refused",
        "redo by a model",
        "redo by the user",
        "retry",
        "snapshot",
        "snapshot without a final newline",
        "undo by a model",
        "undo by the user",
    ] {
        assert!(seen.get(what).is_some_and(|count| *count >= 5), "{what}: {seen:?}");
    }
}

/// A host that goes wrong is found out in every story in which it could.
#[test]
fn a_host_that_goes_wrong_is_found_out() {
    let mut found = 0;
    for story in stories(60) {
        let seen = run::<Memory>(&story, false, Host::Sound).unwrap();
        let could = seen.keys().any(|what| what.starts_with("diff"));
        for host in [Host::LosesOne, Host::DoublesOne] {
            assert_eq!(run::<Memory>(&story, false, host).is_err(), could, "{host:?}: {story:?}");
        }
        found += u32::from(could);
    }
    assert!(found > 20, "only {found}");
}

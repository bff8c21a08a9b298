//! Every order of events between two servers, one store and a few calls, tried on the production [`Run`] and the rules
//! that it drives. The servers get calls at the same time and may crash, commits are lost, delayed and doubled, loads
//! are stale, and the second server's clock is wrong. Calls of one server share commits, and some are dropped. Among
//! the calls is an action whose tool may start once.
//!
//! The worlds are bounded, so the checker visits all of each. An ordinary run takes those that a debug build explores in two
//! seconds. The others are ignored there, and tried by `.ci/run` in an optimised build; with `CANVAS_MODEL=full` by
//! `.ci/deep` in larger worlds:
//!
//! ```text
//! cargo test --profile model -p canvas-core --no-default-features --features surface --lib engine::model -- --include-ignored --nocapture
//! CANVAS_MODEL=full cargo test --release -p canvas-core --no-default-features --features surface --lib engine::model -- --include-ignored --nocapture
//! ```
//!
//! A model without findings may have explored too little. Therefore each danger that the machine is made for must
//! occur, and each [`Flaw`] of the surroundings must break the rule that is meant to catch it.
//!
//! [`Run`]: super::run::Run

mod call;
mod flaw;
mod oracle;
mod store;
mod world;

use std::collections::BTreeSet;
use std::time::Instant;

use stateright::{Checker as _, HasDiscoveries, Model as _};

use self::call::Op;
use self::flaw::Flaw;
use self::oracle::Rule;
use self::world::{Budget, Places, Rules, WorldModel, dangers};

const NOTHING: Budget = Budget {
    starts: [0; Op::ALL.len()],
    at_once: 2,
    lost: 0,
    delayed: 0,
    doubled: 0,
    definite: 0,
    stale: 0,
    crashes: 0,
    slow: 0,
    ticks: 0,
    skew: 0,
    notify: false,
    rumours: 0,
    journal: false,
    rules: Rules::Usual,
    collections: 0,
    drops: 0,
    places: Places::Any,
    turns: false,
};

/// Limits the number of each call, in the order write a, write b, the user's edit, another's check-out, check-in, the
/// model's read, the user's edit of the first revision, the question about write a, the action, the end of its tool, the
/// write of the other conversation, the messages to the model and to the other, the cancellation of the other's answer, and
/// the acceptances of a part by a person, by another one and by the model. The counts left out are zero.
const fn starts<const N: usize>(counts: [u8; N]) -> Budget {
    let (mut starts, mut at) = ([0; Op::ALL.len()], 0);
    while at < N {
        starts[at] = counts[at];
        at += 1;
    }
    Budget { starts, ..NOTHING }
}

/// Limits the number of write a, the user's edit of the first revision, the question about write a, the write of the
/// other conversation, the messages to the model and to the other, and the cancellation of the other's answer, on a
/// canvas where both have turns of their own.
const fn collaborative([write, edit, ask, other, message, message_other, cancel]: [u8; 7]) -> Budget {
    let starts =
        starts_with_journal([write, 0, 0, 0, 0, 0, edit, ask, 0, 0, other, message, message_other, cancel]);
    Budget { rules: Rules::Collaborative, ..starts }
}

/// The same on a canvas with a journal.
const fn starts_with_journal<const N: usize>(counts: [u8; N]) -> Budget {
    Budget { journal: true, ..starts(counts) }
}

/// Two writes and a retry under one lease, and the user comes between.
const RACE: Budget = starts([2, 1, 1, 0, 0, 0, 0, 0, 0, 0]);

/// A write whose answer is lost in every way, and the retry.
const TRANSPORT: Budget =
    Budget { lost: 1, delayed: 1, doubled: 1, ..starts([2, 0, 1, 0, 0, 0, 0, 0, 0, 0]) };

/// A write is lost on its way, and then the store fails for sure.
const DOUBT: Budget = Budget { delayed: 1, definite: 1, ..starts([2, 0, 0, 0, 0, 0, 0, 0, 0, 0]) };

/// A write lands, its answer is lost, and then the store fails for sure.
const LANDED: Budget = Budget { lost: 1, definite: 1, ..starts([1, 0, 1, 0, 0, 0, 0, 0, 0, 0]) };

/// The same as [`DOUBT`], and somebody asks what became of it.
const QUESTION: Budget = Budget { lost: 1, delayed: 1, ..starts([2, 0, 0, 0, 0, 0, 0, 1, 0, 0]) };

/// Time passes, and another takes over.
const TIME: Budget = Budget { ticks: 2, delayed: 1, ..starts([1, 0, 0, 1, 0, 0, 0, 0, 0, 0]) };

/// The same, and the lease is given back.
const RELEASE: Budget = Budget { ticks: 2, delayed: 1, ..starts([1, 0, 0, 1, 1, 0, 0, 0, 0, 0]) };

/// Time passes and a write takes its lease again, unless another conversation held it in between.
const RETAKE: Budget = Budget { ticks: 2, rules: Rules::Retake, ..starts([2, 0, 0, 1, 0, 0, 0, 0, 0, 0]) };

/// The user edits one line, and the model, without having read the edit, changes another line and then the same one.
const REBASE: Budget = Budget { rules: Rules::Rebase, ..starts_with_journal([1, 1, 0, 0, 0, 0, 1, 0, 0, 0]) };

/// Receipts are behind an index, which each commit replaces, while answers are lost and old blobs dropped.
const SMALL_HEAD: Budget =
    Budget { rules: Rules::SmallHead, lost: 1, ..starts([1, 1, 1, 0, 0, 0, 0, 0, 0, 0]) };

const SMALL_HEAD_COLLECT: Budget =
    Budget { rules: Rules::SmallHead, collections: 1, delayed: 1, ..starts([1, 1, 1, 0, 0, 0, 0, 0, 0, 0]) };

/// Servers crash, and their commits arrive or not.
const CRASH: Budget = Budget { crashes: 1, definite: 1, ..starts([2, 1, 0, 0, 0, 0, 0, 1, 0, 0]) };

/// Loads come from the past.
const STALE: Budget = Budget { stale: 1, delayed: 1, ..starts([2, 0, 1, 0, 0, 0, 0, 1, 0, 0]) };

/// The second server's clock is ahead or behind by more than the lifetime of a lease.
const fn skewed(skew: i64, budget: Budget) -> Budget {
    Budget { skew, ..budget }
}

/// Reads are served from the caches of servers that the store notifies, while answers are slow.
const NOTIFY: Budget = Budget { notify: true, slow: 1, rumours: 1, ..starts([1, 0, 1, 0, 0, 2, 0, 0, 0, 0]) };

/// The same, and the answers to commits are lost.
const NOTIFY_LOST: Budget =
    Budget { notify: true, lost: 1, delayed: 1, ..starts([1, 1, 0, 0, 0, 1, 0, 0, 0, 0]) };

/// The user twice saves a text based on the first one, while the model writes.
const BASE: Budget = starts_with_journal([1, 1, 0, 0, 0, 0, 2, 0, 0, 0]);

/// The same, with another edit of the user, and lost answers.
const BASE_LOST: Budget =
    Budget { lost: 1, delayed: 1, ..starts_with_journal([1, 0, 1, 0, 0, 0, 2, 0, 0, 0]) };

/// Old blobs are dropped while the user saves and the model writes.
const COLLECT: Budget = Budget { collections: 2, ..starts_with_journal([1, 1, 0, 0, 0, 0, 1, 0, 0, 0]) };

/// The same, and answers are lost.
const COLLECT_LOST: Budget =
    Budget { collections: 1, lost: 1, delayed: 1, ..starts_with_journal([1, 1, 0, 0, 0, 0, 1, 0, 0, 0]) };

/// An action is requested several times, and its tool ends.
const ACTION: Budget = starts([0, 0, 0, 0, 0, 0, 0, 0, 3, 1]);

/// Answers to the begin are lost in every way, and those to the end.
const ACTION_LOST: Budget = Budget { lost: 1, delayed: 1, ..starts([0, 0, 0, 0, 0, 0, 0, 0, 2, 1]) };

/// Servers crash before or after the tool ends.
const ACTION_CRASH: Budget = Budget { crashes: 1, ..starts([0, 0, 0, 0, 0, 0, 0, 0, 2, 1]) };

/// Time passes beyond the tool's deadline.
const ACTION_TIME: Budget = Budget { ticks: 2, ..starts([0, 0, 0, 0, 0, 0, 0, 0, 2, 1]) };

/// Three calls at once at one server, which share commits.
const BATCH: Budget = Budget { at_once: 3, places: Places::One, ..starts([1, 1, 0, 1, 0, 0, 0, 0, 0, 0]) };

/// The same, and the user comes between, at the other server.
const BATCH_EDIT: Budget =
    Budget { at_once: 3, places: Places::EditApart, ..starts([1, 1, 1, 1, 0, 0, 0, 0, 0, 0]) };

/// Two servers with up to three calls each.
const BATCHES: Budget = Budget { places: Places::Any, ..BATCH };

/// Commits of several calls are lost on their way, or their answers.
const BATCH_LOST: Budget = Budget { lost: 1, delayed: 1, ..BATCH };

/// They are lost on their way, and then the store fails for sure.
const BATCH_DOUBT: Budget = Budget { delayed: 1, definite: 1, ..BATCH };

/// Callers give up.
const BATCH_DROP: Budget = Budget { drops: 1, ..BATCH };

/// Time passes while calls with and without a lease wait together.
const BATCH_TIME: Budget =
    Budget { ticks: 2, ..Budget { starts: starts([1, 0, 0, 1, 1, 0, 0, 0, 0, 0]).starts, ..BATCH } };

/// A read begins when a commit is stored but its answer is slow, while the user continues at the other server.
const BATCH_READ: Budget =
    Budget { notify: true, slow: 1, places: Places::EditApart, ..starts([1, 0, 1, 0, 0, 1, 0, 0, 0, 0]) };

/// The question what became of a write, and its retry, while it waits.
const BATCH_QUESTION: Budget = Budget { starts: starts([2, 0, 1, 0, 0, 0, 0, 1, 0, 0]).starts, ..BATCH };

/// Two writes of one server and an edit at the other, while decisions take a while.
const TURNS: Budget =
    Budget { turns: true, places: Places::EditApart, ..starts([1, 1, 1, 0, 0, 0, 0, 0, 0, 0]) };

/// Three calls of one server decide one after the other while commits are stored.
const BATCH_TURNS: Budget = Budget { turns: true, ..BATCH };

/// The same, and a read among them waits for the commit that it depends on.
const BATCH_READ_TURNS: Budget = Budget { turns: true, ..BATCH_READ };

/// Two conversations in turns of their own and a person change one text, and the writes quote each other's lines.
const OWN_TURNS: Budget = collaborative([1, 1, 0, 1, 0, 0, 0]);

/// The same, with messages to both, and one answer is cancelled.
const OWN_TURNS_MESSAGE: Budget = collaborative([1, 0, 0, 1, 1, 1, 0]);

const OWN_TURNS_CANCEL: Budget = collaborative([1, 1, 0, 1, 0, 0, 1]);

/// The same, and answers are lost.
const OWN_TURNS_LOST: Budget = Budget { lost: 1, delayed: 1, ..collaborative([2, 0, 1, 1, 0, 1, 0]) };

/// Limits the number of write a, the user's edit of the first revision, and the acceptances of a part by a person, by
/// another one and by the model.
const fn decisions([write, edit, accept, other, model]: [u8; 5]) -> Budget {
    starts_with_journal([write, 0, 0, 0, 0, 0, edit, 0, 0, 0, 0, 0, 0, 0, accept, other, model])
}

/// Two people and a model accept the same part, at two servers.
const DECIDE: Budget = decisions([0, 0, 2, 1, 1]);

/// The same, while others write, and answers are lost.
const DECIDE_LOST: Budget = Budget { lost: 1, delayed: 1, ..decisions([0, 1, 2, 1, 0]) };

const DECIDE_WRITE: Budget = Budget { delayed: 1, ..decisions([1, 1, 1, 1, 0]) };

/// A debug build explores each of them within two seconds.
const SMALL: &[Budget] = &[
    starts([1, 1, 1, 0, 0, 0, 0, 0, 0, 0]),
    DOUBT,
    LANDED,
    Budget { ticks: 2, ..starts([1, 0, 0, 1, 0, 0, 0, 0, 0, 0]) },
    ACTION,
    ACTION_CRASH,
    Budget { starts: starts([1, 1, 0, 1, 0, 0, 0, 0, 0, 0]).starts, ..BATCH_EDIT },
    TURNS,
    SMALL_HEAD,
    OWN_TURNS,
    Budget { starts: decisions([0, 0, 1, 1, 1]).starts, ..DECIDE },
];

const WIDE: &[Budget] = &[
    RACE,
    DOUBT,
    LANDED,
    QUESTION,
    TIME,
    Budget { starts: starts([1, 0, 0, 1, 0, 0, 0, 0, 0, 0]).starts, ..RETAKE },
    REBASE,
    skewed(5, RACE),
    Budget { starts: starts([1, 0, 1, 0, 0, 1, 0, 0, 0, 0]).starts, ..NOTIFY },
    BASE,
    COLLECT,
    ACTION,
    ACTION_LOST,
    ACTION_CRASH,
    ACTION_TIME,
    Budget { starts: starts([1, 1, 0, 1, 0, 0, 0, 0, 0, 0]).starts, ..BATCH_EDIT },
    Budget { lost: 1, ..BATCH },
    Budget { delayed: 1, ..BATCH },
    BATCH_DROP,
    BATCH_QUESTION,
    BATCH_TURNS,
    Budget { drops: 1, ..BATCH_TURNS },
    Budget { delayed: 1, ..TURNS },
    BATCH_READ_TURNS,
    SMALL_HEAD_COLLECT,
    OWN_TURNS_MESSAGE,
    OWN_TURNS_CANCEL,
    Budget { delayed: 1, ..OWN_TURNS },
    DECIDE,
    DECIDE_LOST,
    DECIDE_WRITE,
];

const FULL: &[Budget] = &[
    RACE,
    TRANSPORT,
    DOUBT,
    LANDED,
    QUESTION,
    CRASH,
    STALE,
    RELEASE,
    RETAKE,
    Budget { delayed: 1, ticks: 3, ..RETAKE },
    skewed(5, RETAKE),
    skewed(-5, RETAKE),
    REBASE,
    Budget { delayed: 1, ..REBASE },
    SMALL_HEAD,
    SMALL_HEAD_COLLECT,
    Budget { rules: Rules::SmallHead, ..TRANSPORT },
    Budget { rules: Rules::SmallHead, ..CRASH },
    Budget { rules: Rules::SmallHead, ..ACTION_LOST },
    Budget { rules: Rules::SmallHead, ..BATCH_LOST },
    NOTIFY,
    NOTIFY_LOST,
    BASE,
    BASE_LOST,
    COLLECT,
    COLLECT_LOST,
    skewed(5, RELEASE),
    skewed(-5, RELEASE),
    Budget { at_once: 3, ..RACE },
    Budget { lost: 1, delayed: 1, ..starts([2, 1, 1, 0, 0, 0, 0, 0, 0, 0]) },
    ACTION,
    Budget { doubled: 1, definite: 1, ..ACTION_LOST },
    Budget { lost: 1, delayed: 1, ..ACTION },
    Budget { delayed: 1, ticks: 2, ..ACTION_CRASH },
    Budget { delayed: 1, stale: 1, ..ACTION_TIME },
    skewed(5, Budget { delayed: 1, ..ACTION_TIME }),
    skewed(-5, Budget { delayed: 1, ..ACTION_TIME }),
    skewed(5, Budget { delayed: 1, ..starts([2, 0, 1, 1, 0, 0, 0, 0, 0, 0]) }),
    BATCHES,
    BATCH_EDIT,
    Budget { at_once: 4, ..BATCH_EDIT },
    Budget { at_once: 4, starts: starts([1, 1, 1, 1, 0, 0, 0, 0, 0, 0]).starts, ..BATCHES },
    Budget { delayed: 1, ..BATCH_EDIT },
    BATCH_LOST,
    BATCH_DOUBT,
    Budget { lost: 1, ..BATCHES },
    Budget { delayed: 1, ..BATCHES },
    Budget { delayed: 1, ..BATCH_DROP },
    Budget { drops: 1, ..BATCH_EDIT },
    Budget { places: Places::Any, ..BATCH_TIME },
    Budget { delayed: 1, ..BATCH_QUESTION },
    Budget { turns: true, ..BATCH_EDIT },
    Budget { turns: true, ..BATCH_DROP },
    Budget { turns: true, ..BATCH_DOUBT },
    BATCH_READ_TURNS,
    OWN_TURNS,
    Budget { at_once: 3, ..OWN_TURNS_MESSAGE },
    OWN_TURNS_CANCEL,
    OWN_TURNS_LOST,
    Budget { delayed: 1, ..OWN_TURNS_CANCEL },
    Budget { at_once: 3, lost: 1, ..OWN_TURNS_CANCEL },
    Budget { ticks: 2, delayed: 1, ..OWN_TURNS_MESSAGE },
    skewed(5, OWN_TURNS_CANCEL),
    skewed(-5, Budget { delayed: 1, ..OWN_TURNS_CANCEL }),
    DECIDE,
    DECIDE_LOST,
    DECIDE_WRITE,
    Budget { crashes: 1, ..DECIDE_LOST },
    Budget { rules: Rules::Collaborative, ..DECIDE_LOST },
];

#[test]
fn two_servers_keep_every_rule() {
    explore(SMALL);
}

#[test]
#[ignore = "takes minutes in a debug build: `.ci/run` has an optimised one"]
#[expect(clippy::disallowed_methods, reason = "this test is a host")]
fn two_servers_keep_every_rule_in_wide_worlds() {
    let full = std::env::var("CANVAS_MODEL").is_ok_and(|value| value == "full");
    let (unique, found) = explore(if full { FULL } else { WIDE });
    assert!(!full || unique >= 1_000_000, "the full bound is too small");
    for danger in dangers() {
        assert!(found.contains(danger.name), "it never came up that {}", danger.name);
    }
}

/// Checks every rule in all of these worlds. Returns the number of states, and the names of the dangers that came up.
#[expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a test is a host, and it reports")]
fn explore(budgets: &[Budget]) -> (usize, BTreeSet<&'static str>) {
    let (mut unique, mut total, mut found, all) = (0, 0, BTreeSet::new(), Instant::now());
    for &budget in budgets {
        let start = Instant::now();
        let checker = WorldModel { flaw: None, budget }
            .checker()
            .threads(2)
            // Without this the checker goes on past a broken rule and reports the last way to break it.
            .finish_when(HasDiscoveries::AnyFailures)
            // Breadth first would keep too many worlds at once.
            .spawn_dfs()
            .join();
        for rule in Rule::ALL {
            checker.assert_no_discovery(rule.text());
        }
        println!(
            "{:>9} states, {:>5.1} s: {budget:?}",
            checker.unique_state_count(),
            start.elapsed().as_secs_f64()
        );
        unique += checker.unique_state_count();
        total += checker.state_count();
        found.extend(checker.discoveries().into_keys());
    }
    println!("model: {unique} unique states, {total} total, {:.1} s", all.elapsed().as_secs_f64());
    (unique, found)
}

/// Checks that a flaw breaks a rule, and that the checker sees it.
#[expect(clippy::print_stdout, reason = "the runs of all flaws make a table")]
fn expose(flaw: Flaw, budget: Budget, rule: Rule) {
    let checker = WorldModel { flaw: Some(flaw), budget }
        .checker()
        .finish_when(HasDiscoveries::AnyOf(BTreeSet::from([rule.text()])))
        .spawn_bfs()
        .join();
    checker.assert_any_discovery(rule.text());
    println!("flaw {flaw:?} is found out: {}", rule.text());
}

macro_rules! flaws {
    ($($(#[$ignored:meta])? $test:ident: $flaw:ident in $world:ident breaks $rule:ident,)*) => {
        $(#[test]
        $(#[$ignored])?
        fn $test() {
            expose(Flaw::$flaw, $world, Rule::$rule);
        })*
    };
}

// A flaw left out here is reported by the compiler as never constructed.
flaws! {
    condition_ignored: ConditionIgnored in RACE breaks NothingLost,
    receipts_forgotten: ReceiptsForgotten in RACE breaks NothingForgotten,
    bump_left_out: BumpLeftOut in DOUBT breaks AnswersTrue,
    versions_of_revisions: VersionsOfRevisions in DOUBT breaks AnswersTrue,
    limit_ignored: LimitIgnored in TIME breaks InTime,
    clock_read_early: ClockReadEarly in TIME breaks InTime,
    lost_called_definite: LostCalledDefinite in TRANSPORT breaks AnswersTrue,
    bar_left_out: BarLeftOut in QUESTION breaks NeverIsNever,
    #[ignore = "takes seconds in a debug build: `.ci/run` has an optimised one"]
    notification_ignored: NotificationIgnored in NOTIFY breaks ReadsAreFresh,
    #[ignore = "takes seconds in a debug build: `.ci/run` has an optimised one"]
    forgotten_for_all: ForgottenForAll in NOTIFY breaks ReadsAreFresh,
    base_ignored: BaseIgnored in BASE breaks NothingLost,
    old_text: OldText in REBASE breaks NothingLost,
    #[ignore = "takes seconds in a debug build: `.ci/run` has an optimised one"]
    old_lock: OldLock in RETAKE breaks UnderTheLease,
    old_parts: OldParts in DECIDE breaks PartsAreKept,
    turns_shared: TurnsShared in OWN_TURNS_MESSAGE breaks TurnsAreOwn,
    context_ignored: ContextIgnored in OWN_TURNS breaks NothingLost,
    #[ignore = "takes seconds in a debug build: `.ci/run` has an optimised one"]
    history_collected: HistoryCollected in COLLECT breaks HistoryStays,
    started_unsettled: StartedUnsettled in ACTION breaks StartsOnce,
    event_named_twice: EventNamedTwice in ACTION_LOST breaks StartsOnce,
    #[ignore = "takes seconds in a debug build: `.ci/run` has an optimised one"]
    collected_at_any_version: CollectedAtAnyVersion in COLLECT breaks HistoryStays,
    answered_early: AnsweredEarly in BATCH breaks AnswersTrue,
    answered_upon_the_old: AnsweredUponTheOld in BATCH_READ breaks ReadsAreFresh,
    #[ignore = "takes seconds in a debug build: `.ci/run` has an optimised one"]
    latest_limit: LatestLimit in BATCH_TIME breaks InTime,
    documents_between_dropped: DocumentsBetweenDropped in BATCH breaks EachStored,
    last_receipt_alone: LastReceiptAlone in BATCH breaks NothingForgotten,
    answers_swapped: AnswersSwapped in BATCH breaks AnswersTrue,
    #[ignore = "takes seconds in a debug build: `.ci/run` has an optimised one"]
    settled_for_one: SettledForOne in BATCH_DOUBT breaks AnswersTrue,
    dropped_stays: DroppedStays in BATCH_DROP breaks DroppedIsNever,
}

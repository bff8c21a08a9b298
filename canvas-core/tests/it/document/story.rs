//! Stories: one line a step, with the clock, who does what, and the answer.
//!
//! ```text
//! 1000 model checks-out c1 -> lease-1-0 until 16000 r1
//! 2000 model writes c2 lease-1-0 b>c -> r2 +1 −1 until 16000
//! 3000 user edits u1 a|z -> epoch 1 r3
//! ```
//!
//! Names of calls are unique in a story; a call belongs to the turn in which it is named first, or to the one after
//! `@`. A line that names a call again is a retry.

use std::collections::HashMap;

use canvas_core::document::{ApplyPatch, Base, BaseRefusal, Changes, Edit, Edited, Read, Readable};
use canvas_core::lease::{
    CheckIn, CheckOut, CheckedIn, CheckedOut, LeaseId, LeaseRefusal, Renew, Renewed, Timestamp,
};
use canvas_core::refusal::CallRefusal;
use canvas_core::store::TurnStart;
use canvas_core::turn::{
    Cancel, EndTurn, Interrupted, Promotion, SendMessage, TakeControl, TurnBegan, TurnEnded,
};
use canvas_core::{OpKey, Policy, Refusal, Revision, RevisionId};

use super::world::{World, key, patch};
use crate::document::any::{Call, Command, Outcome, code, dynamic};

/// Plays a story on a canvas of the lines a, b.
#[track_caller]
pub(crate) fn check(story: &str) {
    check_with(Policy::default(), story);
}

/// Plays a story and compares every answer.
///
/// After every step, and for every call again after the last: the call that changed the state answers the same and
/// changes nothing, and the head reads back from its stored form.
#[track_caller]
pub(crate) fn check_with(policy: Policy, story: &str) {
    let mut stage =
        Stage { world: World::with("a\nb\n", policy), turns: HashMap::new(), reported: Vec::new() };
    for line in story.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (step, expected) = line.split_once(" -> ").expect("a step and its answer");
        let answer = stage.play(step);
        assert_eq!(answer, expected, "{line}");
        let last = stage.reported.len().saturating_sub(1);
        stage.all_is_kept(last, line);
    }
    stage.all_is_kept(0, "after the story");
}

struct Stage {
    world: World,
    turns: HashMap<String, u64>,
    reported: Vec<(Call, Outcome)>,
}

impl Stage {
    fn play(&mut self, step: &str) -> String {
        let words: Vec<&str> = step.split_whitespace().collect();
        self.world.clock.set(words[0].parse().expect("a clock"));
        let lease = |word: &str| word.parse::<LeaseId>().ok();
        let write = |id, change: &str, base: Option<&str>| {
            dynamic(ApplyPatch {
                lease: lease(id),
                patch: patch(change),
                base: base.map(base_of),
                scope: None,
                shown: None,
            })
        };
        let (who, call, command) = match words[1..] {
            ["user", "edits", call, text] => {
                let lines = text.split('|').filter(|line| !line.is_empty());
                (
                    "user",
                    call,
                    dynamic(Edit::overwrite(lines.map(|line| format!("{line}\n")).collect::<String>())),
                )
            }
            ["user", "cancels", call] => ("user", call, dynamic(Cancel)),
            ["user", "takes-control", call] => ("user", call, dynamic(TakeControl)),
            [who, "hears", call] => (who, call, dynamic(SendMessage)),
            [who, "ends", call] => (who, call, dynamic(EndTurn { start: self.world.head().turn_start() })),
            [who, "ends", call, epoch, revision] => {
                let number = |word: &str| word.parse::<u64>().expect("a number");
                let (epoch, revision) = (number(epoch), number(&revision[1..]));
                let start: TurnStart =
                    serde_json::from_value(serde_json::json!({"epoch": epoch, "revision": revision}))
                        .unwrap();
                (who, call, dynamic(EndTurn { start }))
            }
            [who, "checks-out", call] => (who, call, dynamic(CheckOut)),
            [who, "renews", call, id] => (who, call, dynamic(Renew { lease: lease(id) })),
            [who, "checks-in", call, id] => (who, call, dynamic(CheckIn { lease: lease(id) })),
            [who, "reads", id] => (who, "read", dynamic(Read::new(lease(id)))),
            [who, "writes", call, id, change] => (who, call, write(id, change, None)),
            [who, "writes", call, id, change, "at", base] => (who, call, write(id, change, Some(base))),
            _ => panic!("no such step: {step}"),
        };
        let operation = self.operation(who, call);
        let call = Call { operation, command };
        let answered = self.world.run(&call);
        let again = if answered.replayed { "again: " } else { "" };
        let answer = format!("{again}{}", shown(&answered.outcome));
        let kept = !matches!(call.command, Command::Read(Read { .. })) && !is_forgotten(&answered.outcome);
        if kept && !self.reported.iter().any(|(reported, _)| *reported == call) {
            self.reported.push((call, answered.outcome));
        }
        answer
    }

    fn operation(&mut self, who: &str, call: &str) -> OpKey {
        let (name, turn) = match call.split_once('@') {
            Some((name, turn)) => (name, turn.parse().expect("a turn")),
            None => (call, self.world.head().lock().turn().get()),
        };
        let turn = if name == "read" { turn } else { *self.turns.entry(name.into()).or_insert(turn) };
        key(who, turn, name)
    }

    #[track_caller]
    fn all_is_kept(&self, from: usize, place: &str) {
        let before = self.world.loaded();
        for (call, outcome) in self.reported.iter().skip(from) {
            let again = self.world.run(call);
            assert_eq!((&again.outcome, again.replayed), (outcome, true), "{place}: {call:?}");
        }
        assert_eq!(self.world.loaded().version, before.version, "{place}");
        let json = serde_json::to_string(before.head.as_ref()).unwrap();
        assert_eq!(serde_json::from_str::<canvas_core::store::Head>(&json).unwrap(), *before.head, "{place}");
    }
}

/// The one refusal that leaves no receipt: its key has one.
fn is_forgotten(outcome: &Outcome) -> bool {
    outcome.refusal() == Some(Refusal::Call(&CallRefusal::CallIdReused))
}

/// `r7` by its number.
fn base_of(text: &str) -> Base {
    let number = text.strip_prefix('r').and_then(|number| number.parse().ok());
    Base::Number(number.and_then(|number| Revision::new(number).ok()).expect("a revision"))
}

fn revision(id: &RevisionId) -> String {
    format!("r{}", id.revision().get())
}

fn until(expires_at: Option<Timestamp>) -> String {
    expires_at.map_or_else(|| "without a lease".into(), |at| format!("until {at}"))
}

fn shown(outcome: &Outcome) -> String {
    match outcome {
        Outcome::CheckedOut(CheckedOut { lease, epoch, expires_at, revision: at }) => {
            assert_eq!(lease.epoch(), *epoch);
            format!("{lease} until {expires_at} {}", revision(at))
        }
        Outcome::Renewed(Renewed { expires_at, at_max_hold, revision: at, .. }) => {
            let last = if *at_max_hold { " at most" } else { "" };
            format!("until {expires_at}{last} {}", revision(at))
        }
        Outcome::CheckedIn(CheckedIn { released: true, revision: at }) => {
            format!("released {}", revision(at))
        }
        Outcome::CheckedIn(CheckedIn { released: false, revision: at }) => {
            format!("was over {}", revision(at))
        }
        Outcome::Readable(Readable { revision: at, expires_at }) => {
            format!("{} {}", revision(at), until(*expires_at))
        }
        Outcome::Applied(applied) => {
            let (added, removed) = (applied.summary.added, applied.summary.removed);
            format!("{} +{added} −{removed} {}", revision(&applied.revision), until(applied.expires_at))
        }
        Outcome::Edited(Edited { epoch, revision: at, .. }) => format!("epoch {epoch} {}", revision(at)),
        Outcome::Interrupted(Interrupted { epoch }) => format!("epoch {epoch}"),
        Outcome::TurnBegan(TurnBegan { start, changes, promotion, .. }) => {
            let TurnStart { epoch, revision } = start;
            let reported = reported(changes.as_ref());
            format!("epoch {epoch} r{}, {}, reported {reported}", revision.get(), promoted(*promotion))
        }
        Outcome::TurnEnded(TurnEnded { changes, promotion, .. }) => {
            format!("{}, reported {}", promoted(*promotion), reported(changes.as_ref()))
        }
        Outcome::Refused(refusal) => match refusal.view() {
            Refusal::Lease(LeaseRefusal::StaleEpoch { current, changes }) => {
                format!("STALE_EPOCH {current}, shown {}", reported(changes.as_ref()))
            }
            Refusal::Base(BaseRefusal::StaleBase(stale)) => {
                format!("STALE_BASE, shown {}", reported(stale.changes.as_ref()))
            }
            _ => code(outcome),
        },
        other => panic!("no story leads to {other:?}"),
    }
}

fn promoted(promotion: Promotion) -> &'static str {
    match promotion {
        Promotion::Promoted => "promoted",
        Promotion::Unchanged => "nothing new",
        Promotion::Deferred => "not promoted",
    }
}

/// The changed lines of the diff.
fn reported(changes: Option<&Changes>) -> String {
    let Some(changes) = changes else { return "nothing".into() };
    if changes.whole.is_some() {
        return "the whole".into();
    }
    let Some(diff) = &changes.diff else { return "too much".into() };
    if diff.is_empty() {
        return "no difference".into();
    }
    let lines: Vec<&str> = diff.lines().filter(|line| line.starts_with(['+', '-'])).collect();
    lines.join(" ")
}

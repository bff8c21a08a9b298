//! What holds after every step, whoever does what in which order.

use std::collections::HashSet;

use canvas_core::Refusal;
use canvas_core::document::{ApplyPatch, Changes, Edit, RangeHash, Read, ReplaceLines, Replacement};
use canvas_core::lease::{CheckIn, CheckOut, CheckedOut, LeaseId, Renew};
use canvas_core::store::{Head, Store as _, TurnStart};
use canvas_core::testing::block_on;
use canvas_core::text::{ApplyOptions, apply};
use canvas_core::turn::{Cancel, EndTurn, Promotion, SendMessage, TakeControl, TurnBegan, TurnEnded};
use proptest::prelude::*;

use super::world::{World, collect, key};
use crate::document::any::{Answered, Call, Command, Outcome, dynamic};

const MODELS: [&str; 2] = ["one", "two"];

/// A step of somebody. Numbers choose among what there is then.
#[derive(Debug, Clone)]
enum Step {
    CheckOut {
        model: usize,
    },
    CheckIn {
        model: usize,
    },
    Renew {
        model: usize,
    },
    Read {
        model: usize,
    },
    Write {
        model: usize,
        text: String,
    },
    /// All lines by others, sometimes with the hash of other ones.
    WriteLines {
        model: usize,
        text: String,
        knows: bool,
    },
    /// A patch that does not fit.
    WriteNowhere {
        model: usize,
    },
    Hear {
        model: usize,
    },
    End {
        model: usize,
    },
    Edit {
        text: String,
    },
    Cancel,
    TakeControl,
    Wait {
        millis: u64,
    },
    ClockBack {
        millis: u64,
    },
    /// An earlier call is sent again.
    Retry {
        which: prop::sample::Index,
    },
}

/// Texts that are often equal, so that A → B → A comes up, with every kind of line end.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![Just("a"), Just("b"), Just("c"), Just(""), Just("- d"), Just("```")];
    let end = prop_oneof![8 => Just("\n"), 1 => Just("\r\n")];
    let lines = prop::collection::vec((line, end), 0..6);
    (lines, any::<bool>()).prop_map(|(lines, ends)| {
        let mut text: String = lines.iter().map(|(line, end)| format!("{line}{end}")).collect();
        if !ends && text.ends_with('\n') {
            text.pop();
        }
        text
    })
}

fn step() -> impl Strategy<Value = Step> {
    let model = 0..MODELS.len();
    prop_oneof![
        // A lease is needed for most of the rest, so it is asked for often.
        4 => model.clone().prop_map(|model| Step::CheckOut { model }),
        1 => model.clone().prop_map(|model| Step::CheckIn { model }),
        1 => model.clone().prop_map(|model| Step::Renew { model }),
        2 => model.clone().prop_map(|model| Step::Read { model }),
        6 => (model.clone(), text()).prop_map(|(model, text)| Step::Write { model, text }),
        3 => (model.clone(), text(), prop::bool::weighted(0.8))
            .prop_map(|(model, text, knows)| Step::WriteLines { model, text, knows }),
        1 => model.clone().prop_map(|model| Step::WriteNowhere { model }),
        3 => model.clone().prop_map(|model| Step::Hear { model }),
        3 => model.prop_map(|model| Step::End { model }),
        2 => text().prop_map(|text| Step::Edit { text }),
        1 => Just(Step::Cancel),
        1 => Just(Step::TakeControl),
        // Around the life of a lease, and short of it.
        2 => prop_oneof![0..6_000u64, 14_990..15_010u64].prop_map(|millis| Step::Wait { millis }),
        // Within the tolerance of 5 s, and beyond.
        1 => (0..10_000u64).prop_map(|millis| Step::ClockBack { millis }),
        3 => any::<prop::sample::Index>().prop_map(|which| Step::Retry { which }),
    ]
}

struct Play {
    world: World,
    /// What each model knows: the first text and every hidden diff since.
    known: [Option<String>; 2],
    leases: [Option<LeaseId>; 2],
    starts: [TurnStart; 2],
    reported: Vec<(Call, Answered)>,
}

impl Play {
    fn new(text: &str) -> Self {
        let world = World::new(text);
        let start = world.head().turn_start();
        Self { world, known: [None, None], leases: [None; 2], starts: [start; 2], reported: Vec::new() }
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::CheckOut { model } => {
                if let Outcome::CheckedOut(CheckedOut { lease, .. }) = self.ask(MODELS[*model], CheckOut) {
                    self.leases[*model] = Some(lease);
                }
            }
            Step::CheckIn { model } => self.under_lease(*model, |lease| dynamic(CheckIn { lease })),
            Step::Renew { model } => self.under_lease(*model, |lease| dynamic(Renew { lease })),
            Step::Read { model } => self.under_lease(*model, |lease| dynamic(Read::new(lease))),
            Step::Write { model, text } => {
                let patch = canvas_core::text::build(&self.world.text(), text, 3);
                self.under_lease(*model, |lease| {
                    dynamic(ApplyPatch { lease, patch, base: None, scope: None, shown: None })
                });
            }
            Step::WriteLines { model, text, knows } => {
                let now = self.world.text();
                let expect = RangeHash::of(if *knows { &now } else { "nowhere" });
                let end = now.split_inclusive('\n').count();
                let replacement = Replacement { start: 1, end, expect, text: text.clone() };
                self.under_lease(*model, |lease| {
                    dynamic(ReplaceLines { lease, replacements: vec![replacement], base: None, shown: None })
                });
            }
            Step::WriteNowhere { model } => {
                let patch = "@@\n-nowhere\n+x\n".into();
                self.under_lease(*model, |lease| {
                    dynamic(ApplyPatch { lease, patch, base: None, scope: None, shown: None })
                });
            }
            Step::Hear { model } => match self.ask(MODELS[*model], SendMessage) {
                Outcome::TurnBegan(TurnBegan { start, changes, .. }) => {
                    self.starts[*model] = start;
                    self.hidden_message(*model, changes);
                }
                other => panic!("a message is never refused: {other:?}"),
            },
            Step::End { model } => {
                let start = self.starts[*model];
                match self.ask(MODELS[*model], EndTurn { start }) {
                    Outcome::TurnEnded(TurnEnded { changes, promotion, .. }) => {
                        self.hidden_message(*model, changes);
                        let whole = start.epoch == self.world.head().lock().epoch();
                        assert_eq!(whole, promotion != Promotion::Deferred);
                    }
                    other => panic!("a turn can always end: {other:?}"),
                }
            }
            Step::Edit { text } => {
                self.ask("user", Edit::overwrite(text.clone()));
                assert_eq!(self.world.text(), *text, "the user always comes first");
            }
            Step::Cancel => drop(self.ask("user", Cancel)),
            Step::TakeControl => drop(self.ask("user", TakeControl)),
            Step::Wait { millis } => self.world.clock.wait(*millis),
            Step::ClockBack { millis } => {
                let now = self.world.clock.get().as_millis();
                self.world.clock.set(now.saturating_sub(*millis));
            }
            Step::Retry { which } => {
                if !self.reported.is_empty() {
                    let (call, first) = which.get(&self.reported);
                    let before = self.world.loaded().version;
                    let again = self.world.run(call);
                    assert_eq!((&again.outcome, again.replayed), (&first.outcome, true), "{call:?}");
                    assert_eq!(self.world.loaded().version, before, "{call:?}");
                }
            }
        }
    }

    fn under_lease(&mut self, model: usize, command: impl FnOnce(Option<LeaseId>) -> Command) {
        self.ask(MODELS[model], command(self.leases[model]));
    }

    fn ask(&mut self, who: &str, command: impl Into<Command>) -> Outcome {
        let call = self.world.fresh(who, command);
        let before = self.world.snapshot();
        let answered = self.world.run(&call);
        let outcome = answered.outcome.clone();
        let after = self.world.snapshot();
        moves_forward(&before.head, &after.head);
        if matches!(outcome, Outcome::Refused(_)) {
            assert_eq!(after.revision_id(), before.revision_id(), "a refusal changes nothing: {outcome:?}");
            assert_eq!(after.head.committed(), before.head.committed());
        }
        if let Outcome::Applied(_) = &outcome {
            // The fence of the write is that of the lease which is valid.
            let held = before.head.lock().lease().expect("who writes holds a lease");
            assert_eq!(Some(held.id), self.leases[MODELS.iter().position(|model| *model == who).unwrap()]);
            assert!(self.world.clock.get() < held.expires_at);
        }
        if !matches!(call.command, Command::Read(Read { .. })) {
            self.reported.push((call, answered));
        }
        outcome
    }

    /// The model applies the diff to the text that it knows, to the letter.
    fn hidden_message(&mut self, model: usize, changes: Option<Changes>) {
        if let Some(changes) = changes {
            let options = ApplyOptions::default();
            let known = match (&self.known[model], changes) {
                (Some(known), Changes { diff: Some(diff), .. }) => apply(known, &diff, &options)
                    .unwrap_or_else(|e| panic!("{known:?} {diff:?}: {e}"))
                    .into_text(),
                (None, Changes { whole: Some(whole), .. }) => whole,
                other => panic!("a hidden diff has no limit: {other:?}"),
            };
            self.known[model] = Some(known);
        }
        assert_eq!(self.known[model].as_ref(), Some(&self.world.text()));
    }

    /// Drops every blob that nothing needs.
    fn collect_garbage(&self) {
        let needed: HashSet<_> = self.world.head().blobs().collect();
        let in_use = block_on(self.world.engine.blobs_in_use(&self.world.canvas, self.world.now())).unwrap();
        collect(&self.world.spy().inner, &self.world.canvas, &in_use.into_iter().collect());
        for id in needed {
            let blob = block_on(self.world.spy().inner.blob(&self.world.canvas, id)).unwrap();
            assert!(blob.is_some(), "the head names {id}, which nobody has stored");
        }
    }
}

/// No number ever falls.
fn moves_forward(before: &Head, after: &Head) {
    assert!(before.revision() <= after.revision());
    assert!(before.lock().epoch() <= after.lock().epoch());
    assert!(before.lock().fence() <= after.lock().fence());
    assert!(before.lock().turn() <= after.lock().turn());
    let changed = before.draft() != after.draft();
    assert_eq!(
        changed,
        before.revision() < after.revision(),
        "a change is a revision and a revision a change"
    );
}

proptest! {
    /// First snapshot and hidden diffs give the text; retries answer the same; refusals change nothing; numbers
    /// never fall; the head names every blob that is needed, and reads back from its stored form.
    #[test]
    fn the_world_stays_whole(text in text(), steps in prop::collection::vec(step(), 1..60)) {
        let mut play = Play::new(&text);
        for step in &steps {
            play.take(step);
            play.collect_garbage();
        }
        for model in 0..MODELS.len() {
            play.take(&Step::Hear { model });
        }
        let head = play.world.head();
        let json = serde_json::to_string(head.as_ref()).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Head>(&json).unwrap(), head.as_ref());
        // The message has promoted what there was.
        let (draft, committed) = head.hash_pair();
        prop_assert_eq!(Some(draft), committed);
    }

    /// A refusal that showed a diff is the last one for its reason: the same patch again, under a valid lease, is
    /// judged by its text alone.
    #[test]
    fn a_change_is_sent_once(texts in prop::collection::vec(text(), 1..5)) {
        let world = World::new("start\n");
        for text in &texts {
            world.edit(text);
        }
        let lease = world.check_out("model");
        let write = |call| {
            let patch = "@@\n-nowhere\n+x\n".into();
            let command = dynamic(ApplyPatch { lease: Some(lease), patch, base: None, scope: None, shown: None });
            world.run(&Call { operation: key("model", 0, call), command }).outcome
        };
        let outcome = write("first");
        let reported = matches!(outcome.refusal(), Some(Refusal::Base(_)));
        prop_assert_eq!(reported, texts.iter().any(|text| text != "start\n"), "{:?}", outcome);
        let again = write("second");
        prop_assert!(matches!(again.refusal(), Some(Refusal::Patch(_))), "{:?}", again);
    }
}

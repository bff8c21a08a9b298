//! Judges stored states and answers, without any knowledge of how the engine works.

use std::sync::Arc;

use canvas_lease::Turn;

use super::call::{ClientAnswer, Ended, LEASE, Op, TEXT, at};
use super::store::{RowStore, has};
use crate::engine::error::EngineError;
use crate::model::blob::BlobId;
use crate::model::head::Head;
use crate::model::receipt::{Answer, Receipt};
use crate::model::work_mode::WorkMode;

/// A property that holds in every world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Rule {
    /// Every revision is the one before it with one call done to it.
    NothingLost,
    /// No receipt disappears.
    NothingForgotten,
    /// A call is done once at most.
    DoneOnce,
    /// A write of the lease lands while the lease is the current one.
    UnderTheLease,
    /// A write lands before its lease expires, by the store's clock.
    InTime,
    /// Only the last holder takes an expired lease again with a write.
    TakenAnew,
    /// If an answer reports a call as done, it was done, and if it reports a call as not written, it was not.
    AnswersTrue,
    /// Two answers to one call are equal.
    AnswersAgree,
    /// If a call is reported as never done, it is never done later.
    NeverIsNever,
    /// Revision, epoch and fence only rise.
    NumbersRise,
    /// In turns of their own, a conversation's turn is ended only by its own messages and cancellations, and its writes
    /// land only in the turn in which they were called.
    TurnsAreOwn,
    /// Kept history can be read, and no call finds the canvas damaged.
    HistoryStays,
    /// A read shows at least the state that its server returned or was notified of before the read began.
    ReadsAreFresh,
    /// A tool call starts at most once, unless the tool is read-only.
    StartsOnce,
    /// An action ends once at most.
    EndsOnce,
    /// The document of each revision is stored with it.
    EachStored,
    /// A call dropped before it is sent is never done.
    DroppedIsNever,
    /// A part that waits is accepted at most once, and is listed until then.
    PartsAreKept,
}

impl Rule {
    pub(super) const ALL: [Self; 18] = [
        Self::NothingLost,
        Self::NothingForgotten,
        Self::DoneOnce,
        Self::UnderTheLease,
        Self::InTime,
        Self::TakenAnew,
        Self::AnswersTrue,
        Self::AnswersAgree,
        Self::NeverIsNever,
        Self::NumbersRise,
        Self::TurnsAreOwn,
        Self::HistoryStays,
        Self::ReadsAreFresh,
        Self::StartsOnce,
        Self::EndsOnce,
        Self::EachStored,
        Self::DroppedIsNever,
        Self::PartsAreKept,
    ];

    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::NothingLost => "every revision is the one before with one call done",
            Self::NothingForgotten => "no receipt disappears",
            Self::DoneOnce => "a call is done once at most",
            Self::UnderTheLease => "a write lands under the current lease",
            Self::InTime => "a write lands before its lease expires",
            Self::TakenAnew => "a lease is taken anew by who held the last one",
            Self::AnswersTrue => "answers are true",
            Self::AnswersAgree => "two answers to one call are equal",
            Self::NeverIsNever => "what was never done never will be",
            Self::NumbersRise => "revision, epoch and fence only rise",
            Self::TurnsAreOwn => "a turn of its own is ended by its own conversation",
            Self::HistoryStays => "what the history keeps can be read",
            Self::ReadsAreFresh => "a read shows what its server knows",
            Self::StartsOnce => "a tool call that is not read-only starts once at most",
            Self::EndsOnce => "an action ends once at most",
            Self::EachStored => "the document of each revision is stored",
            Self::DroppedIsNever => "a call that is dropped while it waits is never done",
            Self::PartsAreKept => "a part waits until it is accepted once",
        }
    }
}

/// The fate of each call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Oracle {
    /// The first rule that was broken.
    pub(super) broken: Option<Rule>,
    text: Option<Arc<str>>,
    done: [u8; Op::ALL.len()],
    answers: [Option<ClientAnswer>; Op::ALL.len()],
    never: bool,
    /// Starts of the tool.
    tool_starts: u8,
    /// Runs, by number, whose error says that the store did not write.
    unwritten: Vec<u8>,
    /// Runs, by number, dropped before any of their requests was sent.
    dropped: Vec<u8>,
}

impl Oracle {
    pub(super) fn check(&mut self, holds: bool, rule: Rule) {
        if !holds && self.broken.is_none() {
            self.broken = Some(rule);
        }
    }

    /// Judges a stored commit of a run.
    ///
    /// With `store` has the blobs of both heads. `honest` clocks, a lease ends at the time that the store says. If calls are not `leased`, writes need no
    /// lease.
    pub(super) fn landed(
        &mut self,
        run: u8,
        (old, new): (&Head, &Head),
        store: &RowStore,
        (honest, leased): (bool, bool),
    ) {
        self.check(!self.unwritten.contains(&run) || old == new, Rule::AnswersTrue);
        self.check(!self.dropped.contains(&run) || old == new, Rule::DroppedIsNever);
        let numbers =
            |head: &Head| [head.revision().get(), head.lock().epoch().get(), head.lock().fence().get()];
        let (was, is) = (numbers(old), numbers(new));
        let (before, after) = (store.receipts(old, &[]), store.receipts(new, &[]));
        self.check(was.iter().zip(&is).all(|(was, is)| was <= is), Rule::NumbersRise);
        if old.work_mode() == WorkMode::Collaborative {
            self.turns((old, new), (&before, &after));
        }
        if was[0] == is[0] {
            self.check(old.document() == new.document(), Rule::NothingLost);
        } else {
            self.check(was[0] + 1 == is[0], Rule::NothingLost);
            self.changed((old, new), (&before, &after), store.clock, (honest, leased));
        }
        if let Some(waits) = store.waits(new) {
            let accepted: u8 = [Op::Accept, Op::AcceptOther].map(|op| self.done[op as usize]).iter().sum();
            self.check(accepted + u8::from(waits) == 1, Rule::PartsAreKept);
        }
        self.check(new.audit.records <= 1 && old.audit.records <= new.audit.records, Rule::EndsOnce);
        self.check(before.iter().all(|receipt| after.contains(receipt)), Rule::NothingForgotten);
    }

    /// Judges the turns of the conversations before and after a commit.
    fn turns(&mut self, (old, new): (&Head, &Head), (before, after): (&[Receipt], &[Receipt])) {
        let added = after.iter().filter(|receipt| !has(before, &receipt.operation));
        let added: Vec<_> = added.filter_map(|receipt| Op::of(&receipt.operation)).collect();
        for who in [Op::WriteA, Op::WriteOther].map(Op::conversation) {
            let (was, is) = (old.lock_of(who), new.lock_of(who));
            let may_end = added.iter().any(|op| op.ends_turn_of() == Some(who));
            self.check(was.is_same_state(is) || may_end, Rule::TurnsAreOwn);
            let wrote = old.revision() != new.revision()
                && added.iter().any(|op| op.is_write() && op.conversation() == who);
            self.check(!wrote || was.is_turn_open() && was.turn() == Turn::ZERO, Rule::TurnsAreOwn);
        }
    }

    /// Judges a change of the text, which must be the effect of exactly one call.
    fn changed(
        &mut self,
        (old, new): (&Head, &Head),
        (before, after): (&[Receipt], &[Receipt]),
        clock: i64,
        (honest, leased): (bool, bool),
    ) {
        let is_new = |receipt: &&Receipt| !has(before, &receipt.operation);
        let mut added = after.iter().filter(is_new).map(|receipt| Op::of(&receipt.operation));
        let (Some(Some(op)), None) = (added.next(), added.next()) else {
            return self.check(false, Rule::NothingLost);
        };
        let text = op.change(self.text.as_deref().unwrap_or(TEXT));
        self.check(new.document() == BlobId::of(text.as_bytes()), Rule::NothingLost);
        self.text = Some(text.into());
        self.done[op as usize] += 1;
        self.check(self.done[op as usize] == 1, Rule::DoneOnce);
        self.check(!(self.never && op == Op::WriteA), Rule::NeverIsNever);
        if op.is_write() && leased {
            let lease = old.lock().lease().filter(|lease| lease.id == *LEASE);
            self.check(lease.is_some(), Rule::UnderTheLease);
            let taken = new.lock().lease().filter(|taken| taken.id != *LEASE);
            if let (Some(lease), Some(taken)) = (lease, taken) {
                // It was taken anew with the write. A server may believe a moment early that the last one has run out, which
                // harms nobody but its holder.
                let follows = taken.id.fence().get() == old.lock().fence().get() + 1;
                let is_same = taken.holder == lease.holder && taken.id.epoch() == lease.id.epoch();
                self.check(follows && is_same, Rule::TakenAnew);
            }
            let until = taken.or(lease).map(|lease| lease.expires_at);
            self.check(!honest || until.is_none_or(|until| at(clock) < until), Rule::InTime);
        }
    }

    /// Counts a start of the tool by a server.
    pub(super) fn tool_started(&mut self) {
        self.tool_starts += 1;
        self.check(self.tool_starts == 1, Rule::StartsOnce);
    }

    /// Notes that a caller gave up before its call was sent.
    pub(super) fn dropped(&mut self, run: u8) {
        self.dropped.push(run);
        self.dropped.sort_unstable();
    }

    /// Returns the number of the last such call, or 0 without one.
    pub(super) fn dropped_last(&self) -> u8 {
        self.dropped.last().copied().unwrap_or_default()
    }

    pub(super) fn has_dropped(&self) -> bool {
        !self.dropped.is_empty()
    }

    /// Judges an answer to a client. `store` is the store at that time.
    pub(super) fn answered(&mut self, run: u8, op: Op, ended: &Ended, store: &RowStore) {
        let about = if op == Op::AskA { Op::WriteA } else { op };
        let done = self.done[about as usize];
        match ended {
            Ok(ClientAnswer::NeverDone) => {
                self.check(done == 0, Rule::NeverIsNever);
                self.never = true;
            }
            Ok(answer @ ClientAnswer::Outcome(json)) => {
                let is = |kind: &str| json.contains(&format!("\"kind\":\"{kind}\""));
                if is("applied") || is("edited") || is("parts_decided") {
                    self.check(done == 1, Rule::AnswersTrue);
                    let receipts = store.receipts(&store.row.head, &[]);
                    let own = receipts.iter().find(|receipt| Op::of(&receipt.operation) == Some(about));
                    let is_own = own.is_none_or(|own| own.answer == Answer::Inline(json.clone()));
                    self.check(is_own, Rule::AnswersTrue);
                } else if is("refused") {
                    self.check(done == 0, Rule::AnswersTrue);
                }
                self.check(!json.contains("\"out_of_reach\""), Rule::HistoryStays);
                // A read may be asked again and answered differently, and so may an action that has not ended.
                if op == Op::Read || op == Op::Press && !json.contains("\"state\":\"ended\"") {
                    return;
                }
                let first = self.answers[about as usize].get_or_insert_with(|| answer.clone()).clone();
                self.check(first == *answer, Rule::AnswersAgree);
            }
            Err(EngineError::Store(error)) if !error.is_definite() => {}
            Err(error) => {
                self.check(!matches!(error, EngineError::Damaged { .. }), Rule::HistoryStays);
                self.unwritten.push(run);
                self.unwritten.sort_unstable();
            }
        }
    }

    /// Checks that the answer of a run with a stored commit does not deny it.
    pub(super) fn contradicts(&mut self, ended: &Ended, wrote: bool) {
        let claims_nothing =
            matches!(ended, Err(e) if !matches!(e, EngineError::Store(error) if !error.is_definite()));
        self.check(!(claims_nothing && wrote), Rule::AnswersTrue);
    }
}

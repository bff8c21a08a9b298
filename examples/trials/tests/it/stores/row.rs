//! A canvas as the model keeps it, and what each command does to it.

use std::collections::BTreeMap;

use super::model::{Command, Decision, FIRST, Lease, Millis, Model, Op, Terms, Who, line};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) deleted: bool,
    pub(crate) revision: u64,
    /// The text of each revision; deletion empties it.
    pub(crate) texts: BTreeMap<u64, Vec<String>>,
    pub(crate) epoch: u64,
    pub(crate) fence: u64,
    pub(crate) turn: u64,
    /// The highest clock that the lease has seen.
    pub(crate) mark: Millis,
    pub(crate) access: Access,
    /// Where the running turn began: epoch and revision.
    pub(crate) start: (u64, u64),
    pub(crate) artefact: Option<Vec<String>>,
    origin: u64,
    known: BTreeMap<Who, Known>,
    pub(crate) receipts: BTreeMap<Op, Receipt>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Closed,
    Open,
    Held(Held),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) fence: u64,
    pub(crate) op: Op,
    taken: Millis,
    renewed: Millis,
    pub(crate) expires: Millis,
}

/// The revisions that a conversation heard of, and that its own calls have shown it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Known {
    /// `None` where it needs the whole text.
    synced: Option<u64>,
    seen: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Receipt {
    Answered(Command, String),
    /// Abandoned.
    Void,
}

/// A read under way: it leaves no receipt, so it is kept only where it changes something.
pub(crate) struct Glance {
    row: Row,
    answer: String,
    limit: Option<Millis>,
}

impl Glance {
    pub(crate) fn or(self, before: &Model) -> Decision {
        let mut row = self.row;
        // A clock alone is not worth a write.
        if let Some(old) = &before.row {
            let as_before = Row { mark: old.mark, ..row.clone() };
            row = if as_before == *old { as_before } else { row };
        }
        let next = Model { row: Some(row) };
        let limit = self.limit.filter(|_| next != *before);
        Decision { answer: self.answer, also: None, next, limit, replayed: false }
    }
}

impl Row {
    pub(crate) fn first(revision: u64, text: &[&str]) -> Self {
        Self {
            deleted: false,
            revision,
            texts: BTreeMap::from([(revision, text.iter().map(|line| (*line).to_owned()).collect())]),
            epoch: 0,
            fence: 0,
            turn: 0,
            mark: 0,
            access: Access::Open,
            start: (0, revision),
            artefact: None,
            origin: revision,
            known: BTreeMap::new(),
            receipts: BTreeMap::new(),
        }
    }

    /// A canvas that never was, as a tombstone.
    pub(crate) fn never() -> Self {
        Self { deleted: true, ..Self::first(0, &[]) }
    }

    /// Made again after a deletion: numbers, lease and receipts go on.
    pub(crate) fn again(&self) -> Self {
        let new = Self::first(self.revision + 1, &FIRST);
        let (epoch, fence, turn, mark, access) = (self.epoch, self.fence, self.turn, self.mark, self.access);
        let receipts = self.receipts.clone();
        Self { epoch, fence, turn, mark, access, receipts, start: (epoch, new.revision), ..new }
    }

    pub(crate) fn text(&self) -> &[String] {
        self.texts.get(&self.revision).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn hold(&self) -> Option<&Held> {
        match &self.access {
            Access::Held(hold) => Some(hold),
            Access::Closed | Access::Open => None,
        }
    }

    /// Time does not run back; a clock that does by more than is tolerated ends the lease.
    fn time(&mut self, terms: Terms, clock: Millis) -> Millis {
        if self.mark.saturating_sub(clock) > terms.tolerance {
            self.interrupt();
            self.mark = clock;
        }
        self.mark = self.mark.max(clock);
        self.mark
    }

    fn interrupt(&mut self) {
        self.epoch += 1;
        if self.hold().is_some() {
            self.access = Access::Open;
        }
    }

    /// Refuses an id that was never given or belongs to an earlier epoch.
    fn known_id(&self, lease: Lease) -> Result<(u64, u64), &'static str> {
        match lease {
            Some((fence, epoch)) if epoch <= self.epoch && fence <= self.fence => {
                if epoch < self.epoch {
                    Err("STALE_EPOCH")
                } else {
                    Ok((fence, epoch))
                }
            }
            _ => Err("LOCK_NOT_OWNED"),
        }
    }

    /// Passes the holder of the valid lease, and says when it ends.
    pub(crate) fn authorize(
        &mut self,
        terms: Terms,
        clock: Millis,
        who: Who,
        lease: Lease,
    ) -> Result<Millis, &'static str> {
        if lease.is_none() {
            return Err("LOCK_NOT_OWNED");
        }
        let now = self.time(terms, clock);
        let (fence, _) = self.known_id(lease)?;
        match self.hold() {
            Some(hold) if hold.fence == fence && hold.op.who == who => {
                if now < hold.expires {
                    Ok(hold.expires)
                } else {
                    Err("LEASE_EXPIRED")
                }
            }
            _ => Err("LOCK_NOT_OWNED"),
        }
    }

    /// A call under the lease is a keep-alive: it extends the lease, once a third of its time has passed.
    pub(crate) fn heartbeat(
        &mut self,
        terms: Terms,
        clock: Millis,
        who: Who,
        lease: Lease,
    ) -> Result<Millis, &'static str> {
        let expires = self.authorize(terms, clock, who, lease)?;
        if self.hold().is_some_and(|hold| self.mark.saturating_sub(hold.renewed) >= terms.ttl / 3) {
            self.extend(terms, clock);
        }
        Ok(expires)
    }

    /// When the lease of this one ends.
    pub(crate) fn own_expiry(&self, who: Who) -> Option<Millis> {
        self.hold().filter(|hold| hold.op.who == who).map(|hold| hold.expires)
    }

    pub(crate) fn extend(&mut self, terms: Terms, clock: Millis) {
        let now = self.time(terms, clock);
        if let Access::Held(hold) = &mut self.access {
            let target = (now + terms.ttl).min(hold.taken + terms.max_hold);
            if target > hold.expires {
                (hold.expires, hold.renewed) = (target, now);
            }
        }
    }

    pub(crate) fn check_out(&mut self, terms: Terms, clock: Millis, op: Op) -> Result<String, &'static str> {
        let now = self.time(terms, clock);
        if op.turn != self.turn || self.access == Access::Closed {
            return Err("LOCK_NOT_AVAILABLE/USER_ACTIVE");
        }
        if let Some(hold) = self.hold().filter(|hold| now < hold.expires) {
            // Whoever asks for its own again is alive.
            if hold.op.who == op.who && self.mark.saturating_sub(hold.renewed) >= terms.ttl / 3 {
                self.extend(terms, clock);
            }
            return Err("LOCK_NOT_AVAILABLE/HELD");
        }
        self.fence += 1;
        let expires = now + terms.ttl.min(terms.max_hold);
        self.access = Access::Held(Held { fence: self.fence, op, taken: now, renewed: now, expires });
        Ok(format!("OK-lease-{}-{}-r{}", self.fence, self.epoch, self.revision))
    }

    pub(crate) fn check_in(
        &mut self,
        terms: Terms,
        clock: Millis,
        who: Who,
        lease: Lease,
    ) -> Result<String, &'static str> {
        if lease.is_none() {
            return Err("LOCK_NOT_OWNED");
        }
        let now = self.time(terms, clock);
        let (fence, _) = self.known_id(lease)?;
        let released = match self.hold() {
            Some(hold) if hold.fence == fence && hold.op.who != who => return Err("LOCK_NOT_OWNED"),
            Some(hold) if hold.fence == fence => Some(now < hold.expires),
            _ => None,
        };
        if released.is_some() {
            self.access = Access::Open;
        }
        let how = if released == Some(true) { "released" } else { "already" };
        Ok(format!("OK-{how}-r{}", self.revision))
    }

    pub(crate) fn read(mut self, terms: Terms, clock: Millis, who: Who, lease: Lease) -> Glance {
        let authorized = self.heartbeat(terms, clock, who, lease);
        if authorized.is_ok() || authorized == Err("STALE_EPOCH") {
            self.mark_seen(who);
        }
        let answer = authorized.map_or_else(str::to_owned, |_| format!("OK-r{}", self.revision));
        Glance { row: self, answer, limit: authorized.ok() }
    }

    pub(crate) fn write(
        &mut self,
        who: Who,
        base: Option<u64>,
        number: Option<u32>,
    ) -> Result<String, &'static str> {
        let known = self.known(who);
        if base.unwrap_or(known.seen) != self.revision {
            // It shows what has changed since the base, which is all that is new to who has seen that or a later one.
            if base.is_none_or(|base| (self.origin..=known.seen).contains(&base)) {
                self.mark_seen(who);
            }
            return Err("PATCH_REJECTED/STALE_BASE");
        }
        let mut text = self.text().to_vec();
        text.insert(1, line(number.ok_or("PATCH_REJECTED")?));
        self.put(text);
        self.mark_seen(who);
        Ok(format!("OK-r{}", self.revision))
    }

    /// What the user and the host do. Nobody can refuse it.
    pub(crate) fn act(&mut self, terms: Terms, clock: Millis, op: Op, command: &Command) -> String {
        match command {
            Command::Create => format!("OK-r{}", self.revision),
            Command::Delete => {
                self.preempt(terms, clock, Access::Open);
                self.turn += 1;
                self.deleted = true;
                (self.artefact, self.origin) = (None, self.revision);
                self.known.clear();
                "OK".to_owned()
            }
            Command::Edit(text) => {
                self.preempt(terms, clock, self.access);
                if text != self.text() {
                    self.put(text.clone());
                }
                format!("OK-e{}-r{}", self.epoch, self.revision)
            }
            Command::Message => {
                self.preempt(terms, clock, Access::Open);
                self.turn += 1;
                let promoted = self.promote();
                self.start = (self.epoch, self.revision);
                let reported = self.sync(op.who);
                format!("OK-e{}-r{}-{promoted}-{reported}", self.epoch, self.revision)
            }
            Command::Cancel => {
                self.preempt(terms, clock, Access::Closed);
                format!("OK-e{}", self.epoch)
            }
            Command::EndTurn(epoch, revision) => {
                // Of its own lease, and only while the turn runs: the end may come late.
                if op.turn == self.turn && self.hold().is_some_and(|hold| hold.op.who == op.who) {
                    self.time(terms, clock);
                    self.access = Access::Open;
                }
                let reported = self.sync(op.who);
                let whole = *epoch == self.epoch && *revision <= self.revision;
                let promoted = if whole { self.promote() } else { "STALE_EPOCH" };
                format!("OK-{promoted}-{reported}")
            }
            other => unreachable!("{other:?} has a rule of its own"),
        }
    }

    /// The user comes first: the lease is over and the epoch rises, held or not.
    fn preempt(&mut self, terms: Terms, clock: Millis, access: Access) {
        self.time(terms, clock);
        self.interrupt();
        self.access = if let Access::Held(_) = access { Access::Open } else { access };
    }

    fn put(&mut self, text: Vec<String>) {
        self.revision += 1;
        self.texts.insert(self.revision, text);
    }

    fn promote(&mut self) -> &'static str {
        let text = Some(self.text().to_vec());
        let same = self.artefact == text;
        self.artefact = text;
        if same { "UNCHANGED" } else { "PROMOTED" }
    }

    fn differs(&self, revision: u64) -> bool {
        self.texts.get(&revision).is_some_and(|text| text != self.text())
    }

    fn known(&self, who: Who) -> Known {
        self.known.get(&who).copied().unwrap_or(Known { synced: None, seen: self.origin })
    }

    pub(crate) fn mark_seen(&mut self, who: Who) {
        self.known.insert(who, Known { seen: self.revision, ..self.known(who) });
    }

    /// Tells a conversation what it does not know yet.
    fn sync(&mut self, who: Who) -> &'static str {
        let reported = match self.known(who).synced {
            None => "whole",
            Some(known) if self.differs(known) => "diff",
            Some(_) => "same",
        };
        self.known.insert(who, Known { synced: Some(self.revision), seen: self.revision });
        reported
    }
}

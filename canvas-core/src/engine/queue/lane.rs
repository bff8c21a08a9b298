//! The queue of one canvas, as a state machine without input or output, and without wakers.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::part::{Part, Verdict};
use crate::engine::context::CachedRow;
use crate::engine::run::{Next, Run};
use crate::engine::task::Task;
use crate::model::author::Actor;
use crate::model::blob::{Blob, BlobId};
use crate::model::head::Head;
use crate::store::contract::{Commit, Committed, Version};
use crate::store::error::{StoreError, StoreErrorKind};

/// Calls that one commit takes.
pub(super) const MAX_CALLS: usize = 32;

/// A commit whose calls bring so many bytes of blobs takes no further call.
const MAX_BYTES: usize = 4 << 20;

/// A call in the queue. Those that come later have higher numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Seat(u64);

/// Calls on their way to the store. At most one commit is under way, and the calls that come meanwhile are decided upon it.
#[derive(Debug, Default)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
pub(crate) struct Lane {
    seats: u64,
    /// What the next commit expects, where none is under way.
    expected: Option<Version>,
    sent: Option<Sent>,
    /// Decided upon each other, and upon what is under way.
    open: Vec<Member>,
    /// Those for which there is no room.
    waiting: BTreeSet<Seat>,
    /// Those for which there is room again, until they take it.
    called: BTreeSet<Seat>,
    /// That many commits take one call each: the store could not take so many at once.
    alone: usize,
}

#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
struct Sent {
    expected: Option<Version>,
    members: Vec<Member>,
}

#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
struct Member {
    seat: Seat,
    part: Part,
}

/// What a call is decided on.
#[derive(Debug)]
enum Place {
    /// A row of its own: nothing is before it.
    First,
    /// What is before it leaves this row.
    Upon(Box<CachedRow>),
    /// Nothing yet.
    None,
}

/// Who hears what.
pub(crate) type Verdicts = Vec<(Seat, Verdict)>;

impl Lane {
    /// A place for a call that begins now.
    pub(crate) fn enter(&mut self) -> Seat {
        self.seats += 1;
        Seat(self.seats)
    }

    /// Decides a call on the newest row, and takes it in where it waits for a commit then. `part` is what it has decided on a
    /// row of its own, `cached` the row of a cache. None where the call waits for its verdict.
    pub(crate) fn decide<T: Task>(
        &mut self,
        seat: Seat,
        run: &mut Run<'_, T>,
        part: Option<Part>,
        cached: impl FnOnce() -> (Option<CachedRow>, bool),
    ) -> Option<Next<T::Answer>> {
        let next = match (self.place(seat), part) {
            (Place::None, _) => return None,
            (Place::First, Some(part)) => Next::Join(part),
            (Place::First, None) => run.turn(cached),
            (Place::Upon(row), _) => run.turn_on(*row, |id| self.pending(id)),
        };
        match next {
            Next::Join(part) => {
                self.join(seat, part);
                None
            }
            next => Some(next),
        }
    }

    fn place(&mut self, seat: Seat) -> Place {
        let was_called = self.called.remove(&seat) | self.waiting.remove(&seat);
        if self.members().next().is_none() {
            return Place::First;
        }
        if (was_called || self.waiting.is_empty())
            && self.has_room()
            && let Some(row) = self.tip().and_then(Part::row)
        {
            return Place::Upon(Box::new(row));
        }
        self.waiting.insert(seat);
        Place::None
    }

    fn has_room(&self) -> bool {
        let calls = if self.alone > 0 { 1 } else { MAX_CALLS };
        let bytes: usize = self.open.iter().flat_map(|member| member.part.blobs()).map(size).sum();
        self.open.len() + self.called.len() < calls && bytes < MAX_BYTES
    }

    fn members(&self) -> impl Iterator<Item = &Member> {
        self.sent.iter().flat_map(|sent| &sent.members).chain(&self.open)
    }

    /// The newest decision.
    fn tip(&self) -> Option<&Part> {
        let last = self.open.last().or_else(|| self.sent.as_ref()?.members.last());
        last.map(|member| &member.part)
    }

    /// A blob that is not stored yet: a file as it is read, or what else is kept under its name.
    fn pending(&self, id: BlobId) -> Option<Blob> {
        let file = self.members().find_map(|member| member.part.contents.blob(id));
        let parts = || self.members().flat_map(|member| member.part.blobs());
        file.or_else(|| parts().find(|blob| blob.id() == id)).cloned()
    }

    fn join(&mut self, seat: Seat, part: Part) {
        if self.members().next().is_none() {
            self.expected.clone_from(&part.expected);
        }
        self.open.push(Member { seat, part });
    }

    /// The next commit, where none is under way and something waits for it.
    pub(crate) fn take(&mut self) -> Option<(Commit, Verdicts)> {
        if self.sent.is_some() {
            return None;
        }
        let head = Arc::clone(self.changes().last()?.0);
        let members = std::mem::take(&mut self.open);
        let changes = || members.iter().filter_map(|member| member.part.change.as_ref());
        let mut blobs = Vec::with_capacity(changes().map(|change| change.blobs.len()).sum());
        let mut known = BTreeSet::new();
        let is_shared = changes().nth(1).is_some();
        for blob in changes().flat_map(|change| &change.blobs) {
            // A store may refuse one that comes twice.
            if !is_shared || known.insert(blob.id()) {
                blobs.push(blob.clone());
            }
        }
        // Each of them must be in time.
        let not_after = changes().filter_map(|change| change.not_after).min();
        let expected = self.expected.take();
        self.sent = Some(Sent { expected: expected.clone(), members });
        self.alone = self.alone.saturating_sub(1);
        Some((Commit { expected, head, blobs, not_after }, self.call()))
    }

    /// The heads that the calls of the next commit lead to, or of the one under way, and who changes content by each.
    pub(crate) fn changes(&self) -> impl DoubleEndedIterator<Item = (&Arc<Head>, Option<Actor>)> {
        let members = self.sent.as_ref().map_or(&self.open, |sent| &sent.members);
        members.iter().filter_map(|Member { part, .. }| Some((&part.head, part.change.as_ref()?.actor)))
    }

    /// The row that the commit under way leaves.
    pub(crate) fn stored(&self, version: &Version, clock: canvas_lease::Timestamp) -> Option<CachedRow> {
        let Sent { members, .. } = self.sent.as_ref()?;
        let Part { head, contents, .. } = &members.last()?.part;
        let (head, contents, version) = (Arc::clone(head), contents.clone(), version.clone());
        let host_at = host_at(members)?;
        Some(CachedRow { head, version, contents, host_at, store_at: clock })
    }

    /// Takes the answer to the commit under way.
    pub(crate) fn complete(&mut self, committed: Result<Committed, StoreError>) -> Verdicts {
        let Some(Sent { expected, members }) = self.sent.take() else { return Vec::new() };
        let mut verdicts = match committed {
            Ok(Committed::Done { version, clock }) => self.done(members, &version, clock),
            Ok(Committed::Conflict(row)) => {
                let all = members.into_iter().chain(std::mem::take(&mut self.open));
                all.map(|member| (member.seat, Verdict::Conflict(row.clone()))).collect()
            }
            Ok(Committed::Late { .. }) => self.void(members, || Verdict::Look),
            Err(fault) if !fault.is_definite() => {
                self.void(members, || Verdict::Lost { expected: expected.clone() })
            }
            // Each alone may be small enough.
            Err(fault) if fault.kind == StoreErrorKind::TooLarge && members.len() > 1 => {
                self.alone = members.len();
                self.void(members, || Verdict::Again)
            }
            Err(fault) => {
                let copies = (1..members.len()).map(|_| copy(&fault)).collect::<Vec<_>>();
                let mut faults = copies.into_iter().chain([fault]);
                self.void(members, || faults.next().map_or(Verdict::Again, Verdict::Failed))
            }
        };
        verdicts.extend(self.call());
        verdicts
    }

    fn done(&mut self, members: Vec<Member>, version: &Version, clock: canvas_lease::Timestamp) -> Verdicts {
        let Some(host_at) = host_at(&members) else { return Vec::new() };
        // Who changes nothing, and was decided upon nothing that is sent after it came: the commit may have landed before that,
        // and others after it.
        let standing = self.open.iter().take_while(|member| member.part.change.is_none()).count();
        let standing: Vec<_> =
            self.open.drain(..standing).map(|member| (member.seat, Verdict::Look)).collect();
        for Member { part, .. } in &mut self.open {
            (part.expected, part.read_at) = (Some(version.clone()), Some((host_at, clock)));
        }
        self.expected = (!self.open.is_empty()).then(|| version.clone());
        let stored = || Verdict::Stored { version: version.clone(), clock, host_at };
        members.into_iter().map(|member| (member.seat, stored())).chain(standing).collect()
    }

    /// The verdict for those who have changed something in a commit; all others are decided again.
    fn void(&mut self, members: Vec<Member>, mut verdict: impl FnMut() -> Verdict) -> Verdicts {
        let sent = members.into_iter().map(|Member { seat, part }| match part.change {
            Some(_) => (seat, verdict()),
            None => (seat, Verdict::Again),
        });
        let sent: Vec<_> = sent.collect();
        let open = std::mem::take(&mut self.open).into_iter().map(|member| (member.seat, Verdict::Again));
        sent.into_iter().chain(open).collect()
    }

    /// A call goes, done or not. What it has decided and not sent is never done, and what was decided upon that is decided
    /// again.
    pub(crate) fn leave(&mut self, seat: Seat) -> Verdicts {
        self.waiting.remove(&seat);
        self.called.remove(&seat);
        let mut verdicts = Verdicts::new();
        if let Some(i) = self.open.iter().position(|member| member.seat == seat)
            && self.open.remove(i).part.change.is_some()
        {
            verdicts.extend(self.open.drain(i..).map(|member| (member.seat, Verdict::Again)));
        }
        verdicts.extend(self.call());
        verdicts
    }

    /// Calls those for whom there is room by now, first come first.
    fn call(&mut self) -> Verdicts {
        let mut verdicts = Verdicts::new();
        let is_open = self.tip().is_none_or(|part| part.row().is_some());
        while is_open && self.has_room() {
            let Some(seat) = self.waiting.pop_first() else { break };
            self.called.insert(seat);
            verdicts.push((seat, Verdict::Turn));
        }
        verdicts
    }
}

#[cfg(all(test, feature = "surface"))]
impl Seat {
    pub(crate) fn numbered(number: u8) -> Self {
        Self(number.into())
    }
}

#[cfg(all(test, feature = "surface"))]
impl Lane {
    /// Something waits to be sent.
    pub(crate) fn is_ready(&self) -> bool {
        self.sent.is_none() && !self.open.is_empty()
    }

    /// A call is all that waits to be sent.
    pub(crate) fn is_alone(&self, seat: Seat) -> bool {
        self.is_ready() && self.open.len() == 1 && self.open[0].seat == seat
    }

    pub(crate) fn sent(&self) -> impl Iterator<Item = (Seat, &Part)> {
        let sent = self.sent.iter().flat_map(|sent| &sent.members);
        sent.filter(|member| member.part.change.is_some()).map(|member| (member.seat, &member.part))
    }

    /// What a call has decided that waits.
    pub(crate) fn part(&self, seat: Seat) -> Option<&Part> {
        self.open.iter().find(|member| member.seat == seat).map(|member| &member.part)
    }
}

/// The host's clock was no later than this when the store's was asked for.
fn host_at(members: &[Member]) -> Option<canvas_lease::Timestamp> {
    members.iter().map(|member| member.part.now).max()
}

fn size(blob: &Blob) -> usize {
    blob.as_bytes().len()
}

/// The same fault for another call of the commit.
fn copy(fault: &StoreError) -> StoreError {
    let StoreError { kind, operation, canvas, message, source } = fault;
    let source = source.as_ref().map(|source| source.to_string().into());
    StoreError {
        kind: kind.clone(),
        operation: *operation,
        canvas: canvas.clone(),
        message: message.clone(),
        source,
    }
}

//! A pure function that takes the canvas at one moment and a call, and returns a decision.
//!
//! * If several refusals apply, the first in this order is returned: rollout, receipt, lease (epoch, owner, expiry),
//!   base, the change itself.
//! * A call refused because of the rollout leaves no trace, and users notice no difference between stages. If no lease
//!   is needed, a write is still refused if its author does not know the text, if the user ended the turn, or while
//!   another conversation holds the lease.
//! * A refused call leaves the head unchanged except for the lock (a preemption, a keep-alive), its receipt and, if the
//!   refusal showed the changes, the text that the conversation saw.
//! * Board commands need no lease. A model may run them only in the running turn, and a host may run them in a model's
//!   name at any time.
//! * A user's edit preempts even if the text is the same or too large to store, because the user acted. The
//!   revision then stays the same. An edit that names an older revision is moved past the later changes. If that fails,
//!   the refusal carries those changes and the text sent.
//! * If conversations share their turn, a message in one conversation ends the turns of all. The end of a turn promotes
//!   only if no preemption came since the turn began. The changes are returned in either case.
//! * If conversations have turns of their own, a transition sees the conversation's own lock in place of the canvas's.
//!   Writes need no lease, and a user's edit preempts nobody. A patch for an older text that the conversation was shown
//!   is moved past the later changes. If they touch a line that it quotes, it is refused with them.
//! * A conversation's snapshot and hidden diffs add up to the document. The conversation that created the canvas knows
//!   its first document. Any other gets the whole text with its first message, and so does one that called `Forget` or
//!   was evicted. If the head does not name the creator, as in version 0.1.0, every conversation knows that document.
//! * If a patch fits several places, the line number that it states decides only if its conversation was shown that
//!   line of the current text. Under `WriteRules::rebase`, a patch that names no base and was made for an older text is
//!   applied if the changes unknown to its conversation leave its only place untouched. The reply shows those changes.
//!   Under `WriteRules::retake`, a patch or a replacement of numbered lines under an expired lease takes a new lease in
//!   its own commit. It does so only if nobody held the canvas in the meantime, and if its conversation saw the current
//!   document. A refused write takes no lease.
//! * After a refusal that carries the whole diff, the conversation knows the document, so it may send the same patch
//!   again. If the refusal shows only a part of the changes, the conversation must name the base or read.
//! * Lines replaced by number are guarded by a hash of their bytes, and an insertion is guarded by the hash of the line
//!   above. They become one strict patch, so that only patches change a document under a lease.
//! * A patch with a scope changes no line outside it. The host's policy decides whether a patch, or a replacement of
//!   numbered lines, may change the meaning of lines that it does not touch. That policy does not apply to directives,
//!   users and undo.
//! * A user's undo is a user's edit, and preempts if it changes the document. A refused undo preempts nobody.
//! * A model cannot undo once the user acted in its turn. It needs no lease to undo changes of the board.
//! * Effects are on no stack, so an undo leaves their results in place. If an effect touched the same place, the undo
//!   is refused. A model cannot undo a change if that would let the surface do more.
//! * If a change is undone while later ones stay, its place is computed from them and never searched for. If a later
//!   change touches that place, the undo is refused.

mod access;
mod base;
#[cfg(feature = "board")]
pub(crate) mod board;
pub(crate) mod command;
mod conversation;
pub(crate) mod decide;
pub(crate) mod document;
pub(crate) mod edit;
pub(crate) mod lease;
mod located;
pub(crate) mod native;
mod pending;
pub(crate) mod policy;
pub(crate) mod proposal;
pub(crate) mod protected;
#[cfg(feature = "recipe")]
pub(crate) mod recipe;
pub(crate) mod refusal;
mod revert;
pub(crate) mod rollout;
mod search;
pub(crate) mod stale;
mod step;
pub(crate) mod structure;
#[cfg(feature = "surface")]
pub(crate) mod surface;
pub(crate) mod turn;
pub(crate) mod undo;
mod undo_chain;
mod undo_of;
pub(crate) mod version;
pub(crate) mod view;
pub(crate) mod work_mode;

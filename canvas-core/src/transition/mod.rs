//! One pure step: the canvas at one moment and a call in, a decision out.
//!
//! * Of several refusals the first in this order is given: rollout, receipt, lease (epoch, owner, expiry), base, the
//!   change itself.
//! * What the rollout closes leaves no trace, and users notice no stage. Where no lease is needed, a write is still
//!   refused if its author does not know the text, if the user has ended the turn, or while somebody else holds the
//!   lease.
//! * A refused call leaves the head as it was but for the lock (a preemption, a keep-alive), its receipt and, where it
//!   showed the changes, what the conversation has seen.
//! * The board takes no lease. A model commands it only in the turn that runs, a host in a model's name at any time.
//! * A user's edit preempts even where the text is the same, or too large to be stored: the user has acted. The
//!   revision then stays. One that names an older revision is moved past the changes since, or refused with them and
//!   with the text that was sent.
//! * A turn is of the canvas, not of a conversation: a message in one conversation ends the turns of all. The end of a
//!   turn promotes only where no preemption came since it began; its hidden message is given all the same.
//! * A conversation's snapshot and hidden diffs add up to the document. One that is not known yet knows the document
//!   that the canvas was made with. Once the canvas has evicted a conversation, one that is not known gets the whole
//!   text, like one that has forgotten.
//! * Where a patch fits several places, the line that it states decides only if its conversation was shown that line of
//!   the text of now. Under `Policy::rebase` a patch without a base, for an older text, is applied where its one place is
//!   untouched by what its conversation has not seen, which the answer shows. Under `Policy::retake` a patch, or lines
//!   replaced by number, under a lease that has expired takes one anew in its commit, where nobody has had the canvas since
//!   and its conversation has seen the document as it is. One that is refused takes none.
//! * After a refusal that carries the whole diff, the conversation has seen the document, so the same patch may come
//!   again. A part of the changes does not count: whoever was shown a part names the base, or reads.
//! * Lines replaced by number are guarded by a hash of their bytes, an insertion by that of the line above, and become
//!   a strict patch of one hunk: only patches change a document under a lease.
//! * A patch with a scope changes no line outside of it. Whether a patch, or lines replaced by number, may change the
//!   meaning of lines that it does not touch is the host's policy. Directives, users and undo are not asked.
//! * A user's undo is a user's edit, and preempts where it changes the document; one that is refused preempts nobody.
//! * A model undoes nothing once the user has acted in its turn. For what it undoes of the board it needs no lease.
//! * What effects, which are on no stack, have left below an undo stays; where they have touched the same, nothing is
//!   undone. A model undoes nothing that would allow the surface more.
//! * A change that is undone from under later ones is transformed, never searched for. Where a later one touches it,
//!   nothing is undone.

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
pub(crate) mod policy;
#[cfg(feature = "recipe")]
pub(crate) mod recipe;
pub(crate) mod refusal;
mod revert;
pub(crate) mod rollout;
pub(crate) mod stale;
mod step;
#[cfg(feature = "surface")]
pub(crate) mod surface;
pub(crate) mod turn;
pub(crate) mod undo;
pub(crate) mod view;

//! Changes of the document that wait for a decision, with the commands that make, decide and withdraw them.
//!
//! A proposal is an owner's pending change, in parts. A conversation or a person owns at most one on a canvas. Proposals
//! are in the head next to the draft, and change neither the document nor its revision id, so that several
//! models may propose while people type.
//!
//! A person proposes with [`Propose`]. A model proposes with its ordinary commands inside [`Proposing`], which show and
//! change the proposed text. A person or the host decides with [`DecideParts`], and never a model. Any other change of the
//! document moves the parts. If it touches or borders on the words of a part, the part becomes stale, because nobody can
//! tell whether it still fits.
//! [`Engine::proposals`](crate::Engine::proposals) returns all of them.

pub(crate) mod decision;
pub(crate) mod limits;
pub(crate) mod open;
pub(crate) mod owner;
pub(crate) mod stored;
pub(crate) mod told;

pub use canvas_patch::{PartId, PartIdError, PartState, PartView, SpanKind};

pub use self::limits::{MAX_BYTES, MAX_NOTE_BYTES, MAX_PARTS, MAX_PROPOSALS, MAX_REASON_BYTES};
pub use self::open::{OpenProposals, OwnedSpan, Proposal, ProposalText, ProposedPart};
pub use self::owner::Owner;
pub use self::told::{ProposedParts, RejectedBefore, RejectedLines};
pub use crate::transition::proposal::decide::{DecideParts, PartChoice, PartsDecided, Reworded};
pub use crate::transition::proposal::propose::{Propose, Proposed, ProposedChange};
pub use crate::transition::proposal::proposing::Proposing;
pub use crate::transition::proposal::withdraw::{Withdraw, Withdrawn};
pub use crate::transition::refusal::{DecisionRefusal, ProposalRefusal, ProposeRefusal};

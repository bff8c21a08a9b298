//! The canvas: a content-addressed tree under one compare-and-swap head, its documents, stores and rules.

mod blocking;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod document;
mod engine;
mod ground;
mod policy;
mod view;

/// The text below a document: what `canvas-patch` offers, so that those above have one neighbour.
pub mod text {
    pub use canvas_patch::{
        Address, AddressError, Applied, ApplyError, Candidate, Conflict, Difference, Divergence, Grep,
        GrepError, GrepLimits, Limits, LineRange, Match, Mode, Options, Outline, Part, Query, Reason, Repair,
        RepairKind, Resolved, Section, Span, Summary, apply, build, grep, outline, resolve,
    };
}

/// The lock below a canvas: what `canvas-lease` offers, so that those above have one neighbour.
pub mod lease {
    pub use canvas_lease::{Epoch, Fence, Hold, Lease, LeaseId, ParseLeaseIdError, Policy, Timestamp, Turn};
}

pub use blocking::block_on;
pub use document::command::{Call, Command};
pub use document::outcome::{AppliedPatch, LineSpan, Outcome, Promotion};
pub use document::refusal::{Counter, Refusal};
pub use document::sync::Changes;
pub use engine::{Answered, Engine, EngineError, Snapshot};
pub use ground::blob::{Blob, BlobId, ParseBlobIdError};
pub use ground::head::{Face, Head, HeadError, TurnStart};
pub use ground::id::{CallId, CanvasId, ConversationId, NameError, OpKey};
pub use ground::journal::JournalSlot;
pub use ground::memory::MemoryStore;
pub use ground::path::{PathError, TreePath};
pub use ground::revision::{ParseRevisionIdError, Revision, RevisionId};
pub use ground::store::{BoxStore, Capabilities, Commit, Committed, Fault, Loaded, Store, Version};
pub use ground::tree::Tree;
pub use policy::Policy;

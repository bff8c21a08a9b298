//! The canvas: a content-addressed tree under one compare-and-swap head, its documents, stores and rules.
//!
//! An [`Engine`] runs [`Command`]s on the canvases of a [`Store`](store::Store). Rules are pure functions on the loaded
//! [`Head`](store::Head); the
//! engine loads, decides, commits, and decides again where somebody else was faster. A refusal is an answer, not an
//! error, and the same call again is answered as it was the first time.
//!
//! ```
//! use canvas_core::document::ApplyPatch;
//! use canvas_core::lease::{CheckOut, Timestamp};
//! use canvas_core::store::MemoryStore;
//! use canvas_core::{CallId, CanvasId, ConversationId, Engine, OpKey, Policy, block_on};
//!
//! let now = Timestamp::from_millis(1_000);
//! let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
//! let canvas = CanvasId::new("plan")?;
//! block_on(engine.create(&canvas, "# Plan\n", &OpKey::host(CallId::new("create")?), now))?;
//!
//! let model = ConversationId::new("model")?;
//! let (first, second) = (CallId::new("1")?, CallId::new("2")?);
//! let (first, second) = (OpKey::of(model.clone(), first), OpKey::of(model, second));
//! let lease = block_on(engine.call(&canvas, &first, CheckOut, now))?.result?.lease;
//! let patch = "@@\n # Plan\n+\n+- one\n".to_owned();
//! let apply = ApplyPatch { lease: Some(lease), patch, base: None, scope: None, shown: None };
//! let applied = block_on(engine.call(&canvas, &second, apply, now))?;
//! assert_eq!(applied.result?.summary.added, 2);
//! assert_eq!(applied.snapshot.text(), "# Plan\n\n- one\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Limits
//!
//! * Five faces: the [`document`], the [`board`], the [`surface`], the [`recipe`] and the data that it refreshes.
//! * It reads no clock and opens nothing: time comes with each call, storage behind [`Store`](store::Store).
//! * It merges nothing: one lease at a time, and the user ends it by acting.
//!
//! # Features
//!
//! `board` (default) brings [`board`], its commands and journal, [`Engine::board`], [`Engine::with_registry`], and canonical
//! JSON; it turns on `schema` ([`Schema`](schema::Schema)) and `zone` ([`Zone`]). `surface` (default) brings [`surface`], its commands and
//! [`Engine::with_ceiling`]; it turns on `schema`. `recipe` (default) brings [`recipe`], and turns on both too. Without one
//! of the faces, see [`Face::is_supported`].
//!
//! # Modules
//!
//! The commands, answers and refusals of a face lie in its module: [`document`], [`board`], [`surface`], [`recipe`]. Those of the
//! lease are in [`lease`], of the model's turn in [`turn`], of undo and the journal in [`history`]. [`store`] has the contract
//! of stores, its adapters and the [`Head`](store::Head) that they keep, [`watch`] live updates, [`observe`] events for logs.
//!
//! Inside, in this order, each knowing only those before it: `model` (names, blobs, trees, the head with its receipts), `face` (the
//! protocol of a face and the loaded files of a canvas), `store`
//! (the contract and its adapters), `schema`, the faces `document`, `board`, `surface` and `recipe`, `history` (the journal),
//! `transition` (commands, outcomes, refusals, and the one pure step that decides), `engine` (drives steps over a store,
//! the lock as a person sees it, and watchers).

#[cfg(feature = "board")]
pub mod board;
pub mod document;
mod engine;
mod face;
pub mod history;
#[cfg(any(feature = "board", feature = "surface"))]
mod json_patch;
mod model;
#[cfg(feature = "recipe")]
pub mod recipe;
#[cfg(any(feature = "board", feature = "surface"))]
mod schedule;
#[cfg(feature = "schema")]
pub mod schema;
pub mod store;
#[cfg(feature = "surface")]
pub mod surface;
mod transition;
#[cfg(feature = "zone")]
#[cfg_attr(not(feature = "board"), expect(dead_code, reason = "only faces tell the local time"))]
mod zone;

#[doc = include_str!("../ERRORS.md")]
pub mod errors {}

/// The text below a document: what `canvas-patch` offers, so that those above have one neighbour.
pub mod text {
    #[doc(hidden)]
    pub use canvas_patch::floor_char_boundary;
    pub use canvas_patch::{
        Address, AddressError, Applied, ApplyError, Block, BlockLine, BuildOptions, Built, Candidate,
        CodePoints, Conflict, ContainerKind, Delta, DiffExcerpt, Difference, EarlierText, EditPolicyError,
        ExceededLimit, Grep, GrepError, GrepLimits, Limits, LineRange, Match, Mismatch, Mode, Options,
        Outline, Part, Place, Query, QuotedLine, Reason, Rebase, Repair, RepairKind, Resolved, Section, Span,
        StatedLines, Suggestion, Summary, TextEdit, WordChange, apply, apply_blocks, build, build_unique,
        find_lines, grep, matches, near_miss, outline, resolve, truncate, word_changes,
    };
}

/// The lease: the commands that take, renew and give it back, and the lock that `canvas-lease` offers.
pub mod lease {
    pub use canvas_lease::{
        Epoch, Fence, Lease, LeaseId, Lock, ParseLeaseIdError, Policy, Timestamp, Turn, safe_integer,
    };

    pub use crate::transition::lease::{CheckIn, CheckOut, CheckedIn, CheckedOut, Renew, Renewed};
    pub use crate::transition::native::KeepAlive;
    pub use crate::transition::refusal::{CheckOutRefusal, HolderRefusal, LeaseRefusal};
}

/// Commands that begin, end and interrupt the turn of a model, and that make its conversation forget.
pub mod turn {
    pub use crate::transition::turn::{
        Cancel, EndTurn, Forget, Forgotten, Interrupted, Promotion, SendMessage, TakeControl, TurnBegan,
        TurnEnded,
    };
}

/// Live updates for clients that watch a canvas.
pub mod watch {
    pub use crate::engine::lock_view::{LockEvent, LockView};
    pub use crate::engine::watch::{CanvasStatus, HeadRevision, Watch, WatchEvent};
}

/// What an engine tells a host of its work: calls, decisions, commits, conflicts and collections, for logs, metrics and traces.
pub mod observe {
    pub use crate::engine::observe::{
        Basis, CallEnd, CallNumber, CommitEnd, CommitNumber, Decision, Event, EventKind, Observer,
        Settlement, WaitEnd,
    };
}

/// JSON in one form for each value, its hash, and its changes.
#[cfg(any(feature = "board", feature = "surface"))]
pub mod json {
    pub use crate::json_patch::JsonPatchOperation;
    pub use crate::model::canonical::{CanonicalError, canonical_json, exact_json};
    #[cfg(feature = "surface")]
    pub use crate::model::json_hash::{JsonHash, ParseJsonHashError};
}

#[doc(hidden)]
pub use canvas_patch::{coded, coded_error};
pub use engine::block_on::block_on;
pub use engine::{Answered, Collection, Created, Dropped, Engine, EngineError, Follow, Resolution, Snapshot};
pub use model::author::{Actor, Author};
pub use model::blob::{Blob, BlobId, ParseBlobIdError};
pub use model::error_report::ErrorReport;
pub use model::face::Face;
pub use model::id::{CallId, CallIds, CanvasId, ConversationId, NameError, OpKey};
pub use model::revision::{Base, ParseRevisionIdError, Revision, RevisionId};
pub use transition::command::{Command, StoredAnswer};
pub use transition::policy::Policy;
pub use transition::refusal::{
    BoardRefusal, CallRefusal, Counter, LimitRefusal, NewBoardRefusal, NotAvailable, Refusal, Refused,
};
pub use transition::rollout::{Access, Rollout};
#[cfg(feature = "zone")]
pub use zone::{Zone, ZoneError};

/// The example of the README, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

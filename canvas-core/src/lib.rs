//! Canvases that people and language models edit together, kept as content-addressed trees under one compare-and-swap
//! head.
//!
//! Start with [`Engine`], which runs [`Command`]s on the canvases of a [`Store`](store::Store). The rules are pure
//! functions on the loaded [`Head`](store::Head). The engine loads the head, decides, commits, and decides again if
//! another writer was faster. A refusal is an answer and not an error. If you repeat a call with the same key, you get
//! its first answer again. The [`concepts`] page defines the words of this crate, such as head, lease, turn and receipt.
//!
//! ```
//! # canvas_core::testing::block_on(async {
//! use canvas_core::document::ApplyPatch;
//! use canvas_core::lease::{CheckOut, Timestamp};
//! use canvas_core::store::MemoryStore;
//! use canvas_core::{CanvasId, ConversationId, Engine, OpKey, Policy};
//!
//! let now = Timestamp::from_millis(1_000);
//! let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
//! let canvas = CanvasId::new("plan")?;
//! engine.create(&canvas, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
//!
//! let model = ConversationId::new("model")?;
//! let (first, second) = (OpKey::of(model.clone(), "1".parse()?), OpKey::of(model, "2".parse()?));
//! let lease = engine.call(&canvas, &first, CheckOut, now).await?.result?.lease;
//! let patch = "@@\n # Plan\n+\n+- one\n".to_owned();
//! let apply = ApplyPatch { lease: Some(lease), patch, base: None, scope: None, shown: None };
//! let applied = engine.call(&canvas, &second, apply, now).await?;
//! assert_eq!(applied.result?.summary.added, 2);
//! assert_eq!(applied.snapshot.text(), "# Plan\n\n- one\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```
//!
//! # Limits
//!
//! * A canvas has at most five faces besides its proposals, which are the [`document`], the [`board`], the [`surface`],
//!   the [`recipe`] and the data that the recipe refreshes.
//! * The crate reads no clock and opens no file or socket. You pass the time with each call, and storage is behind
//!   [`Store`](store::Store).
//! * It does not merge overlapping edits. A canvas has at most one lease at a time, and a user's message or edit of the
//!   document ends it.
//!
//! # Features
//!
//! `board` (default) adds [`board`], its commands and journal, [`Engine::board`], [`Engine::with_registry`], and
//! canonical JSON. It enables `schema` ([`Schema`](schema::Schema)) and `zone` ([`Zone`]). `surface` (default) adds
//! [`surface`], its commands and [`Engine::with_ceiling`], and enables `schema`. `recipe` (default) adds [`recipe`] and
//! enables both `board` and `surface`. For canvases with a face that your build lacks, see [`Face::is_supported`].
//!
//! # Modules
//!
//! Each face has a module with its commands, answers and refusals: [`document`], [`board`], [`surface`] and [`recipe`].
//! [`proposal`] has changes of the document that wait for a decision, and [`version`] has named versions.
//! The lease is in [`lease`], the model's turn in [`turn`], and undo with the journal in [`history`]. [`refusal`] has
//! the refusals that several of them share, and [`rollout`] the rights of models. [`policy`] has the groups of settings
//! in a [`Policy`], and [`store`] the store contract, its adapters and the stored [`Head`](store::Head). [`watch`] has
//! live updates, [`export`] has backups, [`observe`] has events for logs, and [`testing`] has an executor for tests and examples.
//!
//! The private modules are layers, and each uses only those listed before it: `model` (names, blobs, trees, the head
//! with its receipts), `face` (the protocol of a face and the loaded files of a canvas), `store` (the contract and its
//! adapters), `schema`, the faces `document`, `board`, `surface` and `recipe`, `proposal`, `version`, `history` (the journal), `transition`
//! (commands, outcomes, refusals, and the one pure step that decides), and `engine` (runs steps on a store, and has
//! watchers and the lock as a person sees it).

#[cfg(feature = "board")]
pub mod board;
pub mod concepts;
pub mod document;
mod engine;
mod face;
pub mod history;
#[cfg(any(feature = "board", feature = "surface"))]
mod json_patch;
mod model;
pub mod proposal;
#[cfg(feature = "recipe")]
pub mod recipe;
#[cfg(any(feature = "board", feature = "surface"))]
mod schedule;
#[cfg(feature = "schema")]
pub mod schema;
pub mod store;
#[cfg(feature = "surface")]
pub mod surface;
pub mod testing;
mod transition;
pub mod version;
#[cfg(feature = "zone")]
#[cfg_attr(not(feature = "board"), expect(dead_code, reason = "only faces tell the local time"))]
mod zone;

#[doc = include_str!("../ERRORS.md")]
pub mod errors {}

/// The commands that take, renew and return the lease, and every item of `canvas-lease`.
pub mod lease {
    pub use canvas_lease::*;

    pub use crate::transition::lease::{CheckIn, CheckOut, CheckedIn, CheckedOut, Renew, Renewed};
    pub use crate::transition::native::KeepAlive;
    pub use crate::transition::refusal::{CheckOutRefusal, HolderRefusal, LeaseRefusal};
}

/// Commands that begin, end and interrupt a model's turn, and one that makes its conversation forget the canvas.
///
/// In [`WorkMode::Exclusive`](turn::WorkMode::Exclusive), the default, a canvas has one running turn, which all
/// conversations share, and a message in one of them begins the next turn for all. A call that names an earlier turn can
/// no longer check out. If models are to answer two chats at the same time, [set](turn::SetWorkMode) the canvas to
/// [`WorkMode::Collaborative`](turn::WorkMode::Collaborative). Each conversation then has a turn of its own.
pub mod turn {
    pub use crate::model::work_mode::WorkMode;
    pub use crate::transition::turn::{
        Cancel, EndTurn, Forget, Forgotten, Interrupted, Promotion, SendMessage, TakeControl, TurnBegan,
        TurnEnded,
    };
    pub use crate::transition::work_mode::{SetWorkMode, WorkModeSet};
}

/// Groups of refusals that commands of several modules share.
pub mod refusal {
    pub use crate::transition::refusal::{
        BoardRefusal, CallRefusal, Counter, LimitRefusal, NewBoardRefusal, NotAvailable,
    };
}

/// The stages in which a host opens its canvases to models, and the kinds of access that a call may need.
pub mod rollout {
    pub use crate::transition::rollout::{Access, Rollout};
}

/// The groups of settings in a [`Policy`].
pub mod policy {
    pub use crate::transition::policy::{
        DocumentLimits, HistoryLimits, ReceiptLimits, SyncLimits, WriteRules,
    };
}

/// Exports of a canvas as a stream of bytes, and their import into another store.
pub mod export {
    pub use crate::engine::export::{Export, ExportFault, Import, ImportError, ImportedCanvas};
}

/// Live updates for clients that watch a canvas.
pub mod watch {
    pub use crate::engine::lock_view::{LockEvent, LockView};
    pub use crate::engine::watch::{CanvasStatus, HeadRevision, Waited, Watch, WatchEvent};
}

/// Events about an engine's calls, decisions, commits, conflicts and collections, for logs, metrics and traces.
pub mod observe {
    pub use crate::engine::observe::{
        Basis, CallEnd, CallNumber, CommitEnd, CommitNumber, Decision, EngineEvent, EventKind, Observer,
        Settlement, WaitEnd,
    };
}

/// Exact and canonical JSON, hashes of it, and JSON Patch operations.
pub mod json {
    #[cfg(any(feature = "board", feature = "surface"))]
    pub use crate::json_patch::JsonPatchOperation;
    #[cfg(any(feature = "board", feature = "surface"))]
    pub use crate::model::canonical::{CanonicalError, canonical_json};
    pub use crate::model::exact_json::exact_json;
    #[cfg(feature = "surface")]
    pub use crate::model::json_hash::{JsonHash, ParseJsonHashError};
}

/// The crate `canvas-patch`, the text layer below a document.
pub use canvas_patch as text;
#[doc(hidden)]
pub use canvas_patch::coded;
pub use engine::{
    Answered, CollectOptions, CreatedCanvas, DroppedBlobs, Engine, EngineError, Follow, Resolution, Snapshot,
};
pub use model::actor::{Actor, PersonId, PersonIdError};
pub use model::author::{Author, Role};
pub use model::blob::{Blob, BlobId, ParseBlobIdError};
pub use model::error::{CodedError, ErrorReport};
pub use model::face::Face;
pub use model::id::{CallId, CallIds, CanvasId, ConversationId, NameError};
pub use model::op_key::OpKey;
pub use model::revision::{ParseRevisionIdError, Revision, RevisionId};
pub use transition::command::{Command, StoredAnswer};
pub use transition::policy::Policy;
pub use transition::refusal::{Refusal, Refused};
#[cfg(feature = "zone")]
pub use zone::{Zone, ZoneError};

/// The example of the README, which doctests compile and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

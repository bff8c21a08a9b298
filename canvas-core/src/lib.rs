//! The canvas: a content-addressed tree under one compare-and-swap head, its documents, stores and rules.
//!
//! An [`Engine`] runs [`Command`]s on the canvases of a [`Store`]. Rules are pure functions on the loaded [`Head`]; the
//! engine loads, decides, commits, and decides again where somebody else was faster. A refusal is an answer, not an
//! error, and the same call again is answered as it was the first time.
//!
//! ```
//! use canvas_core::lease::Timestamp;
//! use canvas_core::{
//!     ApplyPatch, CallId, CanvasId, CheckOut, ConversationId, Engine, MemoryStore, OpKey, Policy,
//! };
//! use canvas_core::block_on;
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
//! * Three faces so far: the document, the [`board`] and the [`surface`].
//! * It reads no clock and opens nothing: time comes with each call, storage behind [`Store`].
//! * It merges nothing: one lease at a time, and the user ends it by acting.
//!
//! # Features
//!
//! `board` (default) brings [`board`], its commands and journal, [`Engine::board`], [`Engine::with_registry`], and canonical
//! JSON; it turns on `schema` ([`Schema`]) and `zone` ([`Zone`]). `surface` (default) brings [`surface`], its commands and
//! [`Engine::with_ceiling`]; it turns on `schema`. `recipe` (default) brings [`recipe`], and turns on both too. Without one
//! of the faces, see [`Face::is_supported`].
//!
//! # Modules
//!
//! In this order, each knowing only those before it: `model` (names, blobs, trees, the head with its receipts), `face` (the
//! protocol of a face and the loaded files of a canvas), `store`
//! (the contract and its adapters), `schema`, the faces `document` and [`board`], [`recipe`], `history` (the journal),
//! `transition` (commands, outcomes, refusals, and the one pure step that decides), `engine` (drives steps over a store,
//! the lock as a person sees it, and watchers), `conformance` (feature: tries what a store promises).

#[cfg(feature = "board")]
pub mod board;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod document;
mod engine;
mod face;
mod history;
#[cfg(any(feature = "board", feature = "surface"))]
mod json_patch;
mod model;
#[cfg(feature = "recipe")]
pub mod recipe;
#[cfg(any(feature = "board", feature = "surface"))]
mod schedule;
#[cfg(feature = "schema")]
mod schema;
mod store;
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
        Conflict, ContainerKind, Delta, DiffExcerpt, Difference, EarlierText, EditPolicyError, ExceededLimit,
        Grep, GrepError, GrepLimits, Limits, LineRange, Match, Mismatch, Mode, Options, Outline, Part, Place,
        Query, QuotedLine, Reason, Rebase, Repair, RepairKind, Resolved, Section, Span, StatedLines,
        Suggestion, Summary, TextEdit, WordChange, apply, apply_blocks, build, build_unique, find_lines,
        grep, matches, outline, resolve, truncate, word_changes,
    };
}

/// The lock below a canvas: what `canvas-lease` offers, so that those above have one neighbour.
pub mod lease {
    pub use canvas_lease::{
        Epoch, Fence, Lease, LeaseId, Lock, ParseLeaseIdError, Policy, Timestamp, Turn, safe_integer,
    };
}

/// What an engine tells a host of its work: calls, decisions, commits, conflicts and collections, for logs, metrics and traces.
pub mod observe {
    pub use crate::engine::observe::{
        Basis, CallEnd, CallNumber, CommitEnd, CommitNumber, Decision, Event, EventKind, Observer,
        Settlement, WaitEnd,
    };
}

#[doc(hidden)]
pub use canvas_patch::{coded, coded_error};
pub use document::changes::{Changes, Heading, Headings};
pub use document::range_hash::{ParseRangeHashError, RangeHash};
pub use document::replace::{LinesNow, LinesRefusal, Replacement};
pub use document::shown::ShownLines;
pub use document::step::DocumentStep;
#[cfg(feature = "surface")]
pub use engine::Surface;
pub use engine::block_on::block_on;
pub use engine::lock_view::{LockEvent, LockView};
pub use engine::watch::{CanvasStatus, HeadRevision, Watch, WatchEvent};
pub use engine::{
    Answered, Collection, Created, Dropped, Engine, EngineError, Follow, Replay, Resolution, Snapshot, Stacks,
};
#[cfg(feature = "board")]
pub use history::board::{BoardJournal, BoardJournalError};
pub use history::journal::{Entry, EntryKind, HistoryEntry, Reverts};
pub use history::number::{ChangeNumber, EntryNumber};
pub use history::step::Step;
#[cfg(any(feature = "board", feature = "surface"))]
pub use json_patch::JsonPatchOperation;
pub use model::author::{Actor, Author};
pub use model::blob::{Blob, BlobId, ParseBlobIdError};
#[cfg(any(feature = "board", feature = "surface"))]
pub use model::canonical::{CanonicalError, canonical_json, exact_json};
pub use model::error_report::ErrorReport;
pub use model::face::Face;
pub use model::format::HeadError;
pub use model::head::{Head, TurnStart};
pub use model::id::{CallId, CallIds, CanvasId, ConversationId, NameError, OpKey};
pub use model::journal_slot::JournalSlot;
#[cfg(feature = "surface")]
pub use model::json_hash::{JsonHash, ParseJsonHashError};
pub use model::path::{PathError, TreePath};
pub use model::revision::{Base, ParseRevisionIdError, Revision, RevisionId};
pub use model::tree::Tree;
#[cfg(feature = "recipe")]
pub use recipe::refusal::RecipeRefusal;
#[cfg(feature = "schema")]
pub use schema::{Schema, SchemaError, SchemaErrorCode, ValidationError};
pub use store::blocking::{Blocking, BlockingStore, Job};
pub use store::boxed::BoxStore;
pub use store::contract::{Capabilities, Collected, Commit, Committed, Loaded, Store, Version};
pub use store::error::{StoreError, StoreErrorKind, StoreOperation};
pub use store::layer::Layer;
pub use store::memory::MemoryStore;
#[cfg(feature = "surface")]
pub use surface::refusal::SurfaceRefusal;
#[cfg(feature = "board")]
pub use transition::board::{BoardCommandRun, BoardCreated, CreateBoard, RunBoardCommand};
pub use transition::command::{Command, StoredAnswer};
pub use transition::document::{
    AppliedPatch, ApplyPatch, HostEdit, HostEdited, LineSpan, Read, Readable, ReplaceLines, Shown,
};
pub use transition::edit::{Edit, Edited};
pub use transition::lease::{CheckIn, CheckOut, CheckedIn, CheckedOut, Renew, Renewed};
pub use transition::native::{ApplyEdits, Look};
pub use transition::policy::Policy;
#[cfg(feature = "recipe")]
pub use transition::recipe::{
    finish::{FinishReplay, ReplayFinished},
    record::{NonRefreshable, RecipeRecorded, RecordRecipe},
};
#[cfg(feature = "recipe")]
pub use transition::refusal::RecipeCommandRefusal;
#[cfg(feature = "surface")]
pub use transition::refusal::SurfaceCommandRefusal;
pub use transition::refusal::{
    ApplyPatchRefusal, BaseRefusal, BoardCommandRefusal, BoardRefusal, CallRefusal, CheckOutRefusal, Counter,
    CreateBoardRefusal, EditRefusal, HistoryRefusal, HolderRefusal, HostEditRefusal, LeaseRefusal,
    LimitRefusal, NewBoardRefusal, NotAvailable, PatchRefusal, Refusal, Refused, ReplaceLinesRefusal,
    UndoRefusal,
};
pub use transition::rollout::{Access, Rollout};
pub use transition::stale::{StaleBase, StaleCause, StaleEdit};
#[cfg(feature = "surface")]
pub use transition::surface::{
    begin::BeginAction,
    create::{CreateSurface, SurfaceCreated},
    ended::{ActionBegun, ActionEnded, RunningAction},
    finish::{ActionFailure, FinishAction},
    patch::{PatchState, StatePatched},
    plan::PlanAction,
    request::{ActionName, ActionRequest, ActionWork, PlannedAction},
    upsert::{SurfaceUpserted, UpsertSurface},
};
pub use transition::turn::{
    Cancel, EndTurn, Forget, Forgotten, Interrupted, Promotion, SendMessage, TakeControl, TurnBegan,
    TurnEnded,
};
pub use transition::undo::{ClearHistory, HistoryCleared, HistoryMove, Redo, Undo, UndoScope};
#[cfg(feature = "zone")]
pub use zone::{Zone, ZoneError};

/// The example of the README, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! Tools that let a language model edit a canvas: checked calls, replies, the system prompt and hidden messages.
//!
//! A [`Toolset`] is a group of tools that belong together, such as [`DocumentTools`], [`BoardTools`],
//! [`DirectiveTools`] or your own. [`Tools`] joins toolsets, lists their tools for the model, writes the system prompt
//! and runs each call. Every failure is a [`ToolReply`] with a code and one sentence that tells the model what to do
//! next. A [`Session`] tracks the turns of one conversation, and reports the changes to the canvas when a turn begins
//! and when it ends.
//!
//! ```
//! # canvas_core::testing::block_on(async {
//! use canvas_core::lease::Timestamp;
//! use canvas_core::store::MemoryStore;
//! use canvas_core::{CanvasId, ConversationId, Engine, OpKey, Policy};
//! use canvas_tools::{DocumentTools, Session, ToolCall, Tools};
//! use serde_json::json;
//!
//! let now = Timestamp::from_millis(1_000);
//! let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
//! let (canvas, chat) = (CanvasId::new("plan")?, ConversationId::new("chat")?);
//! let key = OpKey::of(chat.clone(), "create".parse()?);
//! engine.create(&canvas, "# Plan\n", &key, now).await?;
//! let mut session = Session::open(&engine, canvas, chat, now).await?;
//!
//! let tools = Tools::new(DocumentTools::default())?;
//! assert!(tools.system_prompt(&engine).contains("canvas_check_out"));
//! let mut call = async |id: &str, name: &str, arguments| {
//!     let call = ToolCall { id: id.into(), name: name.into(), arguments };
//!     tools.call(&engine, &mut session, &call, now).await
//! };
//! let lease = call("1", "canvas_check_out", json!({})).await;
//! let found = call("2", "canvas_grep", json!({"lease_id": lease.lease_id(), "query": "Plan"})).await;
//! assert_eq!(found.body()["matches"][0], "1: # Plan");
//!
//! let arguments = json!({"lease_id": "x", "start_line": "one", "end_line": 2});
//! let refused = call("3", "canvas_read_lines", arguments).await;
//! assert_eq!(refused.code(), Some("INVALID_ARGUMENTS"));
//! assert_eq!(refused.body()["error"]["place"], "/start_line");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```
//!
//! Directives are another way to edit the document, for hosts without leases. A [`Directive`](directive::Directive)
//! describes an edit by character offsets or as a diff. See [`directive`].
//!
//! # Limits
//!
//! This crate does not know any provider's wire format; `canvas-providers` translates specs, calls and replies. Without
//! the feature `board`, which is on by default, there are no board tools, and `canvas-core` is built without the board.

#[cfg(feature = "surface")]
pub mod action;
mod arguments;
#[cfg(feature = "board")]
mod event_log;
mod hint;
mod lease_change;
mod preview;
mod prompt;
#[cfg(feature = "recipe")]
pub mod recipe;
mod reply;
mod session;
#[cfg(any(test, feature = "proptest"))]
pub mod strategies;
#[cfg(feature = "surface")]
pub mod surface;
mod sync;
mod toolset;

/// Directives, which are edits that name their action, by offsets or as a diff, and do not need a lease.
///
/// [`Directive::parse`] reads the JSON that [`directive_schema`] describes. [`apply_directive`] applies it to a canvas,
/// and [`DirectiveTools`] offers directives to a model.
///
/// [`Directive::parse`]: directive::Directive::parse
/// [`directive_schema`]: directive::directive_schema
/// [`apply_directive`]: directive::apply_directive
pub mod directive {
    pub use crate::toolset::directive::action::Action;
    pub use crate::toolset::directive::advice::Advice;
    pub use crate::toolset::directive::apply::{AppliedDirective, apply_directive};
    pub use crate::toolset::directive::failure::{
        DirectiveError, DirectiveFailure, DirectiveFault, FailureKind,
    };
    pub use crate::toolset::directive::metrics::DirectiveMetrics;
    pub use crate::toolset::directive::parse::{
        Directive, MAX_CONTENT_BYTES, MAX_DIFF_BYTES, MAX_RATIONALE_BYTES,
    };
    pub use crate::toolset::directive::plan::{EditContext, EditSpan, Planned, plan};
    pub use crate::toolset::directive::range::{CharRange, CharRangeError, Fingerprint};
    pub use crate::toolset::directive::recent::{Ending, RecentEdit, RecentEdits};
    pub use crate::toolset::directive::schema::directive_schema;
    pub use crate::toolset::directive::tool::{DIFF_BUILDER, DOCUMENT_EDIT, DOCUMENT_SNAPSHOT};
}

/// Edit formats that models were trained on, read and written without a canvas. [`NativeTools`]
/// offers them to a model.
pub mod native {
    pub use crate::toolset::native::{
        CODEX_GRAMMAR, Dialect, DiffStream, FAMILIES, ModelFamily, NativeConflict, NativeEdit, NativeError,
        NativeOptions, NativeReason, RenderError, RenderOptions, apply_native, render_native,
    };
}

#[doc(hidden)]
pub use canvas_core::coded;
pub use canvas_core::{CodedError, lease};
#[cfg(feature = "board")]
pub use event_log::{EVENTS_HEADER, EventLog};
pub use lease_change::{LeaseChange, LeaseTerm};
pub use preview::{HunkPreview, HunkState, PatchPreview};
pub use prompt::Briefing;
#[cfg(feature = "board")]
pub use reply::{ActionRequest, BoardEffects};
pub use reply::{ToolError, ToolReply};
#[cfg(feature = "board")]
pub use session::memory::BoardMemory;
pub use session::memory::DocumentMemory;
pub use session::mode::{PROPOSING_PROMPT, SessionMode};
#[cfg(feature = "board")]
pub use session::plan::Plans;
#[cfg(feature = "recipe")]
pub use session::recorder::{ObservedCall, Recorder};
pub use session::refused::RefusedPatch;
pub use session::searched::Searched;
pub use session::selection::UserSelection;
pub use session::{Session, SessionError, TurnClosed, TurnOpened};
pub use sync::{HIDDEN_HEADER, OUTLINE_HEADER, SNAPSHOT_HEADER, hidden_message, rejected_message};
#[cfg(feature = "board")]
pub use toolset::board::tool::BoardTools;
pub use toolset::call::ToolCall;
pub use toolset::calls::{CallHost, CanvasCalls};
pub use toolset::context::{ToolContext, ToolFuture, Toolset};
pub use toolset::directive::tool::DirectiveTools;
pub use toolset::document::tool::{CHECK_IN, CHECK_OUT, DocumentTools};
#[cfg(feature = "surface")]
pub use toolset::host_tools::HostTools;
pub use toolset::native::NativeTools;
#[cfg(feature = "recipe")]
pub use toolset::recipe::{RECORD_RECIPE, REFRESH, RecipeTools};
#[cfg(feature = "schema")]
pub use toolset::reply_schema::reply_schema;
pub use toolset::spec::ToolSpec;
#[cfg(feature = "surface")]
pub use toolset::surface::{SURFACE_TOOL, SurfaceTools};
pub use toolset::tools::{Tools, ToolsError};
pub use toolset::undo_turn::{UNDO_TURN, UndoTurnTools};

/// Compiles and runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

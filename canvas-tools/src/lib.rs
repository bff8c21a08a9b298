//! What a language model may do to a canvas: checked tool calls, replies, prompt and context messages.
//!
//! A [`Toolset`] is some tools that belong together: [`DocumentTools`], [`BoardTools`], [`DirectiveTools`], or a host's
//! own. [`Tools`] joins toolsets: it says which tools a model has and how to use them, and runs its calls. Every failure
//! is a [`ToolReply`] with a code and one sentence that says what to do next. A [`Session`] keeps a conversation's turn,
//! and says at its beginning and its end what changed on the canvas.
//!
//! ```
//! use canvas_core::lease::{Timestamp, Turn};
//! use canvas_core::store::MemoryStore;
//! use canvas_core::{CallId, CanvasId, ConversationId, Engine, OpKey, Policy, block_on};
//! use canvas_tools::{DocumentTools, Session, ToolCall, Tools};
//! use serde_json::json;
//!
//! let now = Timestamp::from_millis(1_000);
//! let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
//! let (canvas, chat) = (CanvasId::new("plan")?, ConversationId::new("chat")?);
//! let key = OpKey { conversation: chat.clone(), turn: Turn::ZERO, call: CallId::new("create")? };
//! block_on(engine.create(&canvas, "# Plan\n", &key, now))?;
//! let mut session = block_on(Session::join(&engine, canvas, chat, now))?;
//!
//! let tools = Tools::new(vec![Box::new(DocumentTools::default())])?;
//! assert!(tools.system_prompt(&engine).contains("canvas_check_out"));
//! let mut call = |id: &str, name: &str, arguments| {
//!     let call = ToolCall { id: id.into(), name: name.into(), arguments };
//!     block_on(tools.call(&engine, &mut session, &call, now))
//! };
//! let lease = call("1", "canvas_check_out", json!({}));
//! let found = call("2", "canvas_grep", json!({"lease_id": lease.lease_id(), "query": "Plan"}));
//! assert_eq!(found.body()["matches"][0], "1: # Plan");
//!
//! let refused = call("3", "canvas_read_lines", json!({"lease_id": "x", "start_line": "one", "end_line": 2}));
//! assert_eq!(refused.code(), Some("INVALID_ARGUMENTS"));
//! assert_eq!(refused.body()["error"]["place"], "/start_line");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Directives are another way to edit the document, for hosts without leases: a [`Directive`] says what to do by offsets
//! or by a diff, and [`apply_directive`] does it.
//!
//! # Limits
//!
//! It knows no provider's wire format: `canvas-providers` puts specs, calls and replies into those. Without the feature
//! `board` (on by default) there are no tools of the board, and `canvas-core` is built without it.

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

/// The lease below the tools, so that those above have one neighbour.
pub mod lease {
    pub use canvas_core::lease::{LeaseId, Policy, Timestamp};
}

#[doc(hidden)]
pub use canvas_core::{coded, coded_error};
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
#[cfg(feature = "board")]
pub use session::plan::Plans;
#[cfg(feature = "recipe")]
pub use session::recorder::{ObservedCall, Recorder};
pub use session::refused::RefusedPatch;
pub use session::{Session, SessionError, TurnBegan, TurnEnded};
pub use sync::{HIDDEN_HEADER, OUTLINE_HEADER, SNAPSHOT_HEADER, hidden_message};
#[cfg(feature = "board")]
pub use toolset::board::tool::BoardTools;
pub use toolset::call::ToolCall;
pub use toolset::calls::{CallHost, CanvasCalls};
pub use toolset::context::{ToolContext, ToolFuture, Toolset};
pub use toolset::directive::action::Action;
pub use toolset::directive::advice::Advice;
pub use toolset::directive::apply::{AppliedDirective, apply_directive};
pub use toolset::directive::failure::{DirectiveError, DirectiveFailure, DirectiveFault, FailureKind};
pub use toolset::directive::metrics::DirectiveMetrics;
pub use toolset::directive::parse::{Directive, MAX_CONTENT_BYTES, MAX_DIFF_BYTES, MAX_RATIONALE_BYTES};
pub use toolset::directive::plan::{EditContext, EditSpan, Planned, plan};
pub use toolset::directive::range::{CharRange, Fingerprint};
pub use toolset::directive::recent::{Ending, RecentEdit, RecentEdits};
pub use toolset::directive::schema::directive_schema;
pub use toolset::directive::tool::{DIFF_BUILDER, DOCUMENT_EDIT, DOCUMENT_SNAPSHOT, DirectiveTools};
pub use toolset::document::tool::{CHECK_IN, CHECK_OUT, DocumentTools};
#[cfg(feature = "surface")]
pub use toolset::host_tools::HostTools;
pub use toolset::native::{
    CODEX_GRAMMAR, Dialect, DiffStream, FAMILIES, ModelFamily, NativeConflict, NativeEdit, NativeError,
    NativeOptions, NativeReason, NativeTools, RenderError, RenderOptions, apply_native, render_native,
};
#[cfg(feature = "recipe")]
pub use toolset::recipe::{RECORD_RECIPE, REFRESH, RecipeTools};
#[cfg(feature = "schema")]
pub use toolset::reply_schema::reply_schema;
pub use toolset::spec::ToolSpec;
#[cfg(feature = "surface")]
pub use toolset::surface::{SURFACE_TOOL, SurfaceTools};
pub use toolset::tools::{Tools, ToolsError};

/// The example of the README, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

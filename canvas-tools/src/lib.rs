//! What a language model may do to a canvas: checked tool calls, replies, prompt and context messages.
//!
//! [`document_tools`] tells a model its tools, [`system_prompt`] how to use them, and [`call_document_tool`] runs a
//! call. Every failure is a [`ToolReply`] with a code and one sentence that says what to do next. A [`Session`] keeps
//! a conversation's turn, and says at its beginning and its end what changed on the canvas. [`Extensions`] are tools
//! that a host must ask for.
//!
//! [`directive_tools`] are another way in, for hosts without leases: a [`Directive`] says what to do by offsets or by a
//! diff, and [`apply_directive`] does it.
//!
//! ```
//! use canvas_core::lease::{Timestamp, Turn};
//! use canvas_core::{CallId, CanvasId, ConversationId, Engine, MemoryStore, OpKey, Policy, block_on};
//! use canvas_tools::{Session, ToolCall, call_document_tool};
//! use serde_json::json;
//!
//! let now = Timestamp::from_millis(1_000);
//! let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
//! let (canvas, chat) = (CanvasId::new("plan")?, ConversationId::new("chat")?);
//! let key = OpKey { conversation: chat.clone(), turn: Turn::ZERO, call: CallId::new("create")? };
//! block_on(engine.create(&canvas, "# Plan\n", &key, now))?;
//! let session = block_on(Session::join(&engine, canvas, chat, now))?;
//!
//! let call = |id: &str, name: &str, arguments| ToolCall { id: id.into(), name: name.into(), arguments };
//! let out = call("1", "canvas_check_out", json!({}));
//! let lease = block_on(call_document_tool(&engine, &session, &out, now));
//! let grep = call("2", "canvas_grep", json!({"lease_id": lease.lease_id(), "query": "Plan"}));
//! let found = block_on(call_document_tool(&engine, &session, &grep, now));
//! assert_eq!(found.body()["matches"][0]["line"], 1);
//!
//! let wrong = call("3", "canvas_read_lines", json!({"lease_id": "x", "start_line": "one", "end_line": 2}));
//! let refused = block_on(call_document_tool(&engine, &session, &wrong, now));
//! assert_eq!(refused.code(), Some("INVALID_ARGUMENTS"));
//! assert_eq!(refused.body()["error"]["place"], "/start_line");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`board_tools`] and [`call_board_tool`] are the same for the board of a canvas, without leases: a refusal brings the
//! call put right where the board would take that.
//!
//! It knows no provider's wire format: `canvas-providers` puts specs, calls and replies into those.

mod hint;
mod lease_change;
mod prompt;
mod reply;
mod session;
mod sync;
mod toolset;

/// The lease below the tools, so that those above have one neighbour.
pub mod lease {
    pub use canvas_core::lease::{LeaseId, Policy, Timestamp};
}

pub use lease_change::{LeaseChange, LeaseTerm};
pub use prompt::system_prompt;
pub use reply::ToolReply;
pub use session::{Session, SessionError, TurnBegan, TurnEnded};
pub use sync::{HIDDEN_HEADER, SNAPSHOT_HEADER, hidden_message};
pub use toolset::board::plan::Plans;
pub use toolset::board::{
    BoardExtensions, BoardHost, BoardReply, board_tools, board_tools_for, call_board_tool,
    call_board_tool_with,
};
pub use toolset::call::ToolCall;
pub use toolset::directive::apply::{AppliedDirective, apply_directive};
pub use toolset::directive::failure::{
    Advice, DirectiveError, DirectiveFailure, DirectiveFault, FailureKind,
};
pub use toolset::directive::metrics::DirectiveMetrics;
pub use toolset::directive::parse::{
    Action, Directive, MAX_CONTENT_BYTES, MAX_DIFF_BYTES, MAX_RATIONALE_BYTES,
};
pub use toolset::directive::plan::{EditContext, EditSpan, Planned, plan};
pub use toolset::directive::range::{CharRange, Fingerprint};
pub use toolset::directive::recent::{Ending, RecentEdit, RecentEdits};
pub use toolset::directive::schema::directive_schema;
pub use toolset::directive::tools::{
    DIFF_BUILDER, DOCUMENT_EDIT, DOCUMENT_SNAPSHOT, call_directive_tool, directive_tools,
};
pub use toolset::document::extensions::Extensions;
pub use toolset::document::{
    CHECK_IN, CHECK_OUT, call_document_tool, document_tools, document_tools_for, document_tools_with,
};
pub use toolset::spec::ToolSpec;

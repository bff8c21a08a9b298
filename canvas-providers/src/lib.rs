//! Requests, answers and streams of model providers, and a sans-IO loop for their tool calls.
//!
//! A provider's answer becomes [`Event`]s, each with the provider's own part in an opaque envelope. Replay to the same
//! provider is therefore lossless, and replay to another sends plain text, calls and results. Every call has a
//! [`Verdict`], and only complete calls can become a [`ToolCall`](canvas_tools::ToolCall). If a history was cut off
//! anywhere, it is repaired into a request that the provider accepts. [`ToolLoop`] runs one turn without input or
//! output of its own, so the host sends requests, runs calls and passes in the time.
//!
//! ```
//! use canvas_providers::{Event, LoopAction, LoopOptions, Outcome, Provider, RequestOptions, ToolLoop};
//! use canvas_tools::ToolReply;
//! use canvas_tools::lease::Timestamp;
//! use serde_json::json;
//!
//! let provider: Provider = "anthropic".parse()?;
//! let issuer = provider.issuer("some-model");
//! let mut answers = [
//!     json!({"stop_reason": "tool_use", "content": [
//!         {"type": "tool_use", "id": "toolu_1", "name": "canvas_check_out", "input": {}}]}),
//!     json!({"stop_reason": "end_turn", "content": [{"type": "text", "text": "Done."}]}),
//! ]
//! .into_iter();
//!
//! let mut turn = ToolLoop::new(LoopOptions::default(), vec![Event::user("Tidy the list.")]);
//! let outcome = loop {
//!     match turn.poll(Timestamp::from_millis(1_000)) {
//!         LoopAction::SendRequest => {
//!             let options = RequestOptions::default();
//!             let request = provider.request(&issuer, "", &[], turn.events(), &options)?;
//!             assert!(request.body["messages"].is_array());
//!             let answer = answers.next().expect("the script has an answer for each request");
//!             turn.on_response(provider.decode(&answer, &request.context)?)?;
//!         }
//!         LoopAction::RunCalls(calls) => {
//!             for call in calls {
//!                 turn.on_reply(&call.id, ToolReply::new(json!({"ok": true})))?;
//!             }
//!         }
//!         LoopAction::ReleaseLease { lease_id } => turn.on_released(lease_id)?,
//!         LoopAction::RenewLease { .. } | LoopAction::Wait { .. } => unreachable!("nothing takes time here"),
//!         LoopAction::Done(outcome) => break outcome,
//!     }
//! };
//! assert_eq!(outcome, Outcome::Completed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Limits
//!
//! * Supports Anthropic Messages, OpenAI Responses, OpenAI Chat Completions, Ollama, Gemini (`generateContent` and
//!   Interactions) and Bedrock Converse, and the tools and calls of MCP.
//! * Opens no connection and checks no arguments.
//! * Knows no canvas rules. The effect of a reply on the lease comes from
//!   [`ToolReply::lease_change`](canvas_tools::ToolReply::lease_change) and is never read from the reply's JSON.
//!
//! # Modules
//!
//! `event`, `verdict` and `envelope` hold the history in a form that all providers share. `decoded` and `encoded` are
//! the results of the operations in `provider`, and `native` declares the tools that models know by training. Every
//! provider uses `names`, `schema`, `repair` and `not_executed`.
//!
//! Each provider has a folder. Its `wire` module, if it has one, holds the structs from which requests are written.
//! `decode` reads answers as JSON without such structs, because each part has to be sent back unchanged, whether it is
//! known or not. `fields` reads the small events that make up most of a stream. `hosts` describes the differences
//! between hosts of Chat Completions. [`mcp`] reads MCP calls and writes MCP tools, and `pieces` splits one message
//! into several events and joins them again. `tool_loop` runs a turn, and `driver` does so over the host's futures.
//!
//! # Features
//!
//! There is one feature for each provider, all on by default: `anthropic`, `openai`, `ollama`, `gemini` and `bedrock`.
//! Without its feature, a provider's variants of [`Provider`] do not exist. [`mcp`] and [`ToolLoop`] do not need a
//! feature.

// Some shared code is unused unless every provider is on, and a `Provider` without variants ignores its arguments.
#![cfg_attr(not(feature = "default"), allow(dead_code, unused_imports, unused_variables))]

#[cfg(feature = "anthropic")]
mod anthropic;
#[cfg(feature = "bedrock")]
mod bedrock;
mod context;
mod declare;
mod decoded;
mod driver;
mod encoded;
mod envelope;
mod event;
mod fields;
mod frames;
#[cfg(feature = "gemini")]
mod gemini;
mod history;
#[cfg(feature = "openai")]
mod hosts;
mod json;
pub mod mcp;
mod names;
mod native;
mod not_executed;
#[cfg(feature = "ollama")]
mod ollama;
#[cfg(feature = "openai")]
mod openai;
mod pieces;
mod place;
mod provider;
mod repair;
mod schema;
mod stream;
mod stream_event;
mod text;
mod tool_loop;
mod usage;
mod verdict;
mod wire;

pub use context::AnswerContext;
pub use decoded::{DecodeError, Decoded, MAX_BODY_BYTES, MAX_DEPTH, MAX_PARTS, StopReason};
pub use driver::{
    Response, ResponseBody, Retries, SendError, Transport, TurnDriver, TurnEvent, TurnGuard, TurnOptions,
};
pub use encoded::{Degradation, EncodeError, EncodedRequest, EncodedTools, RequestOptions, ToolChoice};
pub use envelope::{Envelope, Issuer};
pub use event::{Body, Event, Image, Role, ToolResult};
pub use frames::{Framing, MAX_FRAME_BYTES};
#[cfg(feature = "openai")]
pub use hosts::{CallIdRule, ChatHost, MaxTokensField, MessageFields};
pub use names::Renames;
pub use native::{NativeTool, TextEditor};
pub use provider::{Provider, UnknownProvider};
pub use repair::{Repaired, repair};
pub use stream::{MAX_STREAM_BYTES, StreamDecoder};
pub use stream_event::StreamEvent;
pub use tool_loop::{
    CallName, Interruption, LogEntry, LogEvent, LoopAction, LoopError, LoopOptions, Outcome, ToolLoop,
};
pub use usage::Usage;
pub use verdict::{Arguments, DecodedCall, Verdict};

/// Compiles and runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

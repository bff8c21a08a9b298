//! Whether a conversation changes the document or proposes changes of it.

use std::collections::BTreeSet;

use canvas_core::document::Changes;
use canvas_core::lease::Timestamp;
use canvas_core::proposal::{Owner, Proposing, RejectedLines};
use canvas_core::store::Store;
use canvas_core::{Answered, Command, Engine, EngineError, OpKey, Snapshot};
use serde::{Deserialize, Serialize};

use super::Session;
use crate::sync::hidden_message;

/// What becomes of the edits in a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "mode", rename_all = "snake_case")]
pub enum SessionMode {
    /// They change the document.
    #[default]
    Direct,
    /// They change the proposal of the conversation, and wait for a decision. Everything that the model reads, with line
    /// numbers and revision ids, is of the proposed text. No lease is needed.
    ///
    /// Other tools that change something are refused with `PROPOSE_ONLY`, for example those of a board.
    Propose {
        /// Names of such tools that the host allows nevertheless.
        #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
        also: BTreeSet<String>,
    },
}

/// A line for the system prompt of a session that proposes.
pub const PROPOSING_PROMPT: &str = "Your edits are proposals: they wait for the user's decision, and all that you read includes them. You need no lease.";

impl SessionMode {
    /// Creates the mode in which edits wait for a decision.
    pub const fn propose() -> Self {
        Self::Propose { also: BTreeSet::new() }
    }

    /// Whether edits change the document.
    pub const fn is_direct(&self) -> bool {
        matches!(self, Self::Direct)
    }

    /// Whether a tool may change something else than the document.
    pub(crate) fn allows(&self, tool: &str) -> bool {
        match self {
            Self::Direct => true,
            Self::Propose { also } => also.contains(tool),
        }
    }
}

impl Session {
    /// Runs a command on the document, or in the proposal of the conversation.
    pub(crate) async fn run<S: Store, C: Command>(
        &self,
        engine: &Engine<S>,
        operation: &OpKey,
        command: C,
        now: Timestamp,
    ) -> Result<Answered<C>, EngineError> {
        if self.mode.is_direct() {
            return engine.call(&self.canvas, operation, command, now).await;
        }
        let answered = engine.call(&self.canvas, operation, Proposing(command), now).await?;
        let Answered { result, replayed, snapshot } = answered;
        Ok(Answered { result, replayed, snapshot })
    }

    /// Like [`Engine::recall`], in the proposal if the conversation has one.
    pub(crate) async fn recall<S: Store, C: Command>(
        &self,
        engine: &Engine<S>,
        operation: &OpKey,
        command: &C,
        now: Timestamp,
    ) -> Result<(Option<Result<C::Done, C::Refusal>>, Snapshot), EngineError> {
        if self.mode.is_direct() {
            return engine.recall(&self.canvas, operation, command, now).await;
        }
        engine.recall(&self.canvas, operation, &Proposing(command.clone()), now).await
    }

    /// Returns the canvas as the model sees it, which is with its proposal if it proposes.
    ///
    /// # Errors
    ///
    /// Fails if the canvas does not exist or the store fails.
    pub async fn snapshot<S: Store>(
        &self,
        engine: &Engine<S>,
        now: Timestamp,
    ) -> Result<Snapshot, EngineError> {
        if self.mode.is_direct() {
            return engine.snapshot(&self.canvas, now).await;
        }
        let owner = Owner::Conversation(self.conversation.clone());
        engine.proposed_snapshot(&self.canvas, &owner, now).await
    }
}

/// Returns the hidden message for changes, with the rejected parts of the conversation's proposal.
pub(super) fn message(changes: Option<&Changes>, rejected: &[RejectedLines]) -> Option<String> {
    let lines = rejected.iter().map(|RejectedLines { start_line, end_line, note }| {
        // A note cannot end its line, or the message.
        let note = serde_json::to_string(note.as_deref().unwrap_or_default()).unwrap_or_default();
        format!("Rejected (lines {start_line}-{end_line}): {note}")
    });
    let message: Vec<String> = changes.and_then(hidden_message).into_iter().chain(lines).collect();
    (!message.is_empty()).then(|| message.join("\n"))
}

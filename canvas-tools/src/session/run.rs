//! Runs the commands of a session, on the document or in its proposal.

use canvas_core::lease::Timestamp;
use canvas_core::proposal::{Owner, Proposing};
use canvas_core::store::Store;
use canvas_core::{Answered, Command, Engine, EngineError, OpKey, Snapshot};

use super::Session;

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

//! Commands on canvases that may not exist yet.

use canvas_lease::Timestamp;

use super::cache::Begin;
use super::error::EngineError;
use super::task::{Blocked, Call, Create, Decision, DecisionContext, Reply, Task};
use super::{Answered, Engine, seen};
use crate::face::contents::Contents;
use crate::model::blob::Blob;
use crate::model::error::CodedError;
use crate::model::face::TreeFile;
use crate::model::id::CanvasId;
use crate::model::op_key::OpKey;
use crate::model::revision::Revision;
use crate::store::contract::Store;
use crate::transition::command::{Command, Outcome};

impl<S: Store> Engine<S> {
    /// Runs a command on a canvas. If the canvas does not exist, it is created first with an empty document, in the
    /// same commit and with one revision. Use it for commands that give a canvas a face, and for the first text of a
    /// document.
    ///
    /// A refused command does not create the canvas. If the canvas does not exist in that case, this returns the
    /// refusal alone, and no receipt keeps it.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Engine::call`], and [`EngineError::Deleted`] if the same operation ran on the canvas and
    /// the canvas was deleted since.
    pub async fn call_or_create<C: Command>(
        &self,
        canvas: &CanvasId,
        operation: &OpKey,
        command: C,
        now: Timestamp,
    ) -> Result<Result<Answered<C>, C::Refusal>, EngineError> {
        let call = self.tracer.begin(canvas, C::NAME, Some(operation));
        let task = CallOrCreate { call: Call::new(operation, &command), operation };
        let ran = self.run(call.trace(), task, Begin::Load, now).await;
        let answered = ran.and_then(|(Reply { answer, replayed }, snapshot)| match (answer, snapshot) {
            (Err(refusal), None) => Ok(Err(refusal)),
            (result, snapshot) => Ok(Ok(Answered { result, replayed, snapshot: seen(canvas, snapshot)? })),
        });
        call.end_as(answered, |answered| match answered {
            Err(refusal) => (Some(refusal.code()), false),
            Ok(Answered { result, replayed, .. }) => (result.as_ref().err().map(CodedError::code), *replayed),
        })
    }
}

/// Runs a command, on a new canvas if none exists.
#[derive(Debug)]
struct CallOrCreate<'a, C> {
    call: Call<'a, C>,
    operation: &'a OpKey,
}

impl<C: Command> Task for CallOrCreate<'_, C> {
    type Answer = Reply<Outcome<C>>;

    fn decide(&self, context: &DecisionContext<'_>) -> Result<Decision<Self::Answer>, Blocked> {
        if context.row.is_some_and(|row| !row.head.is_deleted()) {
            return self.call.decide(context);
        }
        if context.answered(self.operation, self.call.digest())?.is_some() {
            return Err(EngineError::Deleted { canvas: context.run.canvas.clone() }.into());
        }
        let document = Blob::text(String::new());
        let mut head = Create { document: document.clone(), operation: self.operation }.head(context)?;
        head.made_by = Some(self.operation.conversation.clone());
        // The command adds the revision that the document already has, so that both share one.
        let made = std::mem::replace(
            &mut head.revision,
            context.row.map_or(Revision::ZERO, |row| row.head.revision),
        );
        let mut contents = Contents::default();
        contents.put_blob(TreeFile::Document, document.clone());
        let reply = self.call.decide_on(context, &head, &contents)?;
        let (mut change, reply) = match reply {
            Decision::Commit(change, reply) if reply.answer.is_ok() => (change, reply),
            Decision::Commit(_, reply) | Decision::Answer(reply) => return Ok(Decision::Answer(reply)),
        };
        std::sync::Arc::make_mut(&mut change.head).revision = made;
        // The journal names this document even if the command replaced it.
        change.blobs.push(document.clone());
        if change.head.document() == document.id() {
            change.contents.put_blob(TreeFile::Document, document);
        }
        Ok(Decision::Commit(change, reply))
    }

    fn operation(&self) -> Option<&OpKey> {
        Some(self.operation)
    }

    fn is_refusal(reply: &Self::Answer) -> bool {
        C::is_refusal(&reply.answer)
    }

    fn refusal(reply: &Self::Answer) -> Option<&'static str> {
        reply.refusal()
    }
}

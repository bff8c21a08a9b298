//! Runs a command of a model in the proposal of its conversation.

use crate::model::face::TreeFile;
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::transition::command::Command;
use crate::transition::command::sealed::Decide;
use crate::transition::rollout::Access;
use crate::transition::step::{Stop, Transition};

/// Runs a command on the proposed text of its conversation, in place of the document.
///
/// The command is one of a model on the document, its lease or its turn. Others do not compile. It reads and changes the
/// document with the conversation's own parts. A change of it waits for a decision, so that neither the document nor its
/// history changes. Revision ids, bases and shown lines refer to the proposed text.
/// [`Answered::snapshot`](crate::Answered::snapshot) has that text too. No lease is needed, because the document does not
/// change. After the user's message or cancellation, late calls are refused as usual.
///
/// ```
/// # canvas_core::testing::block_on(async {
/// use canvas_core::document::{ApplyPatch, Look, Shown};
/// use canvas_core::proposal::{DecideParts, Proposing};
/// # use canvas_core::lease::Timestamp;
/// # use canvas_core::store::MemoryStore;
/// # use canvas_core::{CanvasId, ConversationId, Engine, OpKey, Policy};
/// # let now = Timestamp::from_millis(1_000);
/// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
/// # let plan = CanvasId::new("plan")?;
/// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
///
/// let main = ConversationId::new("main")?;
/// let key = |call: &str| Ok::<_, canvas_core::NameError>(OpKey::of(main.clone(), call.parse()?));
/// let look = Proposing(Look { shown: Shown { lines: 10, bytes: 1_000 } });
/// engine.call(&plan, &key("1")?, look, now).await?.result?;
/// let patch = "@@\n # Plan\n+\n+- one\n".to_owned();
/// let apply = Proposing(ApplyPatch { lease: None, patch, base: None, scope: None, shown: None });
/// let proposed = engine.call(&plan, &key("2")?, apply, now).await?;
/// assert_eq!(proposed.snapshot.text(), "# Plan\n\n- one\n");
/// assert_eq!(engine.snapshot(&plan, now).await?.text(), "# Plan\n");
/// let parts = proposed.result?.proposed.ok_or("it is in a proposal")?.parts;
///
/// // A person accepts it.
/// let accept = DecideParts::accept(parts);
/// let decided = engine.call(&plan, &OpKey::user("accept".parse()?), accept, now).await?;
/// assert_eq!(decided.snapshot.text(), "# Plan\n\n- one\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proposing<C>(
    /// A command on the document, on its lease or on the turn.
    pub C,
);

impl<C: Command> Command for Proposing<C> {
    type Done = C::Done;
    type Refusal = C::Refusal;
}

impl<C: Command> Decide for Proposing<C> {
    const NAME: &'static str = C::NAME;
    const KIND: &'static str = C::KIND;
    const IS_READ: bool = C::IS_READ;
    const FILES: &'static [TreeFile] = &[TreeFile::Proposals];
    const PROPOSES: bool = true;

    fn access(&self) -> Option<Access> {
        self.0.access()
    }

    fn digest(&self) -> Digest {
        Digest::of(&[b"proposing", self.0.digest().as_bytes()])
    }

    fn decide(
        &self,
        at: &mut Transition<'_>,
        operation: &OpKey,
    ) -> Result<<Self as Command>::Done, Stop<<Self as Command>::Refusal>> {
        const { assert!(C::IS_OF_TEXT, "this command does not run in a proposal") };
        self.0.decide(at, operation)
    }
}

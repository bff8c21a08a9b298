//! Commands for a user's messages and interruptions, and for the end of a model's turn.

use canvas_lease::{Epoch, PreemptionCause};
use serde::{Deserialize, Serialize};

use crate::document::changes::Changes;
use crate::model::conversation::{Conversation, TurnStart};
use crate::model::face::TreeFile;
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::model::tree::Tree;
use crate::proposal::told::RejectedLines;
use crate::transition::command::Command;
use crate::transition::command::sealed::Decide;
use crate::transition::pending::InProposal;
use crate::transition::refusal::CallRefusal;
use crate::transition::step::{Stop, Transition};

/// Records a user message to the conversation. The running turn ends and the next one begins.
///
/// In [`WorkMode::Exclusive`](crate::turn::WorkMode::Exclusive), this ends the turns of all conversations on the canvas,
/// and any lease. In [`WorkMode::Collaborative`](crate::turn::WorkMode::Collaborative), it ends only the turn of the
/// conversation in the operation's key. The draft becomes the artefact, even if an interrupted turn left it behind. The
/// host runs this command when a person sends a message, and [`EndTurn`] when the model's answer is complete or fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendMessage;

/// The answer to [`SendMessage`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TurnBegan {
    /// The start of the new turn, which [`EndTurn::start`] names.
    pub start: TurnStart,
    /// The changes since the conversation last knew the document; `None` if it knows all of them.
    pub changes: Option<Changes>,
    /// Whether the draft became the artefact.
    pub promotion: Promotion,
    /// The parts of the conversation's proposal that people rejected since its last message, at most the last 16, if the
    /// command runs in [`Proposing`](crate::proposal::Proposing).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<RejectedLines>,
}

/// Records that the conversation no longer knows the document, for example because a chat was compacted or restarted.
/// Its next message carries the whole document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forget;

/// The next message to the conversation brings the whole document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Forgotten {}

/// Stops the answer on the user's behalf and ends the running turn. If each conversation has its own turn, it ends the turn
/// of the conversation in the operation's key, so that the others go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancel;

/// Takes the locked document over for the user and ends the running turn, or the turns of all conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TakeControl;

/// The answer to [`Cancel`] and [`TakeControl`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interrupted {
    /// The epoch after the interruption.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub epoch: Epoch,
}

/// Ends the model's turn, releases its lease and promotes its draft.
///
/// It promotes unless the epoch rose since [`EndTurn::start`], that is, unless a user edited the document, undid a change
/// of it, sent a message, cancelled or took control. If each conversation has its own turn, edits and undo do not count. The changes are returned in either case. The turn stays open, so
/// until the next [`SendMessage`] any conversation may check out again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndTurn {
    /// The start of the turn, from [`TurnBegan::start`].
    pub start: TurnStart,
}

/// The answer to [`EndTurn`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TurnEnded {
    /// The changes since the conversation last knew the document; `None` if it knows all of them.
    pub changes: Option<Changes>,
    /// Whether the draft became the artefact.
    pub promotion: Promotion,
    /// Rejected parts, as in [`TurnBegan::rejected`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<RejectedLines>,
}

/// Whether a draft became the artefact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Promotion {
    /// The draft became the artefact.
    Promoted,
    /// Draft and artefact were already equal.
    Unchanged,
    /// The user interrupted the turn, so its end does not promote. The next message does.
    #[serde(rename = "stale_epoch")]
    Deferred,
}

impl Command for SendMessage {
    type Done = TurnBegan;
    type Refusal = CallRefusal;
}

impl Decide for SendMessage {
    const NAME: &'static str = "send_message";
    const KIND: &'static str = "turn_began";
    const IS_OF_TEXT: bool = true;

    fn digest(&self) -> Digest {
        Digest::of(&[b"message", b""])
    }

    fn decide(&self, at: &mut Transition<'_>, _: &OpKey) -> Result<TurnBegan, Stop<CallRefusal>> {
        at.preempt(PreemptionCause::UserMessage);
        let promotion = at.promote();
        let start = TurnStart { epoch: at.head.lock.epoch(), revision: at.head.revision };
        at.head.turn_start = start;
        Ok(TurnBegan { start, changes: at.sync()?, promotion, rejected: at.tell_rejected() })
    }
}

impl Command for Forget {
    type Done = Forgotten;
    type Refusal = CallRefusal;
}

impl Decide for Forget {
    const NAME: &'static str = "forget";
    const KIND: &'static str = "forgotten";
    const IS_OF_TEXT: bool = true;

    fn digest(&self) -> Digest {
        Digest::of(&[b"forget", b""])
    }

    fn decide(&self, at: &mut Transition<'_>, _: &OpKey) -> Result<Forgotten, Stop<CallRefusal>> {
        at.set_conversation(Conversation::NOTHING);
        Ok(Forgotten {})
    }
}

impl Command for Cancel {
    type Done = Interrupted;
    type Refusal = CallRefusal;
}

impl Decide for Cancel {
    const NAME: &'static str = "cancel";
    const KIND: &'static str = "interrupted";

    fn digest(&self) -> Digest {
        Digest::of(&[b"cancel", b""])
    }

    fn decide(&self, at: &mut Transition<'_>, _: &OpKey) -> Result<Interrupted, Stop<CallRefusal>> {
        at.preempt(PreemptionCause::Cancel);
        Ok(Interrupted { epoch: at.head.lock.epoch() })
    }
}

impl Command for TakeControl {
    type Done = Interrupted;
    type Refusal = CallRefusal;
}

impl Decide for TakeControl {
    const NAME: &'static str = "take_control";
    const KIND: &'static str = "interrupted";

    fn digest(&self) -> Digest {
        Digest::of(&[b"take_control", b""])
    }

    fn decide(&self, at: &mut Transition<'_>, _: &OpKey) -> Result<Interrupted, Stop<CallRefusal>> {
        at.preempt(PreemptionCause::TakeControl);
        Ok(Interrupted { epoch: at.head.lock.epoch() })
    }
}

impl Command for EndTurn {
    type Done = TurnEnded;
    type Refusal = CallRefusal;
}

impl Decide for EndTurn {
    const NAME: &'static str = "end_turn";
    const KIND: &'static str = "turn_ended";
    const IS_OF_TEXT: bool = true;

    /// The operation's key identifies the turn. The start is not part of the digest because a host may learn it late.
    fn digest(&self) -> Digest {
        Digest::of(&[b"end_turn", b""])
    }

    fn decide(&self, at: &mut Transition<'_>, operation: &OpKey) -> Result<TurnEnded, Stop<CallRefusal>> {
        let (start, holder) = (self.start, at.who.holder());
        // The end of a turn may arrive late, when the next turn already holds a lease under the same name.
        let is_running = operation.turn == at.head.lock.turn();
        let own = at.head.lock.lease().filter(|lease| is_running && lease.holder == holder);
        if let Some(lease) = own.map(|lease| lease.id) {
            // A refusal means that the lease has already ended, which is the desired state.
            let _ = at.head.lock.check_in(&at.policy.lease, at.view.clock, lease, &holder);
        }
        let changes = at.sync()?;
        let whole = start.epoch == at.head.lock.epoch() && start.revision <= at.head.revision;
        let promotion = if whole { at.promote() } else { Promotion::Deferred };
        Ok(TurnEnded { changes, promotion, rejected: at.tell_rejected() })
    }
}

impl Transition<'_> {
    /// Moves the artefact's pointer to the draft if they differ. If they differ only because an earlier version,
    /// without chunks, gave the same text another id, only the id is updated, and the result is `Unchanged`.
    fn promote(&mut self) -> Promotion {
        let draft = self.proposing.as_ref().map_or(&self.head.draft, InProposal::draft).clone();
        let Some(committed) = self.head.committed.replace(draft.clone()) else {
            return Promotion::Promoted;
        };
        let is_same = committed == draft || self.is_draft_of_before(committed);
        if is_same { Promotion::Unchanged } else { Promotion::Promoted }
    }

    fn is_draft_of_before(&self, mut tree: Tree) -> bool {
        let was = tree.insert(TreeFile::Document.tree_path(), self.head.document());
        let document = self.view.contents.document().filter(|document| document.id() == self.head.document());
        tree == self.head.draft && was.zip(document).is_some_and(|(was, document)| document.is_named(was))
    }
}

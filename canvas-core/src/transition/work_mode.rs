//! Switches between one turn for all conversations and a turn for each.

use canvas_lease::{Epoch, PreemptionCause};
use serde::{Deserialize, Serialize};

use crate::model::format::Format;
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::model::work_mode::WorkMode;
use crate::transition::command::Command;
use crate::transition::command::sealed::Decide;
use crate::transition::refusal::CallRefusal;
use crate::transition::step::{Stop, Transition};

/// Sets whether the conversations of a canvas share one turn and one lease.
///
/// A switch ends every running turn and every lease, so that each conversation needs its next message. If the canvas
/// already has the mode, the command has no effect. The first switch raises the canvas to format 3, which libraries before
/// 0.2 refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetWorkMode {
    /// The mode from this command on.
    pub mode: WorkMode,
}

/// The answer to [`SetWorkMode`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkModeSet {
    /// Whether the canvas had the other mode before.
    pub changed: bool,
    /// The epoch of the canvas after the switch.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub epoch: Epoch,
}

impl Command for SetWorkMode {
    type Done = WorkModeSet;
    type Refusal = CallRefusal;
}

impl Decide for SetWorkMode {
    const NAME: &'static str = "set_work_mode";
    const KIND: &'static str = "work_mode_set";

    fn digest(&self) -> Digest {
        let mode: &[u8] = match self.mode {
            WorkMode::Exclusive => b"exclusive",
            WorkMode::Collaborative => b"collaborative",
        };
        Digest::of(&[b"work_mode", mode])
    }

    fn decide(&self, at: &mut Transition<'_>, _: &OpKey) -> Result<WorkModeSet, Stop<CallRefusal>> {
        let changed = at.head.work_mode != self.mode;
        if changed {
            at.preempt(PreemptionCause::TakeControl);
            at.head.work_mode = self.mode;
            at.head.format = at.head.format.max(Format::Shared);
        }
        let epoch = at.shared.as_ref().map_or(&at.head.lock, |shared| &shared.lock).epoch();
        Ok(WorkModeSet { changed, epoch })
    }
}

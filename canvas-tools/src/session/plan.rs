//! Plans, which are board changes tried but not yet made.

use std::collections::VecDeque;

use canvas_core::board::CanvasCommand;
use canvas_core::{BlobId, CanvasId, Face, Revision, Snapshot};
use serde::{Deserialize, Serialize};

/// The last few plans of a conversation, which the model may commit.
///
/// A plan does not change the canvas until it is committed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Plans {
    /// The newest plan is last.
    kept: VecDeque<Plan>,
}

impl Plans {
    /// Number of plans kept. Beyond that, the oldest plan is dropped.
    pub const KEPT: usize = 8;

    pub(crate) fn keep(&mut self, plan: Plan) {
        self.kept.retain(|known| known != &plan);
        if self.kept.len() == Self::KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back(plan);
    }

    /// Finds a plan. A committed plan stays in the list so that a retry finds it.
    pub(crate) fn find(&self, canvas: &CanvasId, id: &str) -> Option<&Plan> {
        self.kept.iter().find(|plan| plan.id == id && plan.canvas == *canvas)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(crate) id: String,
    pub(crate) canvas: CanvasId,
    /// The revision of the last board change at the time of the trial.
    pub(crate) base: Revision,
    pub(crate) command: CanvasCommand,
}

impl Plan {
    /// Creates a plan whose id is derived from the board's revision and the command.
    pub(crate) fn new(canvas: &CanvasId, snapshot: &Snapshot, command: CanvasCommand) -> Self {
        let base = snapshot.head.face_revision(Face::Board);
        let json = serde_json::to_string(&command).expect("its maps have text for keys");
        let hash = BlobId::of(format!("{} {json}", base.get()).as_bytes()).to_string();
        let digits = &hash[hash.len() - 16..];
        Self { id: format!("plan_{digits}"), canvas: canvas.clone(), base, command }
    }
}

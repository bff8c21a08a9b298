//! Plans: changes that were tried and may be made.

use std::collections::VecDeque;

use canvas_core::board::CanvasCommand;
use canvas_core::{BlobId, CanvasId, Face, Revision, Snapshot};

/// The plans that a model may commit: the last few of a conversation. Nothing of them is on the canvas.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plans {
    /// The newest last.
    kept: VecDeque<Plan>,
}

impl Plans {
    /// How many are kept.
    pub const KEPT: usize = 8;

    pub(crate) fn keep(&mut self, plan: Plan) {
        self.kept.retain(|known| known != &plan);
        if self.kept.len() == Self::KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back(plan);
    }

    /// A plan stays after it was committed, so that a retry finds it.
    pub(crate) fn find(&self, canvas: &CanvasId, id: &str) -> Option<&Plan> {
        self.kept.iter().find(|plan| plan.id == id && plan.canvas == *canvas)
    }
}

/// A change that was tried.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    pub(crate) id: String,
    pub(crate) canvas: CanvasId,
    /// The revision that last changed the board which it was tried on.
    pub(crate) base: Revision,
    pub(crate) command: CanvasCommand,
}

impl Plan {
    /// Its id follows from the board's revision and the commands.
    pub(crate) fn new(canvas: &CanvasId, snapshot: &Snapshot, command: CanvasCommand) -> Self {
        let base = snapshot.head.face_revision(Face::Board);
        let json = serde_json::to_string(&command).expect("its maps have text for keys");
        let hash = BlobId::of(format!("{} {json}", base.get()).as_bytes()).to_string();
        let digits = &hash[hash.len() - 16..];
        Self { id: format!("plan_{digits}"), canvas: canvas.clone(), base, command }
    }
}

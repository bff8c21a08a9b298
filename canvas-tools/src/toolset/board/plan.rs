//! Plans: changes that were tried and may be made.

use std::collections::VecDeque;

use canvas_core::board::CanvasCommand;
use canvas_core::{BlobId, CanvasId, Face, Revision, Snapshot};

use super::checked::Change;
use crate::toolset::error::ToolError;

/// The plans that a model may commit: the last few of a conversation. Nothing of them is on the canvas.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plans {
    /// The newest last.
    kept: VecDeque<Plan>,
}

impl Plans {
    /// How many are kept.
    pub const KEPT: usize = 8;

    pub(super) fn keep(&mut self, plan: Plan) {
        self.kept.retain(|known| known != &plan);
        if self.kept.len() == Self::KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back(plan);
    }

    /// A plan stays after it was committed, so that a retry finds it.
    pub(super) fn find(&self, canvas: &CanvasId, id: &str) -> Option<&Plan> {
        self.kept.iter().find(|plan| plan.id == id && plan.canvas == *canvas)
    }
}

pub(super) fn not_found() -> ToolError {
    let message = "there is no such plan any more: call plan_canvas again and commit its plan_id";
    ToolError::new("PLAN_NOT_FOUND", message).at("/plan_id")
}

/// A change that was tried.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plan {
    pub(super) id: String,
    pub(super) canvas: CanvasId,
    /// The revision that last changed the board which it was tried on.
    pub(super) base: Revision,
    command: CanvasCommand,
}

impl Plan {
    /// Its id follows from the board's revision and the commands.
    pub(super) fn new(canvas: &CanvasId, snapshot: &Snapshot, change: &Change) -> Self {
        let base = snapshot.head.face_revision(Face::Board);
        let command = change.command.clone();
        let json = serde_json::to_string(&command).expect("its maps have text for keys");
        let hash = BlobId::of(format!("{} {json}", base.get()).as_bytes()).to_string();
        let digits = &hash[hash.len() - 16..];
        Self { id: format!("plan_{digits}"), canvas: canvas.clone(), base, command }
    }

    /// The change. The call that commits it says nothing of its parts.
    pub(super) fn change(&self) -> Change {
        Change { command: self.command.clone(), origins: None }
    }
}

//! What people did on a board since a model was told of it.

use canvas_core::{CanvasId, Face, Role, Snapshot};

use crate::clock;
use crate::conversation::Seat;
use crate::host::Host;

/// Changes that are told one by one.
const TOLD: usize = 20;

/// The first line of what is told.
pub(crate) const HEADER: &str = "Board update (do not display to user). The user changed the board:";

impl Host {
    /// What people did on the board that the conversation was not told of; `None` where that is nothing.
    pub(crate) async fn board_changes(
        &self,
        canvas: &CanvasId,
        seat: &Seat,
        now: &Snapshot,
    ) -> Option<String> {
        let told = seat.told.as_ref()?.board;
        if now.head.face_revision(Face::Board) <= told {
            return None;
        }
        let entries = self.engine.history(canvas, None, 4 * TOLD, clock::now()).await.ok()?;
        let new = entries.iter().take_while(|entry| entry.revision_after > told);
        let new = new.filter(|entry| entry.actor == Role::User && entry.board().is_some());
        let mut lines: Vec<String> = new.map(|entry| format!("- {}", entry.summary)).collect();
        if lines.is_empty() {
            return None;
        }
        let more = lines.len().saturating_sub(TOLD);
        lines.truncate(TOLD);
        lines.reverse();
        if more > 0 {
            lines.insert(0, format!("- {more} earlier changes"));
        }
        Some(format!("{HEADER}\n{}", lines.join("\n")))
    }
}

//! The changes that a turn made to the board.

use canvas_core::board::BoardPatch;
use canvas_core::lease::Timestamp;
use canvas_core::store::Store;
use canvas_core::{Engine, EngineError, Role};

use crate::session::Session;

/// Maximum number of journal entries examined, newest first.
const LOOKS: usize = 256;
/// Maximum JSON size of a composition. Larger ones are omitted from the recipe.
const BYTES: usize = 64 << 10;

/// Returns the model's changes to the board in a session's turn, joined into one patch. Returns `None` if the model
/// made no changes, or more than a recipe may carry.
///
/// # Errors
///
/// Returns the errors of [`Engine::history`].
pub async fn turn_composition<S: Store>(
    engine: &Engine<S>,
    session: &Session,
    now: Timestamp,
) -> Result<Option<BoardPatch>, EngineError> {
    let entries = engine.history(&session.canvas, None, LOOKS, now).await?;
    let of_turn = entries.into_iter().take_while(|entry| entry.revision_after > session.start.revision);
    let steps = of_turn.filter(|entry| entry.author == Role::Assistant).map(|entry| entry.board().cloned());
    let mut patches: Vec<_> = steps.flatten().map(|step| step.patch).collect();
    patches.reverse();
    let joined = BoardPatch::joined(patches).filter(|patch| !patch.is_empty());
    let fits = |patch: &BoardPatch| serde_json::to_string(patch).is_ok_and(|text| text.len() <= BYTES);
    Ok(joined.filter(fits))
}

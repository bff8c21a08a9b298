//! What a turn has changed on the board.

use canvas_core::board::{BoardPatch, BoardStep};
use canvas_core::history::Step;
use canvas_core::lease::Timestamp;
use canvas_core::store::Store;
use canvas_core::{Actor, Engine, EngineError};

use crate::session::Session;

/// Entries of the journal that are looked at, the newest.
const LOOKS: usize = 256;
/// Bytes of a composition, as JSON: of a larger one the recipe has none.
const BYTES: usize = 64 << 10;

/// What the model has changed on the board in a session's turn, joined. `None` where it has changed nothing, or more than a
/// recipe may carry along.
///
/// # Errors
///
/// Those of [`Engine::history`].
pub async fn turn_composition<S: Store>(
    engine: &Engine<S>,
    session: &Session,
    now: Timestamp,
) -> Result<Option<BoardPatch>, EngineError> {
    let entries = engine.history(&session.canvas, None, LOOKS, now).await?;
    let of_turn = entries.into_iter().take_while(|entry| entry.revision_after > session.start.revision);
    let patches =
        of_turn.filter(|entry| entry.author == Actor::Assistant).filter_map(|entry| match entry.step {
            Step::Board(BoardStep { patch, .. }) => Some(patch),
            _ => None,
        });
    let mut patches: Vec<_> = patches.collect();
    patches.reverse();
    let joined = BoardPatch::joined(patches).filter(|patch| !patch.is_empty());
    let fits = |patch: &BoardPatch| serde_json::to_string(patch).is_ok_and(|text| text.len() <= BYTES);
    Ok(joined.filter(fits))
}

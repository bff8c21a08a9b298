//! What a message brings the model beside its words: the board, and what the person did there.

use canvas_core::board::{ContextInput, DayPlan, PieceEstimate, TypeInfo, canvas_context, temporal_context};
use serde_json::Value;

use super::seat::Seat;
use crate::clock;
use crate::host::Host;

/// Tokens of the board in a message.
const BOARD_TOKENS: u64 = 1_500;

/// Texts for the history that no page shows.
pub(super) struct Brief {
    pub(super) board: Option<String>,
    /// A line for each event.
    pub(super) events: String,
}

impl Brief {
    pub(super) async fn take(host: &Host, seat: &Seat) -> Self {
        let lines: Vec<String> = seat.take_events().iter().map(Value::to_string).collect();
        Self { board: board(host, seat).await, events: lines.join("\n") }
    }

    pub(super) fn messages(&self) -> impl Iterator<Item = String> {
        let board = self.board.as_ref().map(|board| format!("{BOARD}\n```json\n{board}\n```"));
        let events = (!self.events.is_empty()).then(|| format!("{EVENTS}\n```json\n{}\n```", self.events));
        board.into_iter().chain(events)
    }
}

/// Begins what the board is.
const BOARD: &str = "The board (do not display to user):";

/// Begins what the person did on the board.
const EVENTS: &str = "What the user did on the board since the last message (do not display to user):";

async fn board(host: &Host, seat: &Seat) -> Option<String> {
    let workspace = host.workspace(&seat.canvas).await.ok()??;
    let temporal = temporal_context(clock::now(), "UTC", &DayPlan::default()).ok()?;
    let input = ContextInput { max_tokens: BOARD_TOKENS, ..ContextInput::new(&temporal) };
    let registry = host.engine.registry();
    let types = |type_id: &_| {
        registry.get(type_id).map(|known| TypeInfo {
            name: &known.name,
            category: known.category,
            actions: known.actions.iter().map(|action| action.action_id.as_str()).collect(),
        })
    };
    let context = canvas_context(&workspace, &input, types, &PieceEstimate).ok()?;
    serde_json::to_string(&context).ok()
}

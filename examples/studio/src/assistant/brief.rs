//! What a message brings the model beside its words: the board, and what the person did there.

use canvas_core::board::{
    ContextInput, DayPlan, PieceEstimate, TypeInfo, canvas_context, temporal_context,
};
use serde_json::Value;

use super::seat::Seat;
use crate::clock;
use crate::host::Host;

/// Tokens of the board in a message.
const BOARD_TOKENS: u64 = 1_500;

/// A text for the history that no page shows. `None` where there is nothing to say.
pub(super) async fn of(host: &Host, seat: &Seat) -> Option<String> {
    let mut parts = Vec::new();
    if let Some(board) = board(host, seat).await {
        parts.push(format!("The board (do not display to user):\n```json\n{board}\n```"));
    }
    let events = seat.take_events();
    if !events.is_empty() {
        let lines: Vec<String> = events.iter().map(Value::to_string).collect();
        parts.push(format!("{EVENTS}\n```json\n{}\n```", lines.join("\n")));
    }
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// Begins what the person did on the board.
pub(super) const EVENTS: &str = "What the user did on the board since the last message (do not display to user):";

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

//! What a message brings the model beside its words: the board, and what happened there.

use canvas_core::board::{ContextInput, DayPlan, PieceEstimate, TypeInfo, canvas_context, temporal_context};
use canvas_tools::EventLog;

use super::seat::Seat;
use crate::clock;
use crate::host::Host;

/// Tokens of the board in a message.
const BOARD_TOKENS: u64 = 1_500;

/// Texts for the history that no page shows.
pub(super) struct Brief {
    pub(super) board: Option<String>,
    pub(super) events: EventLog,
}

impl Brief {
    pub(super) async fn take(host: &Host, seat: &Seat) -> Self {
        Self { events: seat.take_events(), board: board(host, seat).await }
    }

    pub(super) fn messages(&self) -> impl Iterator<Item = String> {
        let board = self.board.as_ref().map(|board| format!("{BOARD}\n```json\n{board}\n```"));
        board.into_iter().chain(self.events.message())
    }
}

/// Begins what the board is.
const BOARD: &str = "The board (do not display to user):";

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

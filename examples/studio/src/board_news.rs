//! What pages are sent of changes of the board.

use std::collections::{HashMap, HashSet};

use canvas_core::board::{ComponentInstance, DataLoadingState, Workspace};
use canvas_core::{CanvasId, EngineError};
use serde_json::{Value, json};

use crate::host::Host;
use crate::{clock, data, shown};

/// The board as pages know it, without data.
#[derive(Debug, Default)]
pub(crate) struct BoardNews {
    board: Option<Workspace>,
    recipe: Value,
}

impl BoardNews {
    /// Sends what has changed since, unless pages are only now beginning to know it.
    pub(crate) async fn bring(
        &mut self,
        host: &Host,
        canvas: &CanvasId,
        is_first: bool,
    ) -> Result<(), EngineError> {
        let (board, _) = host.engine.board(canvas, clock::now()).await?;
        let (made, _) = host.engine.data(canvas, clock::now()).await?;
        let board = board.map(|board| board.workspace(|_| DataLoadingState::Idle));
        let changed = match &board {
            Some(board) => host.data.track(canvas, &board.canvas.components, &made),
            None => data::Changed::default(),
        };
        let recipe = shown::recipe(&made);
        if !is_first {
            if let Some(payload) = self.changes(host, canvas, board.as_ref()) {
                host.publish(canvas, "canvas.board.updated", payload);
            }
            data::publish(host, canvas, changed);
            if recipe != self.recipe {
                host.publish(canvas, "canvas.recipe.updated", json!({"components": recipe["components"]}));
            }
        }
        (self.board, self.recipe) = (board, recipe);
        Ok(())
    }

    fn changes(&self, host: &Host, canvas: &CanvasId, after: Option<&Workspace>) -> Option<Value> {
        let (before, after) = (self.board.as_ref(), after?);
        let none = Vec::new();
        let known = before.map_or(&none, |before| &before.canvas.components);
        let (mut components, removed) = changed(known, &after.canvas.components);
        for component in &mut components {
            component.data_state = host.data.state(canvas, &component.id);
        }
        let mut payload = json!({"components": components, "removed": removed});
        if before.is_none_or(|before| before.views != after.views) {
            payload["views"] = json!(after.views);
        }
        if before
            .is_none_or(|before| before.settings != after.settings || before.canvas.grid != after.canvas.grid)
        {
            payload["settings"] = json!(after.settings);
            payload["grid"] = json!(after.canvas.grid);
        }
        if before.is_none_or(|before| before.triggers != after.triggers) {
            payload["triggers"] = json!(after.triggers);
        }
        let says_more = payload.as_object().is_some_and(|fields| fields.len() > 2);
        (says_more || !components.is_empty() || !removed.is_empty()).then_some(payload)
    }
}

/// Components that another board has not, or has otherwise; and the ids of those that are gone.
fn changed(
    before: &[ComponentInstance],
    after: &[ComponentInstance],
) -> (Vec<ComponentInstance>, Vec<Value>) {
    let known: HashMap<_, _> = before.iter().map(|one| (&one.id, one)).collect();
    let kept: HashSet<_> = after.iter().map(|one| &one.id).collect();
    let components = after.iter().filter(|one| known.get(&one.id) != Some(one)).cloned().collect();
    let removed = before.iter().filter(|one| !kept.contains(&one.id)).map(|one| json!(one.id)).collect();
    (components, removed)
}

//! The components of a board here: those that the engine has, with the data of its built-in source, and notes.

use std::sync::Arc;

use canvas_core::board::{
    Board, ComponentCategory, ComponentDefinition, DataLoadingState, DataSource as _, Registry, Size, TypeId,
    Workspace,
};
use canvas_core::lease::Timestamp;
use canvas_mock_data::MockGithub;
use serde_json::json;

/// The name of the type of notes.
const NOTE: &str = "text.note";

/// The types of components.
pub(crate) fn registry() -> Arc<Registry> {
    let mut registry = Registry::built_in();
    let id = TypeId::new(NOTE).expect("the name is short");
    let schema = json!({
        "type": "object", "required": ["text"], "additionalProperties": false,
        "properties": {"text": {"type": "string", "maxLength": 4096, "description": "The text (required)"}},
    });
    let note = ComponentDefinition {
        max_size: Size::new(64, 64),
        ..ComponentDefinition::new(id, "Note", "A few lines of text.", ComponentCategory::Utility, schema)
    };
    registry.register(note).expect("the definition is written here");
    Arc::new(registry)
}

/// The board with the data of its components.
pub(crate) fn workspace(board: &Board, now: Timestamp) -> Workspace {
    let github = MockGithub::new();
    board.workspace(|id| {
        let binding = board.component(id).and_then(|component| component.data_binding);
        let Some(binding) = binding.filter(|binding| binding.source == *github.id()) else {
            return DataLoadingState::Idle;
        };
        match github.answer(&binding.query, now) {
            Ok(result) => DataLoadingState::Ready { data: result.data, fetched_at: result.meta.fetched_at },
            Err(error) => DataLoadingState::Error { error, attempted_at: now },
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_a_type() {
        assert!(registry().get(&TypeId::new(NOTE).unwrap()).is_some());
    }
}

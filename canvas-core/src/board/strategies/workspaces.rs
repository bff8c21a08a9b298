//! Strategies of initial boards.

use canvas_lease::Timestamp;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::board::model::data::DataLoadingState;
use crate::board::model::grid::{GridConfig, Position, Size};
use crate::board::model::id::{ComponentId, TriggerId, TypeId, WorkspaceId};
use crate::board::model::trigger::{ProactiveTrigger, TriggerType};
use crate::board::model::workspace::{ComponentInstance, ComponentMeta, Workspace};
use crate::model::author::Role;

/// Generates workspaces of up to a dozen components of the built-in types, which may cover each other, with two
/// triggers.
pub fn workspaces() -> impl Strategy<Value = Workspace> {
    let component = (0..TYPES.len(), 0_u32..12, 0_u32..10, 1_u32..5, 1_u32..4, any::<bool>());
    // Narrow grids, usual ones, and one of the maximum width.
    let columns = prop_oneof![1 => 1_u32..4, 6 => 6_u32..13, 1 => Just(64_u32)];
    (columns, 1_u32..12, vec(component, 0..12)).prop_map(|(columns, rows, components)| {
        let components =
            components.into_iter().enumerate().map(|(number, (kind, col, row, cols, height, pinned))| {
                let size = Size::new(cols.min(columns), height);
                let position = Position::new(col.min(columns - size.cols), row);
                component_of(number, TYPES[kind], position, size, pinned)
            });
        workspace(
            GridConfig { columns, rows, gap: 8.0, cell_width: 80.0, cell_height: 60.0 },
            components.collect(),
        )
    })
}

/// Generates workspaces of up to a few hundred components next to each other.
pub fn large_workspaces() -> impl Strategy<Value = Workspace> {
    (6_u32..13, 0_usize..300, any::<bool>()).prop_map(|(columns, components, pinned)| {
        let components = (0..components).zip(0_u32..).map(|(number, place)| {
            let position = Position::new(place % columns, place / columns);
            let kind = TYPES[number % TYPES.len()];
            component_of(number, kind, position, Size::new(1, 1), pinned && number.is_multiple_of(7))
        });
        let grid = GridConfig { columns, rows: 60, gap: 8.0, cell_width: 80.0, cell_height: 60.0 };
        workspace(grid, components.collect())
    })
}

pub(super) const TYPES: [&str; 4] =
    ["github.pr-list", "github.issue-grid", "github.stat-tile", "github.activity-timeline"];

pub(super) fn config_of(type_id: &str, text: &str) -> Value {
    let repo = format!("o/{text}");
    if type_id == "github.stat-tile" {
        json!({"repo": repo, "metric": "stars"})
    } else {
        json!({"repo": repo})
    }
}

fn component_of(
    number: usize,
    type_id: &str,
    position: Position,
    size: Size,
    pinned: bool,
) -> ComponentInstance {
    let Value::Object(config) = config_of(type_id, "r") else { unreachable!("it is made of fields") };
    ComponentInstance {
        id: ComponentId::new(&format!("cmp_{number}")).expect("a name"),
        type_id: TypeId::new(type_id).expect("a name"),
        position,
        size,
        config,
        data_binding: None,
        data_state: DataLoadingState::Idle,
        meta: ComponentMeta {
            created_at: Timestamp::from_millis(1),
            created_by: Role::User,
            pinned,
            label: None,
        },
    }
}

fn workspace(grid: GridConfig, components: Vec<ComponentInstance>) -> Workspace {
    let trigger = |number: u32| ProactiveTrigger {
        id: TriggerId::new(&format!("trigger_{number}")).expect("a name"),
        name: "Start".into(),
        description: None,
        enabled: true,
        kind: TriggerType::SessionStart,
        view_id: None,
        message: None,
        simulated_time: None,
    };
    let id = WorkspaceId::new("ws_1").expect("a name");
    let now = Timestamp::from_millis(1);
    let mut workspace = Workspace::empty(id, "Board".into(), "thread".into(), grid, now);
    (workspace.canvas.components, workspace.triggers) = (components, vec![trigger(1), trigger(2)]);
    workspace
}

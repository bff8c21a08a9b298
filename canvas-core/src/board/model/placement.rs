//! Placement of components, in the terms of hosts and models.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grid::Position;
use super::id::ComponentId;

/// Preferred places for a component. The first field that leads to a free place is used.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlacementHints {
    /// Used if it is free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preferred_position: Option<Position>,
    /// Prefers the free place nearest to this component.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near_component_id: Option<ComponentId>,
    /// Prefers this half of the grid, as near to its edge as possible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
}

/// Half of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Region {
    /// The upper half of the visible rows.
    Top,
    /// The lower half of the visible rows.
    Bottom,
    /// The left half of the columns.
    Left,
    /// The right half of the columns.
    Right,
}

/// Behaviour if another component is at the requested place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnCollision {
    /// Refuses the command and lists the nearest free places.
    #[default]
    Reject,
    /// Moves the other components down, as little as possible. Pinned components never move.
    Shift,
}

impl OnCollision {
    pub(crate) const fn is_reject(&self) -> bool {
        matches!(self, Self::Reject)
    }
}

/// Behaviour if a component without a position does not fit in the visible rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum GridPolicy {
    /// Places the component below the visible rows. The grid has no last row.
    Grow,
    /// Refuses the command.
    Reject,
    /// Places the component where it covers the fewest occupied cells, with a warning.
    #[default]
    BestEffort,
}

/// Result of placing a component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlacementResult {
    /// Upper left cell.
    pub position: Position,
    /// Origin of the position.
    pub reason: PlacementReason,
    /// Components moved down to make room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjustments: Option<Vec<PlacementAdjustment>>,
}

/// Origin of a component's position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PlacementReason {
    /// The command, or a hint, named the place.
    Requested,
    /// The board chose the first free place by the hints, or else by rows and columns.
    AutoPlaced,
    /// The command named the place, and other components were moved down.
    Shifted,
    /// No place was free. The component covers parts of others, so a person should check it.
    BestEffort,
}

/// A component moved to make room, or placed elsewhere than in its saved view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlacementAdjustment {
    /// Component, which keeps its id.
    pub component_id: ComponentId,
    /// Upper left cell before the move.
    pub from: Position,
    /// Upper left cell after the move.
    pub to: Position,
    /// Short phrase for people.
    pub reason: String,
}

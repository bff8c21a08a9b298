//! Placement of components, in the terms of hosts and models.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grid::Position;
use super::id::ComponentId;

/// Where to look for room first. Of several, the first that leads somewhere is taken, in the order of the fields.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlacementHints {
    /// Taken where it is free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preferred_position: Option<Position>,
    /// The nearest free place to this component.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near_component_id: Option<ComponentId>,
    /// In this half of the grid, as near to its edge as there is room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
}

/// Half of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Region {
    /// The upper half of the rows that are shown.
    Top,
    /// The lower half of the rows that are shown.
    Bottom,
    /// The left half of the columns.
    Left,
    /// The right half of the columns.
    Right,
}

/// What to do where something is at a place that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnCollision {
    /// Refuse, and name the nearest free places.
    #[default]
    Reject,
    /// Move what is there down, as little as possible. Pinned components are never moved.
    Shift,
}

impl OnCollision {
    pub(crate) const fn is_reject(&self) -> bool {
        matches!(self, Self::Reject)
    }
}

/// What to do where a component that names no place finds no room in the rows that are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum GridPolicy {
    /// Place it below the rows that are shown; the grid has no last row.
    Grow,
    /// Refuse the command.
    Reject,
    /// Where it covers the fewest cells of others; it says so.
    #[default]
    BestEffort,
}

/// Where a component was placed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlacementResult {
    /// The upper left cell.
    pub position: Position,
    /// How the place was found.
    pub reason: PlacementReason,
    /// The components that were moved down for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjustments: Option<Vec<PlacementAdjustment>>,
}

/// How a place was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PlacementReason {
    /// The command, or a hint, named the place.
    Requested,
    /// The first free place by the hints, else by rows and columns.
    AutoPlaced,
    /// The command named the place, and others were moved down for it.
    Shifted,
    /// No place was free: it covers parts of others, and somebody should look.
    BestEffort,
}

/// A component that was moved to make room, or could not stand where a view has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlacementAdjustment {
    /// Its id stays.
    pub component_id: ComponentId,
    /// The upper left cell before.
    pub from: Position,
    /// The upper left cell after.
    pub to: Position,
    /// One phrase for people.
    pub reason: String,
}

//! Where a component may stand, as hosts and models speak of it (specs 002 §2.5).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grid::Position;
use super::id::ComponentId;

/// Where to look for room first. Of several, the first that leads somewhere is taken, in the order of the fields.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlacementHints {
    /// This cell, where it is free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preferred_position: Option<Position>,
    /// As near to this component as there is room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near_component_id: Option<ComponentId>,
    /// In this half of the grid, as near to its edge as there is room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
}

/// A side of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Region {
    /// The first rows.
    Top,
    /// The last rows.
    Bottom,
    /// The first columns.
    Left,
    /// The last columns.
    Right,
}

/// What to do where something stands at a place that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnCollision {
    /// Refuse, and name the nearest free places.
    #[default]
    Reject,
    /// Move what stands there down, as little as possible. Pinned components are never moved.
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
pub enum GridPolicy {
    /// The grid has as many rows as it needs.
    Grow,
    /// Refuse.
    Reject,
    /// Where it covers the fewest cells of others; it says so.
    #[default]
    BestEffort,
}

/// Where a component came to stand, and why there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlacementResult {
    /// Its upper left cell.
    pub position: Position,
    /// Why there.
    pub reason: PlacementReason,
    /// What made room for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjustments: Option<Vec<PlacementAdjustment>>,
}

/// Why a component stands where it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlacementReason {
    /// This place was asked for.
    Requested,
    /// The board found room.
    AutoPlaced,
    /// Others were moved to make room.
    Shifted,
    /// It covers others: somebody should look.
    BestEffort,
}

/// A component that made room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlacementAdjustment {
    /// The component.
    pub component_id: ComponentId,
    /// Where it stood.
    pub from: Position,
    /// Where it stands.
    pub to: Position,
    /// Why it was moved.
    pub reason: String,
}

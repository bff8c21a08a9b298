//! The offer to a user whose data have become stale.

use std::fmt::Write as _;

use canvas_core::board::ComponentId;
use canvas_core::recipe::{DataStatus, DriftCode, StaleTarget, Target};
use canvas_core::surface::StatePointer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Offer to have a model record the recipe again, with the reasons and the message to send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Escalation {
    /// Reasons without duplicates, in order of first occurrence.
    pub reasons: Vec<DriftCode>,
    /// Components with stale data.
    pub components: Vec<ComponentId>,
    /// Places of the state with stale data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub state: Vec<StatePointer>,
    /// Message to send to the model if the user accepts.
    pub message: String,
}

/// Maximum number of targets that the message names.
const NAMED: usize = 16;

impl Escalation {
    /// Builds the offer after a replay. Returns `None` if no data drifted; frozen data do not count, because they were
    /// never meant to be refreshed.
    pub(super) fn of(stale: &[StaleTarget]) -> Option<Self> {
        let drifted: Vec<_> = stale.iter().filter(|one| one.status != DataStatus::Frozen).collect();
        if drifted.is_empty() {
            return None;
        }
        let (mut reasons, mut components, mut state) = (Vec::new(), Vec::new(), Vec::new());
        let mut message = "Parts of this canvas can no longer be refreshed:".to_owned();
        for (number, StaleTarget { target, reason, .. }) in drifted.iter().enumerate() {
            if !reasons.contains(&reason.code) {
                reasons.push(reason.code);
            }
            let name = match target {
                Target::Component(id) => {
                    components.push(id.clone());
                    format!("component {id}")
                }
                Target::State(place) => {
                    state.push(place.clone());
                    format!("state {place}")
                }
            };
            if number < NAMED {
                write!(message, "\n- {name}: {} ({})", reason.message, reason.code)
                    .expect("a string takes everything");
            }
        }
        if let Some(more @ 1..) = drifted.len().checked_sub(NAMED) {
            write!(message, "\n- and {more} more").expect("a string takes everything");
        }
        message.push_str(
            "\nCall the tools again that give these data, show the data, and record the recipe anew.",
        );
        Some(Self { reasons, components, state, message })
    }
}

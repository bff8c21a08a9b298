//! The offer to a user whose data have become stale.

use std::fmt::Write as _;

use canvas_core::board::ComponentId;
use canvas_core::recipe::{DataStatus, DriftCode, StaleTarget, Target};
use canvas_core::surface::StatePointer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One turn of a model would make the recipe anew: why, for what, and the message that asks for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Escalation {
    /// Each reason once, in the order in which they come first.
    pub reasons: Vec<DriftCode>,
    /// The components that are not fresh.
    pub components: Vec<ComponentId>,
    /// The places of the state that are not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub state: Vec<StatePointer>,
    /// The user's message to the model, in case the user wants that turn.
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

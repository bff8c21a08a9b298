//! Triggers that suggest or load a view when they are due.

pub(crate) mod simulated_time;

use std::collections::{BTreeMap, BTreeSet};

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::board::context::{DayOfWeek, DayParts, TimeOfDay, part_of_day};
use crate::board::model::event::CanvasEvent;
use crate::board::model::id::{TriggerId, ViewId};
use crate::board::model::trigger::{ProactiveTrigger, TriggerType};
use crate::board::model::workspace::{ProactiveMode, View};
use crate::board::trigger::simulated_time::{SimulatedTime, SimulatedTimeError};
use crate::model::error::CodedError;
use crate::zone::{LocalTime, ZoneError};

/// An occasion on which triggers are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Occasion<'a> {
    /// A user opens the workspace.
    SessionStart {
        /// The host's name for the session. A trigger fires only once in the same session.
        session: &'a str,
    },
    /// The clock advances. You can check as often as you like.
    Time {
        /// Current time of the host's clock.
        now: Timestamp,
        /// The user's IANA time zone.
        zone: &'a str,
        /// Begins of the parts of the user's day.
        parts: DayParts,
    },
}

/// The triggers that fired already, each with its session or part of the day. The host keeps one for each workspace.
/// Undo does not change it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TriggerMemory {
    last: BTreeMap<TriggerId, Window>,
}

/// The session or part of a day in which a trigger is due only once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Window {
    Session(String),
    Part {
        /// The day on which it began, in days since 1970.
        day: i32,
        part: TimeOfDay,
    },
}

/// A trigger that is due, or that cannot fire because of a fault.
#[derive(Debug, Clone, PartialEq)]
pub struct Due {
    /// Id of the trigger.
    pub trigger: TriggerId,
    /// The action for the host to take.
    pub action: DueAction,
    /// Message for the user; `None` if the host has to take no action.
    pub message: Option<String>,
    /// Event for the board's subscribers; `None` if the host has to take no action.
    pub event: Option<CanvasEvent>,
}

/// An action that a trigger asks of the host.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DueAction {
    /// Offer this view to the user.
    Suggest(ViewId),
    /// Load this view, by [`CanvasCommand::LoadView`](crate::board::CanvasCommand::LoadView).
    Load(ViewId),
    /// Show the message, because the trigger has no view.
    Tell,
    /// Do not act, because the trigger has a fault.
    Nothing(TriggerProblem),
}

/// The fault of a trigger that cannot fire.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TriggerProblem {
    /// The view of the trigger no longer exists.
    #[error("its view {0} is gone: give the trigger another view, or turn it off")]
    ViewGone(ViewId),
    /// The `simulated_time` of the trigger is not a known name.
    #[error(transparent)]
    UnknownTime(#[from] SimulatedTimeError),
}

impl CodedError for TriggerProblem {
    fn code(&self) -> &'static str {
        match self {
            Self::ViewGone(_) => "VIEW_NOT_FOUND",
            Self::UnknownTime(error) => error.code(),
        }
    }
}

/// Returns the triggers that are due, in their order.
///
/// A trigger is due once in its window. The window is the session, or the part of the day that its time names. Such a
/// part may last past midnight and belongs to the day on which it began. If several triggers have views,
/// [`ProactiveMode::Auto`] loads only the view of the first and suggests the others, because each view replaces the one
/// before. Disabled triggers are never due, and with [`ProactiveMode::Off`] no trigger is. A trigger with a missing
/// view is reported once in its window, and one with an unknown time on each call. The memory drops ids that are no
/// longer among `triggers`. Costs `O(n log n)`.
///
/// # Errors
///
/// Returns [`ZoneError`] if the time zone is unknown or the time is out of range. The memory keeps its records then.
pub fn due(
    triggers: &[ProactiveTrigger],
    views: &[View],
    mode: ProactiveMode,
    occasion: Occasion<'_>,
    memory: &mut TriggerMemory,
) -> Result<Vec<Due>, ZoneError> {
    let window = Window::of(occasion)?;
    let ids: BTreeSet<&TriggerId> = triggers.iter().map(|trigger| &trigger.id).collect();
    memory.last.retain(|id, _| ids.contains(id));
    if mode == ProactiveMode::Off {
        return Ok(Vec::new());
    }

    let views: BTreeSet<&ViewId> = views.iter().map(|view| &view.id).collect();
    let (mut found, mut may_load) = (Vec::new(), mode == ProactiveMode::Auto);
    for trigger in triggers.iter().filter(|trigger| trigger.enabled) {
        let action = match window.has(trigger) {
            Ok(true) if memory.last.get(&trigger.id) != Some(&window) => {
                memory.last.insert(trigger.id.clone(), window.clone());
                action(trigger, &views, &mut may_load)
            }
            Ok(_) => continue,
            Err(error) => DueAction::Nothing(error.into()),
        };
        found.push(Due::new(trigger, action));
    }
    Ok(found)
}

impl Window {
    /// Returns the window that an occasion falls in.
    fn of(occasion: Occasion<'_>) -> Result<Self, ZoneError> {
        Ok(match occasion {
            Occasion::SessionStart { session } => Self::Session(session.to_owned()),
            Occasion::Time { now, zone, parts } => {
                let (part, day) = part_of_day(&LocalTime::new(now, zone)?, &parts);
                Self::Part { day, part }
            }
        })
    }

    /// Whether the trigger is due in this window.
    fn has(&self, trigger: &ProactiveTrigger) -> Result<bool, SimulatedTimeError> {
        match (self, trigger.kind) {
            (Self::Session(_), kind) => Ok(kind == TriggerType::SessionStart),
            (Self::Part { .. }, TriggerType::SessionStart) => Ok(false),
            (&Self::Part { day, part }, TriggerType::TimeBased) => {
                let time: SimulatedTime = trigger.simulated_time.as_deref().unwrap_or_default().parse()?;
                Ok(time.part == part && time.days.contain(DayOfWeek::of(day)))
            }
        }
    }
}

fn action(trigger: &ProactiveTrigger, views: &BTreeSet<&ViewId>, may_load: &mut bool) -> DueAction {
    match &trigger.view_id {
        None => DueAction::Tell,
        Some(view) if !views.contains(view) => DueAction::Nothing(TriggerProblem::ViewGone(view.clone())),
        Some(view) if std::mem::take(may_load) => DueAction::Load(view.clone()),
        Some(view) => DueAction::Suggest(view.clone()),
    }
}

impl Due {
    fn new(trigger: &ProactiveTrigger, action: DueAction) -> Self {
        let suggested_view_id = match &action {
            DueAction::Suggest(view) | DueAction::Load(view) => Some(view.clone()),
            DueAction::Tell => None,
            DueAction::Nothing(_) => {
                return Self { trigger: trigger.id.clone(), action, message: None, event: None };
            }
        };
        let event = CanvasEvent::TriggerActivated {
            trigger_id: trigger.id.clone(),
            trigger_name: trigger.name.clone(),
            suggested_view_id,
        };
        Self { trigger: trigger.id.clone(), action, message: trigger.message.clone(), event: Some(event) }
    }
}

#[cfg(test)]
mod tests;

//! When a trigger suggests or loads a view.

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
use crate::zone::{LocalTime, ZoneError};

/// When triggers are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Occasion<'a> {
    /// The user opens the workspace.
    SessionStart {
        /// The host's name for the session. Asked again for the same one, a trigger does nothing.
        session: &'a str,
    },
    /// Time has passed. Hosts ask as often as they like.
    Time {
        /// The host's clock.
        now: Timestamp,
        /// The user's IANA time zone.
        zone: &'a str,
        /// The user's day.
        parts: DayParts,
    },
}

/// What triggers have done already. The host keeps one for each workspace; it is no part of what is undone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TriggerMemory {
    last: BTreeMap<TriggerId, Window>,
}

/// In what a trigger is due once.
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

/// A trigger that is due, or that cannot do what it is for.
#[derive(Debug, Clone, PartialEq)]
pub struct Due {
    /// Its id.
    pub trigger: TriggerId,
    /// What the host is to do.
    pub action: DueAction,
    /// What to tell the user; nothing where there is nothing to do.
    pub message: Option<String>,
    /// What to tell whoever follows the board; nothing where there is nothing to do.
    pub event: Option<CanvasEvent>,
}

/// What the host is to do about a trigger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DueAction {
    /// Offer this view to the user.
    Suggest(ViewId),
    /// Load this view, by [`CanvasCommand::LoadView`](crate::board::CanvasCommand::LoadView).
    Load(ViewId),
    /// Show the message: the trigger has no view.
    Tell,
    /// The trigger cannot do what it is for.
    Nothing(TriggerProblem),
}

/// Why a trigger does nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TriggerProblem {
    /// Its view is gone.
    #[error("its view {0} is gone: give the trigger another view, or turn it off")]
    ViewGone(ViewId),
    /// Its `simulated_time` names no time.
    #[error(transparent)]
    UnknownTime(#[from] SimulatedTimeError),
}

canvas_patch::coded_error!(TriggerProblem {
    Self::ViewGone(_) => "VIEW_NOT_FOUND";
    Self::UnknownTime(error) => error.code();
});

/// What triggers are due, in their order.
///
/// A trigger is due once in its window: the session, or the part of the day that its name tells, which may last over
/// midnight and belongs to the day on which it began. Of several with views, [`ProactiveMode::Auto`] loads the first one's
/// and suggests the others', because a view takes the place of the one before. Those that are disabled are never due, and with
/// [`ProactiveMode::Off`] none is. One whose view is gone says so once in its window; one whose time has an unknown
/// name, each time that it is asked. Ids that are no longer among `triggers` are forgotten. Costs `O(n log n)`.
///
/// # Errors
///
/// [`ZoneError`] where there is no such time zone or time. Nothing is remembered then.
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
    /// The one that an occasion falls in.
    fn of(occasion: Occasion<'_>) -> Result<Self, ZoneError> {
        Ok(match occasion {
            Occasion::SessionStart { session } => Self::Session(session.to_owned()),
            Occasion::Time { now, zone, parts } => {
                let (part, day) = part_of_day(&LocalTime::new(now, zone)?, &parts);
                Self::Part { day, part }
            }
        })
    }

    /// Whether this trigger is due in it.
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

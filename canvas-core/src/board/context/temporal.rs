//! The time in the words that people in a zone use.

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::zone::{LocalTime, ZoneError};

/// The user's local time, by the clock, the calendar and the user's plan of the day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemporalContext {
    /// ISO 8601 with the zone's offset at that time, such as `2026-03-29T03:30:00+02:00`. Milliseconds are left out if
    /// zero.
    pub timestamp: String,
    /// The IANA time zone, such as `Europe/Berlin`.
    pub timezone: String,
    /// Day of the week in the user's time zone.
    pub day_of_week: DayOfWeek,
    /// The part of the day, as the [`DayPlan`] divides it.
    pub time_of_day: TimeOfDay,
    /// Whether the [`DayPlan`] counts this time as work hours.
    pub is_work_hours: bool,
}

/// A day of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DayOfWeek {
    /// `monday`.
    Monday,
    /// `tuesday`.
    Tuesday,
    /// `wednesday`.
    Wednesday,
    /// `thursday`.
    Thursday,
    /// `friday`.
    Friday,
    /// `saturday`.
    Saturday,
    /// `sunday`.
    Sunday,
}

impl DayOfWeek {
    /// All days from Monday on, in the order of ISO 8601.
    pub const ALL: [Self; 7] = [
        Self::Monday,
        Self::Tuesday,
        Self::Wednesday,
        Self::Thursday,
        Self::Friday,
        Self::Saturday,
        Self::Sunday,
    ];

    /// Returns the name used in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Monday => "monday",
            Self::Tuesday => "tuesday",
            Self::Wednesday => "wednesday",
            Self::Thursday => "thursday",
            Self::Friday => "friday",
            Self::Saturday => "saturday",
            Self::Sunday => "sunday",
        }
    }

    /// Returns the weekday of a day counted from 1970-01-01, which was a Thursday.
    pub(crate) fn of(day: i32) -> Self {
        Self::ALL[(i64::from(day) + 3).rem_euclid(7) as usize]
    }
}

/// A part of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeOfDay {
    /// Before work.
    EarlyMorning,
    /// The first half of a working day.
    Morning,
    /// Around noon.
    MidDay,
    /// The second half of a working day.
    Afternoon,
    /// After work.
    Evening,
    /// When most sleep.
    Night,
}

impl TimeOfDay {
    /// All parts of the day, in their order.
    pub const ALL: [Self; 6] =
        [Self::EarlyMorning, Self::Morning, Self::MidDay, Self::Afternoon, Self::Evening, Self::Night];

    /// Returns the name used in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::EarlyMorning => "early_morning",
            Self::Morning => "morning",
            Self::MidDay => "mid_day",
            Self::Afternoon => "afternoon",
            Self::Evening => "evening",
            Self::Night => "night",
        }
    }
}

/// Parts of the user's day, and the working time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DayPlan {
    /// Begins of the parts of the day. A host that knows the user's day can set its own.
    pub parts: DayParts,
    /// Days and hours during which the user works.
    pub work: WorkHours,
}

/// Begins of the parts of the day, in minutes after midnight. A part lasts until the next one begins, even past
/// midnight. A part that begins past the day's 1,440 minutes is left out. If two begin together, the later field
/// counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayParts {
    /// Default 6:00.
    pub early_morning: u16,
    /// Default 9:00.
    pub morning: u16,
    /// Default 12:00.
    pub mid_day: u16,
    /// Default 14:00.
    pub afternoon: u16,
    /// Default 17:00.
    pub evening: u16,
    /// Default 21:00.
    pub night: u16,
}

impl Default for DayParts {
    fn default() -> Self {
        Self {
            early_morning: 6 * 60,
            morning: 9 * 60,
            mid_day: 12 * 60,
            afternoon: 14 * 60,
            evening: 17 * 60,
            night: 21 * 60,
        }
    }
}

/// Working days and hours, by wall-clock time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkHours {
    /// Working days. By default Monday to Friday.
    pub days: Vec<DayOfWeek>,
    /// First minute after midnight that is working time. Default 9:00.
    pub from: u16,
    /// First minute that is not. Default 17:00. If it is before `from`, it is on the next day.
    pub to: u16,
}

impl Default for WorkHours {
    fn default() -> Self {
        Self { days: DayOfWeek::ALL[..5].to_vec(), from: 9 * 60, to: 17 * 60 }
    }
}

/// Describes the time in a zone. The zones are built into this crate, so they do not depend on the system. The case of
/// their names does not matter.
///
/// # Errors
///
/// Returns [`ZoneError`] if the zone is unknown or the time is past the year 9999.
pub fn temporal_context(now: Timestamp, zone: &str, plan: &DayPlan) -> Result<TemporalContext, ZoneError> {
    let local = LocalTime::new(now, zone)?;
    Ok(TemporalContext {
        day_of_week: DayOfWeek::of(local.day),
        time_of_day: part_of_day(&local, &plan.parts).0,
        is_work_hours: is_work_time(&local, &plan.work),
        timestamp: local.timestamp,
        timezone: local.zone,
    })
}

/// Returns the part of the day and the day on which it began. After midnight, this is the day before.
pub(crate) fn part_of_day(local: &LocalTime, parts: &DayParts) -> (TimeOfDay, i32) {
    let DayParts { early_morning, morning, mid_day, afternoon, evening, night } = *parts;
    let begins = [early_morning, morning, mid_day, afternoon, evening, night];
    let within = || begins.into_iter().zip(TimeOfDay::ALL).filter(|&(begin, _)| begin < 24 * 60);
    match within().filter(|&(begin, _)| begin <= local.minute).max() {
        Some((_, part)) => (part, local.day),
        None => (within().max().map_or(TimeOfDay::Night, |(_, part)| part), local.day - 1),
    }
}

fn is_work_time(local: &LocalTime, hours: &WorkHours) -> bool {
    let is_today = hours.days.contains(&DayOfWeek::of(local.day));
    if hours.from <= hours.to {
        return is_today && (hours.from..hours.to).contains(&local.minute);
    }
    let was_yesterday = hours.days.contains(&DayOfWeek::of(local.day - 1));
    (is_today && local.minute >= hours.from) || (was_yesterday && local.minute < hours.to)
}

#[cfg(test)]
mod tests;

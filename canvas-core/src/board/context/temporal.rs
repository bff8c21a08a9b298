//! The time as people in a zone speak of it.

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::zone::{LocalTime, ZoneError};

/// What a clock, a calendar and an office show where the user is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemporalContext {
    /// ISO 8601 with the zone's offset at that time, such as `2026-03-29T03:30:00+02:00`; milliseconds where there are any.
    pub timestamp: String,
    /// The IANA time zone, such as `Europe/Berlin`.
    pub timezone: String,
    /// By the calendar there.
    pub day_of_week: DayOfWeek,
    /// By the [`DayPlan`].
    pub time_of_day: TimeOfDay,
    /// By the [`DayPlan`].
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
    /// From Monday, as ISO 8601 has it.
    pub const ALL: [Self; 7] = [
        Self::Monday,
        Self::Tuesday,
        Self::Wednesday,
        Self::Thursday,
        Self::Friday,
        Self::Saturday,
        Self::Sunday,
    ];

    /// Its name, as in JSON.
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

    /// Of a day that is counted from 1970-01-01, a Thursday.
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
    /// As the day goes.
    pub const ALL: [Self; 6] =
        [Self::EarlyMorning, Self::Morning, Self::MidDay, Self::Afternoon, Self::Evening, Self::Night];

    /// Its name, as in JSON.
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

/// The user's day.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DayPlan {
    /// A host that knows the user's day sets its own.
    pub parts: DayParts,
    /// Working days and hours.
    pub work: WorkHours,
}

/// When each part of the day begins, in minutes after midnight. A part lasts until the next one begins, over midnight
/// too. One that begins past the day's 1,440 minutes is left out; of two that begin together, the later field counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayParts {
    /// By default 6:00.
    pub early_morning: u16,
    /// By default 9:00.
    pub morning: u16,
    /// By default 12:00.
    pub mid_day: u16,
    /// By default 14:00.
    pub afternoon: u16,
    /// By default 17:00.
    pub evening: u16,
    /// By default 21:00.
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

/// When people work, by the clock on the wall.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkHours {
    /// On these days; by default Monday to Friday.
    pub days: Vec<DayOfWeek>,
    /// From this minute after midnight; by default 9:00.
    pub from: u16,
    /// Until this one; by default 17:00. Before `from` it is on the next day.
    pub to: u16,
}

impl Default for WorkHours {
    fn default() -> Self {
        Self { days: DayOfWeek::ALL[..5].to_vec(), from: 9 * 60, to: 17 * 60 }
    }
}

/// The time in a zone. Names of zones are known to this crate, whatever the system has, and their case does not matter.
///
/// # Errors
///
/// [`ZoneError`] where there is no such zone, or the time is past the year 9999.
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

/// The part of the day, and the day on which it began, which after midnight is the one before.
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

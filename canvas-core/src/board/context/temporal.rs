//! The time as people in a zone speak of it.

use canvas_lease::Timestamp;
use jiff::civil::{Date, Weekday};
use jiff::tz::{TimeZone, TimeZoneDatabase};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::wording::{NAME, clip, perhaps};

/// The time where the user is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemporalContext {
    /// ISO 8601 with the zone's offset at that time, such as `2026-03-29T03:30:00+02:00`; milliseconds where there are any.
    pub timestamp: String,
    /// The IANA time zone, such as `Europe/Berlin`.
    pub timezone: String,
    /// The day there.
    pub day_of_week: DayOfWeek,
    /// The part of the day there.
    pub time_of_day: TimeOfDay,
    /// Whether people work then.
    pub is_work_hours: bool,
}

/// A day of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DayOfWeek {
    /// The first day of the week (ISO 8601).
    Monday,
    /// The second.
    Tuesday,
    /// The third.
    Wednesday,
    /// The fourth.
    Thursday,
    /// The fifth.
    Friday,
    /// The sixth.
    Saturday,
    /// The seventh.
    Sunday,
}

impl DayOfWeek {
    /// All of them, from Monday.
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
}

impl From<Weekday> for DayOfWeek {
    fn from(day: Weekday) -> Self {
        match day {
            Weekday::Monday => Self::Monday,
            Weekday::Tuesday => Self::Tuesday,
            Weekday::Wednesday => Self::Wednesday,
            Weekday::Thursday => Self::Thursday,
            Weekday::Friday => Self::Friday,
            Weekday::Saturday => Self::Saturday,
            Weekday::Sunday => Self::Sunday,
        }
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
    /// All of them, as the day goes.
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

/// What parts a day has, and when people work.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DayPlan {
    /// When each part of the day begins.
    pub parts: DayParts,
    /// When people work.
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

/// Why there is no local time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemporalError {
    /// There is no such time zone.
    #[error(
        "there is no time zone \"{zone}\": give an IANA name such as Europe/Berlin{}",
        perhaps(candidates)
    )]
    UnknownZone {
        /// What was given, cut at 80 characters.
        zone: String,
        /// What may have been meant.
        candidates: Vec<String>,
    },
    /// The time is past the year 9999.
    #[error("{millis} ms after 1970 is past the year 9999: give a time before that")]
    OutOfRange {
        /// The time.
        millis: u64,
    },
}

impl TemporalError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownZone { .. } => "UNKNOWN_TIME_ZONE",
            Self::OutOfRange { .. } => "TIME_OUT_OF_RANGE",
        }
    }
}

/// The time in a zone. Names of zones are known to this crate, whatever the system has, and their case does not matter.
///
/// # Errors
///
/// [`TemporalError`] where there is no such zone, or the time is past the year 9999.
pub fn temporal_context(
    now: Timestamp,
    zone: &str,
    plan: &DayPlan,
) -> Result<TemporalContext, TemporalError> {
    let local = LocalTime::new(now, zone)?;
    Ok(TemporalContext {
        timestamp: local.timestamp.clone(),
        timezone: local.zone.clone(),
        day_of_week: local.day_of_week(),
        time_of_day: local.part(&plan.parts).0,
        is_work_hours: local.works(&plan.work),
    })
}

/// The clock on a wall in a zone.
#[derive(Debug)]
pub(crate) struct LocalTime {
    timestamp: String,
    zone: String,
    date: Date,
    minute: u16,
}

impl LocalTime {
    pub(crate) fn new(now: Timestamp, zone: &str) -> Result<Self, TemporalError> {
        let millis = now.as_millis();
        let out_of_range = TemporalError::OutOfRange { millis };
        let Some(instant) =
            i64::try_from(millis).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok())
        else {
            return Err(out_of_range);
        };
        let zone = find(zone)?;
        let local = instant.to_zoned(zone);
        let clock = local.time();
        Ok(Self {
            timestamp: instant.display_with_offset(local.offset()).to_string(),
            zone: local.time_zone().iana_name().unwrap_or_default().to_owned(),
            date: local.date(),
            minute: clock.hour() as u16 * 60 + clock.minute() as u16,
        })
    }

    fn day_of_week(&self) -> DayOfWeek {
        self.date.weekday().into()
    }

    fn yesterday(&self) -> Date {
        self.date.yesterday().unwrap_or(self.date)
    }

    /// The part of the day, and the day on which it began, which after midnight is the one before.
    pub(crate) fn part(&self, parts: &DayParts) -> (TimeOfDay, LocalDay) {
        let DayParts { early_morning, morning, mid_day, afternoon, evening, night } = *parts;
        let begins = [early_morning, morning, mid_day, afternoon, evening, night];
        let within = || begins.into_iter().zip(TimeOfDay::ALL).filter(|&(begin, _)| begin < 24 * 60);
        let (part, date) = match within().filter(|&(begin, _)| begin <= self.minute).max() {
            Some((_, part)) => (part, self.date),
            None => (within().max().map_or(TimeOfDay::Night, |(_, part)| part), self.yesterday()),
        };
        (part, LocalDay { number: number(date), day: date.weekday().into() })
    }

    fn works(&self, hours: &WorkHours) -> bool {
        let on = |date: Date| hours.days.contains(&date.weekday().into());
        if hours.from <= hours.to {
            on(self.date) && (hours.from..hours.to).contains(&self.minute)
        } else {
            (on(self.date) && self.minute >= hours.from) || (on(self.yesterday()) && self.minute < hours.to)
        }
    }
}

/// A day by the calendar on a wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LocalDay {
    /// Days since 1970.
    pub(crate) number: i32,
    pub(crate) day: DayOfWeek,
}

fn number(date: Date) -> i32 {
    date.since(Date::constant(1970, 1, 1)).map_or(0, |span| span.get_days())
}

/// The zone of a name. The zones that are compiled in, never the system's, so that every host has the same.
fn find(name: &str) -> Result<TimeZone, TemporalError> {
    let zones = TimeZoneDatabase::bundled();
    match zones.get(name) {
        Ok(zone) if zone.iana_name().is_some() && !zone.is_unknown() => Ok(zone),
        _ => {
            let shown = clip(name, NAME);
            let names = zones.available().map(|name| name.as_str().to_owned());
            let candidates = near(&shown, names.collect());
            Err(TemporalError::UnknownZone { zone: shown, candidates })
        }
    }
}

/// Zones whose last part begins as the name's does: `Berlin` or `Germany/Berlin` lead to `Europe/Berlin`.
fn near(name: &str, mut zones: Vec<String>) -> Vec<String> {
    let plain = |text: &str| text.to_lowercase().replace([' ', '-'], "_");
    let wanted = plain(name);
    let city = wanted.rsplit('/').next().unwrap_or_default().to_owned();
    if city.len() < 3 {
        return Vec::new();
    }
    zones.retain(|zone| plain(zone).rsplit('/').next().is_some_and(|last| last.starts_with(&city)));
    zones.sort_unstable();
    zones.truncate(5);
    zones
}

#[cfg(test)]
mod tests;

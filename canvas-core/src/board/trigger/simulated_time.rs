//! Names of times for triggers, such as `monday_morning`.

use std::fmt;
use std::str::FromStr;

use crate::board::context::{DayOfWeek, TimeOfDay};
use crate::model::error::CodedError;
use crate::model::wording::{NAME, clip, perhaps};

/// A part of the day on some days, such as `friday_afternoon`, `weekday_evening`, `weekend_morning` or `daily_night`. A
/// part alone, such as `mid_day`, means every day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SimulatedTime {
    /// Days on which the part begins.
    pub days: Days,
    /// Part of the day, by the user's [`DayParts`](crate::board::DayParts).
    pub part: TimeOfDay,
}

/// Some days of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Days {
    /// This day of each week.
    On(DayOfWeek),
    /// Monday to Friday.
    Weekdays,
    /// Saturday and Sunday.
    Weekend,
    /// Every day.
    Daily,
}

impl Days {
    /// Returns whether the given day, on which a part begins, is one of these days.
    pub const fn contain(self, day: DayOfWeek) -> bool {
        let weekend = matches!(day, DayOfWeek::Saturday | DayOfWeek::Sunday);
        match self {
            Self::On(one) => one as u8 == day as u8,
            Self::Weekdays => !weekend,
            Self::Weekend => weekend,
            Self::Daily => true,
        }
    }

    fn all() -> impl Iterator<Item = Self> {
        let days = DayOfWeek::ALL.into_iter().map(Self::On);
        days.chain([Self::Weekdays, Self::Weekend, Self::Daily])
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::On(day) => day.as_str(),
            Self::Weekdays => "weekday",
            Self::Weekend => "weekend",
            Self::Daily => "daily",
        }
    }
}

impl SimulatedTime {
    /// Returns all 60 times, ordered by days.
    pub fn all() -> impl Iterator<Item = Self> {
        Days::all().flat_map(|days| TimeOfDay::ALL.map(|part| Self { days, part }))
    }
}

/// Writes the name. For every day it has the form `daily_morning`.
impl fmt::Display for SimulatedTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.days.as_str(), self.part.as_str())
    }
}

/// Error returned if a time has an unknown name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no time is called \"{name}\": use a day (monday to sunday, weekday, weekend, daily) and a part of it, such as monday_morning{}",
    perhaps(candidates)
)]
pub struct SimulatedTimeError {
    /// The unknown name, cut at 80 characters; empty if the trigger lacks one.
    pub name: String,
    /// Up to six similar names.
    pub candidates: Vec<String>,
}

impl CodedError for SimulatedTimeError {
    fn code(&self) -> &'static str {
        "UNKNOWN_SIMULATED_TIME"
    }
}

impl SimulatedTimeError {
    pub(crate) fn new(name: &str) -> Self {
        let name = clip(name, NAME);
        let candidates = near(&name);
        Self { name, candidates }
    }
}

impl FromStr for SimulatedTime {
    type Err = SimulatedTimeError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let part = |name: &str| TimeOfDay::ALL.into_iter().find(|part| part.as_str() == name);
        if let Some(part) = part(name) {
            return Ok(Self { days: Days::Daily, part });
        }
        name.split_once('_')
            .and_then(|(days, rest)| {
                Some(Self { days: Days::all().find(|known| known.as_str() == days)?, part: part(rest)? })
            })
            .ok_or_else(|| SimulatedTimeError::new(name))
    }
}

/// Returns the names with the smallest difference, if it is small, or else those of the day that the name begins with.
fn near(name: &str) -> Vec<String> {
    let words: Vec<String> = name
        .to_lowercase()
        .split(|char: char| !char.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    let plain = words.join("_");
    let mut found: Vec<(usize, String)> = SimulatedTime::all()
        .map(|time| time.to_string())
        .map(|known| (distance(&plain, &known), known))
        .filter(|&(distance, _)| distance <= 3)
        .collect();
    found.sort();
    let least = found.first().map(|&(distance, _)| distance);
    let mut found: Vec<String> = found
        .into_iter()
        .filter(|&(distance, _)| Some(distance) == least)
        .map(|(_, known)| known)
        .take(3)
        .collect();
    let day = words.first().and_then(|word| {
        Days::all().find(|days| word.len() >= 3 && days.as_str().starts_with(word.trim_end_matches('s')))
    });
    if let (true, Some(days)) = (found.is_empty(), day) {
        found = TimeOfDay::ALL.map(|part| SimulatedTime { days, part }.to_string()).to_vec();
    }
    found
}

/// Returns the number of single-character edits (Levenshtein). Both texts are short.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, char) in one.chars().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], at + 1);
        for (to, &there) in other.iter().enumerate() {
            let swap = corner + usize::from(char != there);
            corner = row[to + 1];
            row[to + 1] = swap.min(corner + 1).min(row[to] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        assert_eq!(SimulatedTime::all().count(), 60);
        for time in SimulatedTime::all() {
            assert_eq!(time.to_string().parse(), Ok(time));
        }
        for part in TimeOfDay::ALL {
            assert_eq!(part.as_str().parse(), Ok(SimulatedTime { days: Days::Daily, part }));
        }
    }

    #[test]
    fn what_may_have_been_meant() {
        for (name, candidates) in [
            ("Monday Morning", &["monday_morning"][..]),
            ("monday-morning", &["monday_morning"]),
            ("mondaymorning", &["monday_morning"]),
            ("fridy_afternon", &["friday_afternoon"]),
            ("weekdays_evening", &["weekday_evening"]),
            (
                "monday_9am",
                &[
                    "monday_early_morning",
                    "monday_morning",
                    "monday_mid_day",
                    "monday_afternoon",
                    "monday_evening",
                    "monday_night",
                ],
            ),
            ("noon", &[]),
            ("", &[]),
            ("_", &[]),
            ("\u{1F4C5}", &[]),
        ] {
            let Err(error) = name.parse::<SimulatedTime>() else { panic!("{name} is no name") };
            assert_eq!(error.candidates, candidates, "{name}");
        }
        let long = "monday_".repeat(1_000_000);
        let Err(error) = long.parse::<SimulatedTime>() else { panic!("no name") };
        assert!(error.to_string().len() < 500);
    }

    #[test]
    fn days() {
        for (days, expected) in [
            (Days::On(DayOfWeek::Friday), "friday"),
            (Days::Weekdays, "monday tuesday wednesday thursday friday"),
            (Days::Weekend, "saturday sunday"),
            (Days::Daily, "monday tuesday wednesday thursday friday saturday sunday"),
        ] {
            let on: Vec<_> =
                DayOfWeek::ALL.into_iter().filter(|&day| days.contain(day)).map(DayOfWeek::as_str).collect();
            assert_eq!(on.join(" "), expected);
        }
    }
}

//! Evaluation of time expressions.

use std::fmt;

use canvas_lease::Timestamp;
use jiff::civil::{Date, DateTime, DateTimeRound, Time};
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use jiff::{RoundMode, SignedDuration, Span};

use super::expr::{Anchor, Change, DateExpr, DateExprError, Problem, Step, Unit};
use crate::zone::Zone;

const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

/// An instant within the years 1 to 9999, with the local time of a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateValue {
    /// Time in UTC. A `jiff::Timestamp` would not do, because its range ends a day before the last year ends.
    utc: DateTime,
    offset: Offset,
    /// Local time in the zone.
    wall: DateTime,
}

impl DateExpr {
    /// Evaluates the expression at `now` in a zone.
    ///
    /// # Errors
    ///
    /// Returns [`DateExprError`] if the expression leaves the years 1 to 9999.
    pub fn eval(&self, now: Timestamp, zone: &Zone) -> Result<DateValue, DateExprError> {
        let zone = zone.rules();
        let failed = |column| move || DateExprError::new(&self.text, column, Problem::Years);
        let mut value = match self.anchor {
            Anchor::Now => at(now).and_then(|utc| DateValue::new(utc, zone)),
            Anchor::Instant(utc) => DateValue::new(utc, zone),
            Anchor::Day(date) => DateValue::first_of(date, zone),
        }
        .ok_or_else(failed(1))?;
        for Step { column, change } in &self.steps {
            value = value.change(*change, zone).ok_or_else(failed(*column))?;
        }
        Ok(value)
    }
}

impl DateValue {
    /// Returns the local date in the zone, as `YYYY-MM-DD`.
    pub fn date(&self) -> String {
        self.wall.date().to_string()
    }

    /// Returns the whole seconds since 1970, rounded down.
    pub fn unix(&self) -> i64 {
        self.unix_ms().div_euclid(1_000)
    }

    /// Returns the whole milliseconds since 1970, rounded down.
    pub fn unix_ms(&self) -> i64 {
        let since = self.utc.duration_since(EPOCH);
        since.as_nanos().div_euclid(1_000_000) as i64
    }

    fn new(utc: DateTime, zone: &TimeZone) -> Option<Self> {
        Self::with_offset(utc, offset_at(utc, zone))
    }

    fn with_offset(utc: DateTime, offset: Offset) -> Option<Self> {
        let wall = utc.checked_add(seconds_of(offset)).ok()?;
        (is_in_years(utc) && is_in_years(wall)).then_some(Self { utc, offset, wall })
    }

    /// Returns the first instant of a day, or of the next day if the zone skips the whole day.
    fn first_of(date: Date, zone: &TimeZone) -> Option<Self> {
        let midnight = date.to_datetime(Time::midnight());
        match zone.to_ambiguous_timestamp(midnight).offset() {
            AmbiguousOffset::Unambiguous { offset } | AmbiguousOffset::Fold { before: offset, .. } => {
                Self::of_wall(midnight, offset, zone)
            }
            AmbiguousOffset::Gap { before, .. } => Self::after_gap(midnight, before, zone),
        }
    }

    /// Returns the instant at which the clocks are put forward past `skipped`.
    fn after_gap(skipped: DateTime, before: Offset, zone: &TimeZone) -> Option<Self> {
        let later = skipped.checked_sub(seconds_of(before)).ok()?;
        // With the old offset, the clocks would show it at the skip or after it. Until then they are put forward once.
        let just_after = later.checked_add(SignedDuration::from_nanos(1)).ok()?;
        let skip = zone.preceding(timestamp(just_after)).next();
        Self::new(skip.map_or(later, |skip| Offset::UTC.to_datetime(skip.timestamp())), zone)
    }

    fn of_wall(wall: DateTime, offset: Offset, zone: &TimeZone) -> Option<Self> {
        Self::new(wall.checked_sub(seconds_of(offset)).ok()?, zone)
    }

    fn change(self, change: Change, zone: &TimeZone) -> Option<Self> {
        match change {
            Change::Add(0, _) => Some(self),
            Change::Add(count, unit) => self.add(count, unit, zone),
            Change::Floor(unit) => self.floor(unit, zone),
        }
    }

    fn add(self, count: i64, unit: Unit, zone: &TimeZone) -> Option<Self> {
        let span = match unit {
            Unit::Second | Unit::Minute | Unit::Hour => {
                let time = SignedDuration::from_secs(count * unit.seconds());
                return Self::new(self.utc.checked_add(time).ok()?, zone);
            }
            Unit::Day => Span::new().try_days(count),
            Unit::Week => Span::new().try_weeks(count),
            Unit::Month => Span::new().try_months(count),
            Unit::Quarter => Span::new().try_months(count * 3),
            Unit::Year => Span::new().try_years(count),
        };
        let wall = self.wall.checked_add(span.ok()?).ok()?;
        let (AmbiguousOffset::Unambiguous { offset }
        | AmbiguousOffset::Fold { before: offset, .. }
        | AmbiguousOffset::Gap { before: offset, .. }) = zone.to_ambiguous_timestamp(wall).offset();
        Self::of_wall(wall, offset, zone)
    }

    fn floor(self, unit: Unit, zone: &TimeZone) -> Option<Self> {
        let date = self.wall.date();
        let first = |month| date.with().month(month).day(1).build().ok();
        let start = match unit {
            Unit::Second => return self.floor_time(jiff::Unit::Second, zone),
            Unit::Minute => return self.floor_time(jiff::Unit::Minute, zone),
            Unit::Hour => return self.floor_time(jiff::Unit::Hour, zone),
            Unit::Day => date,
            Unit::Week => {
                let since_monday = date.weekday().to_monday_zero_offset();
                date.checked_sub(SignedDuration::from_hours(24 * i64::from(since_monday))).ok()?
            }
            Unit::Month => first(date.month())?,
            Unit::Quarter => first((date.month() - 1) / 3 * 3 + 1)?,
            Unit::Year => first(1)?,
        };
        Self::first_of(start, zone)
    }

    fn floor_time(self, unit: jiff::Unit, zone: &TimeZone) -> Option<Self> {
        let down = DateTimeRound::new().smallest(unit).mode(RoundMode::Trunc);
        let floor = self.wall.round(down).ok()?;
        let passed = self.wall.duration_since(floor);
        let same = Self::new(self.utc.checked_sub(passed).ok()?, zone)?;
        if same.offset == self.offset {
            return Some(same);
        }
        // The clocks were changed since the floor. They did not show the floor after the change, or it would have the
        // same offset.
        match zone.to_ambiguous_timestamp(floor).offset() {
            AmbiguousOffset::Unambiguous { offset } | AmbiguousOffset::Fold { before: offset, .. } => {
                Self::of_wall(floor, offset, zone)
            }
            AmbiguousOffset::Gap { before, .. } => Self::after_gap(floor, before, zone),
        }
    }
}

/// Writes RFC 3339 with the zone's offset. Offsets from before 1972 may have seconds, which are cut off. The written
/// local time then differs from the clocks, but the instant is the same.
impl fmt::Display for DateValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minutes = self.offset.seconds() / 60;
        let offset = SignedDuration::from_mins(i64::from(minutes));
        let shown = self.utc.checked_add(offset).expect("it is between UTC and the clocks of the zone");
        let sign = if minutes < 0 { '-' } else { '+' };
        let (hours, minutes) = (minutes.abs() / 60, minutes.abs() % 60);
        write!(f, "{shown}{sign}{hours:02}:{minutes:02}")
    }
}

pub(super) fn is_in_years(time: DateTime) -> bool {
    (1..=9999).contains(&time.year())
}

fn at(now: Timestamp) -> Option<DateTime> {
    let millis = i64::try_from(now.as_millis()).ok()?;
    EPOCH.checked_add(SignedDuration::from_millis(millis)).ok()
}

/// Uses the last instant of jiff for all later ones. This gives the right offset, because the rules of zones only
/// repeat in years this late, and no zone changes its clocks in the last days of a year.
fn timestamp(utc: DateTime) -> jiff::Timestamp {
    Offset::UTC.to_timestamp(utc).unwrap_or(jiff::Timestamp::MAX)
}

fn offset_at(utc: DateTime, zone: &TimeZone) -> Offset {
    zone.to_offset(timestamp(utc))
}

fn seconds_of(offset: Offset) -> SignedDuration {
    SignedDuration::from_secs(i64::from(offset.seconds()))
}

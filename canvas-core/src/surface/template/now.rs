//! The value of `runtime.now`.

use canvas_lease::Timestamp;

const DAY: u64 = 24 * 60 * 60 * 1000;
/// The last millisecond of the year 9999, because RFC 3339 has no later one.
const LAST: u64 = 253_402_300_799_999;

/// Formats as RFC 3339 in UTC with milliseconds. Later times become the last one of the year 9999.
pub(crate) fn rfc3339(now: Timestamp) -> String {
    let millis = now.as_millis().min(LAST);
    let (year, month, day) = civil(millis / DAY);
    let (seconds, millis) = (millis % DAY / 1000, millis % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// Returns year, month and day for a number of days since 1970. It counts from the 1st of March of the year 0 in eras
/// of 400 years, so that a leap day is the last of its year.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year_of_era + next, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn now_is_rfc_3339() {
        for (millis, expected) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_001, "2000-03-01T00:00:00.001Z"),
            (1_704_067_199_000, "2023-12-31T23:59:59.000Z"),
            (1_730_000_000_123, "2024-10-27T03:33:20.123Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (LAST, "9999-12-31T23:59:59.999Z"),
            (LAST + 1, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(rfc3339(Timestamp::from_millis(millis)), expected);
        }
    }

    /// Every day from 1970 to 9999 follows the day before.
    #[test]
    fn days_follow_each_other() {
        let is_leap =
            |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for days in 0..=LAST / DAY {
            assert_eq!(civil(days), (year, month, day), "{days}");
            let length = match month {
                4 | 6 | 9 | 11 => 30,
                2 => 28 + u64::from(is_leap(year)),
                _ => 31,
            };
            (year, month, day) = match (month, day == length) {
                (12, true) => (year + 1, 1, 1),
                (_, true) => (year, month + 1, 1),
                (_, false) => (year, month, day + 1),
            };
        }
        assert_eq!((year, month, day), (10_000, 1, 1));
    }
}

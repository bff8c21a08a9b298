//! Range check of expressions. It runs during parsing, so that an expression that can never work does not fail only
//! years later.

use jiff::civil::Date;

use super::expr::{Anchor, Change, Problem, Step};

/// The first and the last day, in days since 1970-01-01.
const FIRST: i64 = -719_162;
const LAST: i64 = 2_932_896;

/// Days by which a step can be shorter or longer than its mean, because of zones, leap years, months, and days that a
/// month lacks.
const SLACK: i64 = 8;

/// Tracks the earliest and the latest day that the steps can reach, and reports the step after which both are out of
/// range. An expression that passes can still fail, but only within a few days of the ends.
pub(super) fn check(anchor: Anchor, steps: &[Step]) -> Result<(), (usize, Problem)> {
    let (mut earliest, mut latest) = match anchor {
        // No clock here shows a time before 1970.
        Anchor::Now => (-1, LAST),
        Anchor::Instant(instant) => around(instant.date()),
        Anchor::Day(date) => around(date),
    };
    for step in steps {
        match step.change {
            Change::Add(count, unit) => {
                let days = (count * unit.seconds()).div_euclid(86_400);
                earliest += days - SLACK;
                latest += days + SLACK;
            }
            Change::Floor(unit) => earliest -= unit.seconds() / 86_400 + SLACK,
        }
        if earliest > LAST || latest < FIRST {
            return Err((step.column, Problem::Years));
        }
        earliest = earliest.max(FIRST);
        latest = latest.min(LAST);
    }
    Ok(())
}

/// Returns the day before and the day after, because zones do not differ by more.
fn around(date: Date) -> (i64, i64) {
    let days = date.duration_since(Date::constant(1970, 1, 1)).as_hours() / 24;
    (days - 1, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_the_last_day() {
        assert_eq!(around(Date::constant(1, 1, 1)), (FIRST - 1, FIRST + 1));
        assert_eq!(around(Date::constant(9999, 12, 31)), (LAST - 1, LAST + 1));
    }
}

//! Whether an expression can lead anywhere at all, which is asked when it is read: it is not to fail years later.

use jiff::civil::Date;

use super::expr::{Anchor, Change, Problem, Step};

/// Days since 1970-01-01 of the first and the last day.
const FIRST: i64 = -719_162;
const LAST: i64 = 2_932_896;

/// Days by which a step can be shorter or longer than its mean: zones, leap years, months, and days that a month does
/// not have.
const SLACK: i64 = 8;

/// Follows the earliest and the latest day to which steps can lead, and names the step after which both are out of the
/// years. An expression that passes can fail still, within a few days of the ends.
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

/// The day before and the day after: zones differ by no more.
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

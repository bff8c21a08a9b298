use super::*;

fn check(now: &str, zone: &str) -> (String, DayOfWeek, TimeOfDay, bool) {
    let now: jiff::Timestamp = now.parse().unwrap();
    let now = Timestamp::from_millis(now.as_millisecond() as u64);
    let TemporalContext { timestamp, timezone, day_of_week, time_of_day, is_work_hours } =
        temporal_context(now, zone, &DayPlan::default()).unwrap();
    assert_eq!(timezone, zone);
    // It names the same instant, to the second.
    let read: jiff::Timestamp = timestamp.parse().unwrap();
    assert!((read.as_millisecond() as u64).abs_diff(now.as_millis()) < 60_000, "{timestamp}");
    (timestamp, day_of_week, time_of_day, is_work_hours)
}

#[test]
fn the_clock_on_the_wall() {
    use DayOfWeek::*;
    use TimeOfDay::*;
    for (now, zone, timestamp, day, part, work) in [
        // Clocks in Germany go from 2:00 to 3:00 ...
        ("2026-03-29T00:59:59Z", "Europe/Berlin", "2026-03-29T01:59:59+01:00", Sunday, Night, false),
        ("2026-03-29T01:00:00Z", "Europe/Berlin", "2026-03-29T03:00:00+02:00", Sunday, Night, false),
        // ... and from 3:00 to 2:00, so that half past two comes twice.
        ("2026-10-25T00:30:00Z", "Europe/Berlin", "2026-10-25T02:30:00+02:00", Sunday, Night, false),
        ("2026-10-25T01:30:00Z", "Europe/Berlin", "2026-10-25T02:30:00+01:00", Sunday, Night, false),
        // Nine o'clock on a Monday, an hour later by UTC in winter.
        ("2026-03-23T08:00:00Z", "Europe/Berlin", "2026-03-23T09:00:00+01:00", Monday, Morning, true),
        ("2026-03-30T07:00:00Z", "Europe/Berlin", "2026-03-30T09:00:00+02:00", Monday, Morning, true),
        ("2026-03-30T06:59:59Z", "Europe/Berlin", "2026-03-30T08:59:59+02:00", Monday, EarlyMorning, false),
        ("2026-11-01T05:30:00Z", "America/New_York", "2026-11-01T01:30:00-04:00", Sunday, Night, false),
        ("2026-11-01T06:30:00Z", "America/New_York", "2026-11-01T01:30:00-05:00", Sunday, Night, false),
        // A day of 25 hours in the south, with a change by half an hour.
        ("2026-04-04T15:00:00Z", "Australia/Lord_Howe", "2026-04-05T01:30:00+10:30", Sunday, Night, false),
        ("2026-01-02T10:00:00Z", "Asia/Kolkata", "2026-01-02T15:30:00+05:30", Friday, Afternoon, true),
        // The other side of the date line.
        ("2026-01-02T10:00:00Z", "Pacific/Kiritimati", "2026-01-03T00:00:00+14:00", Saturday, Night, false),
        ("2026-01-02T12:00:00.25Z", "UTC", "2026-01-02T12:00:00.25+00:00", Friday, MidDay, true),
        ("2026-01-02T17:00:00Z", "UTC", "2026-01-02T17:00:00+00:00", Friday, Evening, false),
        ("1970-01-01T00:00:00Z", "UTC", "1970-01-01T00:00:00+00:00", Thursday, Night, false),
        // An offset with seconds, as Liberia had it, is rounded to minutes.
        ("1970-01-01T12:00:00Z", "Africa/Monrovia", "1970-01-01T11:15:30-00:45", Thursday, Morning, true),
    ] {
        assert_eq!(check(now, zone), (timestamp.to_owned(), day, part, work), "{now} {zone}");
    }
}

#[test]
fn any_table_of_the_day_is_one() {
    use TimeOfDay::*;
    // A Friday, 2026-01-02.
    let at = |minute| LocalTime { timestamp: String::new(), zone: String::new(), day: 20_455, minute };
    let default = DayParts::default();
    let never = DayParts {
        early_morning: 1440,
        morning: 1440,
        mid_day: 1440,
        afternoon: 1440,
        evening: 1440,
        night: u16::MAX,
    };
    for (parts, minute, part, day) in [
        (default, 0, Night, DayOfWeek::Thursday),
        (default, 359, Night, DayOfWeek::Thursday),
        (default, 360, EarlyMorning, DayOfWeek::Friday),
        (default, 1439, Night, DayOfWeek::Friday),
        (DayParts { night: 0, ..default }, 0, Night, DayOfWeek::Friday),
        (DayParts { night: 0, ..default }, 1439, Evening, DayOfWeek::Friday),
        (DayParts { morning: 360, ..default }, 360, Morning, DayOfWeek::Friday),
        (DayParts { morning: 30, ..default }, 45, Morning, DayOfWeek::Friday),
        (DayParts { night: 2000, ..default }, 10, Evening, DayOfWeek::Thursday),
        (never, 10, Night, DayOfWeek::Thursday),
    ] {
        let (found, began) = part_of_day(&at(minute), &parts);
        assert_eq!((found, DayOfWeek::of(began)), (part, day), "{minute} {parts:?}");
    }
    let nights = WorkHours { days: vec![DayOfWeek::Friday], from: 22 * 60, to: 6 * 60 };
    let fridays = WorkHours { days: vec![DayOfWeek::Friday], ..WorkHours::default() };
    let thursdays = WorkHours { days: vec![DayOfWeek::Thursday], from: 22 * 60, to: 6 * 60 };
    for (hours, minute, expected) in [
        (&nights, 22 * 60 - 1, false),
        (&nights, 22 * 60, true),
        (&nights, 0, false),
        (&thursdays, 0, true),
        (&thursdays, 6 * 60, false),
        (&thursdays, 23 * 60, false),
        (&fridays, 9 * 60, true),
        (&fridays, 17 * 60, false),
        (&WorkHours { days: DayOfWeek::ALL.to_vec(), from: 0, to: 0 }, 0, false),
    ] {
        assert_eq!(is_work_time(&at(minute), hours), expected, "{hours:?} {minute}");
    }
}

use canvas_lease::Timestamp;
use proptest::prelude::*;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::expr::{DateExpr, DateExprError, Problem};
use super::parameter::{DateFormat, DateParameter};
use super::parse::read;
use crate::model::error::CodedError as _;
use crate::schema::Schema;
use crate::zone::Zone;

/// 2026-03-29T12:00:00.999Z.
const NOW: u64 = 1_774_785_600_999;

fn eval(expr: &str, now: u64, zone: &str) -> Result<String, DateExprError> {
    let value = DateExpr::parse(expr)?.eval(Timestamp::from_millis(now), &Zone::new(zone).unwrap())?;
    Ok(value.to_string())
}

#[test]
fn changes_of_the_clocks() {
    let rows = include_str!("edges.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut count = 0;
    for row in rows {
        let columns: Vec<_> = row.split_whitespace().collect();
        let [zone, now, expr, expected] = columns[..] else { panic!("{row}") };
        let now: jiff::Timestamp = now.parse().unwrap();
        let found = eval(expr, now.as_millisecond() as u64, zone);
        let found = found.unwrap_or_else(|error| error.code().to_owned());
        assert_eq!(found, expected, "{row}");
        count += 1;
    }
    assert_eq!(count, 81);
}

#[test]
fn units_in_utc() {
    for (expr, expected) in [
        ("now", "2026-03-29T12:00:00.999+00:00"),
        ("now+1s", "2026-03-29T12:00:01.999+00:00"),
        ("now-1000000s", "2026-03-17T22:13:20.999+00:00"),
        ("now+90m", "2026-03-29T13:30:00.999+00:00"),
        ("now-13h", "2026-03-28T23:00:00.999+00:00"),
        ("now-29d", "2026-02-28T12:00:00.999+00:00"),
        ("now+2w", "2026-04-12T12:00:00.999+00:00"),
        ("now-1M", "2026-02-28T12:00:00.999+00:00"),
        ("now+11M", "2027-02-28T12:00:00.999+00:00"),
        ("now-1Q", "2025-12-29T12:00:00.999+00:00"),
        ("now+3Q", "2026-12-29T12:00:00.999+00:00"),
        ("now-26y", "2000-03-29T12:00:00.999+00:00"),
        ("now/s", "2026-03-29T12:00:00+00:00"),
        ("now+59s/m", "2026-03-29T12:00:00+00:00"),
        ("now-1s/m", "2026-03-29T11:59:00+00:00"),
        ("now-1s/h", "2026-03-29T11:00:00+00:00"),
        ("now/d", "2026-03-29T00:00:00+00:00"),
        ("now/w", "2026-03-23T00:00:00+00:00"),
        ("now+1d/w", "2026-03-30T00:00:00+00:00"),
        ("now/M", "2026-03-01T00:00:00+00:00"),
        ("now/Q", "2026-01-01T00:00:00+00:00"),
        ("now+3d/Q", "2026-04-01T00:00:00+00:00"),
        ("now/y", "2026-01-01T00:00:00+00:00"),
        ("now+0s-0y+0Q", "2026-03-29T12:00:00.999+00:00"),
        ("now/d+1d-1s", "2026-03-29T23:59:59+00:00"),
        ("now+1d+1d+1d+1d+1d+1d+1d/M", "2026-04-01T00:00:00+00:00"),
        // From left to right. Each step clamps separately.
        ("2024-02-29||+1y+3y", "2028-02-28T00:00:00+00:00"),
        ("2026-01-31||+1M+1M", "2026-03-28T00:00:00+00:00"),
        ("2026-01-31||+2M", "2026-03-31T00:00:00+00:00"),
        ("2023-12-31||+2M", "2024-02-29T00:00:00+00:00"),
        ("2026-01-31T09:30:00+01:00||", "2026-01-31T08:30:00+00:00"),
        ("2026-01-31t09:30:00.5z||", "2026-01-31T09:30:00.5+00:00"),
        ("2026-01-31T23:59:59.123456789-23:59||", "2026-02-01T23:58:59.123456789+00:00"),
        ("2026-01-31T00:00:00-00:00||+1000000s", "2026-02-11T13:46:40+00:00"),
        ("0001-01-01||/w", "0001-01-01T00:00:00+00:00"),
        ("9999-12-31||+86399s", "9999-12-31T23:59:59+00:00"),
        ("1970-01-01||-719162d", "0001-01-01T00:00:00+00:00"),
        ("0001-01-01||+119987M", "9999-12-01T00:00:00+00:00"),
    ] {
        assert_eq!(eval(expr, NOW, "UTC").as_deref(), Ok(expected), "{expr}");
        assert_eq!(DateExpr::parse(expr).unwrap().to_string(), expr);
    }
}

#[test]
fn what_is_no_expression() {
    let deep = format!("now{}", "/d".repeat(9));
    let long = format!("now+{}d", "0".repeat(1_000_000));
    let rows: &[(&str, usize, Problem)] = &[
        ("", 1, Problem::Anchor),
        ("Now", 1, Problem::Anchor),
        (" now", 1, Problem::Anchor),
        ("yesterday", 1, Problem::Anchor),
        ("+1d", 1, Problem::Anchor),
        ("||", 1, Problem::Anchor),
        ("\u{1F30D}", 1, Problem::Anchor),
        ("202-01-01||", 1, Problem::Anchor),
        ("2026/01/01||", 5, Problem::Anchor),
        ("2026-1-01||", 6, Problem::Anchor),
        ("2026-01", 8, Problem::Anchor),
        ("2026-01-1||", 9, Problem::Anchor),
        ("2026-01-+1||", 9, Problem::Anchor),
        ("0000-12-31||", 1, Problem::Years),
        ("10000-01-01||", 1, Problem::Years),
        ("0001-01-01T00:00:00+00:01||", 1, Problem::Years),
        ("9999-12-31T23:59:59-00:01||", 1, Problem::Years),
        ("2026-02-29||", 1, Problem::NoDate),
        ("2026-13-01||", 1, Problem::NoDate),
        ("2026-04-00||", 1, Problem::NoDate),
        ("2026-01-31", 11, Problem::Bars),
        ("2026-01-31|", 11, Problem::Bars),
        ("2026-01-31+1d", 11, Problem::Bars),
        ("2026-01-31 09:30:00Z||", 11, Problem::Bars),
        ("2026-01-31T09:30:00Z", 21, Problem::Bars),
        ("2026-01-31T09:30:00Z+1d", 21, Problem::Bars),
        ("2026-01-31T||", 12, Problem::Time),
        ("2026-01-31T9:30:00Z||", 12, Problem::Time),
        ("2026-01-31T09:30Z||", 17, Problem::Time),
        ("2026-01-31T24:00:00Z||", 12, Problem::Time),
        ("2026-01-31T09:60:00Z||", 12, Problem::Time),
        ("2016-12-31T23:59:60Z||", 12, Problem::Time),
        ("2026-01-31T09:30:00||", 20, Problem::Time),
        ("2026-01-31T09:30:00.Z||", 21, Problem::Time),
        ("2026-01-31T09:30:00.1234567890Z||", 21, Problem::Time),
        ("2026-01-31T09:30:00,5Z||", 20, Problem::Time),
        ("2026-01-31T09:30:00+1:00||", 21, Problem::Time),
        ("2026-01-31T09:30:00+0100||", 23, Problem::Time),
        ("2026-01-31T09:30:00+24:00||", 20, Problem::Time),
        ("2026-01-31T09:30:00+23:60||", 20, Problem::Time),
        ("now||", 4, Problem::Sign),
        ("now +1d", 4, Problem::Sign),
        ("now\u{2212}1d", 4, Problem::Sign),
        ("now+1d ", 7, Problem::Sign),
        ("nowhere", 4, Problem::Sign),
        ("now*2", 4, Problem::Sign),
        ("now+d", 5, Problem::Count),
        ("now+", 5, Problem::Count),
        ("now--1d", 5, Problem::Count),
        ("now+1000001d", 5, Problem::Count),
        ("now+00000001d", 5, Problem::Count),
        ("now+99999999999999999999d", 5, Problem::Count),
        (&long, 5, Problem::Count),
        ("now+1", 6, Problem::Unit),
        ("now+1.5d", 6, Problem::Unit),
        ("now+1D", 6, Problem::Unit),
        ("now+1q", 6, Problem::Unit),
        ("now+1ms", 7, Problem::Sign),
        ("now+1\u{1F30D}", 6, Problem::Unit),
        ("now/", 5, Problem::Unit),
        ("now/1d", 5, Problem::Unit),
        ("now-7d/D", 8, Problem::Unit),
        (&deep, 20, Problem::Steps),
        // No `now` leads to a valid time.
        ("now+1000000y", 4, Problem::Years),
        ("now+8040y-8040y", 4, Problem::Years),
        ("now-10001y", 4, Problem::Years),
        ("now-1d-1000000M", 7, Problem::Years),
        ("2026-01-01||+1000000Q", 13, Problem::Years),
        ("2026-01-01||/y-1000000d", 15, Problem::Years),
        ("2026-01-01T00:00:00Z||-1000000w", 23, Problem::Years),
    ];
    for (expr, column, problem) in rows {
        let expected = DateExprError::new(expr, *column, *problem);
        let error = DateExpr::parse(expr).unwrap_err();
        assert_eq!(error, expected, "{expr}");
        assert_eq!((error.code(), error.column()), ("EXPR_INVALID", *column));
        assert!(error.to_string().len() < 300, "{error}");
    }
}

#[test]
fn the_years_end_somewhere() {
    for (expr, now, zone, column) in [
        ("now", Timestamp::MAX.as_millis(), "UTC", 1),
        ("now/y", 253_402_300_800_000, "UTC", 1),
        ("now", 253_402_300_799_999, "Europe/Berlin", 1),
        ("now+7974y", NOW, "UTC", 4),
        ("now/d+7974y", NOW, "UTC", 6),
        ("9999-12-31||+1d", NOW, "UTC", 13),
        ("9999-12-31||+24h", NOW, "UTC", 13),
        ("9999-12-31T23:30:00Z||", NOW, "Europe/Berlin", 1),
        ("0001-01-01||", NOW, "Europe/Berlin", 1),
        ("0001-01-01T00:00:00Z||", NOW, "America/New_York", 1),
        ("0001-01-02||-2d", NOW, "UTC", 13),
        ("0001-01-02||-1d-1s", NOW, "UTC", 16),
        ("0001-12-31||-1M-11M-1M", NOW, "UTC", 20),
    ] {
        assert_eq!(eval(expr, now, zone).map_err(|error| error.column()), Err(column), "{expr} {zone}");
    }
    for (expr, now, zone, expected) in [
        ("now", 253_402_300_799_999, "UTC", "9999-12-31T23:59:59.999+00:00"),
        ("now/h", 253_402_300_799_999, "America/New_York", "9999-12-31T18:00:00-05:00"),
        ("now/d", 253_402_300_799_999, "Pacific/Honolulu", "9999-12-31T00:00:00-10:00"),
        ("0001-01-01||", NOW, "America/New_York", "0001-01-01T00:00:02-04:56"),
        ("0001-01-01||+1d", NOW, "America/New_York", "0001-01-02T00:00:02-04:56"),
    ] {
        assert_eq!(eval(expr, now, zone).as_deref(), Ok(expected), "{expr} {zone}");
    }
}

#[test]
fn parameters() {
    let check = |value: Value, zone: &str| {
        let parameter = DateParameter::parse(value.as_object().unwrap()).unwrap();
        let written = serde_json::to_value(&parameter).unwrap();
        assert_eq!(DateParameter::parse(written.as_object().unwrap()).as_ref(), Ok(&parameter));
        parameter.eval(Timestamp::from_millis(NOW), &Zone::new(zone).unwrap()).unwrap()
    };
    for (value, zone, expected) in [
        (json!({"$date": "now"}), "UTC", json!("2026-03-29T12:00:00.999+00:00")),
        (json!({"$date": "now", "as": "rfc3339"}), "Asia/Tokyo", json!("2026-03-29T21:00:00.999+09:00")),
        (json!({"$date": "now", "as": "date"}), "UTC", json!("2026-03-29")),
        (json!({"$date": "now", "as": "date"}), "Pacific/Auckland", json!("2026-03-30")),
        (json!({"$date": "now", "as": "unix"}), "Asia/Tokyo", json!(1_774_785_600)),
        (json!({"$date": "now", "as": "unix_ms"}), "UTC", json!(1_774_785_600_999_u64)),
        (json!({"$date": "0033-04-03||", "as": "date"}), "UTC", json!("0033-04-03")),
        (json!({"$date": "1969-12-31T23:59:59.9994Z||", "as": "unix"}), "UTC", json!(-1)),
        (json!({"$date": "1969-12-31T23:59:59.9994Z||", "as": "unix_ms"}), "UTC", json!(-1)),
        (json!({"$date": "1969-12-31T23:59:58.9994Z||", "as": "unix_ms"}), "UTC", json!(-1_001)),
    ] {
        assert_eq!(check(value.clone(), zone), expected, "{value} {zone}");
    }
    assert_eq!(DateFormat::default(), DateFormat::Rfc3339);
}

#[test]
fn what_is_no_parameter() {
    for (value, expected) in [
        (json!({}), vec!["/$date EXPR_INVALID"]),
        (json!({"$date": 1}), vec!["/$date EXPR_INVALID"]),
        (json!({"$date": "now+1x"}), vec!["/$date EXPR_INVALID"]),
        (json!({"$date": "now", "tz": "UTC"}), vec![" RECIPE_INVALID"]),
        (json!({"$date": "now", "as": null}), vec!["/as RECIPE_INVALID"]),
        (
            json!({"$date": "", "as": "iso", "x": 1}),
            vec![" RECIPE_INVALID", "/as RECIPE_INVALID", "/$date EXPR_INVALID"],
        ),
    ] {
        let faults = DateParameter::parse(value.as_object().unwrap()).unwrap_err();
        let found: Vec<_> = faults.iter().map(|fault| format!("{} {}", fault.place, fault.code())).collect();
        assert_eq!(found, expected, "{value}");
    }
}

#[test]
fn the_schema_takes_what_can_be_read() {
    let generator = SchemaSettings::draft07().into_generator();
    let schema = generator.into_root_schema_for::<DateParameter>();
    let schema = Schema::compile(schema.as_value()).unwrap();
    for (value, fits) in [
        (json!({"$date": "now-30d/d", "as": "unix_ms"}), true),
        (json!({"$date": "2026-01-31T00:00:00Z||+1M"}), true),
        (json!({"$date": "2026-01-31||"}), true),
        (json!({"$date": "now-30D"}), false),
        (json!({"$date": "now/d/d/d/d/d/d/d/d/d"}), false),
        (json!({"$date": "now", "as": "iso"}), false),
        (json!({"$date": "now", "tz": "UTC"}), false),
        (json!({}), false),
    ] {
        assert_eq!(schema.is_valid(&value), fits, "{value}");
        let parsed = value.as_object().map(DateParameter::parse).unwrap();
        assert_eq!(parsed.is_ok(), fits, "{value}");
    }
}

#[test]
fn expressions_are_texts_in_json() {
    let expr: DateExpr = serde_json::from_value(json!("now-30d/d")).unwrap();
    assert_eq!(expr, "now-30d/d".parse().unwrap());
    assert_eq!((expr.as_str(), serde_json::to_value(&expr).unwrap()), ("now-30d/d", json!("now-30d/d")));
    let error = serde_json::from_value::<DateExpr>(json!("now-30D")).unwrap_err();
    assert!(error.to_string().contains("column 7"), "{error}");
}

fn exprs() -> impl Strategy<Value = String> {
    let anchor = prop_oneof![
        2 => Just("now".to_owned()),
        1 => (1_i16..=9999, 1_i8..=12, 1_i8..=28).prop_map(|(y, m, d)| format!("{y:04}-{m:02}-{d:02}||")),
        1 => (1_i16..=9999, 1_i8..=12, 1_i8..=28, 0..24, -14..=14)
            .prop_map(|(y, m, d, h, z)| format!("{y:04}-{m:02}-{d:02}T{h:02}:30:15{z:+03}:00||")),
    ];
    // Counts of up to a year, counts that reach the ends of the years, and the largest.
    let count = prop_oneof![4 => 0_u32..366, 3 => 0_u32..10_000, 1 => 0..=DateExpr::COUNT];
    let step = (prop_oneof!["[+]", "-", "/"], count, "[smhdwMQy]").prop_map(|(sign, count, unit)| {
        if sign == "/" { format!("/{unit}") } else { format!("{sign}{count}{unit}") }
    });
    (anchor, prop::collection::vec(step, 0..=8)).prop_map(|(anchor, steps)| anchor + &steps.concat())
}

fn zones() -> impl Strategy<Value = Zone> {
    const NAMES: &[&str] = &[
        "UTC",
        "Europe/Berlin",
        "America/St_Johns",
        "Australia/Lord_Howe",
        "Pacific/Apia",
        "Africa/Monrovia",
    ];
    prop::sample::select(NAMES).prop_map(|name| Zone::new(name).unwrap())
}

fn nows() -> impl Strategy<Value = Timestamp> {
    // Times around today, in any year, and any number.
    prop_oneof![3 => 0..4_000_000_000_000_u64, 2 => 0..253_402_300_800_000_u64, 1 => any::<u64>()]
        .prop_map(Timestamp::from_millis)
}

proptest! {
    #[test]
    fn what_is_refused_when_it_is_read_leads_nowhere(text in exprs(), now in nows(), zone in zones()) {
        let (anchor, steps) = read(&text).unwrap();
        let unchecked = DateExpr { text: text.as_str().into(), anchor, steps };
        if DateExpr::parse(&text).is_err() {
            prop_assert!(unchecked.eval(now, &zone).is_err());
        }
    }

    #[test]
    fn a_floor_is_not_later_and_is_its_own_floor(
        text in exprs(), now in nows(), zone in zones(), unit in "[smhdwMQy]",
    ) {
        let at = |text: &str| DateExpr::parse(text).ok()?.eval(now, &zone).ok();
        let floor = format!("{text}/{unit}");
        if let (Some(value), Some(once)) = (at(&text), at(&floor)) {
            prop_assert!(once.unix_ms() <= value.unix_ms());
            if let Some(twice) = at(&format!("{floor}/{unit}")) {
                prop_assert_eq!(once, twice);
            }
        }
    }

    #[test]
    fn a_value_is_written_as_its_own_anchor(text in exprs(), now in nows(), zone in zones()) {
        if let Some(value) = DateExpr::parse(&text).ok().and_then(|expr| expr.eval(now, &zone).ok()) {
            let again = DateExpr::parse(&format!("{value}||")).unwrap().eval(now, &zone).unwrap();
            prop_assert_eq!(value, again);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(now|2026-01-31)?[-+/|0-9a-zA-Z:.]{0,20}|.{0,20}") {
        match DateExpr::parse(&text) {
            Ok(expr) => prop_assert_eq!(expr.as_str(), text),
            Err(error) => prop_assert!((1..=text.chars().count() + 1).contains(&error.column())),
        }
    }
}

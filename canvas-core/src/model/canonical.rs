//! Canonical JSON (RFC 8785, JCS), a unique text for each value, so that equal values have equal hashes everywhere.

use std::borrow::Cow;
use std::fmt::Write;

use canvas_lease::safe_integer;
use serde_json::{Map, Number, Value};

use crate::model::error::CodedError;
use crate::model::json_pointer::join_pointer;

/// Error returned for an integer that a double does not hold exactly. A reader that holds numbers as doubles would read
/// another value.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the number {number}{} is an integer that a double does not hold: send it as a string", at(place))]
pub struct CanonicalError {
    /// Position in the value, as a JSON Pointer; empty if the number is the whole value.
    pub place: String,
    /// The number as given in the value.
    pub number: Number,
}

impl CodedError for CanonicalError {
    fn code(&self) -> &'static str {
        "NUMBER_NOT_EXACT"
    }

    fn place(&self) -> Option<Cow<'_, str>> {
        Some((&*self.place).into())
    }
}

/// Returns the canonical text of a value: no white space, members sorted by the UTF-16 code units of their names, and
/// numbers as ECMAScript writes them.
///
/// A reader that holds numbers as doubles reads an equal value from the text. For example, -0 is written as 0, 1.0 as
/// 1, and 1e20 as 100000000000000000000. For a double between 2^53 and 10^21, the text may be another integer that
/// rounds to the double, such as 9223372036854776000 for 2^63. Linear in the value, except for the sorting. Recurses as
/// deeply as the value is nested.
///
/// # Errors
///
/// Returns an error for the first integer, in the order of the text, that a double does not hold. Integers beyond 64
/// bits are already doubles in a [`Value`]; [`exact_json`](crate::json::exact_json) refuses them when it reads them.
pub fn canonical_json(value: &Value) -> Result<String, CanonicalError> {
    let mut text = String::new();
    write_value(value, None, &mut text)?;
    Ok(text)
}

/// Writes the text of [`canonical_json`] in many small parts. Writing to `out` must not fail.
#[cfg(feature = "surface")]
pub(crate) fn write_canonical(value: &Value, out: &mut impl Write) -> Result<(), CanonicalError> {
    write_value(value, None, out)
}

/// The output is always a string or a hash, which cannot fail.
const EVERYTHING: &str = "it takes everything";

/// A position in a value, converted to text only for an error.
#[derive(Clone, Copy)]
struct Place<'a> {
    above: Option<&'a Self>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Item(usize),
    Member(&'a str),
}

impl Place<'_> {
    /// Returns the position as a JSON Pointer.
    fn pointer(&self) -> String {
        let above = self.above.map(Self::pointer).unwrap_or_default();
        match self.step {
            Step::Item(index) => join_pointer(&above, &index.to_string()),
            Step::Member(name) => join_pointer(&above, name),
        }
    }
}

fn write_value<W: Write>(
    value: &Value,
    place: Option<&Place<'_>>,
    text: &mut W,
) -> Result<(), CanonicalError> {
    match value {
        Value::Null => push(text, "null"),
        Value::Bool(true) => push(text, "true"),
        Value::Bool(false) => push(text, "false"),
        Value::Number(number) => write_number(number, place, text)?,
        Value::String(string) => write_string(string, text),
        Value::Array(items) => {
            push(text, "[");
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    push(text, ",");
                }
                write_value(item, Some(&Place { above: place, step: Step::Item(index) }), text)?;
            }
            push(text, "]");
        }
        Value::Object(members) if is_sorted(members) => write_members(members.iter(), place, text)?,
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_unstable_by(|one, two| one.0.encode_utf16().cmp(two.0.encode_utf16()));
            write_members(sorted.into_iter(), place, text)?;
        }
    }
    Ok(())
}

fn push(text: &mut impl Write, part: &str) {
    text.write_str(part).expect(EVERYTHING);
}

/// Whether the members are certainly in the order of their UTF-16 code units. The order of UTF-8 bytes differs only
/// between characters from U+E000 to U+FFFF and characters from U+10000 on, all of which begin with a byte of at least
/// 0xEE.
fn is_sorted(members: &Map<String, Value>) -> bool {
    members.keys().is_sorted() && members.keys().all(|name| name.bytes().all(|byte| byte < 0xEE))
}

fn write_members<'a, W: Write>(
    members: impl Iterator<Item = (&'a String, &'a Value)>,
    place: Option<&Place<'_>>,
    text: &mut W,
) -> Result<(), CanonicalError> {
    push(text, "{");
    for (index, (name, member)) in members.enumerate() {
        if index > 0 {
            push(text, ",");
        }
        write_string(name, text);
        push(text, ":");
        write_value(member, Some(&Place { above: place, step: Step::Member(name) }), text)?;
    }
    push(text, "}");
    Ok(())
}

/// Writes a string. serde_json escapes exactly the characters that RFC 8785 requires, and in the same way.
fn write_string(string: &str, text: &mut impl Write) {
    if string.bytes().all(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
        push(text, "\"");
        push(text, string);
        push(text, "\"");
    } else {
        push(text, &serde_json::to_string(string).expect("a string is JSON"));
    }
}

fn write_number<W: Write>(
    number: &Number,
    place: Option<&Place<'_>>,
    text: &mut W,
) -> Result<(), CanonicalError> {
    let refused = || {
        let place = place.map(Place::pointer).unwrap_or_default();
        CanonicalError { place, number: number.clone() }
    };
    let double = number.as_f64().filter(|double| double.is_finite()).ok_or_else(refused)?;
    // serde_json keeps integers up to 64 bits; longer ones come as doubles.
    if let Some(integer) = number.as_i128() {
        if integer.unsigned_abs() <= safe_integer::MAX.into() {
            write!(text, "{integer}").expect(EVERYTHING);
            return Ok(());
        }
        if double as i128 != integer {
            return Err(refused());
        }
    }
    push(text, ryu_js::Buffer::new().format(double));
    Ok(())
}

/// Formats the place of a number for a message.
fn at(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!(" at {place}") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::model::exact_json::exact_json;

    fn check(value: &str, expected: &str) {
        let value: Value = serde_json::from_str(value).unwrap();
        assert_eq!(canonical_json(&value).unwrap(), expected);
    }

    #[test]
    fn the_examples_of_rfc_8785() {
        // Section 3.2.2: numbers, strings and literals.
        check(
            r#"{
                "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
                "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
                "literals": [null, true, false]
            }"#,
            r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#,
        );
        // Section 3.2.3: sorted by UTF-16 code units.
        check(
            r#"{
                "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
                "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
                "\u00f6": "Latin Small Letter O With Diaeresis"
            }"#,
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}",
        );
    }

    /// Appendix B, except NaN and infinity, which no JSON value can hold.
    #[test]
    fn the_numbers_of_rfc_8785() {
        for (bits, expected) in [
            (0x0000_0000_0000_0000, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0x41b3_de43_5555_5557, "333333333.33333343"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4340_0000_0000_0001, "9007199254740994"),
            (0x4340_0000_0000_0002, "9007199254740996"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
        ] {
            assert_eq!(canonical_json(&json!(f64::from_bits(bits))).unwrap(), expected, "{bits:x}");
        }
    }

    #[test]
    fn integers_that_no_double_holds_are_refused_with_their_place() {
        const MAX: i64 = (1 << 53) - 1;
        assert_eq!(canonical_json(&json!([MAX, -MAX])).unwrap(), "[9007199254740991,-9007199254740991]");
        let deep = |number: Value| json!({"z": 1, "a/b~": [0, {"x": number}]});
        assert_eq!(
            canonical_json(&json!([MAX + 1, -MAX - 1])).unwrap(),
            "[9007199254740992,-9007199254740992]"
        );
        assert_eq!(
            canonical_json(&json!([1e20, i64::MIN])).unwrap(),
            "[100000000000000000000,-9223372036854776000]"
        );
        for number in [json!(MAX + 2), json!(-MAX - 2), json!(u64::MAX), json!(i64::MAX), json!(i64::MIN + 1)]
        {
            let error = canonical_json(&deep(number.clone())).unwrap_err();
            assert_eq!((error.place.as_str(), Value::Number(error.number.clone())), ("/a~1b~0/1/x", number));
            assert!(error.to_string().contains("at /a~1b~0/1/x"), "{error}");
            assert_eq!(error.code(), "NUMBER_NOT_EXACT");
        }
        assert_eq!(canonical_json(&json!(u64::MAX)).unwrap_err().place, "");
    }

    #[test]
    fn integers_of_any_length() {
        for (text, is_held) in [
            ("9007199254740993", true),
            ("18446744073709551615", true),
            ("-9223372036854775808", true),
            ("18446744073709551616", true),
            ("100000000000000000000", true),
            ("-100000000000000000000", true),
            ("18446744073709551617", false),
            ("-9223372036854775809", false),
            ("100000000000000000001", false),
            ("1234567890123456789012", false),
            ("1234567890123456789012.0", true),
            ("1234567890123456789012e0", true),
            ("1e20", true),
        ] {
            for made in [
                text.to_owned(),
                format!(r#"{{"a\\\"": [1, {text}]}}"#),
                format!(r#"["{text}1", "\\", {text}, "]"]"#),
            ] {
                assert_eq!(exact_json(&made).is_ok(), is_held, "{made}");
            }
            assert!(exact_json(&format!(r#"["a {text}7"]"#)).is_ok());
        }
        assert!(exact_json("[1,").is_err());
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-(1_i64 << 53) + 1..1 << 53).prop_map(Value::from),
            // With a fraction, so that it is read as a double again.
            (-1e6..1e6_f64).prop_map(|number| json!(number.floor() + 0.5)),
            prop::num::f64::SUBNORMAL.prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// Among a double and the integers next to it, only those equal to the double have a text.
        #[test]
        fn integers_are_held_or_refused(power in 50_u32..100, low in 0_u128..64, odd in 0_u128..3, minus: bool) {
            let integer = (1_u128 << power) + (low << (power - 40)) + odd;
            let literal = if minus { format!("-{integer}") } else { integer.to_string() };
            let double: f64 = literal.parse().unwrap();
            let is_held = double.abs() as u128 == integer;
            let text = exact_json(&literal).ok().and_then(|value| canonical_json(&value).ok());
            prop_assert_eq!(text.is_some(), is_held, "{}", literal);
            if is_held {
                prop_assert_eq!(text, canonical_json(&json!(double)).ok());
            }
        }

        #[test]
        fn what_is_read_from_the_text_is_the_value_and_has_the_same_text(value in values()) {
            let text = canonical_json(&value).unwrap();
            let read: Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(&read, &value);
            prop_assert_eq!(canonical_json(&read).unwrap(), text);
        }
    }
}

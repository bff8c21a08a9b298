//! The formats of a row's object (a line with the row's number, then the head) and of its version.

use canvas_core::store::{StoreErrorKind, Version};
use object_store::{ObjectMeta, PutResult, UpdateVersion};

/// Prefix of the first line.
const MAGIC: &[u8] = b"canvas-row ";

const FORMAT: u64 = 1;

/// Maximum bytes of the first line. Counters have at most 20 digits.
const LINE: usize = MAGIC.len() + 2 * 20 + 2;

/// Formats the object of a row. The number makes it differ from all earlier objects, even if the head is the same, because
/// an ETag may be just a hash of the bytes.
pub(super) fn encode(number: u64, head: &[u8]) -> Vec<u8> {
    let line = format!(" {number}\n");
    [MAGIC, FORMAT.to_string().as_bytes(), line.as_bytes(), head].concat()
}

/// Parses a row's object. Returns its number and the bytes of its head.
pub(super) fn decode(object: &[u8]) -> Result<(u64, &[u8]), StoreErrorKind> {
    let end = object.iter().take(LINE).position(|byte| *byte == b'\n').ok_or(StoreErrorKind::Damaged)?;
    let (line, head) = (&object[..end], &object[end + 1..]);
    let line =
        line.strip_prefix(MAGIC).and_then(|line| str::from_utf8(line).ok()).ok_or(StoreErrorKind::Damaged)?;
    let (format, number) = line.split_once(' ').unwrap_or((line, ""));
    match counter(format) {
        Some(FORMAT) => {}
        Some(found) if found > FORMAT => return Err(StoreErrorKind::TooNew { found }),
        _ => return Err(StoreErrorKind::Damaged),
    }
    Ok((counter(number).ok_or(StoreErrorKind::Damaged)?, head))
}

/// Parses a positive number without a sign or leading zeros.
fn counter(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number > 0 && number.to_string() == text).then_some(number)
}

/// The kind of name by which a server identifies object states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    /// S3, R2, Azure.
    ETag,
    /// GCS, whose ETags do not work for puts.
    Generation,
}

impl Tag {
    pub(super) fn of_put(self, put: PutResult) -> Option<String> {
        match self {
            Self::ETag => put.e_tag,
            Self::Generation => put.version,
        }
    }

    pub(super) fn of_meta(self, meta: ObjectMeta) -> Option<String> {
        match self {
            Self::ETag => meta.e_tag,
            Self::Generation => meta.version,
        }
    }

    pub(super) fn condition(self, tag: String) -> UpdateVersion {
        match self {
            Self::ETag => UpdateVersion { e_tag: Some(tag), version: None },
            Self::Generation => UpdateVersion { e_tag: None, version: Some(tag) },
        }
    }
}

/// One state of a row, as encoded in a [`Version`].
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RowVersion {
    /// Increases by one with each state.
    pub(super) number: u64,
    /// The server's ETag or generation.
    pub(super) tag: String,
}

impl RowVersion {
    /// Parses a version. Returns `None` if this store never issues such a version, because then no row has it.
    pub(super) fn of(version: &Version) -> Option<Self> {
        let (number, tag) = version.as_str().split_once(' ')?;
        Some(Self { number: counter(number)?, tag: tag.to_owned() })
    }

    pub(super) fn version(&self) -> Version {
        Version::new(format!("{} {}", self.number, self.tag))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_as_it_was_written() {
        for number in [1, 9, 10, u64::MAX] {
            for head in [&b"{}"[..], b"", b"\n\n", b"canvas-row 1 1\n"] {
                let object = encode(number, head);
                assert_eq!(decode(&object), Ok((number, head)));
                // A truncated object is damaged, or has a shorter head.
                for end in 0..object.len() {
                    match decode(&object[..end]) {
                        Err(kind) => assert_eq!(kind, StoreErrorKind::Damaged),
                        Ok(found) => assert_eq!(found, (number, &head[..head.len() - (object.len() - end)])),
                    }
                }
            }
        }
        assert_eq!(encode(7, b"{}"), b"canvas-row 1 7\n{}");
    }

    #[test]
    fn what_is_no_row_is_refused() {
        let long = "canvas-row 1 ".to_owned() + &"1".repeat(1 << 20);
        let damaged = [
            "",
            "{}",
            "\n{}",
            "canvas-row 1\n{}",
            "canvas-row 1 \n{}",
            "canvas-row 1 0\n{}",
            "canvas-row 1 01\n{}",
            "canvas-row 1 +1\n{}",
            "canvas-row 1 -1\n{}",
            "canvas-row 1 1 \n{}",
            "canvas-row 1 1\r\n{}",
            "canvas-row 0 1\n{}",
            "canvas-row x 1\n{}",
            "canvas-row 1 18446744073709551616\n{}",
            "Canvas-row 1 1\n{}",
            &long,
        ];
        for text in damaged {
            assert_eq!(
                decode(text.as_bytes()),
                Err(StoreErrorKind::Damaged),
                "{:?}",
                &text[..text.len().min(40)]
            );
        }
        assert_eq!(decode(b"canvas-row \xff 1\n"), Err(StoreErrorKind::Damaged));
        for text in ["canvas-row 2 1\n{}", "canvas-row 2\n", "canvas-row 2 other things\n"] {
            assert_eq!(decode(text.as_bytes()), Err(StoreErrorKind::TooNew { found: 2 }), "{text:?}");
        }
    }

    #[test]
    fn versions_say_number_and_tag() {
        for (text, parts) in [
            ("1 \"a\"", Some((1, "\"a\""))),
            ("17 a b", Some((17, "a b"))),
            ("17 ", Some((17, ""))),
            ("17", None),
            ("0 a", None),
            ("017 a", None),
            (" a", None),
            ("", None),
            ("x a", None),
        ] {
            let version = Version::new(text);
            let found = RowVersion::of(&version);
            assert_eq!(
                found,
                parts.map(|(number, tag)| RowVersion { number, tag: tag.to_owned() }),
                "{text:?}"
            );
            if let Some(found) = found {
                assert_eq!(found.version(), version);
            }
        }
    }
}

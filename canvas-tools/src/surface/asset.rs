//! Asset content in JSON, either text or base64.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The content of an asset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "an asset is its text, or {\"base64\": its bytes}")]
pub enum AssetContent {
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(EncodedBytes),
}

/// Bytes in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EncodedBytes {
    /// The bytes in base64 (RFC 4648), with padding.
    #[serde(with = "base64")]
    #[schemars(with = "String")]
    pub base64: Vec<u8>,
}

impl AssetContent {
    /// Returns the content as bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.into_bytes(),
            Self::Bytes(bytes) => bytes.base64,
        }
    }
}

/// Makes text of the bytes if they are valid UTF-8.
impl From<Vec<u8>> for AssetContent {
    fn from(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::Text(text),
            Err(error) => Self::Bytes(EncodedBytes { base64: error.into_bytes() }),
        }
    }
}

mod base64 {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(deserializer)?;
        decode(&text)
            .ok_or_else(|| D::Error::custom("this is no base64 with padding: encode the bytes again"))
    }

    pub(super) fn encode(bytes: &[u8]) -> String {
        let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
        for chunk in bytes.chunks(3) {
            let bits =
                chunk.iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
            for place in 0..4 {
                let digit = DIGITS[(bits >> (18 - 6 * place) & 63) as usize];
                text.push(if place <= chunk.len() { char::from(digit) } else { '=' });
            }
        }
        text
    }

    /// Accepts only the form that `encode` writes, so that no two texts decode to the same bytes.
    pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
        if !text.len().is_multiple_of(4) {
            return None;
        }
        let digits = text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text).as_bytes();
        let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
        for chunk in digits.chunks(4) {
            let mut bits = 0_u32;
            for digit in chunk {
                bits = bits << 6 | value(*digit)?;
            }
            let [_, all @ ..] = (bits << (6 * (4 - chunk.len()))).to_be_bytes();
            bytes.extend_from_slice(&all[..chunk.len() * 3 / 4]);
        }
        (encode(&bytes) == text).then_some(bytes)
    }

    fn value(digit: u8) -> Option<u32> {
        Some(
            match digit {
                b'A'..=b'Z' => digit - b'A',
                b'a'..=b'z' => digit - b'a' + 26,
                b'0'..=b'9' => digit - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            }
            .into(),
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::base64::{decode, encode};

    #[test]
    fn base64_is_that_of_rfc_4648() {
        for (text, encoded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(text.as_bytes()), encoded);
        }
        for refused in ["Zg", "Zg=", "Zh==", "Zg==\n", "Z===", "====", "Zm9-", "Zm=v", "Zg==Zg=="] {
            assert_eq!(decode(refused), None, "{refused:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            prop_assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }

        #[test]
        fn no_text_panics(text in "[A-Za-z=+/]{0,12}|.{0,12}") {
            if let Some(bytes) = decode(&text) {
                prop_assert_eq!(encode(&bytes), text);
            }
        }
    }
}

//! Keys of a canvas's objects, which every server accepts and which sort like the ids.

use canvas_core::{BlobId, CanvasId};
use object_store::path::Path;

/// Maximum bytes of a prefix. S3, R2 and GCS accept keys of 1,024 bytes, and the longest key of a canvas has 898 bytes
/// after the prefix and a slash.
pub(super) const PREFIX_BYTES: usize = 120;

/// Digits of five bits each, in the order of their values, so that encoded texts compare like their bytes. All letters
/// have the same case. The longest id takes 820 digits; in hexadecimal it would fill the whole key.
const DIGITS: &[u8; 32] = b"0123456789abcdefghijklmnopqrstuv";

/// Digits between two slashes. Some servers store a segment as a file name, which may have at most 255 bytes.
const SEGMENT: usize = 200;

/// Suffix of a head's key. It sorts before the slash and all digits, so an id sorts before the longer ids that begin
/// with it.
const HEAD: &str = ".head";

/// Suffix of the folder with a canvas's blobs.
const BLOBS: &str = ".blobs";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Put {
    pub(super) hash: [u8; 32],
    /// The number of the row that the commit tried to create; 0 for a put by a version before 0.2.0.
    pub(super) number: u64,
}

/// The keys under one prefix.
#[derive(Debug, Clone)]
pub(super) struct Keys {
    prefix: Path,
    heads: Path,
}

impl Keys {
    /// Returns `None` if the prefix is too long.
    pub(super) fn new(prefix: Path) -> Option<Self> {
        let heads = prefix.clone().join("heads");
        (prefix.as_ref().len() <= PREFIX_BYTES).then_some(Self { prefix, heads })
    }

    pub(super) fn prefix(&self) -> &Path {
        &self.prefix
    }

    /// Returns the folder that contains all heads, and only these.
    pub(super) fn heads(&self) -> &Path {
        &self.heads
    }

    pub(super) fn head(&self, canvas: &CanvasId) -> Path {
        spell_below(self.heads.clone(), canvas, HEAD)
    }

    pub(super) fn blobs(&self, canvas: &CanvasId) -> Path {
        spell_below(self.prefix.clone().join("blobs"), canvas, BLOBS)
    }

    pub(super) fn puts(&self, canvas: &CanvasId, id: BlobId) -> Path {
        self.blobs(canvas).join(spell(id.as_bytes()))
    }

    /// Returns the key under which a commit puts the blob if its row gets this number. The keys sort like the numbers.
    pub(super) fn put(&self, canvas: &CanvasId, id: BlobId, number: u64) -> Path {
        self.puts(canvas, id).join(spell(&number.to_be_bytes()))
    }

    /// Returns the key that versions before 0.2.0 used for all puts of a blob.
    pub(super) fn unnumbered(&self, canvas: &CanvasId, id: BlobId) -> Path {
        self.blobs(canvas).join(id.to_string())
    }

    /// Parses a key in the folder of a canvas's blobs. Returns `None` for a foreign key.
    pub(super) fn read_put(&self, blobs: &Path, key: &Path) -> Option<Put> {
        let parts: Vec<String> = key.prefix_match(blobs)?.map(|part| part.as_ref().to_owned()).collect();
        match parts.as_slice() {
            [hash] if hash.len() == 64 => Some(Put { hash: read_hex(hash)?, number: 0 }),
            [hash, number] => {
                let number = u64::from_be_bytes(read(number)?.try_into().ok()?);
                Some(Put { hash: read(hash)?.try_into().ok()?, number })
            }
            _ => None,
        }
    }

    /// Returns the key of the object that the store puts in order to read the server's time.
    pub(super) fn clock(&self) -> Path {
        self.probe("clock")
    }

    /// Returns the key of an object for testing conditions.
    pub(super) fn probe(&self, name: &str) -> Path {
        self.prefix.clone().join("probes").join(name)
    }

    /// Returns the canvas of a head's key, or `None` for a foreign key.
    pub(super) fn canvas(&self, head: &Path) -> Option<CanvasId> {
        let digits: String = head.prefix_match(&self.heads)?.map(|part| part.as_ref().to_owned()).collect();
        let id = String::from_utf8(read(digits.strip_suffix(HEAD)?)?).ok()?;
        let canvas = CanvasId::new(&id).ok()?;
        // Other keys may decode to the same id, with extra bits at the end or slashes in other places.
        (self.head(&canvas) == *head).then_some(canvas)
    }
}

fn spell_below(folder: Path, canvas: &CanvasId, end: &str) -> Path {
    let mut digits = spell(canvas.as_str().as_bytes());
    let mut path = folder;
    while digits.len() > SEGMENT {
        let rest = digits.split_off(SEGMENT);
        path = path.join(digits);
        digits = rest;
    }
    digits.push_str(end);
    path.join(digits)
}

fn spell(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(bytes.len() * 8 / 5 + 1);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in bytes {
        bits = bits << 8 | u32::from(*byte);
        count += 8;
        while count >= 5 {
            count -= 5;
            digits.push(digit(bits >> count));
        }
        bits &= (1 << count) - 1;
    }
    if count > 0 {
        digits.push(digit(bits << (5 - count)));
    }
    digits
}

fn digit(bits: u32) -> char {
    char::from(DIGITS[(bits & 31) as usize])
}

fn read_hex(digits: &str) -> Option<[u8; 32]> {
    let mut hash = [0; 32];
    for (i, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(2 * i..2 * i + 2)?, 16).ok()?;
    }
    Some(hash)
}

/// Decodes digits to bytes, and drops the remaining bits.
fn read(digits: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(digits.len() * 5 / 8);
    let (mut bits, mut count) = (0_u32, 0);
    for digit in digits.bytes() {
        let value = DIGITS.iter().position(|known| *known == digit)?;
        bits = (bits & 0x7f) << 5 | value as u32;
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys(prefix: &str) -> Keys {
        Keys::new(Path::from(prefix)).expect("the prefix is short")
    }

    fn canvas(id: &str) -> CanvasId {
        CanvasId::new(id).expect("the id is short")
    }

    #[test]
    fn keys_are_what_they_were() {
        let cases = [
            ("", "a", "heads/c4.head"),
            ("p/q", "a", "p/q/heads/c4.head"),
            ("p", "\0", "p/heads/00.head"),
            ("p", "foobar", "p/heads/cpnmuoj1e8.head"),
        ];
        for (prefix, id, key) in cases {
            assert_eq!(keys(prefix).head(&canvas(id)).as_ref(), key);
        }
        let id = BlobId::of(b"x");
        let keys = keys("p");
        let [put, old] = [keys.put(&canvas("a"), id, 7), keys.unnumbered(&canvas("a"), id)];
        assert_eq!(put.as_ref(), format!("p/blobs/c4.blobs/{}/000000000000e", spell(id.as_bytes())));
        assert_eq!(old.as_ref(), format!("p/blobs/c4.blobs/{id}"));
        let blobs = keys.blobs(&canvas("a"));
        for (key, number) in [(put, 7), (old, 0)] {
            assert_eq!(keys.read_put(&blobs, &key), Some(Put { hash: *id.as_bytes(), number }));
        }
        for other in
            ["p/blobs/c4.blobs/x", "p/blobs/c4.blobs/0/1", "p/blobs/c4.blobs/0/1/2", "p/blobs/c4.blobs"]
        {
            assert_eq!(keys.read_put(&blobs, &Path::from(other)), None, "{other}");
        }
    }

    #[test]
    fn the_longest_keys_fit() {
        let keys = keys(&"p".repeat(PREFIX_BYTES));
        let longest = canvas(&"\u{7f}".repeat(512));
        for key in [keys.head(&longest), keys.put(&longest, BlobId::of(b""), u64::MAX)] {
            assert!(key.as_ref().len() <= 1_024, "{}", key.as_ref().len());
            assert!(key.parts().all(|part| part.as_ref().len() <= 255));
        }
        assert!(Keys::new(Path::from("p".repeat(PREFIX_BYTES + 1))).is_none());
    }

    #[test]
    fn a_key_that_is_none_of_ours_names_no_canvas() {
        let keys = keys("p");
        let others = [
            "p/heads/c5.head",
            "p/heads/C4.head",
            "p/heads/c.head",
            "p/heads/c/4.head",
            "p/heads/.head",
            "p/heads/c4",
            "p/heads/c4.blobs",
            "p/heads/vs.head",
            "p/heads/c4.head/more",
            "heads/c4.head",
            "p/blobs/c4.head",
            "p/heads",
        ];
        for other in others {
            assert_eq!(keys.canvas(&Path::from(other)), None, "{other}");
        }
        assert_eq!(keys.canvas(&Path::from("p/heads/c4.head")), Some(canvas("a")));
    }

    /// Generates ids of few distinct characters, short and long, so that one is often a prefix of another.
    fn id() -> impl Strategy<Value = String> {
        let text = prop_oneof![
            "[\0a\u{7f}é\u{1f980}]{1,6}",
            (120_usize..130, "[\0a/]{0,3}").prop_map(|(n, end)| "a".repeat(n) + &end),
            (500_usize..510, "[\0a]{0,2}").prop_map(|(n, end)| "\u{7f}".repeat(n) + &end),
        ];
        text.prop_filter("a name", |id| (1..=512).contains(&id.len()))
    }

    proptest! {
        #[test]
        fn keys_lead_back_and_keep_the_order(a in id(), b in id()) {
            let keys = keys("p/q");
            let (a, b) = (canvas(&a), canvas(&b));
            let (key_a, key_b) = (keys.head(&a), keys.head(&b));
            prop_assert_eq!(keys.canvas(&key_a), Some(a.clone()));
            prop_assert_eq!(a.cmp(&b), key_a.as_ref().cmp(key_b.as_ref()));
            // The key of a head is never a folder of another head or of blobs.
            let blob_b = keys.put(&b, BlobId::of(b""), 1);
            let folder = format!("{key_a}/");
            prop_assert!(!key_b.as_ref().starts_with(&folder));
            prop_assert_eq!(blob_b == keys.put(&a, BlobId::of(b""), 1), a == b);
        }
    }
}

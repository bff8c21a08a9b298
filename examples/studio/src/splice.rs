//! One change of a text, with positions as JavaScript counts them: in UTF-16 code units.

use canvas_core::text::{Offset, PositionMap, word_changes};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What stands at `at` goes, for `remove` code units, and `insert` comes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Splice {
    at: usize,
    remove: usize,
    insert: String,
}

impl Splice {
    /// The smallest splice that turns one text into the other.
    pub(crate) fn between(before: &str, after: &str) -> Self {
        let mut start = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
        while !(before.is_char_boundary(start) && after.is_char_boundary(start)) {
            start -= 1;
        }
        let (old, new) = (&before[start..], &after[start..]);
        let mut end = old.bytes().rev().zip(new.bytes().rev()).take_while(|(a, b)| a == b).count();
        while !(old.is_char_boundary(old.len() - end) && new.is_char_boundary(new.len() - end)) {
            end -= 1;
        }
        Self {
            at: units(&before[..start]),
            remove: units(&old[..old.len() - end]),
            insert: new[..new.len() - end].to_owned(),
        }
    }

    /// The text with the splice done; `None` where it does not lie in the text, or cuts a character.
    pub(crate) fn apply(&self, text: &str) -> Option<String> {
        let map = PositionMap::new(text);
        let byte = |unit| map.at(Offset::Utf16(unit)).ok().map(|position| position.byte);
        let (start, end) = (byte(self.at)?, byte(self.at.checked_add(self.remove)?)?);
        Some([&text[..start], &self.insert, &text[end..]].concat())
    }
}

/// The words that differ: what goes, what comes, and where, in the new text.
pub(crate) fn words(before: &str, after: &str) -> Value {
    let map = PositionMap::new(after);
    let unit = |byte| map.at(Offset::Byte(byte)).map_or(0, |position| position.utf16);
    let changes = word_changes(before, after);
    let changes = changes.into_iter().map(
        |change| json!({"at": unit(change.new.start), "del": before[change.old], "ins": after[change.new]}),
    );
    changes.collect()
}

fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

#[cfg(test)]
mod tests {
    use super::{Splice, words};

    #[test]
    fn a_splice_leads_from_one_text_to_the_other() {
        let texts = [
            "",
            "a",
            "ab",
            "aab",
            "äb",
            "ä",
            "€",
            "𝄞",
            "𝄟x",
            "x𝄞y",
            "x𝄟y",
            "one two",
            "one  two\n",
            "é\r\nb",
            "e\r\nb",
        ];
        for before in texts {
            for after in texts {
                let splice = Splice::between(before, after);
                assert_eq!(splice.apply(before).as_deref(), Some(after), "{before:?} {after:?} {splice:?}");
            }
        }
        assert_eq!(Splice::between("x𝄞y", "x𝄟y"), Splice { at: 1, remove: 2, insert: "𝄟".into() });
    }

    #[test]
    fn what_does_not_lie_in_the_text_is_refused() {
        for (at, remove) in [(4, 0), (0, 4), (2, 0), (1, 1), (usize::MAX, 1), (1, usize::MAX)] {
            assert_eq!(Splice { at, remove, insert: String::new() }.apply("a𝄞"), None, "{at} {remove}");
        }
    }

    #[test]
    fn words_are_placed_in_the_new_text() {
        let found = words("𝄞 one two", "𝄞 1 two!");
        assert_eq!(found.to_string(), r#"[{"at":3,"del":"one","ins":"1"},{"at":8,"del":"","ins":"!"}]"#);
    }
}

//! Positions in bytes, characters, UTF-16 units and lines.

use canvas_patch::{Delta, Offset, Position, PositionMap, TextEdit};
use proptest::prelude::*;

/// Counts every position of a text, one character at a time.
fn all_positions(text: &str) -> Vec<Position> {
    let mut at = Position { byte: 0, scalar: 0, utf16: 0, line: 1, scalar_column: 0 };
    let mut all = vec![at];
    for char in text.chars() {
        at.byte += char.len_utf8();
        at.scalar += 1;
        at.utf16 += char.len_utf16();
        at.scalar_column += 1;
        if char == '\n' {
            (at.line, at.scalar_column) = (at.line + 1, 0);
        }
        all.push(at);
    }
    all
}

/// Checks every offset, and some outside of the text or inside a character.
fn check(positions: &PositionMap<'_>) {
    let all = all_positions(positions.text());
    let end = all[all.len() - 1];
    let refused = |offset| {
        let error = positions.at(offset).unwrap_err();
        assert_eq!((error.offset, error.code()), (offset, "POSITION_INVALID"));
    };
    let (mut byte, mut utf16) = (0, 0);
    for (index, position) in all.iter().enumerate() {
        let &Position { line, scalar_column, .. } = position;
        for offset in [
            Offset::Byte(position.byte),
            Offset::Scalar(position.scalar),
            Offset::Utf16(position.utf16),
            Offset::Line { line, scalar_column },
        ] {
            assert_eq!(positions.at(offset), Ok(*position), "{offset:?}");
        }
        (byte + 1..position.byte).for_each(|inside| refused(Offset::Byte(inside)));
        (utf16 + 1..position.utf16).for_each(|inside| refused(Offset::Utf16(inside)));
        (byte, utf16) = (position.byte, position.utf16);
        if all.get(index + 1).is_none_or(|next| next.line > line) {
            refused(Offset::Line { line, scalar_column: scalar_column + 1 });
        }
    }
    for more in [1, usize::MAX / 2] {
        refused(Offset::Byte(end.byte + more));
        refused(Offset::Scalar(end.scalar + more));
        refused(Offset::Utf16(end.utf16 + more));
        refused(Offset::Line { line: end.line + more, scalar_column: 0 });
        refused(Offset::Line { line: end.line, scalar_column: end.scalar_column + more });
    }
    refused(Offset::Line { line: 0, scalar_column: 0 });
    refused(Offset::Line { line: 1, scalar_column: usize::MAX });
}

/// Long enough for several entries of the map.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-zé€🦀\n\r]{0,40}",
        (0_usize..1_500).prop_map(|n| "x".repeat(n)),
        (0_usize..700).prop_map(|n| "🦀\n".repeat(n)),
    ];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

/// The start and end of a replaced part, as shares of the text, with the new text.
type Replacement = (prop::sample::Index, prop::sample::Index, String);

/// Makes edits of parts that do not overlap.
fn edits(text: &str, replacements: &[Replacement]) -> Vec<TextEdit> {
    let starts: Vec<_> = all_positions(text).iter().map(|position| position.byte).collect();
    let mut places: Vec<_> = replacements
        .iter()
        .map(|(a, b, new)| {
            let (a, b) = (a.index(starts.len()), b.index(starts.len()));
            (starts[a.min(b)], starts[a.max(b)].min(starts[a.min(b)] + 3_000), new)
        })
        .collect();
    places.sort_unstable();
    let mut edits: Vec<TextEdit> = Vec::new();
    for (start, end, new) in places {
        let end = (start..=end).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(start);
        let is_free = edits.last().is_none_or(|last| last.range().end < start);
        if is_free && text[start..end] != *new {
            edits.push(TextEdit { at: start, old: text[start..end].into(), new: new.as_str().into() });
        }
    }
    edits
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn every_position_has_all_units(text in texts()) {
        check(&PositionMap::new(text));
    }

    #[test]
    fn edits_keep_the_positions_right(
        text in texts(),
        rounds in prop::collection::vec(
            (prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), texts()), 0..4), any::<bool>()),
            1..4,
        ),
    ) {
        let mut positions = PositionMap::new(text);
        for (replacements, is_told) in rounds {
            let edits = edits(positions.text(), &replacements);
            let delta = Delta::try_from(edits).expect("the edits are in order");
            let after = delta.apply(positions.text()).expect("the edits are of this text");
            // Without the edits, the difference is found.
            positions.edit(after, if is_told { delta.edits() } else { &[] });
            check(&positions);
        }
    }
}

#[test]
fn small_texts() {
    for text in ["", "\n", "\r\n", "a\r\nb", "🦀", "a🦀\u{0}é", "\u{feff}a\n\n"] {
        check(&PositionMap::new(text));
    }
}

//! Positions in bytes, characters, UTF-16 units and lines.

use canvas_patch::{Delta, Position, PositionError, PositionMap, PositionUnit, TextEdit};
use proptest::prelude::*;

const UNITS: [PositionUnit; 4] =
    [PositionUnit::Byte, PositionUnit::Char, PositionUnit::Utf16, PositionUnit::Line];

/// Counts every position of a text, one character at a time.
fn all_positions(text: &str) -> Vec<Position> {
    let mut at = Position { byte: 0, char: 0, utf16: 0, line: 1 };
    let mut all = vec![at];
    for char in text.chars() {
        at.byte += char.len_utf8();
        at.char += 1;
        at.utf16 += char.len_utf16();
        at.line += usize::from(char == '\n');
        all.push(at);
    }
    all
}

fn offset(position: Position, unit: PositionUnit) -> usize {
    match unit {
        PositionUnit::Byte => position.byte,
        PositionUnit::Char => position.char,
        PositionUnit::Utf16 => position.utf16,
        PositionUnit::Line => position.line,
    }
}

/// Checks every offset of every unit, and some outside of the text.
fn check(positions: &PositionMap<'_>) {
    let all = all_positions(positions.text());
    let end = all[all.len() - 1];
    assert_eq!(positions.end(), end);
    for unit in UNITS {
        let mut wanted = all.iter().peekable();
        for at in 0..=offset(end, unit) {
            while wanted.next_if(|position| offset(**position, unit) < at).is_some() {}
            let there = wanted.peek().filter(|position| offset(***position, unit) == at);
            let expected = match there {
                Some(position) => Ok(**position),
                None if unit == PositionUnit::Line => {
                    Err(PositionError::OutOfText { unit, offset: at, end: end.line })
                }
                None => Err(PositionError::InCharacter { unit, offset: at }),
            };
            assert_eq!(positions.at(unit, at), expected, "{unit:?} {at}");
        }
        for at in [offset(end, unit) + 1, usize::MAX] {
            let error = positions.at(unit, at).unwrap_err();
            assert_eq!(error, PositionError::OutOfText { unit, offset: at, end: offset(end, unit) });
            assert_eq!(error.code(), "POSITION_OUT_OF_TEXT");
        }
    }
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
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

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
fn offsets_inside_characters_are_refused() {
    let positions = PositionMap::new("a🦀\u{0}é");
    for (unit, inside) in [(PositionUnit::Byte, &[2, 3, 4, 7][..]), (PositionUnit::Utf16, &[2])] {
        for &offset in inside {
            let error = positions.at(unit, offset).unwrap_err();
            assert_eq!(error, PositionError::InCharacter { unit, offset });
            assert_eq!(error.code(), "POSITION_IN_CHARACTER");
        }
    }
    let error = positions.at(PositionUnit::Line, 0).unwrap_err();
    assert_eq!(error, PositionError::OutOfText { unit: PositionUnit::Line, offset: 0, end: 1 });
}

//! How many tokens a text has.

/// Counts tokens as a model does, or more.
///
/// A closure from `&str` to `u64` is one.
pub trait TokenCounter {
    /// How many tokens this text has. A longer text must not have fewer.
    fn count(&self, text: &str) -> u64;
}

/// Half the bytes, rounded up.
///
/// An upper bound for JSON, Markdown and Japanese by the vocabularies that it was compared with. Prose has about half
/// as many. A quarter of the bytes, as many count, is too few for JSON with ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ByteEstimate;

impl TokenCounter for ByteEstimate {
    fn count(&self, text: &str) -> u64 {
        text.len().div_ceil(2) as u64
    }
}

/// About as many as the vocabulary o200k has: contexts of boards differ from it by less than a tenth, some up and some
/// down. Text without words, such as keys and hashes, may differ by more.
///
/// The text is cut where tokenizers cut it, at words, numbers and runs of other characters, and each piece is counted by
/// its length. The rates were fitted to contexts of boards, with titles in several languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PieceEstimate;

/// A token of a piece, in the unit of the rates below.
const TOKEN: u64 = 100;
/// Such units for one token of a text: some pieces share theirs with a neighbour.
const UNITS: u64 = 102;
/// Letters of the alphabet of ASCII that a word has for one token.
const LETTERS: u64 = 8;
/// Other letters that are written in words, each.
const FOREIGN_LETTER: u64 = 23;
/// A letter of a script without spaces.
const IDEOGRAM: u64 = 75;
/// A mark of another script, such as an emoji.
const SYMBOL: u64 = 140;
/// Marks of ASCII that a run has for one token.
const MARKS: u64 = 3;

impl TokenCounter for PieceEstimate {
    fn count(&self, text: &str) -> u64 {
        let mut units = 0;
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let piece = Piece::of(first);
            let end = rest
                .char_indices()
                .skip(1)
                .find(|(at, c)| Piece::of(*c) != piece || piece.is_cut_before(*c, &rest[..*at]))
                .map_or(rest.len(), |(at, _)| at);
            let (run, after) = rest.split_at(end);
            units += piece.units(run, after);
            rest = after;
        }
        units.div_ceil(UNITS)
    }
}

/// What a run of characters is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    Word,
    Number,
    Space,
    Marks,
    Foreign,
    Ideograms,
    Symbols,
}

impl Piece {
    fn of(c: char) -> Self {
        match c {
            _ if c.is_ascii_alphabetic() => Self::Word,
            _ if c.is_ascii_digit() => Self::Number,
            _ if c.is_whitespace() => Self::Space,
            _ if c.is_ascii() => Self::Marks,
            '\u{2e80}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' => Self::Ideograms,
            _ if c.is_alphabetic() => Self::Foreign,
            _ => Self::Symbols,
        }
    }

    /// Words are cut before a capital letter that follows a small one.
    fn is_cut_before(self, c: char, run: &str) -> bool {
        self == Self::Word && c.is_ascii_uppercase() && run.ends_with(|last: char| last.is_ascii_lowercase())
    }

    fn units(self, run: &str, after: &str) -> u64 {
        let chars = run.chars().count() as u64;
        match self {
            Self::Word => TOKEN * chars.div_ceil(LETTERS),
            Self::Number => TOKEN * chars.div_ceil(3),
            // A single space is part of the word after it.
            Self::Space if chars == 1 && after.starts_with(|c: char| !c.is_ascii_digit()) => 0,
            Self::Space => TOKEN,
            // Like the dot of `github.pr`, which many tokens begin with.
            Self::Marks if chars == 1 && after.starts_with(|c: char| c.is_ascii_alphabetic()) => TOKEN / 2,
            Self::Marks => TOKEN * chars.div_ceil(MARKS),
            Self::Foreign => FOREIGN_LETTER * chars,
            Self::Ideograms => IDEOGRAM * chars,
            Self::Symbols => SYMBOL * chars,
        }
    }
}

impl<F: Fn(&str) -> u64> TokenCounter for F {
    fn count(&self, text: &str) -> u64 {
        self(text)
    }
}

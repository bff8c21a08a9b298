//! Estimates of the number of tokens in a text.

/// Counts the tokens of a text as a model does, or overestimates them.
///
/// Every closure from `&str` to `u64` is a counter.
pub trait TokenCounter {
    /// Returns the number of tokens of this text. A longer text must not have fewer.
    fn count(&self, text: &str) -> u64;
}

/// Counts half the bytes, rounded up.
///
/// In comparisons with several vocabularies this was an upper bound for JSON, Markdown and Japanese. Prose has about
/// half as many tokens. A quarter of the bytes, a common estimate, is too few for JSON with ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ByteEstimate;

impl TokenCounter for ByteEstimate {
    fn count(&self, text: &str) -> u64 {
        text.len().div_ceil(2) as u64
    }
}

/// Counts about as many tokens as the vocabulary o200k. For contexts of boards the difference is less than a tenth, in
/// either direction. For text without words, such as keys and hashes, it may be larger.
///
/// The text is cut at the same points as tokenizers cut it, which are words, numbers and runs of other characters. Each
/// piece is then counted by its length. The rates were fitted to contexts of boards with titles in several languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PieceEstimate;

/// One token of a piece, in the unit of the rates below.
const TOKEN: u64 = 100;
/// Units for one token of a text, because some pieces share theirs with a neighbour.
const UNITS: u64 = 102;
/// Number of ASCII letters of a word for one token.
const LETTERS: u64 = 8;
/// Units for each other letter of scripts that write words.
const FOREIGN_LETTER: u64 = 23;
/// Units for a letter of a script without spaces.
const IDEOGRAM: u64 = 75;
/// Units for another symbol, such as an emoji.
const SYMBOL: u64 = 140;
/// Number of ASCII marks of a run for one token.
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

/// The kind of character in a run.
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

    /// A word is cut before a capital letter that follows a small one.
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
            // For example, the dot of `github.pr`, because many tokens begin with a dot.
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

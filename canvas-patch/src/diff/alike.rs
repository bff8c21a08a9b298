//! Characters that look alike, or that are invisible. They only appear in reports, and never make a patch fit.

use std::iter::Peekable;
use std::str::Chars;

/// Names of two characters that look alike.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CodePoints {
    /// Character in the patch, such as `U+00A0 no-break space` or `end of line`.
    pub expected: String,
    /// Character in the document.
    pub actual: String,
}

impl CodePoints {
    /// Names the characters of two lines at their first difference, or returns `None` if they do not look alike.
    pub(crate) fn of(expected: &str, actual: &str) -> Option<Self> {
        let (mut e, mut a) = (expected.chars(), actual.chars());
        let (first_e, first_a) = (e.next(), a.next());
        let is_marked = |rest: &mut Chars<'_>| rest.next().is_some_and(is_mark);
        let look_alike = match (first_e, first_a) {
            (Some(e), None) | (None, Some(e)) => {
                is_unseen(e) || is_mark(e) || !e.is_ascii() && e.is_whitespace()
            }
            (Some(one), Some(other)) => {
                is_unseen(one)
                    || is_unseen(other)
                    || is_mark(one)
                    || is_mark(other)
                    || are_alike(one, other)
                    || is_letter_beyond_ascii(one) && is_marked(&mut a)
                    || is_letter_beyond_ascii(other) && is_marked(&mut e)
            }
            (None, None) => false,
        };
        look_alike.then(|| Self { expected: name(first_e), actual: name(first_a) })
    }
}

/// Whether a reader cannot see any difference between two lines.
pub(crate) fn read_alike(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.chars().peekable(), other.chars().peekable());
    loop {
        skip(&mut one, is_unseen);
        skip(&mut other, is_unseen);
        match (one.next(), other.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) => {
                let (marks, others) = (skip(&mut one, is_mark), skip(&mut other, is_mark));
                let reads_alike = match (marks, others) {
                    (0, 0) => a == b || are_alike(a, b),
                    // One character has the mark in it.
                    (0, _) => is_letter_beyond_ascii(a),
                    (_, 0) => is_letter_beyond_ascii(b),
                    _ => marks == others && (a == b || are_alike(a, b)),
                };
                if !reads_alike {
                    return false;
                }
                if is_hangul(a) != is_hangul(b) {
                    skip(&mut one, is_jamo);
                    skip(&mut other, is_jamo);
                }
            }
            // Spaces at the end that are no ASCII.
            (Some(c), None) | (None, Some(c)) if c.is_whitespace() => {}
            _ => return false,
        }
    }
}

/// Removes the leading characters for which `is_such` holds, and returns their number.
fn skip(chars: &mut Peekable<Chars<'_>>, is_such: fn(char) -> bool) -> usize {
    std::iter::from_fn(|| chars.next_if(|&c| is_such(c))).count()
}

/// Whether the character has no width, like format characters, soft hyphens, variation selectors and tags.
fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e01ef}'
    )
}

/// Whether the character combines with the one before it.
fn is_mark(c: char) -> bool {
    matches!(
        c,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
            | '\u{20d0}'..='\u{20ff}' | '\u{3099}' | '\u{309a}' | '\u{fe20}'..='\u{fe2f}'
    )
}

fn is_letter_beyond_ascii(c: char) -> bool {
    !c.is_ascii() && c.is_alphabetic()
}

/// Whether the character is a whole syllable.
fn is_hangul(c: char) -> bool {
    matches!(c, '\u{ac00}'..='\u{d7a3}')
}

/// Whether the character is a part of a syllable.
fn is_jamo(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}')
}

fn are_alike(one: char, other: char) -> bool {
    is_hangul(one) && is_jamo(other)
        || is_jamo(one) && is_hangul(other)
        || one != other && look(one) == look(other)
}

/// Returns the common character that looks like `c`, or `c` itself if there is none.
fn look(c: char) -> char {
    // Letters of other scripts, below those of Latin that they look like.
    const OTHERS: &str = "АВЕКМНОРСТХУІЈЅаеорсухіјѕԁһԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧοικρν\u{212a}\u{212b}\u{2126}×";
    const LATIN: &str = "ABEKMHOPCTXYIJSaeopcyxijsdhqwABEZHIKMNOPTYXoikpvK\u{c5}\u{3a9}x";
    match c {
        '\u{2010}'..='\u{2015}' | '\u{2043}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => '-',
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2bc}' | '\u{b4}' | '\u{60}' | '\u{ff07}' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ab}' | '\u{bb}' | '\u{ff02}' => '"',
        '\u{2024}' | '\u{2026}' => '.',
        '\u{b7}' | '\u{2022}' | '\u{2027}' | '\u{2219}' | '\u{30fb}' => '\u{b7}',
        '\u{fb00}'..='\u{fb04}' => 'f',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        _ if c.is_whitespace() && c != '\t' => ' ',
        _ => OTHERS.chars().zip(LATIN.chars()).find(|(other, _)| *other == c).map_or(c, |(_, latin)| latin),
    }
}

fn name(c: Option<char>) -> String {
    let Some(c) = c else { return "end of line".to_owned() };
    let words = match c {
        ' ' => "space",
        '\t' => "tab",
        '-' => "hyphen-minus",
        '\'' => "apostrophe",
        '"' => "quotation mark",
        '\u{a0}' => "no-break space",
        '\u{ad}' => "soft hyphen",
        '\u{200b}' => "zero width space",
        '\u{200c}' => "zero width non-joiner",
        '\u{200d}' => "zero width joiner",
        '\u{200e}' => "left-to-right mark",
        '\u{200f}' => "right-to-left mark",
        '\u{2009}' => "thin space",
        '\u{2011}' => "non-breaking hyphen",
        '\u{2013}' => "en dash",
        '\u{2014}' => "em dash",
        '\u{2018}' | '\u{2019}' => "curly apostrophe",
        '\u{201c}' | '\u{201d}' => "curly quotation mark",
        '\u{2026}' => "ellipsis",
        '\u{202f}' => "narrow no-break space",
        '\u{2060}' => "word joiner",
        '\u{2212}' => "minus sign",
        '\u{3000}' => "ideographic space",
        '\u{feff}' => "byte order mark",
        _ if is_mark(c) => "combining mark",
        '\u{400}'..='\u{52f}' => "Cyrillic",
        '\u{370}'..='\u{3ff}' => "Greek",
        '\u{ff01}'..='\u{ff5e}' => "fullwidth",
        _ if c.is_ascii_alphanumeric() => return format!("U+{:04X} {c}", c as u32),
        _ => return format!("U+{:04X}", c as u32),
    };
    format!("U+{:04X} {words}", c as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names the first difference between texts that look the same to a reader.
    #[test]
    fn lines_that_look_alike_are_told_apart() {
        for (patch, text, expected, actual) in [
            ("a b", "a\u{a0}b", "U+0020 space", "U+00A0 no-break space"),
            ("a b", "a\u{202f}b", "U+0020 space", "U+202F narrow no-break space"),
            ("a b", "a\u{3000}b", "U+0020 space", "U+3000 ideographic space"),
            ("a b", "a\u{2009}b", "U+0020 space", "U+2009 thin space"),
            ("ab", "a\u{200b}b", "U+0062 b", "U+200B zero width space"),
            ("ab", "a\u{200d}b", "U+0062 b", "U+200D zero width joiner"),
            ("a\u{ad}b", "ab", "U+00AD soft hyphen", "U+0062 b"),
            ("ab", "ab\u{2060}", "end of line", "U+2060 word joiner"),
            ("ab", "\u{feff}ab", "U+0061 a", "U+FEFF byte order mark"),
            ("x-y", "x\u{2011}y", "U+002D hyphen-minus", "U+2011 non-breaking hyphen"),
            ("1-2", "1\u{2013}2", "U+002D hyphen-minus", "U+2013 en dash"),
            ("1-2", "1\u{2212}2", "U+002D hyphen-minus", "U+2212 minus sign"),
            ("don't", "don\u{2019}t", "U+0027 apostrophe", "U+2019 curly apostrophe"),
            ("\"a\"", "\u{201c}a\u{201d}", "U+0022 quotation mark", "U+201C curly quotation mark"),
            ("caf\u{e9}", "cafe\u{301}", "U+00E9", "U+0065 e"),
            ("cafe\u{301}", "caf\u{e9}", "U+0065 e", "U+00E9"),
            ("\u{304c}", "\u{304b}\u{3099}", "U+304C", "U+304B"),
            ("\u{ac00}", "\u{1100}\u{1161}", "U+AC00", "U+1100"),
            ("paper", "p\u{430}per", "U+0061 a", "U+0430 Cyrillic"),
            ("TOTAL", "T\u{39f}TAL", "U+004F O", "U+039F Greek"),
            ("abc", "\u{ff41}bc", "U+0061 a", "U+FF41 fullwidth"),
            ("a\u{fe0f}b", "ab", "U+FE0F", "U+0062 b"),
            ("a\u{200e}b", "ab", "U+200E left-to-right mark", "U+0062 b"),
        ] {
            let same = patch.bytes().zip(text.bytes()).take_while(|(e, a)| e == a).count();
            let same = crate::text::boundary::floor_char_boundary(patch, same);
            let found = CodePoints::of(&patch[same..], &text[same..]);
            let wanted = CodePoints { expected: expected.into(), actual: actual.into() };
            assert_eq!(found, Some(wanted), "{patch:?} {text:?}");
            assert!(read_alike(patch, text) && read_alike(text, patch), "{patch:?} {text:?}");
        }
    }

    #[test]
    fn other_lines_are_not_alike() {
        for (patch, text) in [
            ("ab", "ac"),
            ("Über", "über"),
            ("日本", "日木"),
            ("a", "a\u{301}"),
            ("r\u{e9}sum\u{e9}", "resume"),
            ("бок", "bok"),
            ("a b", "ab"),
        ] {
            assert!(!read_alike(patch, text), "{patch:?} {text:?}");
        }
        assert_eq!(CodePoints::of("本", "木"), None);
    }
}

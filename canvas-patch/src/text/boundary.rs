//! Ends of characters near a byte, as `str` has them since Rust 1.91.

/// The last start of a character that is not after byte `at`; the end of the text where `at` is after it.
pub fn floor_char_boundary(text: &str, at: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// The first start of a character that is not before byte `at`; the end of the text where `at` is after it.
pub(crate) fn ceil_char_boundary(text: &str, at: usize) -> usize {
    (at..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_are_those_of_the_standard_library() {
        for text in ["", "abc", "é", "a→b", "🦀🦀"] {
            for at in 0..text.len() + 3 {
                let expected = (text.floor_char_boundary(at), text.ceil_char_boundary(at));
                assert_eq!(
                    (floor_char_boundary(text, at), ceil_char_boundary(text, at)),
                    expected,
                    "{text} {at}"
                );
            }
        }
    }
}

//! Character boundaries near a byte, with the semantics that `str` has since Rust 1.91.

/// Returns the last character boundary that is not after the byte `at`, or the end of the text if `at` is after it.
pub fn floor_char_boundary(text: &str, at: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// Returns the first character boundary that is not before the byte `at`, or the end of the text if `at` is after it.
pub(crate) fn ceil_char_boundary(text: &str, at: usize) -> usize {
    (at..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_are_the_starts_of_characters_and_the_end() {
        for text in ["", "abc", "é", "a→b", "🦀🦀"] {
            let all = || text.char_indices().map(|(start, _)| start).chain([text.len()]);
            for at in 0..text.len() + 3 {
                let below = all().filter(|boundary| *boundary <= at).max();
                let above = all().find(|boundary| *boundary >= at).unwrap_or(text.len());
                assert_eq!(Some(floor_char_boundary(text, at)), below, "{text} {at}");
                assert_eq!(ceil_char_boundary(text, at), above, "{text} {at}");
            }
        }
    }
}

//! Text from elsewhere, prepared for a message.

/// Maximum characters of a label or other name.
#[cfg(feature = "zone")]
pub(crate) const NAME: usize = 80;

/// Clips a text to `most` characters on one line, with single spaces.
pub(crate) fn clip(text: &str, most: usize) -> String {
    let mut clipped = String::new();
    let (mut count, mut space) = (0, false);
    for char in text.chars() {
        if char.is_whitespace() || char.is_control() {
            space = count > 0;
            continue;
        }
        if count + usize::from(space) >= most {
            // The last character makes room for the mark.
            clipped.pop();
            clipped.push('…');
            break;
        }
        if space {
            clipped.push(' ');
            count += 1;
            space = false;
        }
        clipped.push(char);
        count += 1;
    }
    clipped
}

/// Returns `; perhaps a or b`, or an empty text without candidates.
#[cfg(feature = "zone")]
pub(crate) fn perhaps(candidates: &[String]) -> String {
    if candidates.is_empty() { String::new() } else { format!("; perhaps {}", candidates.join(" or ")) }
}

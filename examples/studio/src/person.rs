//! Who works in a window: a person by the name that the window chose. A host with accounts verifies the identity instead.

use canvas_core::{CodedError as _, PersonId};

use crate::error::Failure;

/// Maximum length of a name in bytes.
const MAX_BYTES: usize = 64;

/// Names that a list of people and changes uses for somebody else.
const RESERVED: [&str; 6] = ["user", "assistant", "host", "studio", "you", "no name"];

/// Checks the name that a window chose. The name is also the id, so that the journal shows it after a restart, and windows
/// with the same name are one person.
pub(crate) fn named(name: &str) -> Result<PersonId, Failure> {
    let invalid = |message: &str| Failure::new("INVALID_NAME", message);
    // The whole name is checked first, because the spaces at its ends may be control characters.
    PersonId::new(name).map_err(|error| Failure::new(error.code(), &error.to_string()))?;
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.len() > MAX_BYTES {
        let message = format!("the name has {} bytes: choose one of at most {MAX_BYTES} bytes", name.len());
        return Err(invalid(&message));
    }
    if name.chars().any(is_invisible) || !name.chars().any(char::is_alphanumeric) {
        return Err(invalid(
            "a name has a letter or a digit, and no invisible characters: choose another one",
        ));
    }
    if RESERVED.contains(&name.to_lowercase().as_str()) {
        let message = format!("{name:?} does not name one person: choose another name");
        return Err(Failure::new("NAME_RESERVED", &message));
    }
    PersonId::new(&name).map_err(|error| Failure::new(error.code(), &error.to_string()))
}

/// Whether a character has no shape, so that two names with it look the same. The two joiners of scripts and emoji have
/// one between others.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn a_name_is_visible_short_and_one_persons() {
        let long = "x".repeat(64);
        let longer = "x".repeat(65);
        for (name, expected) in [
            ("Anna", Ok("Anna")),
            ("  Anna \u{a0} Maria ", Ok("Anna Maria")),
            ("李雷", Ok("李雷")),
            ("<b>Bert</b>", Ok("<b>Bert</b>")),
            ("__proto__", Ok("__proto__")),
            (long.as_str(), Ok(long.as_str())),
            (longer.as_str(), Err("INVALID_NAME")),
            ("", Err("INVALID_NAME")),
            ("   ", Err("INVALID_NAME")),
            ("…", Err("INVALID_NAME")),
            ("Anna\n", Err("INVALID_NAME")),
            ("An\u{0}na", Err("INVALID_NAME")),
            ("\u{202e}annA", Err("INVALID_NAME")),
            ("Anna\u{2069}", Err("INVALID_NAME")),
            ("An\u{200b}na", Err("INVALID_NAME")),
            ("\u{3164}", Err("INVALID_NAME")),
            ("user", Err("NAME_RESERVED")),
            (" User ", Err("NAME_RESERVED")),
            ("Assistant", Err("NAME_RESERVED")),
            ("users", Ok("users")),
        ] {
            let found = named(name);
            let found =
                found.as_ref().map(|id| id.as_str()).map_err(|failure| failure.0["code"].as_str().unwrap());
            assert_eq!(found, expected, "{name:?}");
        }
    }
}

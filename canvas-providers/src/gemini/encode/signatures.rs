//! The signature rule of Gemini 3. In the current turn, the first call of each step must be signed, or the request is
//! refused.

use super::item::{Item, Role};
use crate::encoded::Degradations;

/// The documented signature for calls that the endpoint did not make itself.
const SENTINEL: &str = "skip_thought_signature_validator";

/// Whether the model checks signatures. Models from Gemini 3 on do, and so do models whose name means the latest one.
pub(super) fn are_checked(model: &str) -> bool {
    let Some((_, name)) = model.split_once("gemini-") else { return false };
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    match name[..digits].parse::<u32>() {
        Ok(major) => major >= 3,
        Err(_) => name.ends_with("-latest"),
    }
}

/// Signs the calls that must be signed and are not. Other calls of the same step are unchanged.
pub(super) fn fill(items: &mut [Item], degradations: &mut Degradations) {
    let last_said = items.iter().rposition(|item| item.role == Role::User);
    let turn = last_said.map_or(0, |said| said + 1);
    let mut is_first = true;
    for item in &mut items[turn..] {
        if item.role != Role::Model {
            is_first = true;
        } else if item.part.get("functionCall").is_some() && std::mem::take(&mut is_first) {
            let Some(part) = item.part.as_object_mut() else { continue };
            if !part.contains_key("thoughtSignature") {
                part.insert("thoughtSignature".to_owned(), SENTINEL.into());
                let how = "sent with the sentinel: this issuer did not sign the call";
                degradations.add_event(item.at, "signature", how);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_that_check() {
        let checked = ["gemini-3-flash-preview", "models/gemini-3.1-pro", "gemini-12", "gemini-flash-latest"];
        let unchecked = ["gemini-2.5-flash", "gemini-pro", "gemini-1.5-pro-latest", "claude", "gemma-3", ""];
        assert!(checked.into_iter().all(are_checked));
        assert!(!unchecked.into_iter().any(are_checked));
    }
}

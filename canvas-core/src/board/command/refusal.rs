//! Why a command is refused.

use serde_json::Value;

use crate::board::model::id::ComponentId;
use crate::board::wire::result::{CommandError, CommandErrorCode};
use crate::schema::ValidationError;

/// A refusal, boxed because it carries all that repairs it.
pub(super) type Refused = Box<CommandError>;

pub(super) fn refused(code: CommandErrorCode, message: String) -> Refused {
    Box::new(CommandError::new(code, message))
}

impl CommandError {
    /// A refusal of which nothing is known but its code and a message that says what to do next.
    pub const fn new(code: CommandErrorCode, message: String) -> Self {
        Self {
            code,
            message,
            component_id: None,
            place: None,
            errors: Vec::new(),
            colliding_ids: Vec::new(),
            free_positions: Vec::new(),
            candidates: Vec::new(),
            corrected: None,
        }
    }
}

pub(super) fn about(mut error: Refused, id: &ComponentId) -> Refused {
    error.component_id = Some(id.clone());
    error
}

pub(super) fn invalid(errors: Vec<ValidationError>, message: String, place: &str) -> Refused {
    let place = Some(format!("{place}{}", errors.first().map_or("", |error| error.path.as_str())));
    let error = CommandError::new(CommandErrorCode::ConfigValidationFailed, message);
    Box::new(CommandError { errors, place, ..error })
}

pub(super) fn no_object(found: &Value, place: &str, id: Option<&ComponentId>) -> Refused {
    let kind = match found {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    let message = format!("a config is an object, not {kind}: send its fields as one JSON object");
    let mut error = invalid(vec![fault("", &message, "type")], message, place);
    error.component_id = id.cloned();
    error
}

pub(super) fn fault(path: &str, message: &str, code: &str) -> ValidationError {
    ValidationError { path: path.into(), message: message.into(), code: code.into() }
}

pub(super) fn faults(errors: &[ValidationError]) -> String {
    match errors.len() {
        1 => "it".to_owned(),
        many => format!("all {many} faults"),
    }
}

pub(super) fn counted(components: usize) -> String {
    match components {
        1 => "one component".to_owned(),
        many => format!("{many} components"),
    }
}

pub(super) fn listed(ids: &[ComponentId]) -> String {
    const SHOWN: usize = 5;
    let mut text = ids.iter().take(SHOWN).map(ComponentId::as_str).collect::<Vec<_>>().join(", ");
    if ids.len() > SHOWN {
        text.push_str(&format!(" and {} more", ids.len() - SHOWN));
    }
    text
}

/// What a command has named, for a message of bounded length.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", canvas_patch::truncate(text, 80))
}

/// Up to three that may have been meant.
pub(super) fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    // More would cost more than the hint is worth.
    const LOOKED_AT: usize = 1_000;
    const SHOWN: usize = 3;
    let wanted: String = wanted.chars().take(80).collect();
    let mut ranked: Vec<(f64, &str)> = names
        .take(LOOKED_AT)
        .map(|name| (strsim::normalized_damerau_levenshtein(&wanted, name), name))
        .filter(|(likeness, _)| *likeness >= 0.5)
        .collect();
    ranked.sort_by(|one, two| two.0.total_cmp(&one.0).then(one.1.cmp(two.1)));
    ranked.into_iter().take(SHOWN).map(|(_, name)| name.to_owned()).collect()
}

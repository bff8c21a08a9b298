//! Summaries of components in words. Because others wrote the content, each summary is cut short and stays on one line.

use serde_json::{Map, Value};

use super::shape::{ComponentSummary, LoadingStatus, SummarizationLevel};
use crate::board::model::data::{DataError, DataLoadingState};
use crate::board::model::id::ComponentId;
use crate::board::model::workspace::ComponentInstance;
use crate::board::registry::ComponentCategory;
use crate::model::wording::{NAME, clip};

/// The facts about a type that a summary uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeInfo<'a> {
    /// Title of the type for people, such as `PR List`.
    pub name: &'a str,
    /// The category that the type declares.
    pub category: ComponentCategory,
    /// Ids of the type's actions, in the order of the type.
    pub actions: Vec<&'a str>,
}

/// Maximum number of words in a summary, which must have fewer than 50.
const WORDS: usize = 49;
/// Maximum number of characters in a summary, for languages that leave no space between words.
const SUMMARY: usize = 320;
/// Maximum number of characters in a highlight.
const HIGHLIGHT: usize = 120;
/// Maximum number of characters in an error's message, which a model should see in full. Minimal components use the
/// limit of a highlight.
const MESSAGE: usize = 400;
/// Maximum number of characters in a value of a summary.
const VALUE: usize = 40;

/// Summarizes the component at a level, under the name by which the model calls it.
pub(super) fn summarize(
    component: &ComponentInstance,
    name: ComponentId,
    info: Option<&TypeInfo<'_>>,
    level: SummarizationLevel,
) -> ComponentSummary {
    let type_name = clip(info.map_or_else(|| component.type_id.as_str(), |info| info.name), NAME);
    let minimal = level == SummarizationLevel::Minimal;
    let label = component.meta.label.as_deref().map(|label| clip(label, NAME));
    ComponentSummary {
        id: name,
        type_id: component.type_id.clone(),
        category: info.map_or(ComponentCategory::Utility, |info| info.category),
        position: component.position,
        size: component.size,
        summary: if minimal {
            label.unwrap_or_default()
        } else {
            sentence(component, &type_name, label.as_deref(), info.is_some(), level)
        },
        highlights: highlights(component, level),
        actions: match info {
            Some(info) if !minimal => info.actions.iter().map(|&action| action.to_owned()).collect(),
            _ => Vec::new(),
        },
        state_status: LoadingStatus::from(&component.data_state),
        type_name,
    }
}

/// For example, `PR List "Open work": limit 10, repo acme/app. 12 items.`
fn sentence(
    component: &ComponentInstance,
    type_name: &str,
    label: Option<&str>,
    known: bool,
    level: SummarizationLevel,
) -> String {
    let mut said = type_name.to_owned();
    if let Some(label) = label {
        said.push_str(&format!(" \"{label}\""));
    }
    if !known {
        said.push_str(" (a type that is not registered)");
    }
    let fields = if level == SummarizationLevel::Full { 8 } else { 3 };
    let config: Vec<String> =
        component.config.iter().take(fields).map(|(key, value)| reported(key, value)).collect();
    if !config.is_empty() {
        said.push_str(": ");
        said.push_str(&config.join(", "));
    }
    said.push_str(match &component.data_state {
        DataLoadingState::Idle if component.data_binding.is_none() => ". It has no data binding.",
        DataLoadingState::Idle => ". Its data were not fetched yet.",
        DataLoadingState::Loading { .. } => ". Its data are being fetched.",
        DataLoadingState::Ready { .. } => ".",
        DataLoadingState::Error { .. } => ". Its data could not be fetched.",
        DataLoadingState::Stale { .. } => ". Its data are out of date.",
    });
    let words: Vec<&str> = said.split_whitespace().take(WORDS).collect();
    clip(&words.join(" "), SUMMARY)
}

fn highlights(component: &ComponentInstance, level: SummarizationLevel) -> Vec<String> {
    let mut found = Vec::new();
    if let DataLoadingState::Error { error, .. } = &component.data_state {
        let message = if level == SummarizationLevel::Minimal { HIGHLIGHT } else { MESSAGE };
        found.push(failure(error, message));
    }
    let facts = match level {
        SummarizationLevel::Minimal => return found,
        SummarizationLevel::Condensed => 2,
        SummarizationLevel::Full => 7,
    };
    if component.meta.pinned {
        found.push("pinned".to_owned());
    }
    if let DataLoadingState::Ready { data, .. } | DataLoadingState::Stale { data, .. } = &component.data_state
    {
        found.extend(self::facts(data, facts));
    }
    found
}

/// For example, `error NETWORK: No route to the host. (may succeed after 3000 ms)`
fn failure(error: &DataError, message: usize) -> String {
    let mut said = format!("error {}: {}", error.code, clip(&error.message, message));
    match (error.retryable, error.retry_after) {
        (true, Some(wait)) => said.push_str(&format!(" (may succeed after {wait} ms)")),
        (true, None) => said.push_str(" (may succeed later)"),
        (false, _) => {}
    }
    said
}

/// Returns at most `most` facts from data of any shape. It looks only at the first level, and at the first items of a
/// list.
fn facts(data: &Value, most: usize) -> Vec<String> {
    let mut found = Vec::new();
    match data {
        Value::Array(items) => list(None, items, &mut found),
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::Array(items) => list(Some(key), items, &mut found),
                    Value::Object(_) => {}
                    scalar => {
                        found.push(clip(&format!("{}: {}", clip(key, VALUE), plain(scalar)), HIGHLIGHT))
                    }
                }
                if found.len() >= most {
                    break;
                }
            }
        }
        scalar => found.push(plain(scalar)),
    }
    found.truncate(most);
    found
}

/// Adds the number of items and the titles of the first three.
fn list(name: Option<&str>, items: &[Value], found: &mut Vec<String>) {
    let name = clip(name.unwrap_or("items"), VALUE);
    found.push(format!("{name}: {}", items.len()));
    found.extend(items.iter().take(3).filter_map(title));
}

/// Returns an item's title for people, such as `#12 Mend the login (open)`.
fn title(item: &Value) -> Option<String> {
    let fields = match item {
        Value::Object(fields) => fields,
        Value::Array(_) | Value::Null => return None,
        scalar => return Some(plain(scalar)),
    };
    let text = |keys: &[&str]| keys.iter().find_map(|key| scalar(fields, key));
    let title = text(&["title", "name", "label", "message", "summary", "description", "id"])?;
    let number = text(&["number"]).map_or_else(String::new, |number| format!("#{number} "));
    let state = text(&["state", "status"]).map_or_else(String::new, |state| format!(" ({state})"));
    Some(clip(&format!("{number}{title}{state}"), HIGHLIGHT))
}

fn scalar(fields: &Map<String, Value>, key: &str) -> Option<String> {
    match fields.get(key)? {
        Value::Object(_) | Value::Array(_) | Value::Null => None,
        scalar => Some(plain(scalar)),
    }
}

/// For example, `repo acme/app`, `labels bug, docs` or `labels (12 items)`.
fn reported(key: &str, value: &Value) -> String {
    /// Maximum number of named items. Together they must not be longer than a value.
    const NAMED: usize = 5;
    let key = clip(key, VALUE);
    if let Value::Array(items) = value
        && (1..=NAMED).contains(&items.len())
        && !items.iter().any(|item| item.is_array() || item.is_object())
    {
        let named = items.iter().map(plain).collect::<Vec<_>>().join(", ");
        if named.len() <= VALUE {
            return format!("{key} {named}");
        }
    }
    match value {
        Value::Array(items) => format!("{key} ({} items)", items.len()),
        Value::Object(fields) => format!("{key} ({} fields)", fields.len()),
        scalar => format!("{key} {}", clip(&plain(scalar), VALUE)),
    }
}

/// Formats a string, number, boolean or null as people write it.
fn plain(scalar: &Value) -> String {
    match scalar {
        Value::String(text) => clip(text, HIGHLIGHT),
        other => other.to_string(),
    }
}

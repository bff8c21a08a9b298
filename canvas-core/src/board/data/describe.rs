//! Short descriptions of data, for readers who do not see the data.

use canvas_patch::floor_char_boundary;
use serde_json::{Map, Value};

use super::DataMeta;

/// Maximum number of named items.
const HIGHLIGHTS: usize = 3;
/// Maximum size of an item's name, in bytes.
const NAME: usize = 80;

/// Returns a sentence and the highlights. Looks at three items at most, for any size of the data.
pub(super) fn describe(data: &Value, meta: &DataMeta) -> (String, Vec<String>) {
    let kind = cut(&meta.query.kind.replace('_', " "));
    match data {
        Value::Array(items) => {
            let summary = match meta.pagination {
                Some(page) if page.total != items.len() as u64 => {
                    format!("{} of {} {kind}", items.len(), page.total)
                }
                _ => format!("{} {kind}", items.len()),
            };
            (summary, items.iter().filter_map(item).take(HIGHLIGHTS).collect())
        }
        Value::Object(map) => match (map.get("metric"), map.get("value")) {
            (Some(Value::String(metric)), Some(value)) if !value.is_array() && !value.is_object() => {
                let text = format!("{}: {}", cut(&metric.replace('_', " ")), scalar(value));
                (text.clone(), vec![text])
            }
            _ => {
                let highlights = map.iter().filter_map(field).take(HIGHLIGHTS).collect();
                (format!("{kind}: {} fields", map.len()), highlights)
            }
        },
        Value::Null => (format!("{kind}: nothing"), Vec::new()),
        scalar_value => (format!("{kind}: {}", scalar(scalar_value)), Vec::new()),
    }
}

fn item(item: &Value) -> Option<String> {
    let Value::Object(map) = item else {
        return (!item.is_array() && !item.is_null()).then(|| scalar(item));
    };
    let title = ["title", "name", "label", "summary", "id"].into_iter().find_map(|name| text(map, name))?;
    let number = map.get("number").and_then(Value::as_u64).map(|number| format!("#{number} "));
    let state = text(map, "state").map(|state| format!(" ({state})"));
    Some(format!("{}{title}{}", number.unwrap_or_default(), state.unwrap_or_default()))
}

fn field((name, value): (&String, &Value)) -> Option<String> {
    (!value.is_array() && !value.is_object()).then(|| format!("{}: {}", cut(name), scalar(value)))
}

fn text(map: &Map<String, Value>, name: &str) -> Option<String> {
    map.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(cut)
}

fn scalar(value: &Value) -> String {
    value.as_str().map_or_else(|| cut(&value.to_string()), cut)
}

/// Returns a short, single line.
fn cut(text: &str) -> String {
    let end = floor_char_boundary(text, NAME);
    let line: String = text[..end].chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if end < text.len() { format!("{line}…") } else { line }
}

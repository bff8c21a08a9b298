//! Changes of a context, as JSON Patch (RFC 6902).

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::shape::CanvasContext;
use crate::json_patch::{self, JsonPatchOperation};

/// Returns the operations that turn a context shown before into another one, in order; empty if they are equal.
///
/// Components and views are matched by their ids, so that the removal of one does not change all that follow. If the
/// changes would be as long as the context, a single operation replaces the whole context instead. Costs `O(n log n)`
/// in the size of both.
pub fn diff_contexts(before: &CanvasContext, after: &CanvasContext) -> Vec<JsonPatchOperation> {
    let (before, after) = (value(before), value(after));
    let changes = changes(before, &after);
    let whole = vec![JsonPatchOperation::Replace { path: String::new(), value: after }];
    if length(&changes) < length(&whole) { changes } else { whole }
}

/// Lists whose items have ids.
const LISTS: [&str; 2] = ["/components", "/workspace/savedViews"];

fn changes(mut before: Value, after: &Value) -> Vec<JsonPatchOperation> {
    let mut changes = Vec::new();
    for list in LISTS {
        let (Some(Value::Array(old)), Some(Value::Array(new))) =
            (before.pointer_mut(list), after.pointer(list))
        else {
            continue;
        };
        align(list, old, new, &mut changes);
    }
    changes.extend(json_patch::diff(&before, after));
    changes
}

/// Gives the old list the ids of the new one, in the order of the new one as far as the remaining items keep their
/// order.
fn align(list: &str, old: &mut Vec<Value>, new: &[Value], changes: &mut Vec<JsonPatchOperation>) {
    let stay: BTreeSet<&str> = new.iter().filter_map(id).collect();
    let gone: Vec<usize> =
        (0..old.len()).filter(|&at| id(&old[at]).is_none_or(|id| !stay.contains(id))).collect();
    for &at in gone.iter().rev() {
        changes.push(JsonPatchOperation::Remove { path: format!("{list}/{at}") });
    }
    let mut kept = std::mem::take(old);
    kept.retain(|item| id(item).is_some_and(|id| stay.contains(id)));

    let were: BTreeSet<String> = kept.iter().filter_map(id).map(str::to_owned).collect();
    let mut kept = kept.into_iter();
    for item in new {
        if id(item).is_some_and(|id| were.contains(id)) {
            old.extend(kept.next());
        } else {
            changes
                .push(JsonPatchOperation::Add { path: format!("{list}/{}", old.len()), value: item.clone() });
            old.push(item.clone());
        }
    }
    // Remaining items, whose ids occur twice.
    old.extend(kept);
}

fn id(item: &Value) -> Option<&str> {
    item.get("id")?.as_str()
}

fn value(context: &CanvasContext) -> Value {
    serde_json::to_value(context).expect("the context has string keys alone")
}

fn length(changes: &[JsonPatchOperation]) -> usize {
    json!(changes).to_string().len()
}

//! What has changed in a context, as JSON Patch (RFC 6902).

use std::collections::BTreeSet;

use json_patch::PatchOperation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::shape::CanvasContext;

/// An operation of RFC 6902. `path` is a JSON Pointer into the context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum ContextChange {
    /// Something is there now.
    Add {
        /// Where; in a list, before what stood there.
        path: String,
        /// What.
        value: Value,
    },
    /// Something is gone.
    Remove {
        /// What.
        path: String,
    },
    /// Something is otherwise. An empty path is the whole context.
    Replace {
        /// What.
        path: String,
        /// How.
        value: Value,
    },
}

/// What leads from a context that was shown to another one, in order; nothing where they are the same.
///
/// Components and views are told apart by their ids, so that one that is gone does not change all behind it. Where the
/// changes would be as long as the context, it is the whole context instead. Costs `O(n log n)` in the size of both.
pub fn diff_contexts(before: &CanvasContext, after: &CanvasContext) -> Vec<ContextChange> {
    let (before, after) = (value(before), value(after));
    let changes = changes(before, &after);
    let whole = vec![ContextChange::Replace { path: String::new(), value: after }];
    if length(&changes) < length(&whole) { changes } else { whole }
}

/// Lists of things with ids.
const LISTS: [&str; 2] = ["/components", "/workspace/savedViews"];

fn changes(mut before: Value, after: &Value) -> Vec<ContextChange> {
    let mut changes = Vec::new();
    for list in LISTS {
        let (Some(Value::Array(old)), Some(Value::Array(new))) =
            (before.pointer_mut(list), after.pointer(list))
        else {
            continue;
        };
        align(list, old, new, &mut changes);
    }
    changes.extend(json_patch::diff(&before, after).0.into_iter().filter_map(change));
    changes
}

/// Makes the old list have the new one's ids in the new one's order, as far as what stays keeps its order.
fn align(list: &str, old: &mut Vec<Value>, new: &[Value], changes: &mut Vec<ContextChange>) {
    let stay: BTreeSet<&str> = new.iter().filter_map(id).collect();
    let gone: Vec<usize> =
        (0..old.len()).filter(|&at| id(&old[at]).is_none_or(|id| !stay.contains(id))).collect();
    for &at in gone.iter().rev() {
        changes.push(ContextChange::Remove { path: format!("{list}/{at}") });
    }
    let mut kept = std::mem::take(old);
    kept.retain(|item| id(item).is_some_and(|id| stay.contains(id)));

    let were: BTreeSet<String> = kept.iter().filter_map(id).map(str::to_owned).collect();
    let mut kept = kept.into_iter();
    for item in new {
        if id(item).is_some_and(|id| were.contains(id)) {
            old.extend(kept.next());
        } else {
            changes.push(ContextChange::Add { path: format!("{list}/{}", old.len()), value: item.clone() });
            old.push(item.clone());
        }
    }
    // Ids that came twice.
    old.extend(kept);
}

fn id(item: &Value) -> Option<&str> {
    item.get("id")?.as_str()
}

fn change(operation: PatchOperation) -> Option<ContextChange> {
    match operation {
        PatchOperation::Add(add) => Some(ContextChange::Add { path: add.path.to_string(), value: add.value }),
        PatchOperation::Remove(remove) => Some(ContextChange::Remove { path: remove.path.to_string() }),
        PatchOperation::Replace(replace) => {
            Some(ContextChange::Replace { path: replace.path.to_string(), value: replace.value })
        }
        // A diff has none of these.
        PatchOperation::Move(_) | PatchOperation::Copy(_) | PatchOperation::Test(_) => None,
    }
}

fn value(context: &CanvasContext) -> Value {
    serde_json::to_value(context).expect("the context has string keys alone")
}

fn length(changes: &[ContextChange]) -> usize {
    json!(changes).to_string().len()
}

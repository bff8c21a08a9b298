//! Patches of a state, with the operations add, replace and remove of JSON Patch (RFC 6902).

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::json_patch::JsonPatchOperation;
use crate::surface::error::{SurfaceCode, SurfaceFault};
use crate::surface::limits::SurfaceLimits;
use crate::surface::state::edit::{Edit, StateDraft};
use crate::surface::state::pointer::StatePointer;
use crate::surface::state::surface_state::{ChangedState, SurfaceState};
use crate::surface::state::value::StateValue;

/// A list of operations on a state that are applied together or not at all.
///
/// They follow RFC 6902, except that `replace` also sets a missing member of an existing object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct StatePatch(Vec<Operation>);

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Operation {
    Add { path: StatePointer, value: StateValue },
    Replace { path: StatePointer, value: StateValue },
    Remove { path: StatePointer },
}

impl StatePatch {
    /// Maximum number of operations in a patch.
    pub const OPERATIONS: usize = 1024;

    /// Parses a patch, which is a list of operations. Unknown members of an operation are ignored, as RFC 6902
    /// requires.
    ///
    /// # Errors
    ///
    /// Returns all faults with their places in the patch. The codes are `UNSUPPORTED_OP`, `STATE_PATH`, and
    /// `PATCH_FAILED` if a member is missing or has the wrong type, or if there are too many operations.
    pub fn parse(patch: &Value) -> Result<Self, Vec<SurfaceFault>> {
        let failed = |message: String| vec![SurfaceFault::new("", SurfaceCode::PatchFailed, message)];
        let list = patch
            .as_array()
            .ok_or_else(|| failed("the patch is not a list of operations: send one".into()))?;
        if list.len() > Self::OPERATIONS {
            let (count, limit) = (list.len(), Self::OPERATIONS);
            return Err(failed(format!(
                "the patch has {count} operations, the limit is {limit}: send several"
            )));
        }
        let (mut operations, mut faults) = (Vec::with_capacity(list.len()), Vec::new());
        for (number, operation) in list.iter().enumerate() {
            match parse_operation(operation) {
                Ok(operation) => operations.push(operation),
                Err(fault) => faults.push(fault.under(&format!("/{number}"))),
            }
        }
        if faults.is_empty() { Ok(Self(operations)) } else { Err(faults) }
    }

    /// Applies all operations together or fails without a change. Costs as much as the values added and removed, and
    /// the lists and objects on the paths to them. The other parts are shared.
    ///
    /// # Errors
    ///
    /// Returns the first fault with its place in the patch. The code is `PATCH_FAILED` or `STATE_TOO_LARGE`.
    pub fn apply(&self, state: &SurfaceState, limits: &SurfaceLimits) -> Result<ChangedState, SurfaceFault> {
        let mut draft = StateDraft::new(state);
        for (number, operation) in self.0.iter().enumerate() {
            let (path, edit) = match operation {
                Operation::Add { path, value } => (path, Edit::Add(value.clone())),
                Operation::Replace { path, value } => (path, Edit::Replace(value.clone())),
                Operation::Remove { path } => (path, Edit::Remove),
            };
            draft.edit(path, edit, limits).map_err(|error| {
                SurfaceFault::new(format!("/{number}/path"), error.code(), format!("{path}: {error}"))
            })?;
        }
        draft.finish(limits)
    }

    /// Returns the number of operations. A patch without operations changes no state.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the patch has no operations.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn parse_operation(operation: &Value) -> Result<Operation, SurfaceFault> {
    let fault = |place: &str, code, message: &str| SurfaceFault::new(place, code, message);
    let Value::Object(members) = operation else {
        return Err(fault(
            "",
            SurfaceCode::PatchFailed,
            "the operation is not an object with op and path: send one",
        ));
    };
    let op = text(members, "op")?;
    if !matches!(op, "add" | "replace" | "remove") {
        let message = "the operation is not add, replace or remove: use one of these";
        return Err(fault("/op", SurfaceCode::UnsupportedOp, message));
    }
    let path = StatePointer::new(text(members, "path")?);
    let path = path.map_err(|error| fault("/path", SurfaceCode::StatePath, &error.to_string()))?;
    if op == "remove" {
        return Ok(Operation::Remove { path });
    }
    let value = members.get("value");
    let value = value.ok_or_else(|| {
        fault("", SurfaceCode::PatchFailed, "the operation has no value: give one, null is one")
    })?;
    let value = StateValue::from(value.clone());
    Ok(if op == "add" { Operation::Add { path, value } } else { Operation::Replace { path, value } })
}

fn text<'a>(members: &'a Map<String, Value>, name: &str) -> Result<&'a str, SurfaceFault> {
    let fault = |place, message| SurfaceFault::new(place, SurfaceCode::PatchFailed, message);
    match members.get(name) {
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(fault(format!("/{name}"), format!("{name} is not a string: send one"))),
        None => Err(fault(String::new(), format!("the operation has no {name}: give one"))),
    }
}

impl JsonSchema for StatePatch {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "StatePatch".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut schema = Vec::<JsonPatchOperation>::json_schema(generator);
        schema.insert("description".into(), "Operations on a state, all or nothing.".into());
        schema
    }
}

#[cfg(test)]
mod tests;

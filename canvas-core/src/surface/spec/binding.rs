//! Bindings, which connect names on the screen with actions.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::model::id::name;
use crate::model::json_pointer::join_pointer;
use crate::surface::error::SurfaceCode;
use crate::surface::limits::SurfaceLimits;
use crate::surface::name::ActionId;
use crate::surface::spec::action::ReadActions;
use crate::surface::spec::fields::{Faults, Fields, decode};

name! {
    /// Names something on the screen that triggers an action, such as `buttons.deployNow`.
    BindingName
}

/// Reads the bindings of a spec.
pub(super) fn read(
    spec: &mut Fields<'_>,
    actions: &ReadActions,
    limits: &SurfaceLimits,
    faults: &mut Faults,
) -> BTreeMap<BindingName, ActionId> {
    let Some(entries) = spec.entries("bindings", faults) else { return BTreeMap::new() };
    let place = spec.at("bindings");
    if entries.len() > limits.bindings {
        let (count, limit) = (entries.len(), limits.bindings);
        faults.spec(&place, format!("the spec has {count} bindings, the limit is {limit}: remove some"));
        return BTreeMap::new();
    }
    let mut bindings = BTreeMap::new();
    for (name, action) in entries {
        let here = join_pointer(&place, name);
        let name = match BindingName::new(name) {
            Ok(name) => name,
            Err(error) => {
                faults.spec(&here, error.to_string());
                continue;
            }
        };
        if let Some(action) = read_action(action, &here, actions, faults) {
            bindings.insert(name, action);
        }
    }
    bindings
}

/// Reads the id of an existing action.
pub(super) fn read_action(
    action: &Value,
    place: &str,
    actions: &ReadActions,
    faults: &mut Faults,
) -> Option<ActionId> {
    let action: ActionId = decode(action, place, SurfaceCode::SpecInvalid, faults)?;
    if actions.lacks(&action) {
        faults.spec(place, format!("there is no action {action}: name one of the spec, or add it"));
        return None;
    }
    Some(action)
}

//! Compilation of a spec, which finds all of its faults.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::model::json_pointer::join_pointer;
use crate::surface::error::{SurfaceCode, SurfaceFault};
use crate::surface::limits::SurfaceLimits;
use crate::surface::name::{ActionId, ToolName};
use crate::surface::policy::Ceiling;
use crate::surface::spec::action::{ActionScope, ReadActions};
use crate::surface::spec::compiled::Spec;
use crate::surface::spec::fields::{Faults, Fields, decode};
use crate::surface::spec::wire::SurfaceMode;
use crate::surface::spec::{binding, refresh};
use crate::surface::state::surface_state::SurfaceState;
use crate::surface::state::value::{StateValue, json_bytes};

impl Spec {
    /// Checks and compiles a spec. Linear in its size, except for its names.
    ///
    /// # Errors
    ///
    /// Returns each fault with its code and its place in the spec, in the order of the spec and at most 64.
    pub fn compile(
        json: &Value,
        ceiling: &Ceiling,
        limits: &SurfaceLimits,
    ) -> Result<Self, Vec<SurfaceFault>> {
        let mut faults = Faults::default();
        let (bytes, limit) = (json_bytes(json), limits.spec_bytes);
        if bytes > limit {
            faults.spec("", format!("the spec has {bytes} bytes, the limit is {limit}: make it smaller"));
            return Err(faults.into_list());
        }
        let spec = read(json, ceiling, limits, &mut faults);
        let faults = faults.into_list();
        spec.filter(|_| faults.is_empty()).ok_or(faults)
    }

    /// Reads a saved spec, even if the host and the limits of specs are different now. An action stays with a fault if
    /// its template no longer fits the host's tool. Returns `None` if the text is not a spec.
    pub(crate) fn load(json: &str, ceiling: &Ceiling, limits: &SurfaceLimits) -> Option<Self> {
        let json: Value = serde_json::from_str(json).ok()?;
        // The limit on a call's arguments applies at each call.
        let limits = SurfaceLimits { argument_bytes: limits.argument_bytes, ..SurfaceLimits::UNLIMITED };
        read(&json, ceiling, &limits, &mut Faults::default())
    }
}

fn read(json: &Value, ceiling: &Ceiling, limits: &SurfaceLimits, faults: &mut Faults) -> Option<Spec> {
    let mut fields = Fields::open(json, "", faults)?;
    if fields.require::<u64>("version", faults).is_some_and(|version| version != 1) {
        faults.spec("/version", "only version 1 is known: write the spec for it");
    }
    let _: Option<SurfaceMode> = fields.require("mode", faults);
    let allow_list = allow_list(&mut fields, faults);
    let allow: BTreeSet<_> = allow_list.iter().cloned().collect();
    let state = state(&mut fields, limits, faults);
    let scope = ActionScope { allow: &allow, ceiling, limits };
    let actions = actions(&mut fields, &scope, faults);
    let bindings = binding::read(&mut fields, &actions, limits, faults);
    let jobs = refresh::read(&mut fields, &actions, (ceiling, limits), faults);
    fields.finish(faults);
    let actions = actions.by_id.into_iter().filter_map(|(id, action)| Some((id, action?))).collect();
    Some(Spec { allow_list, allow, state: state?, actions, bindings, jobs })
}

fn allow_list(spec: &mut Fields<'_>, faults: &mut Faults) -> Vec<ToolName> {
    let place = spec.at("toolPolicy");
    let Some(mut policy) = spec.value("toolPolicy").and_then(|policy| Fields::open(policy, &place, faults))
    else {
        return Vec::new();
    };
    let list = policy.read::<Vec<Value>>("allow", faults).unwrap_or_default();
    let place = policy.at("allow");
    policy.finish(faults);
    let (mut allow, mut seen) = (Vec::new(), BTreeSet::new());
    for (number, tool) in list.iter().enumerate() {
        let here = join_pointer(&place, &number.to_string());
        let Some(tool) = decode::<ToolName>(tool, &here, SurfaceCode::SpecInvalid, faults) else { continue };
        if tool.as_str().contains(['*', '?']) {
            faults.spec(&here, "the tool is named with a wildcard: name each tool in full");
        } else if !seen.insert(tool.clone()) {
            faults.spec(&here, format!("{tool} is in the list already: name it once"));
        }
        allow.push(tool);
    }
    allow
}

/// Reads the initial state, which is an empty object by default.
fn state(spec: &mut Fields<'_>, limits: &SurfaceLimits, faults: &mut Faults) -> Option<SurfaceState> {
    let empty = Value::Object(serde_json::Map::new());
    let value = StateValue::from(spec.value("state").unwrap_or(&empty).clone());
    SurfaceState::new(value, limits).map_err(|fault| faults.push(fault.under("/state"))).ok()
}

fn actions(spec: &mut Fields<'_>, scope: &ActionScope<'_>, faults: &mut Faults) -> ReadActions {
    let mut actions = ReadActions { by_id: BTreeMap::new(), is_list: true };
    let is_there = spec.value("actions").is_some();
    let Some(entries) = spec.entries("actions", faults) else {
        actions.is_list = !is_there;
        return actions;
    };
    let place = spec.at("actions");
    if entries.len() > scope.limits.actions {
        let (count, limit) = (entries.len(), scope.limits.actions);
        faults.spec(&place, format!("the spec has {count} actions, the limit is {limit}: remove some"));
        actions.is_list = false;
        return actions;
    }
    for (id, action) in entries {
        let here = join_pointer(&place, id);
        match ActionId::new(id) {
            Ok(id) => {
                actions.by_id.insert(id, scope.read(action, &here, faults));
            }
            Err(error) => faults.spec(&here, error.to_string()),
        }
    }
    actions
}

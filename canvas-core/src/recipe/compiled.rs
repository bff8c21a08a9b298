//! Compiled recipes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::board::{BoardPatch, ComponentId};
use crate::model::blob::{Blob, BlobId};
use crate::recipe::drift::Drift;
use crate::recipe::limits::RecipeLimits;
use crate::recipe::mapping::{Mapping, Target};
use crate::recipe::recipe_step::{RecipeStep, allowed};
use crate::surface::Ceiling;
use crate::zone::Zone;

/// The origin of data, as tool calls in order and mappings for parts of their responses. It is compiled once for all
/// replays.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// Canonical JSON of the recipe.
    pub(super) blob: Blob,
    pub(super) zone: Zone,
    pub(super) steps: Vec<RecipeStep>,
    pub(super) mappings: Vec<Mapping>,
    pub(super) composition: Option<BoardPatch>,
}

impl Recipe {
    /// Returns the hash of the canonical JSON. Equal recipes have equal ids.
    pub fn id(&self) -> BlobId {
        self.blob.id()
    }

    /// Returns the JSON of the recipe. Linear in its size.
    pub fn to_json(&self) -> Value {
        let text = self.blob.as_text().unwrap_or_default();
        serde_json::from_str(text).unwrap_or_default()
    }

    /// Returns the zone of the time expressions.
    pub fn zone(&self) -> &Zone {
        &self.zone
    }

    /// Returns the calls. Each comes after those whose responses it needs.
    pub fn steps(&self) -> &[RecipeStep] {
        &self.steps
    }

    /// Returns the mappings for parts of the responses. Each leads to a different place.
    pub fn mappings(&self) -> &[Mapping] {
        &self.mappings
    }

    /// Returns the board changes of the turn in which the recipe was recorded, or `None` if the recipe lacks them.
    pub fn composition(&self) -> Option<&BoardPatch> {
        self.composition.as_ref()
    }

    /// Returns the step whose response a mapping uses.
    pub fn step_of(&self, mapping: &Mapping) -> Option<&RecipeStep> {
        self.steps.iter().find(|step| step.id == mapping.step)
    }

    /// Returns the components that no replay feeds, each with the reason, in the order of the mappings.
    pub fn non_refreshable(&self) -> Vec<(ComponentId, String)> {
        let frozen = self.mappings.iter().filter_map(|mapping| {
            let reason = self.step_of(mapping)?.frozen()?;
            Some((mapping.target.component()?.clone(), reason.to_owned()))
        });
        frozen.collect()
    }

    /// Returns the indices of the steps that feed these targets and of the steps that those need, in ascending order.
    /// Frozen steps are left out.
    pub fn steps_for<'t>(&self, targets: impl IntoIterator<Item = &'t Target>) -> Vec<usize> {
        let targets: BTreeSet<_> = targets.into_iter().collect();
        let places: BTreeMap<_, _> = self.steps.iter().enumerate().map(|(at, step)| (&step.id, at)).collect();
        let mapped = self.mappings.iter().filter(|mapping| targets.contains(&mapping.target));
        let mut needed: BTreeSet<usize> =
            mapped.filter_map(|mapping| places.get(&mapping.step).copied()).collect();
        // Sources come earlier. In a loop from the last step to the first, each step therefore comes after all that
        // need it.
        for place in (0..self.steps.len()).rev() {
            if needed.contains(&place) {
                needed.extend(&self.steps[place].sources);
            }
        }
        needed.into_iter().filter(|place| self.steps[*place].frozen.is_none()).collect()
    }

    /// Returns the recipe with the current contracts of its tools on the host. A step that names a contract keeps it. A
    /// step whose tool cannot be called again is frozen with the reason.
    ///
    /// # Panics
    ///
    /// Never, because all contracts and frozen parameters can be read again.
    #[must_use]
    pub fn pinned(&self, ceiling: &Ceiling) -> Self {
        let mut json = self.to_json();
        let mut is_changed = false;
        for (place, step) in
            self.steps.iter().enumerate().filter(|(_, step)| step.parameters.frozen().is_none())
        {
            let wire = &mut json["steps"][place];
            match allowed(&step.tool, ceiling) {
                Ok(contract) if step.contract.is_none() => {
                    wire["contract"] = contract.hash().to_string().into();
                    if let Some(version) = &contract.declaration().version {
                        wire["toolVersion"] = version.as_str().into();
                    }
                }
                Ok(_) => continue,
                Err(Drift { message, .. }) => {
                    let sent = wire.get_mut("params").map_or_else(|| json!({}), Value::take);
                    wire["params"] = json!({"$frozen": message, "value": sent});
                }
            }
            is_changed = true;
        }
        if !is_changed {
            return self.clone();
        }
        Self::compile(&json, &RecipeLimits::UNLIMITED)
            .expect("a contract, and parameters that are frozen, are read")
    }
}

//! Commands that end a replay.

use std::collections::BTreeSet;

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::board::ComponentId;
use crate::history::step::Step;
use crate::json_patch::JsonPatchOperation;
use crate::model::author::Author;
use crate::model::blob::BlobId;
use crate::model::face::TreeFile;
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::model::revision::Revision;
use crate::recipe::outcome::{Landed, Landing};
use crate::recipe::refusal::RecipeRefusal;
use crate::recipe::{ChangedPlace, RecipeFault, ReplayOutcome, RunId, StaleTarget, Target};
use crate::surface::{SurfaceDiff, SurfaceState};
use crate::transition::access::{access_of, author_text};
use crate::transition::command::sealed::Decide;
use crate::transition::command::{Command, Outcome};
use crate::transition::recipe::files::{RECIPE_FILES, Refused, unread};
use crate::transition::recipe::record::{counted, refused};
use crate::transition::refusal::RecipeCommandRefusal;
use crate::transition::rollout::Access;
use crate::transition::step::{Record, Stop, Transition};

/// Ends a replay. Its results are compared with the current canvas, and differences are committed.
///
/// Targets without an outcome stay unchanged, and so do removed components. If the canvas already agrees, the command
/// commits no change.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishReplay {
    /// The author who requested the replay.
    pub by: Author,
    /// Id of the replayed recipe.
    pub recipe: BlobId,
    /// Id of the replay.
    pub run: RunId,
    /// Time at which the time expressions of the replay were resolved.
    pub now: Timestamp,
    /// Results of the replay, at most one for each target of the recipe.
    pub outcomes: Vec<ReplayOutcome>,
    /// Whether to report the changes without committing them.
    pub dry_run: bool,
}

/// Result of a finished replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplayFinished {
    /// Revision of the canvas, which stays the same if no change was committed.
    pub revision: Revision,
    /// Whether a change was committed.
    pub committed: bool,
    /// Places with changed values. [`FinishReplay::patch`] turns them into a patch.
    pub changed: Vec<ChangedPlace>,
    /// Components with data from the replay, changed or unchanged, in the order of the outcomes.
    pub refreshed: Vec<ComponentId>,
    /// Targets that the replay could not refresh.
    pub stale: Vec<StaleTarget>,
}

impl FinishReplay {
    /// Returns the result as a JSON Patch (RFC 6902) on an object with the members `data`, which maps components to
    /// values, and `state`. It is empty if the values are unchanged, even if some became stale. Linear in the values.
    pub fn patch(&self, finished: &ReplayFinished) -> Vec<JsonPatchOperation> {
        finished.changed.iter().filter_map(|place| place.operation(&self.outcomes)).collect()
    }

    fn check_outcomes(&self, targets: &[Target]) -> Refused<()> {
        let mut open: BTreeSet<_> = targets.iter().collect();
        let outcomes = self.outcomes.iter().enumerate();
        let unknown = outcomes.filter(|(_, outcome)| !open.remove(&outcome.target)).map(|(number, _)| {
            let message = "the recipe does not feed this, or it is here twice: name each target once";
            RecipeFault::invalid(format!("/outcomes/{number}/target"), message)
        });
        let faults: Vec<_> = unknown.collect();
        if faults.is_empty() { Ok(()) } else { Err(refused(faults)) }
    }
}

impl Command for FinishReplay {
    type Done = ReplayFinished;
    type Refusal = RecipeCommandRefusal;
}

impl Decide for FinishReplay {
    const NAME: &'static str = "finish_replay";
    const KIND: &'static str = "replay_finished";
    const FILES: &'static [TreeFile] = RECIPE_FILES;

    fn access(&self) -> Option<Access> {
        access_of(self.by)
    }

    fn digest(&self) -> Digest {
        let Self { by, recipe, run, now, outcomes, dry_run } = self;
        let outcomes = outcomes.iter().map(|outcome| match &outcome.result {
            Ok(datum) => (&outcome.target, Ok(datum.id())),
            Err(drift) => (&outcome.target, Err(drift)),
        });
        let outcomes: Vec<_> = outcomes.collect();
        let rest = (recipe, run, now, outcomes, dry_run);
        let rest = serde_json::to_string(&rest).expect("its maps have text for keys");
        Digest::of(&["finish_replay", &author_text(*by), &rest].map(str::as_bytes))
    }

    fn decide(&self, at: &mut Transition<'_>, operation: &OpKey) -> Refused<ReplayFinished> {
        let recipe = at.recipe_now()?.ok_or_else(|| Stop::refused(RecipeRefusal::RecipeNotFound))?;
        if recipe.id() != self.recipe {
            return Err(Stop::refused(RecipeRefusal::RecipeReplaced));
        }
        self.check_outcomes(recipe.targets())?;
        let (components, manifest) = (at.fed_components()?, at.manifest_now()?);
        let state = at.view.files().get::<SurfaceState>(()).map_err(unread)?;
        let landing = Landing {
            manifest: &manifest,
            state: state.as_deref(),
            limits: &at.policy.surface,
            now: self.now,
        };
        let Landed { data, blobs, state, changed, refreshed, stale } =
            landing.land(&self.outcomes, |id| components.has(id));
        let committed = !self.dry_run && (!data.is_empty() || state.is_some());
        if committed {
            at.next_revision::<RecipeCommandRefusal>()?;
            let mut steps = Vec::with_capacity(2);
            if !data.is_empty() {
                at.put_data(&manifest, &data)?;
                at.blobs.extend(blobs);
                steps.push(Step::from(data));
            }
            if let Some(changed) = state {
                at.put_state(changed.state);
                steps.push(SurfaceDiff { state: changed.changes, files: Vec::new() }.into());
            }
            let mut steps = steps.into_iter();
            let (Some(step), also) = (steps.next(), steps.collect()) else {
                unreachable!("the data or the state have changed");
            };
            let summary = format!("refreshed {}, {} stale", counted(refreshed.len()), stale.len());
            at.record_effect(Record { actor: self.by.actor(), operation, summary }, step, also);
        }
        Ok(ReplayFinished { revision: at.head.revision, committed, changed, refreshed, stale })
    }

    /// A replay without changes may be finished again.
    fn is_kept(outcome: &Outcome<Self>) -> bool {
        outcome.as_ref().is_ok_and(|finished| finished.committed)
    }

    /// Whether the canvas already agrees must not be decided on an old head.
    fn is_refusal(outcome: &Outcome<Self>) -> bool {
        !Self::is_kept(outcome)
    }
}

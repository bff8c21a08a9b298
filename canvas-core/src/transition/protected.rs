//! Sets the places that no model may change, and checks the changes of models.

use canvas_patch::{Address, Delta, EditPolicy};
use serde::{Deserialize, Serialize};

use crate::model::format::Format;
use crate::model::op_key::OpKey;
use crate::model::protected::ProtectedPlaces;
use crate::model::receipt::Digest;
use crate::transition::command::Command;
use crate::transition::command::sealed::Decide;
use crate::transition::refusal::{CallRefusal, PatchRefusal};
use crate::transition::step::{Stop, Transition};
use crate::transition::view::View;

/// Sets the places of the document that no model may change, in place of those set before.
///
/// A change by a model, by the host in a model's name, or by a model's undo is refused with
/// [`EditPolicyError::Protected`](canvas_patch::EditPolicyError::Protected) if it changes, moves or adds to such a place, or
/// makes its address lead elsewhere. Proposals by models are checked too. People may change every place, and
/// only they change the list, because no tool does. An erasure keeps the list,
/// with the titles in it. The first list raises the canvas to format 3, which libraries before 0.2 refuse.
///
/// ```
/// # canvas_core::testing::block_on(async {
/// # use canvas_core::document::{ApplyPatch, ProtectedPlaces, SetProtected};
/// # use canvas_core::lease::Timestamp;
/// # use canvas_core::store::MemoryStore;
/// # use canvas_core::rollout::Rollout;
/// # use canvas_core::text::Address;
/// # use canvas_core::{CanvasId, CodedError as _, Engine, OpKey, Policy};
/// # let now = Timestamp::from_millis(1_000);
/// # let policy = Policy { rollout: Rollout::Write, ..Policy::default() };
/// # let engine = Engine::new(MemoryStore::new(move || now), policy);
/// # let plan = CanvasId::new("plan")?;
/// # engine.create(&plan, "# Plan\n\n# Terms\n\nNet 30.\n", &OpKey::host("create".parse()?), now).await?;
/// let terms = Address::Section { path: vec!["Terms".into()], ordinal: None, part: None };
/// let set = SetProtected { places: ProtectedPlaces::new(vec![terms])? };
/// engine.call(&plan, &OpKey::user("protect".parse()?), set, now).await?.result?;
/// # let chat = OpKey::host("patch".parse()?);
/// let text = "@@\n-Net 30.\n+Net 90.\n".into();
/// let patch = ApplyPatch { lease: None, patch: text, base: None, scope: None, shown: None };
/// let refused = engine.call(&plan, &chat, patch, now).await?.result.unwrap_err();
/// assert_eq!(refused.reason(), Some("PROTECTED"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetProtected {
    /// All protected places from this command on.
    pub places: ProtectedPlaces,
}

/// The answer to [`SetProtected`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProtectedSet {
    /// Whether other places were protected before.
    pub changed: bool,
    /// The places that the current document does not have. They take effect once it has them.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<serde_json::Value>"))]
    pub unresolved: Vec<Address>,
}

impl Command for SetProtected {
    type Done = ProtectedSet;
    type Refusal = CallRefusal;
}

impl Decide for SetProtected {
    const NAME: &'static str = "set_protected";
    const KIND: &'static str = "protected_set";

    fn digest(&self) -> Digest {
        let places = serde_json::to_string(&self.places).expect("an address is JSON");
        Digest::of(&[b"protected", places.as_bytes()])
    }

    fn decide(&self, at: &mut Transition<'_>, _: &OpKey) -> Result<ProtectedSet, Stop<CallRefusal>> {
        let outline = at.view.contents.outline().expect("a view has the document at least");
        let is_unresolved = |place: &&Address| outline.live().resolve(place).is_err();
        let unresolved = self.places.addresses().iter().filter(is_unresolved).cloned().collect();
        let changed = at.head.protected != self.places;
        if changed {
            at.head.protected = self.places.clone();
            at.head.format = at.head.format.max(Format::Shared);
        }
        Ok(ProtectedSet { changed, unresolved })
    }
}

impl Transition<'_> {
    /// Checks that a change by a model stays within its scope and out of the protected places, and complies with the
    /// host's policy on side effects.
    pub(super) fn check_edit<R: From<PatchRefusal>>(
        &self,
        after: &str,
        delta: &Delta,
        scope: Option<&Address>,
    ) -> Result<(), Stop<R>> {
        let refuse_side_effects = self.policy.writes.refuse_side_effects;
        let policy = EditPolicy { scope: scope.cloned(), refuse_side_effects, ..EditPolicy::default() };
        check_policy(self.view, after, delta, &policy)?;
        self.check_protected(after, delta)
    }

    /// Checks that a change by a model stays out of the protected places. Of a proposal, the whole change of the document is
    /// checked, because a place may have another address in the proposed text.
    pub(super) fn check_protected<R: From<PatchRefusal>>(
        &self,
        after: &str,
        delta: &Delta,
    ) -> Result<(), Stop<R>> {
        if self.head.protected.is_empty() {
            return Ok(());
        }
        let protected = self.head.protected.addresses().to_vec();
        let policy = EditPolicy { protected, keeps_addresses: true, ..EditPolicy::default() };
        match &self.proposing {
            None => check_policy(self.view, after, delta, &policy),
            Some(proposing) => {
                let whole = Delta::between(proposing.real.text(), after);
                check_policy(proposing.real, after, &whole, &policy)
            }
        }
    }
}

fn check_policy<R: From<PatchRefusal>>(
    view: &View<'_>,
    after: &str,
    delta: &Delta,
    policy: &EditPolicy,
) -> Result<(), Stop<R>> {
    if *policy == EditPolicy::default() {
        // Only a call with a scope, a protected place or a strict policy pays for the outline.
        return Ok(());
    }
    let outline = view.contents.outline().expect("a view has the document at least");
    let checked = outline.live().check_edit(after, delta.edits(), policy);
    checked.map(drop).map_err(|error| Stop::refused(PatchRefusal::EditRefused { error }))
}

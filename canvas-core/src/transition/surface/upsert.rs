//! Replacement of a surface's title, spec and assets.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::model::blob::Blob;
use crate::model::face::{Face, TreeFile};
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::model::revision::Revision;
use crate::surface::descriptor::{StoredDescriptor, check_title};
use crate::surface::name::{SessionKey, SurfaceActor};
use crate::surface::refusal::SurfaceRefusal;
use crate::surface::{AssetPath, Descriptor, FileChange, Spec, SurfaceDiff, SurfaceFile, widens};
use crate::transition::command::Command;
use crate::transition::command::sealed::Decide;
use crate::transition::refusal::SurfaceCommandRefusal;
use crate::transition::rollout::Access;
use crate::transition::step::{Record, Stop, Transition};
use crate::transition::surface::access::{access_of, actor_text, author};
use crate::transition::surface::create::{NewSurface, read_assets, refused};
use crate::transition::surface::files::{Refused, SURFACE_FILES};

/// Replaces parts of the surface, or creates one if the canvas lacks it. The live state stays.
#[derive(Debug, Clone, PartialEq)]
pub struct UpsertSurface {
    /// The actor that changes the surface. A session cannot add tools to the spec or lower an action's confirmation.
    pub by: SurfaceActor,
    /// The new title; `None` to keep the current one.
    pub title: Option<String>,
    /// The new spec as JSON. A new surface needs a spec, from which it gets its state.
    pub spec: Option<Value>,
    /// New contents of assets by their paths, or `None` to remove one. The other assets stay.
    pub assets: BTreeMap<String, Option<Blob>>,
    /// The revision that the caller knows. If the surface changed since then, the command is refused.
    pub expected: Option<Revision>,
}

/// The answer to [`UpsertSurface`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SurfaceUpserted {
    /// The surface's new description.
    pub descriptor: Descriptor,
    /// Whether the command created the surface.
    pub created: bool,
}

impl Command for UpsertSurface {
    type Done = SurfaceUpserted;
    type Refusal = SurfaceCommandRefusal;
}

impl Decide for UpsertSurface {
    const NAME: &'static str = "upsert_surface";
    const KIND: &'static str = "surface_upserted";
    const FILES: &'static [TreeFile] = SURFACE_FILES;

    fn access(&self) -> Option<Access> {
        access_of(&self.by)
    }

    fn digest(&self) -> Digest {
        let Self { by, title, spec, assets, expected } = self;
        let assets: BTreeMap<_, _> =
            assets.iter().map(|(path, blob)| (path, blob.as_ref().map(Blob::id))).collect();
        let rest = json!([title, assets, expected]).to_string();
        let spec = spec.as_ref().map_or_else(String::new, Value::to_string);
        let parts = ["upsert_surface", &actor_text(by), &rest, &spec];
        Digest::of(&parts.map(str::as_bytes))
    }

    fn decide(&self, at: &mut Transition<'_>, operation: &OpKey) -> Refused<SurfaceUpserted> {
        let is_new = at.descriptor_now()?.is_none();
        if is_new {
            at.check_actor(&self.by, operation)?;
            at.check_expected(self.expected)?;
            return self.make(at, operation).map(|descriptor| SurfaceUpserted { descriptor, created: true });
        }
        let stored = StoredDescriptor::clone(&*at.descriptor_for(&self.by)?);
        at.check_actor(&self.by, operation)?;
        at.check_expected(self.expected)?;
        let files = self.replace(at, stored.clone())?;
        if !files.is_empty() {
            at.changed_by(&self.by);
            let record = Record { actor: author(&self.by), operation, summary: summary(&files) };
            at.record(record, SurfaceDiff { state: Vec::new(), files }.into());
        }
        // The title may have changed.
        let revision = at.head.faces[Face::Surface];
        let stored = StoredDescriptor { title: self.title.clone().unwrap_or(stored.title), ..stored };
        let changed = if revision == at.view.head.faces[Face::Surface] {
            at.view.head.surface_changed.unwrap_or(stored.created_at)
        } else {
            at.view.clock
        };
        let descriptor = stored.descriptor(at.view.head.canvas(), changed, revision);
        Ok(SurfaceUpserted { descriptor, created: false })
    }
}

impl UpsertSurface {
    fn make(&self, at: &mut Transition<'_>, operation: &OpKey) -> Refused<Descriptor> {
        let spec = self.spec.as_ref().ok_or_else(|| Stop::refused(SurfaceRefusal::SurfaceNotFound))?;
        let new = NewSurface {
            by: &self.by,
            agent_id: None,
            title: self.title.as_deref(),
            owner_session_key: None,
            entry_asset: None,
            spec,
            assets: self.assets()?,
        };
        at.make_surface(new, operation)
    }

    /// Returns the changed files.
    fn replace(&self, at: &mut Transition<'_>, stored: StoredDescriptor) -> Refused<Vec<FileChange>> {
        if let Some(title) = &self.title {
            check_title(title).map_err(refused)?;
        }
        let owner = &stored.owner_session_key;
        let spec = self.spec.as_ref().map(|json| self.compile(at, json, owner)).transpose()?;
        let contents = self.assets()?;
        let assets = at.assets_now()?.with(&contents, &at.policy.surface).map_err(refused)?;
        at.next_revision::<SurfaceCommandRefusal>()?;
        let mut changes = Vec::new();
        if let Some(title) = &self.title {
            changes.extend(at.put_descriptor(StoredDescriptor { title: title.clone(), ..stored }));
        }
        if let Some((json, spec)) = spec {
            changes.extend(at.put_spec(json, spec));
        }
        if let Some(change) = at.put_assets(&assets) {
            changes.push(change);
            at.blobs.extend(contents.into_values().flatten());
        }
        if changes.is_empty() {
            at.head.revision = at.view.head.revision;
        }
        Ok(changes)
    }

    fn compile(&self, at: &Transition<'_>, json: &Value, owner: &SessionKey) -> Refused<(String, Spec)> {
        let spec = at.compile(json)?;
        if matches!(self.by, SurfaceActor::SessionKey(_)) {
            let old = at.spec_now()?;
            let old = old.as_deref().map(|old| old.policy(owner)).unwrap_or_default();
            if let Some(fault) = widens(&old, &spec.policy(owner)).into_iter().next() {
                return Err(refused(fault.under("/spec")));
            }
        }
        Ok((json.to_string(), spec))
    }

    fn assets(&self) -> Refused<BTreeMap<AssetPath, Option<Blob>>> {
        read_assets(self.assets.iter().map(|(path, content)| (path, content.as_ref())))
    }
}

fn summary(files: &[FileChange]) -> String {
    let names: Vec<_> = files
        .iter()
        .map(|change| match change.file {
            SurfaceFile::Descriptor => "title",
            SurfaceFile::Spec => "spec",
            SurfaceFile::Assets => "assets",
        })
        .collect();
    format!("changed {} of the surface", names.join(" and "))
}

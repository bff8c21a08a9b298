//! Commands that create a surface.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::history::journal::made_by;
use crate::model::blob::Blob;
use crate::model::face::TreeFile;
use crate::model::json_pointer::join_pointer;
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::surface::descriptor::{StoredDescriptor, check_title};
use crate::surface::name::{AgentId, SessionKey, SurfaceActor};
use crate::surface::refusal::SurfaceRefusal;
use crate::surface::{
    AssetPath, Assets, Descriptor, Spec, SurfaceCode, SurfaceFault, SurfaceMode, SurfaceState,
};
use crate::transition::command::Command;
use crate::transition::command::sealed::Decide;
use crate::transition::refusal::SurfaceCommandRefusal;
use crate::transition::rollout::Access;
use crate::transition::step::{Stop, Transition};
use crate::transition::surface::access::{access_of, actor_text, author};
use crate::transition::surface::files::{Refused, SURFACE_FILES};

/// Creates a surface on the canvas, with the state of the spec.
///
/// With [`Engine::call_or_create`](crate::Engine::call_or_create) the same commit creates the canvas.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateSurface {
    /// Role that creates the surface. A session creates surfaces of its own agent, and of agents that the ceiling
    /// adds.
    pub by: SurfaceActor,
    /// The agent that owns the surface. The default is the session's own agent, or `main` for a client.
    pub agent_id: Option<AgentId>,
    /// Title for people. The default is the canvas's id.
    pub title: Option<String>,
    /// The session that receives messages of actions. The default is the main session of the agent. A session may only
    /// name one of that agent, or one in the ceiling.
    pub owner_session_key: Option<SessionKey>,
    /// Path of the asset to show first. The asset may be added later.
    pub entry_asset: Option<String>,
    /// The spec as JSON, which is compiled before it is saved.
    pub spec: Value,
    /// Contents of assets by their paths.
    pub assets: BTreeMap<String, Blob>,
}

/// The answer to [`CreateSurface`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SurfaceCreated {
    /// The new surface's description.
    pub descriptor: Descriptor,
}

impl Command for CreateSurface {
    type Done = SurfaceCreated;
    type Refusal = SurfaceCommandRefusal;
}

impl Decide for CreateSurface {
    const NAME: &'static str = "create_surface";
    const KIND: &'static str = "surface_created";
    const FILES: &'static [TreeFile] = SURFACE_FILES;

    fn access(&self) -> Option<Access> {
        access_of(&self.by)
    }

    fn digest(&self) -> Digest {
        let Self { by, agent_id, title, owner_session_key, entry_asset, spec, assets } = self;
        let assets: BTreeMap<_, _> = assets.iter().map(|(path, blob)| (path, blob.id())).collect();
        let rest = json!([agent_id, title, owner_session_key, entry_asset, assets]).to_string();
        let parts = ["create_surface", &actor_text(by), &rest, &spec.to_string()];
        Digest::of(&parts.map(str::as_bytes))
    }

    fn decide(&self, at: &mut Transition<'_>, operation: &OpKey) -> Refused<SurfaceCreated> {
        if at.descriptor_now()?.is_some() {
            return Err(Stop::refused(SurfaceRefusal::SurfaceExists));
        }
        at.check_actor(&self.by, operation)?;
        let new = NewSurface {
            by: &self.by,
            agent_id: self.agent_id.as_ref(),
            title: self.title.as_deref(),
            owner_session_key: self.owner_session_key.as_ref(),
            entry_asset: self.entry_asset.as_deref(),
            spec: &self.spec,
            assets: read_assets(self.assets.iter().map(|(path, blob)| (path, Some(blob))))?,
        };
        at.make_surface(new, operation).map(|descriptor| SurfaceCreated { descriptor })
    }
}

/// Parts of a new surface, from either of the commands that create one.
pub(super) struct NewSurface<'a> {
    pub(super) by: &'a SurfaceActor,
    pub(super) agent_id: Option<&'a AgentId>,
    pub(super) title: Option<&'a str>,
    pub(super) owner_session_key: Option<&'a SessionKey>,
    pub(super) entry_asset: Option<&'a str>,
    pub(super) spec: &'a Value,
    pub(super) assets: BTreeMap<AssetPath, Option<Blob>>,
}

impl Transition<'_> {
    /// Creates a surface on a canvas without one.
    pub(super) fn make_surface(&mut self, new: NewSurface<'_>, operation: &OpKey) -> Refused<Descriptor> {
        let agent_id = self.agent_of(&new)?;
        let owner_session_key = self.owner_of(&new, &agent_id)?;
        let title = new.title.unwrap_or_else(|| self.view.head.canvas().as_str()).to_owned();
        check_title(&title).map_err(refused)?;
        let entry_asset = new.entry_asset.map(|path| read_path(path, "/entryAsset")).transpose()?;
        let spec = self.compile(new.spec)?;
        let assets = Assets::default().with(&new.assets, &self.policy.surface).map_err(refused)?;
        self.next_revision::<SurfaceCommandRefusal>()?;
        let stored = StoredDescriptor {
            agent_id,
            title,
            owner_session_key,
            mode: SurfaceMode::Html,
            entry_asset,
            created_at: self.view.clock,
        };
        let descriptor = stored.descriptor(self.view.head.canvas(), self.view.clock, self.head.revision);
        self.put_descriptor(stored);
        self.put_state(SurfaceState::clone(spec.state()));
        self.put_spec(new.spec.to_string(), spec);
        self.put_assets(&assets);
        self.blobs.extend(new.assets.into_values().flatten());
        self.changed_by(new.by);
        self.actor = Some(made_by(operation, author(new.by)));
        Ok(descriptor)
    }

    /// Compiles the spec of a request.
    pub(super) fn compile(&self, spec: &Value) -> Refused<Spec> {
        Spec::compile(spec, &self.view.types.ceiling, &self.policy.surface).map_err(|faults| {
            let faults = faults.into_iter().map(|fault| fault.under("/spec")).collect();
            Stop::refused(SurfaceRefusal::SpecInvalid { faults })
        })
    }

    /// Records a person's change, after which a model does not revert anything in its turn.
    pub(super) fn changed_by(&mut self, by: &SurfaceActor) {
        if matches!(by, SurfaceActor::ClientId(_)) {
            self.head.user_revision = self.head.revision;
        }
    }

    fn agent_of(&self, new: &NewSurface<'_>) -> Refused<AgentId> {
        let own = match new.by {
            SurfaceActor::ClientId(_) => {
                let main = || AgentId::new("main").expect("a name");
                return Ok(new.agent_id.cloned().unwrap_or_else(main));
            }
            SurfaceActor::SessionKey(key) => key.agent(),
        };
        let own = own.ok_or_else(|| {
            not_allowed("", "this session belongs to no agent: use one whose key is agent:NAME:SESSION")
        })?;
        match new.agent_id {
            Some(agent) if !self.view.types.ceiling.sees(&own, agent) => {
                Err(not_allowed("/agentId", "the agent is not the session's own: leave agentId out"))
            }
            agent => Ok(agent.cloned().unwrap_or(own)),
        }
    }

    fn owner_of(&self, new: &NewSurface<'_>, agent: &AgentId) -> Refused<SessionKey> {
        let Some(owner) = new.owner_session_key else {
            return SessionKey::new(&format!("agent:{agent}:main")).map_err(|error| {
                refused(SurfaceFault::new("/agentId", SurfaceCode::SpecInvalid, error.to_string()))
            });
        };
        // Otherwise a model could send to any session through a surface of its own.
        let is_free = matches!(new.by, SurfaceActor::ClientId(_));
        let is_known =
            owner.agent().as_ref() == Some(agent) || self.view.types.ceiling.sessions.contains(owner);
        if is_free || is_known {
            return Ok(owner.clone());
        }
        let message = "the owner is not a session of the surface's agent: leave ownerSessionKey out";
        Err(not_allowed("/ownerSessionKey", message))
    }
}

pub(super) fn refused(fault: SurfaceFault) -> Stop<SurfaceCommandRefusal> {
    Stop::refused(SurfaceRefusal::from(fault))
}

fn not_allowed(place: &str, message: &str) -> Stop<SurfaceCommandRefusal> {
    refused(SurfaceFault::new(place, SurfaceCode::SessionNotAllowed, message))
}

fn read_path(path: &str, place: &str) -> Refused<AssetPath> {
    let fault = |message| SurfaceFault::new(place, SurfaceCode::InvalidPath, message);
    AssetPath::new(path).map_err(|error| refused(fault(error.to_string())))
}

/// Reads the assets of a request, with `None` for those to remove.
pub(super) fn read_assets<'a>(
    assets: impl IntoIterator<Item = (&'a String, Option<&'a Blob>)>,
) -> Refused<BTreeMap<AssetPath, Option<Blob>>> {
    let mut read = BTreeMap::new();
    for (path, content) in assets {
        let place = join_pointer("/assets", path);
        if read.insert(read_path(path, &place)?, content.cloned()).is_some() {
            let message = "the same path is there in another spelling: send it once";
            return Err(refused(SurfaceFault::new(place, SurfaceCode::InvalidPath, message)));
        }
    }
    Ok(read)
}

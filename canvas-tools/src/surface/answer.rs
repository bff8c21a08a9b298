//! The implementation of each method except `canvas.action`.

use canvas_core::lease::Timestamp;
use canvas_core::store::Store;
use canvas_core::surface::{
    AssetPath, CreateSurface, PatchState, StatePatch, StatePatched, Surface, SurfaceActor,
    SurfaceCommandRefusal, SurfaceEvent, SurfaceEventKind, SurfaceRefusal, SurfaceUpserted, UpsertSurface,
};
use canvas_core::{
    Answered, Blob, CanvasId, CodedError as _, Command, Engine, EngineError, Face, Revision, Snapshot,
};
use serde_json::{Value, json};

use super::asset::AssetContent;
use super::door::{SurfaceCaller, SurfaceDoor, SurfaceReply};
use super::error::SurfaceError;
use super::request::{
    CanvasParams, CreateParams, DeleteParams, ListParams, PatchParams, SurfaceRequest, UpsertParams,
};
use super::result::{AssetLine, Created, Listed, Patched, Shown, Upserted, Viewed};
use crate::reply::ToolError;

/// Maximum number of canvases that one list request examines.
const LOOKS: usize = 1_000;

/// An asset to serve to a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssetFile {
    /// The asset's raw bytes, without base64.
    pub content: Vec<u8>,
    /// The asset's media type, for the `Content-Type` header.
    pub media_type: String,
}

/// A result together with the events that it caused.
type Answer = Result<(Value, Vec<SurfaceEvent>), SurfaceError>;

impl SurfaceDoor {
    /// Answers any request except an action, which [`SurfaceDoor::action`] prepares.
    pub async fn answer<S: Store>(
        &self,
        engine: &Engine<S>,
        caller: &SurfaceCaller,
        request: SurfaceRequest,
        now: Timestamp,
    ) -> SurfaceReply {
        if let Some(canvas) = request.canvas() {
            self.views().touch(canvas, &caller.actor, now);
        }
        let answer = match request {
            SurfaceRequest::List(params) => list(engine, &caller.actor, params, now).await,
            SurfaceRequest::Get(params) => self.get(engine, &caller.actor, &params.canvas_id, now).await,
            SurfaceRequest::Create(params) => self.create(engine, caller, params, now).await,
            SurfaceRequest::Upsert(params) => self.upsert(engine, caller, params, now).await,
            SurfaceRequest::Patch(params) => self.patch(engine, caller, params, now).await,
            SurfaceRequest::Delete(params) => self.delete(engine, caller, params, now).await,
            SurfaceRequest::Open(params) => self.show(engine, &caller.actor, params, true, now).await,
            SurfaceRequest::Close(params) => self.show(engine, &caller.actor, params, false, now).await,
            SurfaceRequest::Action(_) => {
                let message = "the action is run by a host of tools: prepare it by SurfaceDoor::action";
                Err(ToolError::argument("", message).into())
            }
        };
        match answer {
            Ok((result, events)) => SurfaceReply { result: Ok(result), events, audit: Vec::new() },
            Err(error) => SurfaceReply::failed(error),
        }
    }

    /// Returns the asset at a path, as requested by a browser.
    ///
    /// # Errors
    ///
    /// `INVALID_PATH` if the path leads out of the assets, `ASSET_NOT_FOUND`, `SURFACE_NOT_FOUND`, and the errors of
    /// the store.
    pub async fn file<S: Store>(
        &self,
        engine: &Engine<S>,
        canvas: &CanvasId,
        path: &str,
        now: Timestamp,
    ) -> Result<AssetFile, SurfaceError> {
        let path = AssetPath::new(path)
            .map_err(|error| SurfaceError::new(error.code(), error.to_string()).at("/path"))?;
        let (surface, snapshot) = engine.surface(canvas, now).await?;
        let surface = surface.ok_or_else(|| SurfaceError::refused(&SurfaceRefusal::SurfaceNotFound))?;
        let asset = surface.assets.get(&path).ok_or_else(|| {
            let message = format!("the surface has no asset {path}: name one that canvas.get lists");
            SurfaceError::new("ASSET_NOT_FOUND", message).at("/path")
        })?;
        let blob = engine.store().blob(snapshot.head.canvas(), asset.blob).await;
        let blob = blob.map_err(|error| SurfaceError::from(EngineError::Store(error)))?;
        let blob = blob.ok_or_else(|| SurfaceError::refused(&SurfaceRefusal::SurfaceDamaged))?;
        Ok(AssetFile { content: blob.as_bytes().to_vec(), media_type: asset.media_type.clone() })
    }

    async fn get<S: Store>(
        &self,
        engine: &Engine<S>,
        actor: &SurfaceActor,
        canvas: &CanvasId,
        now: Timestamp,
    ) -> Answer {
        let (surface, _) = visible(engine, actor, canvas, now).await?;
        let assets = surface.assets.iter().map(|(path, asset)| AssetLine {
            path,
            bytes: asset.bytes,
            media_type: &asset.media_type,
        });
        let result = Shown {
            descriptor: &surface.descriptor,
            spec: surface.spec_json(),
            state: surface.state.value(),
            assets: assets.collect(),
            views: self.shown(canvas),
        };
        Ok((json!(result), Vec::new()))
    }

    async fn create<S: Store>(
        &self,
        engine: &Engine<S>,
        caller: &SurfaceCaller,
        params: CreateParams,
        now: Timestamp,
    ) -> Answer {
        let CreateParams { canvas_id, agent_id, title, owner_session_key, entry_asset, spec, assets } =
            params;
        let command = CreateSurface {
            by: caller.actor.clone(),
            agent_id,
            title,
            owner_session_key,
            entry_asset,
            spec,
            assets: assets.into_iter().map(|(path, content)| (path, blob(content))).collect(),
        };
        let answered = engine.call_or_create(&canvas_id, &caller.operation, command, now).await?;
        let (created, event) = self.put(engine, &canvas_id, answered, None, now).await?;
        Ok((json!(Created { descriptor: created.descriptor }), event))
    }

    async fn upsert<S: Store>(
        &self,
        engine: &Engine<S>,
        caller: &SurfaceCaller,
        params: UpsertParams,
        now: Timestamp,
    ) -> Answer {
        let UpsertParams { canvas_id, title, spec, assets, expected_revision } = params;
        let before = engine.revision_of(&canvas_id).await.ok().map(|known| known.revision);
        let command = UpsertSurface {
            by: caller.actor.clone(),
            title,
            spec,
            assets: assets.into_iter().map(|(path, content)| (path, content.map(blob))).collect(),
            expected: expected_revision,
        };
        let answered = engine.call_or_create(&canvas_id, &caller.operation, command, now).await?;
        let (upserted, event) = self.put(engine, &canvas_id, answered, before, now).await?;
        let SurfaceUpserted { descriptor, created, .. } = upserted;
        Ok((json!(Upserted { descriptor, created }), event))
    }

    /// Returns a command's result, with an update event if the canvas's revision is no longer `before`. A retry has no
    /// event.
    async fn put<S: Store, C: Command<Refusal = SurfaceCommandRefusal>>(
        &self,
        engine: &Engine<S>,
        canvas: &CanvasId,
        answered: Result<Answered<C>, SurfaceCommandRefusal>,
        before: Option<Revision>,
        now: Timestamp,
    ) -> Result<(C::Done, Vec<SurfaceEvent>), SurfaceError> {
        let Answered { result, replayed, snapshot } =
            answered.map_err(|refusal| SurfaceError::refused(&refusal))?;
        let done = result.map_err(|refusal| SurfaceError::refused(&refusal))?;
        // The change is committed even if the jobs cannot be read now.
        drop(self.track(engine, canvas, now).await);
        let is_changed = !replayed && before != Some(snapshot.head.revision());
        Ok((done, if is_changed { vec![updated(canvas, &snapshot)] } else { Vec::new() }))
    }

    async fn patch<S: Store>(
        &self,
        engine: &Engine<S>,
        caller: &SurfaceCaller,
        params: PatchParams,
        now: Timestamp,
    ) -> Answer {
        let PatchParams { canvas_id, patch, expected_revision } = params;
        let patch = StatePatch::parse(&patch).map_err(|faults| SurfaceError::faults(faults, "/patch"))?;
        let command = PatchState { by: caller.actor.clone(), patch, expected: expected_revision };
        let answered = engine.call(&canvas_id, &caller.operation, command, now).await?;
        let Answered { result, replayed, snapshot } = answered;
        let StatePatched { revision, changed_paths } =
            result.map_err(|refusal| SurfaceError::refused(&refusal))?;
        let events = if replayed || changed_paths.is_empty() {
            Vec::new()
        } else {
            vec![updated(&canvas_id, &snapshot).at_paths(changed_paths.clone())]
        };
        Ok((json!(Patched { revision, changed_paths: &changed_paths }), events))
    }

    async fn delete<S: Store>(
        &self,
        engine: &Engine<S>,
        caller: &SurfaceCaller,
        params: DeleteParams,
        now: Timestamp,
    ) -> Answer {
        let DeleteParams { canvas_id, expected_revision } = params;
        let found = match visible(engine, &caller.actor, &canvas_id, now).await {
            Ok((_, snapshot)) => Some(snapshot),
            // An earlier attempt may already have deleted it.
            Err(_) if engine.revision_of(&canvas_id).await.is_err() => None,
            Err(error) => return Err(error),
        };
        if matches!(caller.actor, SurfaceActor::SessionKey(_)) {
            let message = "only people delete surfaces: ask the user to";
            return Err(match found {
                Some(_) => SurfaceError::new("SESSION_NOT_ALLOWED", message),
                None => SurfaceError::refused(&SurfaceRefusal::SurfaceNotFound),
            });
        }
        match expected_revision {
            None => engine.delete(&canvas_id, &caller.operation, now).await?,
            Some(expected) => {
                let operation = &caller.operation;
                engine.delete_unchanged(&canvas_id, Face::Surface, expected, operation, now).await?;
            }
        }
        self.jobs().forget(&canvas_id);
        self.views().forget(&canvas_id);
        Ok((json!({}), found.iter().map(|snapshot| updated(&canvas_id, snapshot)).collect()))
    }

    async fn show<S: Store>(
        &self,
        engine: &Engine<S>,
        actor: &SurfaceActor,
        CanvasParams { canvas_id }: CanvasParams,
        opens: bool,
        now: Timestamp,
    ) -> Answer {
        let (_, snapshot) = visible(engine, actor, &canvas_id, now).await?;
        self.views().expire(now);
        let is_changed = if opens {
            self.views().open(&canvas_id, actor, now)
        } else {
            self.views().close(&canvas_id, actor)
        };
        let events = is_changed.then(|| event(SurfaceEventKind::ViewUpdated, &canvas_id, &snapshot));
        Ok((json!(Viewed { views: self.shown(&canvas_id) }), events.into_iter().collect()))
    }

    /// Returns the names of the actors that show a surface.
    fn shown(&self, canvas: &CanvasId) -> Vec<String> {
        let names = self.views().of(canvas).into_iter().map(|who| match who {
            SurfaceActor::ClientId(client) => client.to_string(),
            SurfaceActor::SessionKey(session) => session.to_string(),
        });
        names.collect()
    }
}

async fn list<S: Store>(
    engine: &Engine<S>,
    actor: &SurfaceActor,
    ListParams { agent_id, after, limit }: ListParams,
    now: Timestamp,
) -> Answer {
    let limit = limit.unwrap_or(ListParams::LIMIT).min(ListParams::LIMIT);
    if limit == 0 {
        return Err(ToolError::argument("/limit", "the limit is 0: leave limit out").into());
    }
    let ids = engine.store().list(after.as_ref(), LOOKS).await;
    let ids = ids.map_err(|error| SurfaceError::from(EngineError::Store(error)))?;
    let (mut canvases, mut last) = (Vec::new(), None);
    let is_whole = ids.len() < LOOKS;
    let count = ids.len();
    for (number, canvas) in ids.into_iter().enumerate() {
        match visible(engine, actor, &canvas, now).await {
            Ok((surface, _)) => {
                if agent_id.as_ref().is_none_or(|agent| *agent == surface.descriptor.agent_id) {
                    canvases.push(surface.descriptor);
                }
            }
            Err(error) if error.is_retryable() => return Err(error),
            // An unreadable canvas must not hide the others.
            Err(_) => {}
        }
        let is_last = number + 1 == count;
        if canvases.len() == limit || is_last {
            last = (!is_last || !is_whole).then_some(canvas);
            break;
        }
    }
    Ok((json!(Listed { canvases, next: last }), Vec::new()))
}

/// Returns a surface if the actor may see it.
async fn visible<S: Store>(
    engine: &Engine<S>,
    actor: &SurfaceActor,
    canvas: &CanvasId,
    now: Timestamp,
) -> Result<(Surface, Snapshot), SurfaceError> {
    let (surface, snapshot) = engine.surface(canvas, now).await?;
    let seen = surface.filter(|surface| engine.ceiling().shows(actor, &surface.descriptor.agent_id));
    match seen {
        Some(surface) => Ok((surface, snapshot)),
        None => Err(SurfaceError::refused(&SurfaceRefusal::SurfaceNotFound)),
    }
}

fn updated(canvas: &CanvasId, snapshot: &Snapshot) -> SurfaceEvent {
    event(SurfaceEventKind::Updated, canvas, snapshot)
}

fn event(kind: SurfaceEventKind, canvas: &CanvasId, snapshot: &Snapshot) -> SurfaceEvent {
    SurfaceEvent::new(kind, canvas.clone(), snapshot.head.revision(), snapshot.clock)
}

fn blob(content: AssetContent) -> Blob {
    match content {
        AssetContent::Text(text) => Blob::text(text),
        AssetContent::Bytes(bytes) => Blob::bytes(bytes.base64),
    }
}

//! A canvas with a surface, and commands that write given changes to its journal.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use canvas_lease::{Timestamp, Turn};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::engine::{CollectOptions, Engine, Stacks};
use crate::history::journal::Entry;
use crate::model::author::{Author, Role};
use crate::model::blob::Blob;
use crate::model::error::CodedError as _;
use crate::model::face::{Face, TreeFile};
use crate::model::head::Head;
use crate::model::id::{CallId, CanvasId, ConversationId};
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::store::contract::Store as _;
use crate::store::memory::MemoryStore;
use crate::surface::refusal::SurfaceRefusal;
use crate::surface::{
    ActionId, Ceiling, ClientId, EventId, FileChange, RunnerId, SessionKey, StatePatch, SurfaceActor,
    SurfaceDiff, SurfaceFault, SurfaceFile, SurfaceLimits, SurfaceState, ToolContract, ToolDeclaration,
    ToolName,
};
use crate::testing::block_on;
use crate::transition::command::Command;
use crate::transition::command::sealed::Decide;
use crate::transition::edit::Edit;
use crate::transition::policy::Policy;
use crate::transition::refusal::SurfaceCommandRefusal;
use crate::transition::step::{Record, Stop, Transition};
use crate::transition::surface::begin::BeginAction;
use crate::transition::surface::ended::{ActionBegun, RunningAction};
use crate::transition::surface::request::{ActionName, ActionRequest};
use crate::transition::turn::SendMessage;
use crate::transition::undo::{Redo, Undo, UndoScope};

/// Changes the surface, and creates it if it is missing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Put {
    pub(super) by: Role,
    pub(super) is_effect: bool,
    /// Operations on the state.
    pub(super) patch: Value,
    /// Files with their texts; `None` removes a file.
    pub(super) files: Vec<(SurfaceFile, Option<Vec<String>>)>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Done {}

impl Command for Put {
    type Done = Done;
    type Refusal = SurfaceCommandRefusal;
}

impl Decide for Put {
    const NAME: &'static str = "put";
    const KIND: &'static str = "put";
    const FILES: &'static [TreeFile] = &[TreeFile::State];

    fn digest(&self) -> Digest {
        Digest::of(&[b"put", format!("{self:?}").as_bytes()])
    }

    fn decide(
        &self,
        at: &mut Transition<'_>,
        operation: &OpKey,
    ) -> Result<Done, Stop<SurfaceCommandRefusal>> {
        let limits = SurfaceLimits::default();
        let refused = |fault: SurfaceFault| Stop::refused(SurfaceRefusal::from(fault));
        let Some(state) = at.state_now()? else {
            at.next_revision::<SurfaceCommandRefusal>()?;
            let descriptor = json!({
                "agentId": "main", "title": "Plan", "ownerSessionKey": "agent:main:main", "mode": "html", "createdAt": 0,
            });
            let descriptor = Blob::text(descriptor.to_string());
            at.head.draft.insert(TreeFile::Descriptor.tree_path(), descriptor.id());
            at.blobs.push(descriptor);
            let state = self.patch.clone();
            at.put_state(SurfaceState::new(state.into(), &limits).map_err(refused)?);
            return Ok(Done {});
        };
        let patch = StatePatch::parse(&self.patch).map_err(|mut faults| refused(faults.remove(0)))?;
        let changed = patch.apply(&state, &limits).map_err(refused)?;
        let files: Vec<_> =
            self.files.iter().filter_map(|(file, texts)| at.put_texts(*file, texts.as_deref())).collect();
        let diff = SurfaceDiff { state: changed.changes, files };
        if diff.is_empty() {
            return Ok(Done {});
        }
        at.next_revision::<SurfaceCommandRefusal>()?;
        at.head.faces[Face::Surface] = at.head.revision;
        at.put_state(changed.state);
        if self.by == Role::User && !self.is_effect {
            at.head.user_revision = at.head.revision;
        }
        let record = Record { actor: self.by, operation, summary: "changed the surface".into() };
        if self.is_effect {
            at.record_effect(record, diff.into(), Vec::new());
        } else {
            at.record(record, diff.into());
        }
        Ok(Done {})
    }
}

impl Transition<'_> {
    /// Replaces a file. Several texts are assets with a manifest.
    fn put_texts(&mut self, file: SurfaceFile, texts: Option<&[String]>) -> Option<FileChange> {
        let before = self.head.draft.file(file.of_tree());
        let blob = texts.map(|texts| {
            let blobs: Vec<_> = texts.iter().cloned().map(Blob::text).collect();
            if file != SurfaceFile::Assets {
                return blobs[0].clone();
            }
            let entry = |(number, blob): (usize, &Blob)| {
                let asset =
                    json!({"blob": blob.id(), "bytes": blob.as_bytes().len(), "mediaType": "text/plain"});
                (format!("assets/{number}.txt"), asset)
            };
            let manifest = Value::Object(blobs.iter().enumerate().map(entry).collect());
            self.blobs.extend(blobs);
            Blob::text(manifest.to_string())
        });
        let after = blob.as_ref().map(Blob::id);
        let path = file.of_tree().tree_path();
        match blob {
            Some(blob) => {
                self.head.draft.insert(path, blob.id());
                self.blobs.push(blob);
            }
            None => drop(self.head.draft.remove(&path)),
        }
        (before != after).then_some(FileChange { file, before, after })
    }
}

/// Returns the tools `node__Read`, which is read-only, and `node__Deploy`, which is trusted.
fn ceiling() -> Ceiling {
    let tool = |name: &str, read_only| {
        let (name, declaration) =
            (ToolName::new(name).unwrap(), ToolDeclaration { read_only, ..ToolDeclaration::default() });
        (name.clone(), ToolContract::new(name, declaration).unwrap())
    };
    let tools = [tool("node__Read", true), tool("node__Deploy", false)].into();
    Ceiling { tools, trust: [ToolName::new("node__Deploy").unwrap()].into(), ..Ceiling::default() }
}

/// Returns the actor that changes the surface.
pub(super) fn actor(by: Role) -> SurfaceActor {
    match by {
        Role::User => SurfaceActor::ClientId(ClientId::new("window").unwrap()),
        Role::Assistant => SurfaceActor::SessionKey(SessionKey::new("agent:main:main").unwrap()),
    }
}

/// A canvas with a surface in a separate store.
pub(super) struct World {
    pub(super) engine: Engine<MemoryStore>,
    pub(super) canvas: CanvasId,
    clock: Arc<AtomicU64>,
    turn: Turn,
    calls: u32,
}

impl World {
    pub(super) fn new(state: Value) -> Self {
        Self::with(state, Policy::default())
    }

    pub(super) fn with(state: Value, policy: Policy) -> Self {
        let clock = Arc::new(AtomicU64::new(1_000_000));
        let reads = Arc::clone(&clock);
        let store = MemoryStore::new(move || Timestamp::from_millis(reads.load(Ordering::Relaxed)));
        let canvas = CanvasId::new("c").unwrap();
        let engine = Engine::new(store, policy).with_ceiling(Arc::new(ceiling()));
        let mut world = Self { engine, canvas, clock, turn: Turn::ZERO, calls: 0 };
        let key = world.key();
        block_on(world.engine.create(&world.canvas, "# Plan\n", &key, world.now())).unwrap();
        assert_eq!(world.put(Role::User, false, state), "OK");
        world
    }

    pub(super) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.load(Ordering::Relaxed))
    }

    pub(super) fn wait(&self, millis: u64) {
        self.clock.fetch_add(millis, Ordering::Relaxed);
    }

    fn key(&mut self) -> OpKey {
        self.calls += 1;
        let call = CallId::new(&self.calls.to_string()).unwrap();
        OpKey { conversation: ConversationId::new("somebody").unwrap(), turn: self.turn, call, person: None }
    }

    /// Clears the engine's cache.
    pub(super) fn forget(&self) {
        self.engine.forget(&self.canvas);
    }

    /// Starts the next turn, as if a person had sent a message.
    pub(super) fn next_turn(&mut self) {
        assert_eq!(self.ask(SendMessage), "OK");
        self.turn = self.head().lock.turn();
    }

    pub(super) fn erase_key(&self) -> OpKey {
        let (conversation, call) = (ConversationId::new("host").unwrap(), CallId::new("erase").unwrap());
        OpKey::of(conversation, call)
    }

    /// Returns `OK`, or the code of the refusal and its sentence.
    pub(super) fn tell<C: Command>(&mut self, command: C) -> (&'static str, String) {
        let key = self.key();
        match block_on(self.engine.call(&self.canvas, &key, command, self.now())).unwrap().result {
            Ok(_) => ("OK", String::new()),
            Err(refusal) => (refusal.code(), refusal.to_string()),
        }
    }

    pub(super) fn ask<C: Command>(&mut self, command: C) -> &'static str {
        self.tell(command).0
    }

    pub(super) fn put(&mut self, by: Role, is_effect: bool, patch: Value) -> &'static str {
        self.ask(Put { by, is_effect, patch, files: Vec::new() })
    }

    /// Begins an action of the spec. Returns the action to run, if there is one.
    pub(super) fn begin(&mut self, by: Role, action: &str) -> (&'static str, Option<Box<RunningAction>>) {
        let key = self.key();
        let request = ActionRequest {
            by: actor(by),
            job: None,
            action: ActionName::Id(ActionId::new(action).unwrap()),
            input: json!({}),
            expected: None,
            confirmation: None,
        };
        let (event, runner) = (EventId::new(key.call.as_str()).unwrap(), RunnerId::new("server").unwrap());
        let begin = BeginAction { request, event, runner };
        match block_on(self.engine.call(&self.canvas, &key, begin, self.now())).unwrap().result {
            Ok(ActionBegun::Run(running)) => ("OK", Some(running)),
            Ok(ActionBegun::Ended { .. }) => ("OK", None),
            Err(refusal) => (refusal.code(), None),
        }
    }

    /// Sets a member as a person.
    pub(super) fn set(&mut self, path: &str, value: Value) -> &'static str {
        self.put(Role::User, false, json!([{"op": "add", "path": path, "value": value}]))
    }

    /// Saves a value as a poll.
    pub(super) fn poll(&mut self, path: &str, value: Value) -> &'static str {
        self.put(Role::Assistant, true, json!([{"op": "add", "path": path, "value": value}]))
    }

    pub(super) fn file(&mut self, file: SurfaceFile, texts: Option<&[&str]>) -> &'static str {
        let texts = texts.map(|texts| texts.iter().map(|text| (*text).to_owned()).collect());
        self.ask(Put { by: Role::User, is_effect: false, patch: json!([]), files: vec![(file, texts)] })
    }

    pub(super) fn write(&mut self, text: &str) -> &'static str {
        self.ask(Edit::overwrite(text))
    }

    pub(super) fn undo(&mut self, steps: u32) -> &'static str {
        self.ask(Undo { by: Author::User, what: UndoScope::Steps(NonZeroU32::new(steps).unwrap()) })
    }

    pub(super) fn redo(&mut self, steps: u32) -> &'static str {
        self.ask(Redo { by: Author::User, steps: NonZeroU32::new(steps).unwrap() })
    }

    pub(super) fn head(&self) -> Arc<Head> {
        block_on(self.engine.store().load(&self.canvas)).unwrap().unwrap().head
    }

    pub(super) fn text_of(&self, file: TreeFile) -> Option<String> {
        let id = self.head().draft().file(file)?;
        let blob = block_on(self.engine.store().blob(&self.canvas, id)).unwrap().unwrap();
        Some(blob.as_text().unwrap().to_owned())
    }

    pub(super) fn state(&self) -> Value {
        serde_json::from_str(&self.text_of(TreeFile::State).unwrap()).unwrap()
    }

    pub(super) fn stacks(&self) -> Stacks {
        block_on(self.engine.stacks(&self.canvas, None, 999, self.now())).unwrap()
    }

    /// Returns all entries, oldest first.
    pub(super) fn entries(&self) -> Vec<Entry> {
        let mut entries = block_on(self.engine.history(&self.canvas, None, 9_999, self.now())).unwrap();
        entries.reverse();
        entries
    }

    /// Drops old entries, keeping this many changes and effects.
    pub(super) fn collect(&self, changes: u64, effects: u64) {
        let (history, effects, older_than) = (Some(changes), Some(effects), Duration::ZERO);
        // Stores do not drop blobs that were stored in the same millisecond.
        self.wait(1);
        block_on(self.engine.collect(&self.canvas, CollectOptions { history, effects, older_than })).unwrap();
    }

    /// Returns the number of the canvas's blobs in the store.
    pub(super) fn blobs(&self) -> usize {
        self.engine.store().blob_stats(&self.canvas).0
    }

    /// Checks that the journal plays back and forth to the current canvas.
    pub(super) fn replays(&self) {
        let replay = block_on(self.engine.replay(&self.canvas, self.now())).unwrap();
        assert_eq!(replay.tree, self.head().draft().hash());
        assert_eq!(replay.entries, self.entries().len());
    }
}

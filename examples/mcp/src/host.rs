//! What one process has for all its connections.

use std::sync::Arc;

use canvas_core::board::{GridConfig, Workspace, WorkspaceId};
use canvas_core::lease::Turn;
use canvas_core::surface::RunnerId;
use canvas_core::{
    CanvasId, Command, ConversationId, CreateBoard, Engine, EngineError, OpKey, Policy, Snapshot,
};
use canvas_tools::surface::SurfaceDoor;

use crate::clock;
use crate::components;
use crate::conformance::Asking;
use crate::conversation::Conversations;
use crate::file::{DocumentFile, FileError};
use crate::follow::{self, Follow};
use crate::identity::{self, Identity};
use crate::names::{Names, random};
use crate::notices::Notices;
use crate::open::Opened;
use crate::options::{Options, StoreOption};
use crate::panel_tools::ceiling;
use crate::pause::Pauses;
use crate::promote::PromoteError;
use crate::resources::Rendered;
use crate::save;
use crate::seal::Seal;
use crate::toolbox::Toolboxes;

/// The engine and what stands around it.
#[derive(Debug)]
pub struct Host {
    pub(crate) engine: Arc<Engine>,
    pub(crate) options: Options,
    /// The canvas of calls that name none.
    pub(crate) first: CanvasId,
    pub(crate) names: Names,
    /// The conversation of what people do.
    pub(crate) person: ConversationId,
    pub(crate) door: Arc<SurfaceDoor>,
    pub(crate) toolboxes: Toolboxes,
    pub(crate) conversations: Conversations,
    pub(crate) pauses: Pauses,
    /// What the first canvas's document is kept in.
    pub(crate) file: Option<DocumentFile>,
    /// What the next reply says beside its own.
    pub(crate) notices: Notices,
    pub(crate) follow: Follow,
    pub(crate) rendered: Rendered,
    pub(crate) seal: Seal,
    /// Where the fixtures of the conformance suite are there.
    pub(crate) conformance: Option<Asking>,
}

/// Why a host cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The system has no random bytes.
    #[error("the system gives no random bytes ({0}): start again")]
    Random(#[from] getrandom::Error),
    /// The engine refuses, or the store fails.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The file of the document.
    #[error(transparent)]
    File(#[from] FileError),
    /// The draft cannot be promoted.
    #[error("the draft cannot be promoted: {0}")]
    Promote(String),
}

impl StartError {
    pub(crate) fn agree(error: PromoteError) -> Self {
        match error {
            PromoteError::File(error) => Self::File(error),
            PromoteError::Session(error) => Self::Promote(error.to_string()),
            PromoteError::Refused(message) => Self::Promote(message),
        }
    }
}

/// The document of a canvas that is made without one.
const EMPTY: &str = "# Notes\n";

impl Host {
    /// A host on a store. The first canvas is made where it is missing.
    ///
    /// # Errors
    ///
    /// [`StartError`].
    #[expect(clippy::missing_panics_doc, reason = "the name is short")]
    pub async fn start(options: Options, opened: Opened) -> Result<Arc<Self>, StartError> {
        let names = Names::new()?;
        let mut policy = Policy { retake: true, rebase: true, ..Policy::default() };
        policy.lease.ttl = options.ttl;
        let engine = Engine::with_registry(opened.store, policy, components::registry())
            .with_pause(tokio::time::sleep);
        let engine = engine.with_ceiling(Arc::new(ceiling()));
        let document = options.document.as_deref().map(identity::canonical);
        let first = match (&options.canvas, &document, &options.store) {
            (Some(canvas), ..) => canvas.clone(),
            (None, None, _) => CanvasId::new("notes").expect("the name is short"),
            // Nothing is kept, so that no other file can be meant.
            (None, Some(path), StoreOption::Memory) => identity::id_of(path),
            (None, Some(path), _) => {
                let identity = Identity { engine: &engine, names: &names };
                identity.canvas_of(path, options.was.as_deref()).await?
            }
        };
        let runner = RunnerId::new(&format!("mcp-{}", names.start())).expect("the name is short");
        let door = Arc::new(SurfaceDoor::new(runner, u64::from_le_bytes(random()?)));
        let host = Arc::new(Self {
            engine: Arc::new(engine),
            first,
            person: names.conversation("user"),
            toolboxes: Toolboxes::new(options.tools, Arc::clone(&door), options.document_name()),
            conversations: Conversations::default(),
            pauses: Pauses::new(options.quiet),
            file: document.map(|path| DocumentFile::new(path, names.start())),
            notices: Notices::default(),
            follow: Follow::new(),
            rendered: Rendered::default(),
            seal: Seal::new()?,
            conformance: if options.conformance { Some(Asking::new()?) } else { None },
            door,
            options,
            names,
        });
        host.make_first().await?;
        if let Some(file) = &host.file {
            host.agree(file).await?;
            tokio::spawn(save::watch(Arc::downgrade(&host)));
        }
        // Before a client asks for anything, so that it is told of each canvas that is made after its handshake.
        let asking = follow::Asking::begin(&host, opened.others).await;
        tokio::spawn(follow::hear(Arc::downgrade(&host), asking));
        Ok(host)
    }

    /// What is served, and where it is kept, in one line for the log of a client.
    pub(crate) fn served(&self) -> String {
        let kept = match &self.options.store {
            StoreOption::Memory => "in memory, until the end".to_owned(),
            StoreOption::Sqlite(path) => format!("in {}", path.display()),
            StoreOption::Postgres(_) => "in PostgreSQL".to_owned(),
        };
        let what = match &self.options.document {
            Some(path) => format!("{} as the canvas {}", path.display(), self.first),
            None => format!("the canvas {}", self.first),
        };
        format!("{} serves {what}; canvases are kept {kept}", env!("CARGO_PKG_VERSION"))
    }

    /// The engine.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// The canvas of calls that name none.
    pub fn first_canvas(&self) -> &CanvasId {
        &self.first
    }

    async fn make_first(&self) -> Result<(), StartError> {
        let operation = self.operation(Turn::ZERO);
        let text = match &self.file {
            Some(file) => file.read()?,
            None => None,
        };
        let text = text.as_deref().unwrap_or(EMPTY);
        match self.engine.create(&self.first, text, &operation, clock::now()).await {
            // Another process may be making it at this moment.
            Ok(_) => self.make_board(&self.first).await?,
            Err(EngineError::Exists { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Gives a canvas a board where it has none.
    pub(crate) async fn make_board(&self, canvas: &CanvasId) -> Result<(), EngineError> {
        let name = canvas.as_str();
        let id = WorkspaceId::new(&format!("ws_{name}")).or_else(|_| WorkspaceId::new(name));
        let id = id.expect("a canvas has the name already");
        let workspace =
            Workspace::empty(id, name.to_owned(), "main".to_owned(), GridConfig::default(), clock::now());
        // A refusal says that there is one.
        self.act(canvas, CreateBoard { workspace: Box::new(workspace) }).await.map(drop)
    }

    /// Does what a person asks for, as a call of its own.
    pub(crate) async fn act<C: Command>(
        &self,
        canvas: &CanvasId,
        command: C,
    ) -> Result<(Result<C::Done, C::Refusal>, Snapshot), EngineError> {
        let operation = self.operation(self.turn(canvas).await?);
        let answered = self.engine.call(canvas, &operation, command, clock::now()).await?;
        Ok((answered.result, answered.snapshot))
    }

    pub(crate) async fn turn(&self, canvas: &CanvasId) -> Result<Turn, EngineError> {
        Ok(self.engine.snapshot(canvas, clock::now()).await?.head.lock().turn())
    }

    /// The key of something that a person does.
    pub(crate) fn operation(&self, turn: Turn) -> OpKey {
        OpKey { conversation: self.person.clone(), turn, call: self.names.call() }
    }
}

//! What one process has for all its connections.

use std::sync::Arc;

use canvas_core::board::{CreateBoard, GridConfig, Workspace, WorkspaceId};
use canvas_core::lease::Turn;
use canvas_core::policy::WriteRules;
use canvas_core::rollout::Rollout;
use canvas_core::surface::RunnerId;
use canvas_core::{
    CanvasId, CodedError, Command, ConversationId, Engine, EngineError, OpKey, Policy, Snapshot,
};
use canvas_tools::surface::SurfaceDoor;
use serde_json::{Value, json};

use crate::clock;
use crate::components;
use crate::conformance::Asking;
use crate::conversation::Conversations;
use crate::file::{DocumentFile, FileError};
use crate::files::Files;
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
use crate::toolbox::{Naming, Toolbox, Toolboxes};
use crate::trace;

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
    /// What documents are kept in.
    pub(crate) files: Files,
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
    Random(getrandom::Error),
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

impl CodedError for StartError {
    fn code(&self) -> &'static str {
        match self {
            Self::File(error) => error.code(),
            Self::Engine(error) => error.code(),
            Self::Random(_) | Self::Promote(_) => "FILE_UNAVAILABLE",
        }
    }

    fn is_retryable(&self) -> bool {
        matches!(self, Self::Engine(error) if error.is_retryable())
    }
}

impl StartError {
    /// Whether the fault is one of a file, beside which a server goes on.
    fn is_of_file(&self) -> bool {
        matches!(self, Self::File(_) | Self::Promote(_) | Self::Engine(EngineError::TooLarge { .. }))
    }

    /// As models get it.
    pub(crate) fn to_json(&self) -> Value {
        match self {
            Self::File(error) => error.to_json(),
            Self::Engine(_) | Self::Random(_) | Self::Promote(_) => json!(self.report()),
        }
    }

    pub(crate) fn agree(error: PromoteError) -> Self {
        match error {
            PromoteError::File(error) => Self::File(error),
            PromoteError::Session(error) => Self::Promote(error.message()),
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
        let names = Names::new().map_err(StartError::Random)?;
        let mut policy = Policy {
            writes: WriteRules { retake: true, rebase: true, ..Default::default() },
            ..Policy::default()
        };
        policy.lease.ttl = options.ttl;
        if options.proposes {
            // What waits needs no lease.
            policy.rollout = Rollout::Write;
        }
        let mut engine = Engine::new(opened.store, policy)
            .with_registry(components::registry())
            .with_ceiling(Arc::new(ceiling()))
            .with_sleep(tokio::time::sleep);
        if options.trace {
            engine = engine.with_observer(Arc::new(trace::Lines::new()));
        }
        let first = match &options.canvas {
            Some(canvas) => canvas.clone(),
            None => match &*options.documents {
                [] => Self::usual_canvas(),
                [document, ..] => {
                    let path = identity::canonical(&document.path);
                    let identity = Identity { engine: &engine, names: &names };
                    identity.canvas_in(&options.store, &path, document.was.as_deref()).await?
                }
            },
        };
        let naming = match (&*options.documents, &options.folder) {
            ([], None) => Naming::Canvas,
            ([_], None) => Naming::One,
            _ => Naming::Document,
        };
        let runner = RunnerId::new(&format!("mcp-{}", names.start())).expect("the name is short");
        let door =
            Arc::new(SurfaceDoor::new(runner, u64::from_le_bytes(random().map_err(StartError::Random)?)));
        let host = Arc::new(Self {
            engine: Arc::new(engine),
            first,
            person: names.conversation("user"),
            toolboxes: Toolboxes::new(options.tools, Arc::clone(&door), options.document_name(), naming),
            conversations: Conversations::new(options.mode()),
            pauses: Pauses::new(options.quiet),
            files: Files::new(options.folder.as_deref()),
            notices: Notices::default(),
            follow: Follow::new(),
            rendered: Rendered::default(),
            seal: Seal::new().map_err(StartError::Random)?,
            conformance: if options.conformance {
                Some(Asking::new().map_err(StartError::Random)?)
            } else {
                None
            },
            door,
            options,
            names,
        });
        if host.options.documents.is_empty() && !host.files.has_folder() {
            host.make(&host.first, None).await?;
        } else {
            host.name_files().await?;
            tokio::spawn(save::watch(Arc::downgrade(&host)));
        }
        // Before a client asks for anything, so that it is told of each canvas that is made after its handshake.
        let asking = follow::Asking::begin(&host, opened.others).await;
        tokio::spawn(follow::hear(Arc::downgrade(&host), asking));
        Ok(host)
    }

    /// The canvas of a server that nobody gave a file or a canvas.
    pub(crate) fn usual_canvas() -> CanvasId {
        CanvasId::new("notes").expect("the name is short")
    }

    /// What is served, and where it is kept, in one line for the log of a client.
    pub(crate) fn served(&self) -> String {
        let kept = match &self.options.store {
            StoreOption::Memory => "in memory, until the end".to_owned(),
            StoreOption::Sqlite(path) => format!("in {}", path.display()),
            StoreOption::Postgres(_) => "in PostgreSQL".to_owned(),
        };
        let files = self.files.open();
        let mut what: Vec<_> = files
            .iter()
            .map(|file| format!("{} as the canvas {}", file.path().display(), file.canvas))
            .collect();
        what.extend(
            self.options
                .folder
                .as_ref()
                .map(|folder| format!("the Markdown files below {}", folder.display())),
        );
        if what.is_empty() {
            what.push(format!("the canvas {}", self.first));
        }
        let what = what.join(", ");
        format!("{} serves {what}; canvases are kept {kept}", env!("CARGO_PKG_VERSION"))
    }

    /// How models use the tools.
    pub(crate) fn system_prompt(&self, toolbox: &Toolbox) -> String {
        toolbox.tools.briefing_in(&self.engine, &self.options.mode()).system
    }

    /// The engine.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// The canvas of calls that name none.
    pub fn first_canvas(&self) -> &CanvasId {
        &self.first
    }

    /// Opens the files of the command line. One that cannot be read is tried again with each call.
    async fn name_files(&self) -> Result<(), StartError> {
        let paths: Vec<_> =
            self.options.documents.iter().map(|document| identity::canonical(&document.path)).collect();
        for (number, (document, path)) in self.options.documents.iter().zip(&paths).enumerate() {
            let canvas = match number {
                0 => self.first.clone(),
                _ => self.canvas_of(path, document.was.as_deref()).await?,
            };
            let name = document.path.file_name();
            let is_name_of_one = self
                .options
                .documents
                .iter()
                .zip(&paths)
                .all(|(other, at)| at == path || other.path.file_name() != name);
            let label = match name.filter(|_| is_name_of_one) {
                Some(name) => name.to_string_lossy().into_owned(),
                None => document.path.display().to_string(),
            };
            self.files.name(DocumentFile::new(self, path.clone(), label, canvas.clone()));
            match self.look(&canvas).await {
                Ok(()) => {}
                Err(error) if error.is_of_file() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Makes a canvas where it is missing.
    pub(crate) async fn make(&self, canvas: &CanvasId, text: Option<&str>) -> Result<(), StartError> {
        let operation = self.operation(Turn::ZERO);
        match self.engine.create(canvas, text.unwrap_or(EMPTY), &operation, clock::now()).await {
            // Another process may be making it at this moment.
            Ok(_) => self.make_board(canvas).await?,
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
        OpKey {
            conversation: self.person.clone(),
            turn,
            call: self.names.call(),
            person: self.options.person.clone(),
        }
    }
}

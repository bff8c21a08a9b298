//! Where a turn ends or begins: the draft becomes the artefact, and the document's file has its text.

use canvas_core::proposal::RejectedLines;
use canvas_core::store::TurnStart;
use canvas_core::turn::{EndTurn, Promotion};
use canvas_core::{CanvasId, CodedError};
use canvas_tools::{Session, SessionError};
use serde_json::{Value, json};

use crate::clock;
use crate::file::FileError;
use crate::host::Host;
use crate::save::Taken;

/// Who ends a turn, or begins the next.
#[derive(Debug)]
pub(crate) enum Ending<'a> {
    /// A model, whose turn is over.
    End(&'a mut Session),
    /// A person, whose message begins the next turn of this conversation.
    Begin(&'a mut Session),
    /// A person, who changed something. That is a turn of its own.
    Person,
}

/// The draft is the artefact.
#[derive(Debug, Default)]
pub(crate) struct Promoted {
    /// Whether something changed by it.
    pub(crate) promotion: Option<Promotion>,
    /// What the conversation does not know yet.
    pub(crate) hidden: Option<String>,
    /// Rejected parts of its proposal, which are in `hidden` too.
    pub(crate) rejected: Vec<RejectedLines>,
}

/// Why the draft is not the artefact. It is still there.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PromoteError {
    /// The file of the document.
    #[error(transparent)]
    File(#[from] FileError),
    /// The rules, or the store.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A person's save is no edit that the canvas takes.
    #[error("{0}")]
    Refused(String),
}

impl CodedError for PromoteError {
    fn code(&self) -> &'static str {
        match self {
            Self::File(error) => error.code(),
            Self::Session(error) => error.code(),
            Self::Refused(_) => "FILE_UNAVAILABLE",
        }
    }

    fn is_retryable(&self) -> bool {
        matches!(self, Self::Session(error) if error.is_retryable())
    }
}

impl PromoteError {
    /// As models get it.
    pub(crate) fn to_json(&self) -> Value {
        match self {
            Self::File(error) => error.to_json(),
            Self::Refused(_) | Self::Session(_) => json!(self.report()),
        }
    }
}

/// How often a promotion is tried that others overtake. Each time somebody else got on.
const TRIES: usize = 16;

impl Host {
    /// Promotes the draft of a canvas. Where the canvas is kept in a file, that has the text first: a process that is killed
    /// in between finds at its next start that the file is the draft, and promotes it.
    pub(crate) async fn promote(
        &self,
        canvas: &CanvasId,
        mut ending: Ending<'_>,
    ) -> Result<Promoted, PromoteError> {
        let file = self.files.of(canvas);
        let file = file.as_deref();
        let writing = match file {
            Some(file) => Some(file.writing().await),
            None => None,
        };
        let mut put_aside = None;
        if let (Some(file), Some(writing)) = (file, &writing)
            && !file.is_unchanged()
        {
            match self.take_in(file, writing).await {
                Ok(Taken::PutAside { kept, diff }) => {
                    put_aside = Some(FileError::Changed { name: file.name(), kept, diff });
                }
                Ok(Taken::Known | Taken::Edit) => {}
                // Whether that matters is seen when it is to be written.
                Err(PromoteError::File(FileError::Gone { .. })) => {}
                Err(error) => return Err(error),
            }
        }
        let mut done = Promoted::default();
        for number in 0..TRIES {
            let snapshot = self.engine.snapshot(canvas, clock::now()).await.map_err(SessionError::from)?;
            // Where nothing is promoted, nothing is written, whatever the file has. But a model may have written between the
            // file and the promotion, which then has more than the file.
            let is_behind = number > 0 || committed(&snapshot) != Some(snapshot.head.document());
            if let (Some(file), Some(writing)) = (file, &writing)
                && is_behind
                && !file.write(self, &snapshot, writing).await?
            {
                // Somebody has saved it in this moment.
                file.rests().await;
                self.take_in(file, writing).await?;
                continue;
            }
            let lock = match &ending {
                Ending::End(session) | Ending::Begin(session) => snapshot.head.lock_of(&session.conversation),
                Ending::Person => snapshot.head.lock(),
            };
            let start = TurnStart { epoch: lock.epoch(), revision: snapshot.head.revision() };
            done = self.end(canvas, &mut ending, start).await?;
            if done.promotion == Some(Promotion::Deferred) {
                continue;
            }
            let after = self.engine.snapshot(canvas, clock::now()).await.map_err(SessionError::from)?;
            let is_whole = file.is_none() || committed(&after) == Some(snapshot.head.document());
            if is_whole {
                if let (Some(file), Some(writing)) = (file, &writing) {
                    file.settled(writing);
                }
                break;
            }
        }
        match put_aside {
            Some(error) if matches!(ending, Ending::End(_)) => Err(error.into()),
            _ => Ok(done),
        }
    }

    pub(crate) async fn end(
        &self,
        canvas: &CanvasId,
        ending: &mut Ending<'_>,
        start: TurnStart,
    ) -> Result<Promoted, SessionError> {
        let (engine, call, now) = (&*self.engine, self.names.call(), clock::now());
        match ending {
            Ending::End(session) => {
                session.start = start;
                let ended = session.end_turn(engine, call, now).await?;
                let (promotion, hidden) = (Some(ended.promotion), ended.hidden_message);
                Ok(Promoted { promotion, hidden, rejected: ended.rejected })
            }
            Ending::Begin(session) => {
                let began = session.begin_turn(engine, call, now).await?;
                let (promotion, hidden) = (Some(began.promotion), began.hidden_message);
                Ok(Promoted { promotion, hidden, rejected: began.rejected })
            }
            Ending::Person => {
                let (result, _) = self.act(canvas, EndTurn { start }).await?;
                Ok(Promoted { promotion: Some(result?.promotion), ..Promoted::default() })
            }
        }
    }
}

/// The document of the artefact.
pub(crate) fn committed(snapshot: &canvas_core::Snapshot) -> Option<canvas_core::BlobId> {
    snapshot.head.committed()?.get(&canvas_core::store::TreePath::document())
}

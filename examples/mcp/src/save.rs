//! What a person saves in the document's file, with an editor or any other program.
//!
//! * The file is looked at before each call and each read, and now and then between them. A save is an edit of the person: it
//!   ends the lease of a model, and is told to it.
//! * It is joined with the draft where the two do not overlap. Where they do the file counts, and the draft is kept as a canvas
//!   of its own.

use std::sync::{Arc, Weak};
use std::time::Duration;

use canvas_core::document::{Base, Edit};
use canvas_core::lease::Lock;
use canvas_core::store::TurnStart;
use canvas_core::text::{Delta, Rebase, build};
use canvas_core::{CanvasId, CodedError as _, EngineError, Refused as _, Snapshot};

use crate::clock;
use crate::file::{DocumentFile, FileError, Writing, named};
use crate::host::{Host, StartError};
use crate::log;
use crate::options::StoreOption;
use crate::promote::{Ending, PromoteError, committed};

/// How often the file is looked at between calls.
const EVERY: Duration = Duration::from_secs(1);

/// How often a save is taken in that others overtake.
const TRIES: usize = 16;

/// What has become of a file's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It is a text of the canvas.
    Known,
    /// It is an edit of the person now.
    Edit,
    /// As [`Taken::Edit`], and the draft was put aside.
    PutAside {
        /// The canvas that has it.
        kept: CanvasId,
        /// From the text that the file had last to the one that it has.
        diff: String,
    },
}

impl Host {
    /// Looks whether a person has saved the document of a canvas. Costs a look at the file's entry where nobody has.
    ///
    /// # Errors
    ///
    /// If the file was never read, so that the canvas has nothing of it.
    pub(crate) async fn look(&self, canvas: &CanvasId) -> Result<(), StartError> {
        let Some(file) = self.file_of(canvas).await? else { return Ok(()) };
        if file.agreed.initialized() {
            self.look_at(&file).await;
            return Ok(());
        }
        let agreed = file.agreed.get_or_try_init(|| self.make_agree(&file)).await;
        let Err(error) = agreed else {
            self.notices.is_well(canvas.as_str());
            return Ok(());
        };
        // It is said once, and again once it was well.
        self.notices.fault(canvas.as_str(), error.message());
        // With a text of before, the canvas goes on with it.
        if self.engine.snapshot(canvas, clock::now()).await.is_ok() { Ok(()) } else { Err(error) }
    }

    async fn make_agree(&self, file: &DocumentFile) -> Result<(), StartError> {
        self.make(&file.canvas, file.read()?.as_deref()).await?;
        self.agree(file).await
    }

    async fn look_at(&self, file: &DocumentFile) {
        if file.is_unchanged() {
            return;
        }
        let writing = file.writing().await;
        if file.is_unchanged() {
            return;
        }
        file.rests().await;
        match self.take_in(file, &writing).await {
            Ok(Taken::PutAside { kept, .. }) => self.notices.add(format!(
                "The user changed {} where the draft changed it too: the file's text counts, and the draft is kept as the \
                 canvas {kept}.",
                file.name()
            )),
            Ok(Taken::Known | Taken::Edit) => self.notices.is_well(file.canvas.as_str()),
            Err(error) => self.notices.fault(file.canvas.as_str(), error.message()),
        }
    }

    /// Makes what a person has saved an edit.
    pub(crate) async fn take_in(&self, file: &DocumentFile, _: &Writing<'_>) -> Result<Taken, PromoteError> {
        for _ in 0..TRIES {
            let Some(text) = file.read()? else { return Err(FileError::Gone { name: file.name() }.into()) };
            let snapshot = self.snapshot_of(file).await?;
            let id = named(&snapshot, &text);
            if id == snapshot.head.document() || file.is_ours(self, &snapshot, id).await {
                file.know_again(id, &text, &snapshot);
                return Ok(Taken::Known);
            }
            let before = match file.last() {
                Some(before) => before,
                None => file.artefact(self, &snapshot).await,
            };
            let joined = joined(&before, &text, snapshot.text());
            let kept = match &joined {
                Some(_) => None,
                None => Some(self.put_aside(file, snapshot.text()).await?),
            };
            let has_draft = committed(&snapshot) != Some(snapshot.head.document()) && kept.is_none();
            let edit = Edit {
                markdown: joined.unwrap_or_else(|| text.clone()),
                base: Some(Base::Id(snapshot.revision_id())),
            };
            let (edited, _) = self.act(&file.canvas, edit).await.map_err(engine)?;
            match edited {
                Ok(_) => {}
                Err(refusal) if refusal.view().code() == "PATCH_REJECTED" => continue,
                Err(refusal) => return Err(PromoteError::Refused(refusal.view().to_string())),
            }
            file.know(id, &text, committed(&snapshot).filter(|_| has_draft));
            if !has_draft {
                // Nobody else's text is in it, so that it is the artefact as it is the file's.
                let now = self.snapshot_of(file).await?;
                let start = TurnStart { epoch: now.head.lock().epoch(), revision: now.head.revision() };
                if now.head.document() == id {
                    self.end(&file.canvas, &mut Ending::Person, start).await?;
                }
            }
            log::line(format_args!(
                "{} was saved by another program: its text is taken as the user's edit",
                file.name()
            ));
            return Ok(match kept {
                None => Taken::Edit,
                Some(kept) => Taken::PutAside { kept, diff: build(&before, &text, 3) },
            });
        }
        Err(FileError::Busy { name: file.name() }.into())
    }

    /// A model has forgotten to check in: what it wrote under a lease that has expired is promoted as at a check-in.
    async fn end_expired(&self, file: &DocumentFile) {
        let Ok(snapshot) = self.snapshot_of(file).await else { return };
        let policy = &self.engine.policy().lease;
        let is_forgotten = |lock: &Lock| {
            lock.lease().is_some() && lock.valid_lease(policy, clock::now()).is_none() && lock.is_turn_open()
        };
        let is_forgotten = is_forgotten(snapshot.head.lock())
            || snapshot.head.own_turns().any(|(_, lock)| is_forgotten(lock));
        let has_draft = committed(&snapshot).is_some_and(|artefact| artefact != snapshot.head.document());
        if !(is_forgotten && has_draft) {
            return;
        }
        match self.promote(&file.canvas, Ending::Person).await {
            Ok(_) => self.notices.add(
                format!("The lease expired without a check-in, so what was written to {} under it was saved as at one.", file.name()),
            ),
            Err(error) => {
                let kept = format!("the draft of {} is kept: {}", file.canvas, error.message());
                self.notices.fault(file.canvas.as_str(), kept);
            }
        }
    }

    async fn snapshot_of(&self, file: &DocumentFile) -> Result<Snapshot, PromoteError> {
        self.engine.snapshot(&file.canvas, clock::now()).await.map_err(engine)
    }

    /// Keeps a draft that does not go with the file as a canvas of its own, and as a file where canvases are gone at the end.
    async fn put_aside(&self, file: &DocumentFile, draft: &str) -> Result<CanvasId, PromoteError> {
        let kept = draft_of(&file.canvas);
        let operation = self.operation(canvas_core::lease::Turn::ZERO);
        match self.engine.create(&kept, draft, &operation, clock::now()).await {
            Ok(_) => {}
            Err(EngineError::Exists { .. }) => {
                let (edited, _) = self.act(&kept, Edit::overwrite(draft)).await.map_err(engine)?;
                edited.map_err(|refusal| PromoteError::Refused(refusal.view().to_string()))?;
            }
            Err(error) => return Err(engine(error)),
        }
        let mut said = format!(
            "{}: the user's text counts, and the draft is kept as the canvas {kept}: canvas-mcp draft shows it",
            file.name()
        );
        if self.options.store == StoreOption::Memory {
            let beside = file.keep_draft(draft)?;
            said += &format!(" and in {beside}");
        }
        log::line(said);
        Ok(kept)
    }

    /// Makes the file and the canvas agree, before anybody asks for either. A conflict of both is no error.
    pub(crate) async fn agree(&self, file: &DocumentFile) -> Result<(), StartError> {
        let writing = file.writing().await;
        file.recover();
        file.sweep();
        let snapshot = self.engine.snapshot(&file.canvas, clock::now()).await?;
        let read = file.read()?;
        if let Some(text) = read {
            let known = named(&snapshot, &text);
            let is_settled = committed(&snapshot) == Some(snapshot.head.document());
            if is_settled && known != snapshot.head.document() && file.is_ours(self, &snapshot, known).await {
                file.put(snapshot.text())?;
            } else if let Taken::PutAside { kept, .. } =
                self.take_in(file, &writing).await.map_err(StartError::agree)?
            {
                self.notices.add(format!(
                    "The user changed {} where an earlier draft changed it too: the file's text counts, and the draft is \
                     kept as the canvas {kept}.",
                    file.name()
                ));
            }
        } else if committed(&snapshot).is_some() {
            log::line(FileError::Gone { name: file.name() });
        } else {
            log::line(format_args!("{} is new", file.name()));
        }
        drop(writing);
        // A draft that no check-in has promoted stays one.
        let snapshot = self.engine.snapshot(&file.canvas, clock::now()).await?;
        let text = file.read()?.map(|text| named(&snapshot, &text));
        let is_cut_off = text == Some(snapshot.head.document()) && committed(&snapshot) != text;
        if is_cut_off || committed(&snapshot).is_none() {
            self.promote(&file.canvas, Ending::Person).await.map_err(StartError::agree)?;
        }
        file.settled(&file.writing().await);
        Ok(())
    }
}

/// The canvas that keeps a draft of another.
pub(crate) fn draft_of(canvas: &CanvasId) -> CanvasId {
    let kept = CanvasId::new(&format!("{canvas}.draft"));
    kept.unwrap_or_else(|_| CanvasId::new("draft").expect("the name is short"))
}

/// Whether the canvas keeps a draft of another.
pub(crate) fn is_draft(canvas: &CanvasId) -> bool {
    canvas.as_str().ends_with(".draft")
}

fn engine(error: EngineError) -> PromoteError {
    PromoteError::Session(error.into())
}

/// The text of now with what was changed between two others; `None` where both changes touch.
fn joined(before: &str, after: &str, now: &str) -> Option<String> {
    if before == now {
        return Some(after.to_owned());
    }
    let change = Rebase::new(Delta::between(before, after));
    change.past(&Delta::between(before, now)).ok()?.into_delta().apply(now).ok()
}

/// Looks at the files between calls, for as long as there is a host: whoever follows the document hears of a save. A draft
/// whose lease has expired is promoted.
pub(crate) async fn watch(host: Weak<Host>) {
    loop {
        tokio::time::sleep(EVERY).await;
        let Some(host): Option<Arc<Host>> = host.upgrade() else { return };
        for file in host.files.open() {
            if file.agreed.initialized() {
                host.look_at(&file).await;
                host.end_expired(&file).await;
            }
        }
    }
}

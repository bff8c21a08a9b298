//! The file that a document is kept in.
//!
//! * It is written at each promotion, into a new file that takes its place, so that it never has half a text.
//! * It is written first and the store second. A process that is killed in between leaves a file that is the draft; the
//!   next start promotes that.
//! * A model may write between the two, so that the store has more than the file until that is written again. A note beside
//!   the file says meanwhile which text is a server's.
//! * Servers on one file take turns by a lock on its folder, which a killed process holds no longer.
//! * What somebody else wrote is never overwritten. At the start it is a person's edit, on the text that the file had
//!   last; later the promotion is refused, with the difference.

use std::fs::TryLockError;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex as SyncMutex, PoisonError};
use std::time::{Duration, SystemTime};

use canvas_core::text::build;
use canvas_core::{Base, BlobId, Edit, Refused as _, Snapshot, Step};
use serde_json::{Value, json};
use tokio::sync::{Mutex, MutexGuard};

use crate::clock;
use crate::host::{Host, StartError};
use crate::promote::{Ending, committed};

/// The file of the first canvas's document.
#[derive(Debug)]
pub(crate) struct DocumentFile {
    path: PathBuf,
    /// Begins the names of files that are being written.
    start: String,
    /// The text that this process wrote last, or took as a person's edit.
    known: SyncMutex<Option<BlobId>>,
    /// One promotion of this process writes at a time.
    turn: Mutex<()>,
}

/// The right to write, until it is dropped.
#[derive(Debug)]
pub(crate) struct Writing<'a> {
    _turn: MutexGuard<'a, ()>,
    /// The folder, locked; `None` where the system locks no folders, and servers may find the file changed.
    _lock: Option<std::fs::File>,
}

/// Why the file is not written, or not read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// Somebody else changed it.
    #[error(
        "{name} was changed by another program, and the canvas keeps its text as a draft: start the server again to have the \
         text of the file as an edit of the user"
    )]
    Changed {
        /// The file.
        name: String,
        /// From the text that it had last to the one that it has.
        diff: String,
    },
    /// It is no text.
    #[error("{name} is no text in UTF-8: give another file")]
    NotText {
        /// The file.
        name: String,
    },
    /// The system refuses.
    #[error("{name} cannot be {what}: {error}")]
    Io {
        /// The file.
        name: String,
        /// Read or written.
        what: &'static str,
        /// Why.
        error: io::Error,
    },
}

impl FileError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Changed { .. } => "FILE_CHANGED",
            Self::NotText { .. } => "FILE_NOT_TEXT",
            Self::Io { .. } => "FILE_UNAVAILABLE",
        }
    }

    /// As models get it.
    pub(crate) fn to_json(&self) -> Value {
        let mut error = json!({"code": self.code(), "message": self.to_string(), "retryable": false});
        if let Self::Changed { diff, .. } = self {
            error["diff"] = diff.as_str().into();
        }
        error
    }
}

/// Entries of the journal that are looked through for a text.
const LOOKS: usize = 256;

/// How often, and after which pauses, a lock is tried: for 10 seconds, since a promotion takes milliseconds.
const LOCK_TRIES: u32 = 5_000;
const LOCK_PAUSE: Duration = Duration::from_millis(2);

/// How old a file that is being written is before it counts as left behind.
const LEFT_BEHIND: Duration = Duration::from_secs(60);

impl DocumentFile {
    /// The file at a path, or the one that a link there leads to.
    pub(crate) fn new(path: &Path, start: &str) -> Self {
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        Self { path, start: start.to_owned(), known: SyncMutex::default(), turn: Mutex::default() }
    }

    /// What people call it.
    pub(crate) fn name(&self) -> String {
        self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy().into_owned()
    }

    /// Its text; `None` where there is no file.
    pub(crate) fn read(&self) -> Result<Option<String>, FileError> {
        match std::fs::read(&self.path) {
            Ok(bytes) => {
                let text = String::from_utf8(bytes).map_err(|_| FileError::NotText { name: self.name() })?;
                Ok(Some(text))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.io("read", error)),
        }
    }

    /// Waits until no other server writes.
    pub(crate) async fn writing(&self) -> Writing<'_> {
        let turn = self.turn.lock().await;
        let mut lock = std::fs::File::open(self.folder()).ok();
        for _ in 0..LOCK_TRIES {
            match lock.as_ref().map(std::fs::File::try_lock) {
                None | Some(Ok(())) => break,
                Some(Err(TryLockError::WouldBlock)) => tokio::time::sleep(LOCK_PAUSE).await,
                Some(Err(TryLockError::Error(_))) => lock = None,
            }
        }
        Writing { _turn: turn, _lock: lock }
    }

    fn folder(&self) -> &Path {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.unwrap_or_else(|| Path::new("."))
    }

    /// Makes the draft the file's text, unless somebody else has changed it.
    pub(crate) async fn write(
        &self,
        host: &Host,
        snapshot: &Snapshot,
        _: &Writing<'_>,
    ) -> Result<(), FileError> {
        let draft = snapshot.head.document();
        let text = self.read()?;
        let known = text.as_ref().map(|text| named(snapshot, text));
        if known == Some(draft) {
            return Ok(());
        }
        let is_ours = match known {
            Some(known) => self.is_ours(host, snapshot, known).await,
            None => committed(snapshot).is_none(),
        };
        if !is_ours {
            let before = self.artefact(host, snapshot).await;
            let diff = build(&before, &text.unwrap_or_default(), 3);
            return Err(FileError::Changed { name: self.name(), diff });
        }
        std::fs::write(self.note(), draft.to_string()).map_err(|error| self.io("written", error))?;
        self.replace(snapshot.text())?;
        self.know(draft);
        Ok(())
    }

    /// The file has what the store has.
    pub(crate) fn settled(&self, _: &Writing<'_>) {
        drop(std::fs::remove_file(self.note()));
    }

    /// Where the text is noted that is being promoted.
    fn note(&self) -> PathBuf {
        self.folder().join(format!(".{}.promoting", self.name()))
    }

    fn know(&self, text: BlobId) {
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
    }

    /// Whether a text is what a promotion has left: the artefact, or a draft since.
    async fn is_ours(&self, host: &Host, snapshot: &Snapshot, text: BlobId) -> bool {
        let known = *self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known == Some(text) || committed(snapshot) == Some(text) {
            return true;
        }
        if std::fs::read_to_string(self.note()).is_ok_and(|noted| noted == text.to_string()) {
            return true;
        }
        let Ok(entries) = host.engine.history(&host.first, None, LOOKS, clock::now()).await else {
            return false;
        };
        for entry in entries {
            let Step::Document { before, after, .. } = entry.step else { continue };
            if committed(snapshot) == Some(after) {
                return false;
            }
            if before == text || after == text {
                return true;
            }
        }
        false
    }

    /// The text of the artefact.
    async fn artefact(&self, host: &Host, snapshot: &Snapshot) -> String {
        let Some(id) = committed(snapshot) else { return String::new() };
        let blob = host.engine.document(&host.first, id).await;
        blob.ok().flatten().and_then(|blob| blob.as_text().map(str::to_owned)).unwrap_or_default()
    }

    /// Puts a new file into the place of the old one. After a power loss it is one or the other.
    fn replace(&self, text: &str) -> Result<(), FileError> {
        let folder = self.folder();
        let new = folder.join(format!(".{}.{}.new", self.name(), self.start));
        let written = (|| {
            let mut file = std::fs::File::create(&new)?;
            if let Ok(old) = std::fs::metadata(&self.path) {
                file.set_permissions(old.permissions())?;
            }
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&new, &self.path)?;
            // Some file systems open no folder; then the rename may come late, and is as whole.
            std::fs::File::open(folder).and_then(|folder| folder.sync_all()).or(Ok(()))
        })();
        written.map_err(|error| {
            drop(std::fs::remove_file(&new));
            self.io("written", error)
        })
    }

    /// Removes what killed processes have left.
    fn sweep(&self) {
        let Ok(entries) = std::fs::read_dir(self.folder()) else { return };
        let begin = format!(".{}.", self.name());
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let is_one = name.starts_with(&begin) && name.ends_with(".new");
            let age = entry.metadata().and_then(|data| data.modified()).ok();
            let is_old = age.and_then(|at| SystemTime::now().duration_since(at).ok()) > Some(LEFT_BEHIND);
            if is_one && is_old {
                drop(std::fs::remove_file(entry.path()));
            }
        }
    }

    fn io(&self, what: &'static str, error: io::Error) -> FileError {
        FileError::Io { name: self.name(), what, error }
    }
}

impl Host {
    /// Makes the file and the canvas agree, before anybody asks for either.
    pub(crate) async fn agree(&self, file: &DocumentFile) -> Result<(), StartError> {
        file.sweep();
        let writing = file.writing().await;
        let snapshot = self.engine.snapshot(&self.first, clock::now()).await?;
        if let Some(text) = file.read()? {
            let known = named(&snapshot, &text);
            let is_settled = committed(&snapshot) == Some(snapshot.head.document());
            if known != snapshot.head.document() && !file.is_ours(self, &snapshot, known).await {
                self.import(file, &snapshot, text).await?;
            } else if is_settled && known != snapshot.head.document() {
                file.replace(snapshot.text())?;
            }
        } else if committed(&snapshot).is_some() {
            // Nobody has it any more, so that nothing of it can be lost.
            file.replace(snapshot.text())?;
        }
        drop(writing);
        // A draft that no check-in has promoted stays one.
        let snapshot = self.engine.snapshot(&self.first, clock::now()).await?;
        let text = file.read()?.map(|text| named(&snapshot, &text));
        if committed(&snapshot).is_none_or(|artefact| text != Some(artefact)) {
            self.promote(&self.first, Ending::Person).await.map_err(StartError::agree)?;
        }
        file.settled(&file.writing().await);
        Ok(())
    }

    /// What another program wrote is a person's edit, on the text that the file had last.
    async fn import(&self, file: &DocumentFile, snapshot: &Snapshot, text: String) -> Result<(), StartError> {
        let base = match committed(snapshot) {
            Some(artefact) if artefact != snapshot.head.document() => self.revision_of(artefact).await?,
            _ => None,
        };
        let before = file.artefact(self, snapshot).await;
        let edit = Edit { markdown: text.clone(), base };
        let (result, _) = self.act(&self.first, edit).await?;
        result.map_err(|refusal| StartError::Import {
            name: file.name(),
            code: refusal.view().code(),
            message: refusal.view().to_string(),
            diff: build(&before, &text, 3),
        })?;
        file.know(BlobId::of_document(&text));
        Ok(())
    }

    /// The last revision that had a document.
    async fn revision_of(&self, document: BlobId) -> Result<Option<Base>, StartError> {
        let entries = self.engine.history(&self.first, None, LOOKS, clock::now()).await?;
        let found = entries.into_iter().find_map(|entry| match entry.step {
            Step::Document { after, .. } if after == document => Some(entry.revision_after),
            Step::Document { before, .. } if before == document => Some(entry.revision_before),
            _ => None,
        });
        Ok(found.map(Base::Number))
    }
}

/// The name of a text as a document. A long one of before there were chunks keeps its own while it is the draft or the artefact.
fn named(snapshot: &Snapshot, text: &str) -> BlobId {
    let (whole, draft) = (BlobId::of(text.as_bytes()), snapshot.head.document());
    let is_of_before = whole == draft || committed(snapshot) == Some(whole);
    if is_of_before { whole } else { BlobId::of_document(text) }
}

//! The file that a document is kept in.
//!
//! * It is written at each promotion, into a new file that takes its place, so that it never has half a text. One with several
//!   names, or whose owner cannot be kept otherwise, is written in place, and a copy lies beside it meanwhile.
//! * It is written first and the store second. A process that is killed in between leaves a file that is the draft; the
//!   next start promotes that.
//! * A model may write between the two, so that the store has more than the file until that is written again. A note beside
//!   the file says meanwhile which text is a server's.
//! * Servers on one file take turns by a lock on its folder, which a killed process holds no longer.
//! * What somebody else wrote is never overwritten: `save` takes it in as a person's edit.
//! * A file that was deleted is not made again.

use std::fs::{Metadata, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex as SyncMutex, MutexGuard as SyncGuard, PoisonError};
use std::time::{Duration, SystemTime};

use canvas_core::document::DocumentStep;
use canvas_core::history::Step;
use canvas_core::{BlobId, CanvasId, Snapshot};
use serde_json::{Value, json};
use tokio::sync::{Mutex, MutexGuard, OnceCell};

use crate::clock;
use crate::host::Host;
use crate::identity::folder_of;
use crate::promote::committed;

/// The file of a document.
#[derive(Debug)]
pub(crate) struct DocumentFile {
    pub(crate) canvas: CanvasId,
    /// What models and people call it: its name, or its path in the folder that is served.
    pub(crate) label: String,
    path: PathBuf,
    /// Bytes that a document may have.
    most: usize,
    /// Set once the canvas has what the file has.
    pub(crate) agreed: OnceCell<()>,
    /// Begins the names of files that are being written.
    start: String,
    known: SyncMutex<Known>,
    /// One promotion of this process writes at a time.
    turn: Mutex<()>,
}

/// What this process knows of the file.
#[derive(Debug, Default)]
struct Known {
    /// The text that it wrote last, or took as a person's edit.
    text: Option<(BlobId, String)>,
    /// The artefact at which a person's save was taken in beside a draft. The same text again is then another save.
    beside: Option<BlobId>,
    /// The file as it was when it was read last, and when that was.
    read: Option<(Stamp, SystemTime)>,
    /// Whether its text is preceded by a byte order mark.
    has_mark: bool,
}

/// What tells of a file whether it has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    bytes: u64,
    file: u64,
    /// When the entry changed, in seconds and nanoseconds: nobody can set it.
    entry: (i64, i64),
}

impl Stamp {
    fn of(data: &Metadata) -> Self {
        #[cfg(unix)]
        let (file, entry) = {
            use std::os::unix::fs::MetadataExt as _;
            (data.ino(), (data.ctime(), data.ctime_nsec()))
        };
        #[cfg(not(unix))]
        let (file, entry) = (0, (0, 0));
        Self { modified: data.modified().ok(), bytes: data.len(), file, entry }
    }

    /// Whether a change after `at` would have changed the stamp: clocks of file systems are coarse.
    fn is_old(&self, at: SystemTime) -> bool {
        self.modified.and_then(|modified| at.duration_since(modified).ok()).is_some_and(|age| age > COARSE)
    }
}

/// How coarse the times of files may be.
const COARSE: Duration = Duration::from_secs(2);

/// How long, and how often, a file that has just changed is left alone: a program may still write it.
const SETTLES: Duration = Duration::from_millis(20);
const SETTLE_TRIES: u32 = 25;

const MARK: &str = "\u{feff}";

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
    /// The user has changed it where the draft changes it too, and the text of the file counts.
    #[error(
        "the user changed {name} where your draft changes it too, so the file's text counts and your draft is kept as the \
         canvas {kept}: read the document, and make your change again"
    )]
    Changed {
        /// The file.
        name: String,
        /// The canvas that has the draft.
        kept: CanvasId,
        /// From the text that it had last to the one that it has.
        diff: String,
    },
    /// Others write it all the time.
    #[error("{name} is being written by other programs: check in again")]
    Busy {
        /// The file.
        name: String,
    },
    /// It was deleted or moved.
    #[error(
        "{name} is gone, and is not made again unasked; the canvas keeps its text: ask the user to save the file again, or \
         to start the server with its new path"
    )]
    Gone {
        /// The file.
        name: String,
    },
    /// It is no text.
    #[error("{name} is no text in UTF-8, at byte {at}: give another file")]
    NotText {
        /// The file.
        name: String,
        /// The first byte that is none, from 0.
        at: usize,
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
            Self::Busy { .. } => "FILE_BUSY",
            Self::Gone { .. } => "FILE_GONE",
            Self::NotText { .. } => "FILE_NOT_TEXT",
            Self::Io { .. } => "FILE_UNAVAILABLE",
        }
    }

    /// As models get it.
    pub(crate) fn to_json(&self) -> Value {
        let retryable = matches!(self, Self::Busy { .. });
        let mut error = json!({"code": self.code(), "message": self.to_string(), "retryable": retryable});
        if let Self::Changed { diff, kept, .. } = self {
            error["diff"] = diff.as_str().into();
            error["draft"] = json!(kept);
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
    /// The file at a path without links, as a host keeps it.
    pub(crate) fn new(host: &Host, path: PathBuf, label: String, canvas: CanvasId) -> Self {
        Self {
            canvas,
            label,
            path,
            most: host.engine.policy().document.bytes,
            agreed: OnceCell::new(),
            start: host.names.start().to_owned(),
            known: SyncMutex::default(),
            turn: Mutex::default(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What people call it.
    pub(crate) fn name(&self) -> String {
        self.label.clone()
    }

    /// Begins the names of the files that stand beside it for a while.
    fn base(&self) -> String {
        self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy().into_owned()
    }

    /// Whether nobody has written it since it was read. Costs a look at its entry in the folder; within two seconds of a change,
    /// whose times may be coarse, a comparison of its bytes.
    pub(crate) fn is_unchanged(&self) -> bool {
        let now = SystemTime::now();
        let Ok(data) = std::fs::metadata(&self.path) else { return false };
        let stamp = Stamp::of(&data);
        let mut known = self.known();
        let Some((_, at)) = known.read.filter(|(read, _)| *read == stamp) else { return false };
        if stamp.is_old(at) {
            return true;
        }
        let mark = if known.has_mark { MARK } else { "" };
        let is_same =
            known.text.as_ref().is_some_and(|(_, text)| has_text(&self.path, [mark, text]).unwrap_or(false));
        if is_same {
            known.read = Some((stamp, now));
        }
        is_same
    }

    /// Waits until nobody seems to write it any more.
    pub(crate) async fn rests(&self) {
        for _ in 0..SETTLE_TRIES {
            let Ok(data) = std::fs::metadata(&self.path) else { return };
            let age = data.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok());
            // An editor that writes in place makes it empty first.
            let is_rest =
                data.len() > 0 || self.known().text.as_ref().is_none_or(|(_, text)| text.is_empty());
            if is_rest && age.is_none_or(|age| age > SETTLES) {
                return;
            }
            tokio::time::sleep(SETTLES).await;
        }
    }

    /// Its text without a byte order mark; `None` where there is no file.
    pub(crate) fn read(&self) -> Result<Option<String>, FileError> {
        let at = SystemTime::now();
        // Reading a pipe or a device may never end.
        let read = std::fs::metadata(&self.path).and_then(|data| {
            is_document(&data, self.most)?;
            Ok((Stamp::of(&data), std::fs::read(&self.path)?))
        });
        match read {
            Ok((stamp, bytes)) => {
                let text = String::from_utf8(bytes).map_err(|error| FileError::NotText {
                    name: self.name(),
                    at: error.utf8_error().valid_up_to(),
                })?;
                let mut known = self.known();
                known.read = Some((stamp, at));
                known.has_mark = text.starts_with(MARK);
                Ok(Some(text.strip_prefix(MARK).map_or_else(|| text.clone(), str::to_owned)))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.io("read", error)),
        }
    }

    /// The text that it had last, as far as this process knows.
    pub(crate) fn last(&self) -> Option<String> {
        self.known().text.as_ref().map(|(_, text)| text.clone())
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
        folder_of(&self.path)
    }

    /// Makes the draft the file's text, unless somebody else has changed it. False where somebody has.
    pub(crate) async fn write(
        &self,
        host: &Host,
        snapshot: &Snapshot,
        _: &Writing<'_>,
    ) -> Result<bool, FileError> {
        let draft = snapshot.head.document();
        let text = self.read()?;
        let known = text.as_ref().map(|text| named(snapshot, text));
        if known == Some(draft) {
            return Ok(true);
        }
        match known {
            Some(known) if !self.is_ours(host, snapshot, known).await => return Ok(false),
            None if committed(snapshot).is_some() => return Err(FileError::Gone { name: self.name() }),
            _ => {}
        }
        let noted = std::fs::write(self.note(), draft.to_string());
        noted.map_err(|error| self.io("written", error))?;
        self.put(snapshot.text())?;
        self.know(draft, snapshot.text(), None);
        Ok(true)
    }

    /// The file has what the store has.
    pub(crate) fn settled(&self, _: &Writing<'_>) {
        if self.known().beside.is_none() {
            drop(std::fs::remove_file(self.note()));
        }
    }

    /// Keeps a draft beside the file, and says where.
    pub(crate) fn keep_draft(&self, draft: &str) -> Result<String, FileError> {
        let path = beside(&self.path);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match std::fs::write(&path, draft) {
            Ok(()) => Ok(name),
            Err(error) => Err(FileError::Io { name, what: "written", error }),
        }
    }

    /// Where the text is noted that is being promoted.
    fn note(&self) -> PathBuf {
        self.folder().join(format!(".{}.promoting", self.base()))
    }

    /// The file has this text. `beside` is the artefact, where a person's save was taken in beside a draft.
    pub(crate) fn know(&self, id: BlobId, text: &str, beside: Option<BlobId>) {
        if beside.is_some() {
            // It is no document of the canvas, so that only the note tells another process.
            drop(std::fs::write(self.note(), id.to_string()));
        }
        let mut known = self.known();
        (known.text, known.beside) = (Some((id, text.to_owned())), beside);
    }

    /// The file has a text of the canvas, or one that was taken in before.
    pub(crate) fn know_again(&self, id: BlobId, text: &str, snapshot: &Snapshot) {
        if self.known().text.as_ref().is_some_and(|(known, _)| *known == id) {
            return;
        }
        // Only the note of another process tells of a save that was taken in beside a draft.
        let is_document = id == snapshot.head.document() || committed(snapshot) == Some(id);
        let beside = committed(snapshot).filter(|_| !is_document && self.is_noted(id));
        self.know(id, text, beside);
    }

    fn is_noted(&self, text: BlobId) -> bool {
        std::fs::read_to_string(self.note()).is_ok_and(|noted| noted == text.to_string())
    }

    fn known(&self) -> SyncGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a text is what a promotion has left: the artefact, or a draft since.
    pub(crate) async fn is_ours(&self, host: &Host, snapshot: &Snapshot, text: BlobId) -> bool {
        {
            let known = self.known();
            if known.text.as_ref().is_some_and(|(id, _)| *id == text) {
                return true;
            }
            if known.beside.is_some() && known.beside == committed(snapshot) {
                return false;
            }
        }
        if committed(snapshot) == Some(text) {
            return true;
        }
        if self.is_noted(text) {
            return true;
        }
        let Ok(entries) = host.engine.history(&self.canvas, None, LOOKS, clock::now()).await else {
            return false;
        };
        for entry in entries {
            let Step::Document(DocumentStep { before, after, .. }) = entry.step else { continue };
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
    pub(crate) async fn artefact(&self, host: &Host, snapshot: &Snapshot) -> String {
        let Some(id) = committed(snapshot) else { return String::new() };
        let blob = host.engine.document(&self.canvas, id).await;
        blob.ok().flatten().and_then(|blob| blob.as_text().map(str::to_owned)).unwrap_or_default()
    }

    /// Gives the file a text. After a power loss it has the old one or this.
    pub(crate) fn put(&self, text: &str) -> Result<(), FileError> {
        let folder = self.folder();
        let new = folder.join(format!(".{}.{}.new", self.base(), self.start));
        let mark = if self.known().has_mark { MARK } else { "" };
        let written = (|| {
            let old = std::fs::metadata(&self.path).ok();
            if let Some(old) = &old {
                may_be_written(&self.path, old)?;
            }
            let mut file = std::fs::File::create(&new)?;
            file.write_all(mark.as_bytes())?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            match &old {
                Some(old) if links(old) > 1 || !keeps_owner(&new, old) => self.in_place(&new)?,
                Some(old) => {
                    file.set_permissions(old.permissions())?;
                    std::fs::rename(&new, &self.path)?;
                }
                None => std::fs::rename(&new, &self.path)?,
            }
            // Some file systems open no folder; then the rename may come late, and is as whole.
            std::fs::File::open(folder).and_then(|folder| folder.sync_all()).or(Ok(()))
        })();
        written.map_err(|error| {
            drop(std::fs::remove_file(&new));
            self.io("written", error)
        })?;
        let data = std::fs::metadata(&self.path).map_err(|error| self.io("read", error))?;
        self.known().read = Some((Stamp::of(&data), SystemTime::now()));
        Ok(())
    }

    /// Writes a file with several names from a copy, which is there until all of it is written.
    fn in_place(&self, copy: &Path) -> io::Result<()> {
        let bytes = std::fs::read(copy)?;
        let mut file = std::fs::OpenOptions::new().write(true).truncate(true).open(&self.path)?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        std::fs::remove_file(copy)
    }

    /// Ends a write in place that was cut off: the copy is what the note names, and the file a beginning of it.
    pub(crate) fn recover(&self) {
        let Ok(noted) = std::fs::read_to_string(self.note()) else { return };
        for copy in self.left_behind() {
            let Ok(text) = std::fs::read_to_string(&copy) else { continue };
            let plain = text.strip_prefix(MARK).unwrap_or(&text);
            let is_noted = BlobId::of_document(plain).to_string() == noted;
            // What a person has written since is no beginning of it.
            let is_cut_off = std::fs::read(&self.path).is_ok_and(|bytes| text.as_bytes().starts_with(&bytes));
            if is_noted && is_cut_off {
                drop(self.in_place(&copy));
            }
        }
    }

    /// Removes what killed processes have left.
    pub(crate) fn sweep(&self) {
        for path in self.left_behind() {
            let age = std::fs::metadata(&path).and_then(|data| data.modified()).ok();
            let is_old = age.and_then(|at| SystemTime::now().duration_since(at).ok()) > Some(LEFT_BEHIND);
            if is_old {
                drop(std::fs::remove_file(path));
            }
        }
    }

    /// Files that are being written, or were when a process was killed.
    fn left_behind(&self) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(self.folder()) else { return Vec::new() };
        let begin = format!(".{}.", self.base());
        let is_one = |name: &str| name.starts_with(&begin) && name.ends_with(".new");
        let entries = entries.flatten().filter(|entry| entry.file_name().to_str().is_some_and(is_one));
        entries.map(|entry| entry.path()).collect()
    }

    fn io(&self, what: &'static str, error: io::Error) -> FileError {
        FileError::Io { name: self.name(), what, error }
    }
}

/// The name of a text as a document. A long one of before there were chunks keeps its own while it is the draft or the artefact.
pub(crate) fn named(snapshot: &Snapshot, text: &str) -> BlobId {
    let (whole, draft) = (BlobId::of(text.as_bytes()), snapshot.head.document());
    let is_of_before = whole == draft || committed(snapshot) == Some(whole);
    if is_of_before { whole } else { BlobId::of_document(text) }
}

/// Where the draft of a file is kept if canvases are gone at the end.
pub(crate) fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".draft");
    name.into()
}

/// Whether a file has these texts, one after the other, and nothing else.
fn has_text(path: &Path, texts: [&str; 2]) -> io::Result<bool> {
    let mut file = std::fs::File::open(path)?;
    let mut bytes = [0; 16 << 10];
    for mut rest in texts.map(str::as_bytes) {
        while !rest.is_empty() {
            let part = &mut bytes[..rest.len().min(16 << 10)];
            match file.read(part)? {
                0 => return Ok(false),
                read if part[..read] != rest[..read] => return Ok(false),
                read => rest = &rest[read..],
            }
        }
    }
    Ok(file.read(&mut bytes[..1])? == 0)
}

/// Refuses what is no file, and what no document can hold.
pub(crate) fn is_document(data: &Metadata, most: usize) -> io::Result<()> {
    let refused = |message: String| Err(io::Error::other(message));
    if data.is_dir() {
        return refused("it is a folder: give a file, or --folder".to_owned());
    }
    if !data.is_file() {
        return refused("it is no regular file".to_owned());
    }
    if data.len() > (most + MARK.len()) as u64 {
        return refused(format!("it has {} bytes, and a document has at most {most}", data.len()));
    }
    Ok(())
}

/// Who may not write a file does not replace it either. A file without any right to be written is not, whoever asks.
pub(crate) fn may_be_written(path: &Path, data: &Metadata) -> io::Result<()> {
    if data.permissions().readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    std::fs::OpenOptions::new().write(true).open(path).map(drop)
}

#[cfg(unix)]
fn links(data: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(data)
}

#[cfg(not(unix))]
fn links(_: &Metadata) -> u64 {
    1
}

/// Gives a new file the owner of the old one. False where the system does not let it.
#[cfg(unix)]
fn keeps_owner(path: &Path, old: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let is_same = std::fs::metadata(path).is_ok_and(|new| (new.uid(), new.gid()) == (old.uid(), old.gid()));
    is_same || std::os::unix::fs::chown(path, Some(old.uid()), Some(old.gid())).is_ok()
}

#[cfg(not(unix))]
fn keeps_owner(_: &Path, _: &Metadata) -> bool {
    true
}

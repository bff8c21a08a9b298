//! Which canvas a file is: that of its path, wherever it was started from, and not of its name.
//!
//! * Links are followed, so that a file has one canvas whatever it is called.
//! * Which path has which canvas is a document of the database, so that a moved file keeps its canvas and its history.
//! * A database that was written before knows canvases by the names of files. Such a canvas goes to the file that has its text.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use canvas_core::document::{Base, DocumentStep, Edit};
use canvas_core::history::Step;
use canvas_core::{BlobId, CanvasId, Engine, EngineError, OpKey, Refused as _, Snapshot};

use crate::clock;
use crate::log;
use crate::names::Names;
use crate::options::StoreOption;
use crate::promote::committed;

/// The canvas whose document lists the others. No client sees it.
pub(crate) const FILES: &str = "canvas-mcp-files";

/// Entries of the journal among which the text of a file is looked for.
const LOOKS: usize = 256;

/// How often a line is written that others overtake.
const TRIES: usize = 16;

/// Whether this is the canvas that lists the others.
pub(crate) fn is_list(canvas: &CanvasId) -> bool {
    canvas.as_str() == FILES
}

/// The folder of a file.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

/// The path of a file without links: of a file that is not there, that of its folder with its name.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    if let Ok(path) = std::fs::canonicalize(path) {
        return path;
    }
    match (std::fs::canonicalize(folder_of(path)), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// A file of a document, by its path without links.
#[derive(Debug)]
pub(crate) struct Identity<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) names: &'a Names,
}

/// A line of the list: the path by its hash, the canvas, and the path for people.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    key: String,
    canvas: CanvasId,
    path: String,
}

impl Identity<'_> {
    /// The canvas of a file in a store.
    pub(crate) async fn canvas_in(
        &self,
        store: &StoreOption,
        path: &Path,
        was: Option<&Path>,
    ) -> Result<CanvasId, EngineError> {
        match store {
            // Nothing is kept, so that no other file can be meant.
            StoreOption::Memory => Ok(id_of(path)),
            StoreOption::Sqlite(_) | StoreOption::Postgres(_) => self.canvas_of(path, was).await,
        }
    }

    /// The canvas of a file. `was` is where the file was before.
    async fn canvas_of(&self, path: &Path, was: Option<&Path>) -> Result<CanvasId, EngineError> {
        let key = key(path);
        for _ in 0..TRIES {
            let list = self.list().await?;
            let lines = lines(list.as_ref().map_or("", Snapshot::text));
            if let Some(known) = lines.iter().find(|line| line.key == key) {
                return Ok(known.canvas.clone());
            }
            let canvas = match was.map(canonical) {
                Some(was) => {
                    let known = lines.iter().find(|line| line.key == self::key(&was));
                    known.map_or_else(|| id_of(&was), |line| line.canvas.clone())
                }
                None => match self.of_before(path, &lines).await? {
                    Some(canvas) => canvas,
                    None => id_of(path),
                },
            };
            // The canvas has one file, the one that was named last.
            let mut kept: Vec<_> = lines.into_iter().filter(|line| line.canvas != canvas).collect();
            kept.push(Line { key: key.clone(), canvas: canvas.clone(), path: path.display().to_string() });
            if self.write(list.as_ref(), &kept).await? {
                return Ok(canvas);
            }
        }
        Ok(id_of(path))
    }

    /// The canvases of the files that were served before, by the hashes of their paths.
    pub(crate) async fn known(&self) -> Result<HashMap<String, CanvasId>, EngineError> {
        let list = self.list().await?;
        let lines = lines(list.as_ref().map_or("", Snapshot::text));
        Ok(lines.into_iter().map(|line| (line.key, line.canvas)).collect())
    }

    async fn list(&self) -> Result<Option<Snapshot>, EngineError> {
        match self.engine.snapshot(&files(), clock::now()).await {
            Ok(snapshot) => Ok(Some(snapshot)),
            Err(EngineError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// False where somebody else has written it meanwhile.
    async fn write(&self, list: Option<&Snapshot>, lines: &[Line]) -> Result<bool, EngineError> {
        let markdown: String = lines
            .iter()
            .map(|Line { key, canvas, path }| {
                format!("{key}\t{canvas}\t{}\n", path.replace(['\n', '\t'], " "))
            })
            .collect();
        let operation = OpKey::host(self.names.call());
        let Some(list) = list else {
            return match self.engine.create(&files(), &markdown, &operation, clock::now()).await {
                Ok(_) => Ok(true),
                Err(EngineError::Exists { .. }) => Ok(false),
                Err(error) => Err(error),
            };
        };
        let edit = Edit { markdown, base: Some(Base::Id(list.revision_id())) };
        let edited = self.engine.call(&files(), &operation, edit, clock::now()).await?;
        if let Err(refusal) = &edited.result {
            log::line(format_args!("the list of files: {}", refusal.view()));
        }
        // Joined with what others wrote it may have two lines of one file: it is read again.
        Ok(edited.result.is_ok_and(|edited| !edited.moved))
    }

    /// The canvas that has the name of the file, in a database of before, if it has the file's text and no other file is known
    /// to be its.
    async fn of_before(&self, path: &Path, lines: &[Line]) -> Result<Option<CanvasId>, EngineError> {
        let stem = path.file_stem().and_then(|stem| CanvasId::new(&stem.to_string_lossy()).ok());
        let Some(canvas) = stem.filter(|canvas| lines.iter().all(|line| line.canvas != *canvas)) else {
            return Ok(None);
        };
        let snapshot = match self.engine.snapshot(&canvas, clock::now()).await {
            Ok(snapshot) => snapshot,
            Err(EngineError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let text = std::fs::read_to_string(path).ok();
        let text = text.as_deref().map(|text| text.strip_prefix('\u{feff}').unwrap_or(text));
        let is_its = match text {
            Some(text) => self.has_had(&canvas, &snapshot, text).await?,
            None => false,
        };
        if !is_its {
            log::line(format_args!(
                "the database has a canvas {canvas} from before canvases had files, with another text than {}: it stays as it \
                 is; --canvas {canvas} goes on with it",
                path.display()
            ));
        }
        Ok(is_its.then_some(canvas))
    }

    async fn has_had(&self, canvas: &CanvasId, snapshot: &Snapshot, text: &str) -> Result<bool, EngineError> {
        let ids = [BlobId::of(text.as_bytes()), BlobId::of_document(text)];
        let is_it = |id: BlobId| ids.contains(&id);
        if is_it(snapshot.head.document()) || committed(snapshot).is_some_and(is_it) {
            return Ok(true);
        }
        let entries = self.engine.history(canvas, None, LOOKS, clock::now()).await?;
        Ok(entries.iter().any(|entry| match entry.step {
            Step::Document(DocumentStep { before, after, .. }) => is_it(before) || is_it(after),
            _ => false,
        }))
    }
}

/// The canvas of a file that none has: the file's name, and the hash of its path.
pub(crate) fn id_of(path: &Path) -> CanvasId {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = stem.replace(char::is_control, "-");
    let named = CanvasId::new(&format!("{stem}-{}", key(path)));
    named.unwrap_or_else(|_| CanvasId::new(&format!("document-{}", key(path))).expect("the name is short"))
}

/// The canvas of a file, among those that are known.
pub(crate) fn canvas_among(known: &HashMap<String, CanvasId>, path: &Path) -> CanvasId {
    known.get(&key(path)).cloned().unwrap_or_else(|| id_of(path))
}

/// 16 hex digits of a path's hash.
fn key(path: &Path) -> String {
    let mut key = BlobId::of(path.as_os_str().as_encoded_bytes()).to_string();
    key.truncate(16);
    key
}

fn files() -> CanvasId {
    CanvasId::new(FILES).expect("the name is short")
}

fn lines(text: &str) -> Vec<Line> {
    let line = |line: &str| {
        let mut fields = line.splitn(3, '\t');
        let (key, canvas, path) = (fields.next()?, fields.next()?, fields.next()?);
        Some(Line { key: key.to_owned(), canvas: CanvasId::new(canvas).ok()?, path: path.to_owned() })
    };
    text.lines().filter_map(line).collect()
}

//! The files that are served: those of the command line, and those below a folder, which are opened when they are asked for.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use canvas_core::CanvasId;
use ignore::WalkBuilder;
use rmcp::model::Tool;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::catalog::shown;
use crate::file::DocumentFile;
use crate::host::{Host, StartError};
use crate::identity::{self, Identity};
use crate::options::StoreOption;

/// The tool that lists documents.
pub(crate) const LIST: &str = "canvas_list_documents";

/// Files of a folder that are listed. Of more the rest is left out.
const MOST: usize = 100_000;

/// How old a listing may be if it lacks what is asked for.
const FRESH: Duration = Duration::from_secs(1);

/// Documents on one page of [`LIST`].
const PAGE: usize = 200;

/// Names that a refusal shows.
const SHOWN: usize = 10;

/// The files that are served.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// Without links.
    folder: Option<PathBuf>,
    open: Mutex<Open>,
    listed: Mutex<Option<Arc<Listing>>>,
}

#[derive(Debug, Default)]
struct Open {
    files: Vec<Arc<DocumentFile>>,
    /// How many of them the command line names.
    named: usize,
}

/// The Markdown files of a folder, by their paths.
#[derive(Debug)]
pub(crate) struct Listing {
    at: Instant,
    pub(crate) files: Vec<Listed>,
    canvases: HashMap<CanvasId, usize>,
}

impl Listing {
    /// Whether the canvas is one of a file.
    pub(crate) fn has(&self, canvas: &CanvasId) -> bool {
        self.canvases.contains_key(canvas)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Listed {
    /// The path in the folder.
    pub(crate) label: String,
    pub(crate) canvas: CanvasId,
    path: PathBuf,
}

impl Listed {
    /// Costs a look at its entry; 0 if it is gone.
    pub(crate) fn bytes(&self) -> u64 {
        std::fs::metadata(&self.path).map_or(0, |data| data.len())
    }
}

impl Files {
    pub(crate) fn new(folder: Option<&Path>) -> Self {
        Self { folder: folder.map(identity::canonical), ..Self::default() }
    }

    /// Adds a file of the command line, unless it is there.
    pub(crate) fn name(&self, file: DocumentFile) {
        let mut open = self.lock();
        if open.files.iter().all(|known| known.path() != file.path()) {
            open.files.push(Arc::new(file));
            open.named += 1;
        }
    }

    /// Those that are open.
    pub(crate) fn open(&self) -> Vec<Arc<DocumentFile>> {
        self.lock().files.clone()
    }

    /// The open file of a canvas.
    pub(crate) fn of(&self, canvas: &CanvasId) -> Option<Arc<DocumentFile>> {
        self.lock().files.iter().find(|file| file.canvas == *canvas).cloned()
    }

    pub(crate) fn has_folder(&self) -> bool {
        self.folder.is_some()
    }

    /// Whether calls have to say which document they are about.
    pub(crate) fn are_several(&self) -> bool {
        self.has_folder() || self.lock().named > 1
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Those of the command line.
    pub(crate) fn named(&self) -> Vec<Arc<DocumentFile>> {
        let open = self.lock();
        open.files[..open.named].to_vec()
    }
}

impl Host {
    /// The Markdown files of the folder as they are, or were a while ago.
    pub(crate) async fn listing(&self, age: Duration) -> Result<Option<Arc<Listing>>, StartError> {
        let Some(folder) = self.files.folder.clone() else { return Ok(None) };
        {
            let listed = self.files.listed.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(listing) = listed.as_ref().filter(|listing| listing.at.elapsed() <= age) {
                return Ok(Some(Arc::clone(listing)));
            }
        }
        let root = folder.display().to_string();
        let known = match self.options.store {
            StoreOption::Memory => HashMap::new(),
            _ => Identity { engine: &self.engine, names: &self.names }.known().await?,
        };
        let walked = tokio::task::spawn_blocking(move || markdown_below(&folder)).await;
        let (paths, fault) = walked.unwrap_or_default();
        match fault {
            Some(fault) => self.notices.fault(&root, fault),
            None => self.notices.is_well(&root),
        }
        let files: Vec<Listed> = paths
            .into_iter()
            .map(|(label, path)| {
                let canvas = identity::canvas_among(&known, &path);
                Listed { label, canvas, path }
            })
            .collect();
        let canvases = files.iter().enumerate().map(|(at, file)| (file.canvas.clone(), at)).collect();
        let listing = Arc::new(Listing { at: Instant::now(), files, canvases });
        *self.files.listed.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&listing));
        Ok(Some(listing))
    }

    /// The file of a canvas, which is opened if it is below the folder.
    pub(crate) async fn file_of(&self, canvas: &CanvasId) -> Result<Option<Arc<DocumentFile>>, StartError> {
        if let Some(file) = self.files.of(canvas) {
            return Ok(Some(file));
        }
        for age in [Duration::MAX, FRESH] {
            let Some(listing) = self.listing(age).await? else { return Ok(None) };
            if let Some(at) = listing.canvases.get(canvas) {
                return self.open_listed(&listing.files[*at]).await.map(Some);
            }
        }
        Ok(None)
    }

    async fn open_listed(&self, listed: &Listed) -> Result<Arc<DocumentFile>, StartError> {
        let canvas = self.canvas_of(&listed.path, None).await?;
        let new = DocumentFile::new(self, listed.path.clone(), listed.label.clone(), canvas);
        let mut open = self.files.lock();
        if let Some(known) = open.files.iter().find(|known| known.path() == new.path()) {
            return Ok(Arc::clone(known));
        }
        let new = Arc::new(new);
        open.files.push(Arc::clone(&new));
        Ok(new)
    }

    pub(crate) async fn canvas_of(&self, path: &Path, was: Option<&Path>) -> Result<CanvasId, StartError> {
        let identity = Identity { engine: &self.engine, names: &self.names };
        Ok(identity.canvas_in(&self.options.store, path, was).await?)
    }

    /// The canvas that `canvas` or `document` of a call names; the usual one if it names none.
    ///
    /// # Errors
    ///
    /// The error of a call that names nothing that is there, or that has to.
    pub(crate) async fn take_canvas(&self, arguments: &mut Map<String, Value>) -> Result<CanvasId, Value> {
        for key in ["document", "canvas"] {
            match arguments.remove(key) {
                None | Some(Value::Null) => {}
                Some(Value::String(name)) => return self.canvas_named(key, &name).await,
                Some(_) => return Err(invalid(key, format!("{key} is text: pass a name, or leave it out"))),
            }
        }
        self.usual().await
    }

    /// The canvas of calls that name none.
    async fn usual(&self) -> Result<CanvasId, Value> {
        if !self.files.are_several() {
            return Ok(self.first.clone());
        }
        let listing = self.listing(FRESH).await.map_err(|error| error.to_json())?;
        match (&*self.files.named(), listing.as_deref().map_or(&[][..], |listing| &listing.files)) {
            ([file], []) => Ok(file.canvas.clone()),
            ([], [file]) => Ok(file.canvas.clone()),
            _ => Err(invalid("document", format!("pass document: {}", self.names_of(listing.as_deref())))),
        }
    }

    pub(crate) async fn canvas_named(&self, key: &str, name: &str) -> Result<CanvasId, Value> {
        if let Some(file) = self.files.open().into_iter().find(|file| is_name(file, name)) {
            return Ok(file.canvas.clone());
        }
        let mut last = None;
        if self.files.has_folder() {
            let bare = name.strip_prefix("./").unwrap_or(name);
            for age in [Duration::MAX, FRESH] {
                last = self.listing(age).await.map_err(|error| error.to_json())?;
                let files = last.as_deref().map_or(&[][..], |listing| &listing.files);
                let found = files.binary_search_by(|file| file.label.as_str().cmp(bare)).ok();
                let found = found.map(|at| &files[at]);
                let found =
                    found.or_else(|| files.iter().find(|file| file.path.as_path() == Path::new(name)));
                if let Some(found) = found {
                    return Ok(found.canvas.clone());
                }
            }
        }
        if key == "document" {
            let shown: String = name.chars().take(200).collect();
            return Err(invalid(
                key,
                format!("there is no document {shown:?}: {}", self.names_of(last.as_deref())),
            ));
        }
        match CanvasId::new(name) {
            Ok(canvas) if identity::is_list(&canvas) => {
                Err(invalid(key, "this name is the server's own: take another one".to_owned()))
            }
            named => named.map_err(|error| invalid(key, error.to_string())),
        }
    }

    /// The names to choose from, as the end of a sentence.
    fn names_of(&self, listing: Option<&Listing>) -> String {
        let labels = self.labels(listing);
        let shown = labels.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
        match labels.len() {
            0 => "no Markdown file is served, so ask the user for one".to_owned(),
            count if count > SHOWN => {
                format!("take one of {count} that {LIST} lists, such as {shown}")
            }
            _ => format!("take one of {shown}"),
        }
    }

    fn labels(&self, listing: Option<&Listing>) -> Vec<String> {
        let named = self.files.named();
        let listed = listing.into_iter().flat_map(|listing| &listing.files);
        let listed = listed.filter(|file| named.iter().all(|known| known.path() != file.path));
        named.iter().map(|file| file.label.clone()).chain(listed.map(|file| file.label.clone())).collect()
    }

    /// The labels that a completion offers.
    pub(crate) async fn documents(&self) -> Result<Vec<String>, StartError> {
        let listing = self.listing(FRESH).await?;
        Ok(self.labels(listing.as_deref()))
    }

    /// Answers [`LIST`]: the documents after one, of those whose names contain a text.
    pub(crate) async fn list_documents(&self, arguments: Map<String, Value>) -> Result<Value, Value> {
        let wanted: Listable = serde_json::from_value(arguments.into())
            .map_err(|error| invalid("", format!("{error}: correct the argument")))?;
        let labels = self.documents().await.map_err(|error| error.to_json())?;
        let start = match &wanted.after {
            None => 0,
            Some(after) => match labels.iter().position(|label| label == after) {
                Some(at) => at + 1,
                None => {
                    return Err(invalid(
                        "after",
                        "there is no such document any more: list from the start".to_owned(),
                    ));
                }
            },
        };
        let contains = wanted.contains.unwrap_or_default().to_lowercase();
        let mut found = labels[start..].iter().filter(|label| label.to_lowercase().contains(&contains));
        let page: Vec<_> = found.by_ref().take(PAGE).collect();
        let mut body = json!({"ok": true, "documents": page, "total": labels.len()});
        if found.next().is_some() {
            body["after"] = json!(page.last());
        }
        Ok(body)
    }
}

/// The arguments of [`LIST`].
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Listable {
    contains: Option<String>,
    after: Option<String>,
}

/// [`LIST`] as clients list it.
pub(crate) fn tool() -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "contains": {"type": "string", "description": "Lists only names that contain this, whatever its case."},
            "after": {"type": "string", "description": "Goes on after this name, which a reply gives."},
        },
        "additionalProperties": false,
    });
    let description =
        "List the documents that can be edited. Pass one of the names as `document` of other tools.";
    shown(LIST.into(), description.into(), schema)
}

/// The name of the file in a call of a native form: in a field for it, or on a line of its text.
pub(crate) fn named_in(labels: &[String], arguments: &Map<String, Value>) -> Option<String> {
    let bare = |name: &str| name.trim().trim_start_matches("./").trim_start_matches('/').to_owned();
    let is_one = |name: &str| labels.iter().find(|label| **label == bare(name)).cloned();
    if let Some(path) = ["path", "file_path"].into_iter().find_map(|field| arguments.get(field)?.as_str()) {
        return is_one(path);
    }
    let mut texts = Vec::new();
    arguments.values().for_each(|value| strings(value, &mut texts));
    let lines = texts.iter().flat_map(|text| text.lines());
    lines.into_iter().find_map(|line| is_one(line).or_else(|| is_one(line.split_once("File: ")?.1)))
}

/// All texts of a value.
fn strings<'a>(value: &'a Value, to: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => to.push(text),
        Value::Array(values) => values.iter().for_each(|value| strings(value, to)),
        Value::Object(fields) => fields.values().for_each(|value| strings(value, to)),
        _ => {}
    }
}

fn is_name(file: &DocumentFile, name: &str) -> bool {
    file.label == name || file.path() == Path::new(name) || file.canvas.as_str() == name
}

fn invalid(key: &str, message: String) -> Value {
    let place = if key.is_empty() { String::new() } else { format!("/{key}") };
    json!({"code": "INVALID_ARGUMENTS", "message": message, "place": place, "retryable": false})
}

/// The Markdown files below a folder with their paths in it, in order, and why it cannot be read. Links are not followed, and
/// files that an ignore file names, or whose names begin with a dot, are left out.
pub(crate) fn markdown_below(folder: &Path) -> (Vec<(String, PathBuf)>, Option<String>) {
    let mut files = Vec::new();
    let walk = WalkBuilder::new(folder).require_git(false).follow_links(false).build();
    for entry in walk {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) if files.is_empty() && error.depth() == Some(0) => {
                return (files, Some(format!("{} cannot be read: {error}", folder.display())));
            }
            Err(_) => continue,
        };
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        let ending = entry.path().extension().and_then(|ending| ending.to_str());
        let is_markdown = ending
            .is_some_and(|ending| ["md", "markdown"].iter().any(|known| ending.eq_ignore_ascii_case(known)));
        if !is_file || !is_markdown {
            continue;
        }
        if files.len() == MOST {
            let said =
                format!("{} has more than {MOST} Markdown files: the rest is left out", folder.display());
            return (sorted(files), Some(said));
        }
        let path = entry.into_path();
        let label = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        files.push((label, path));
    }
    (sorted(files), None)
}

fn sorted(mut files: Vec<(String, PathBuf)>) -> Vec<(String, PathBuf)> {
    files.sort();
    files
}

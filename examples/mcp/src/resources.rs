//! What clients read: the parts of canvases, and the pages that show them.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use canvas_core::board::DataLoadingState;
use canvas_core::history::{At, HistoryEntry};
use canvas_core::store::Store as _;
use canvas_core::{CanvasId, CodedError as _, EngineError, Face, Revision, Snapshot};
use rmcp::model::{ErrorData, MetaObject, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use crate::caller::{Caller, PAGE};
use crate::catalog::{BOARD_PAGE, DOCUMENT_PAGE, object};
use crate::clock;
use crate::files::Listed;
use crate::host::{Host, StartError};
use crate::identity::is_list;
use crate::page;
use crate::proposals;
use crate::save::is_draft;
use crate::uri::{CanvasUri, Part, PastPoint, PastUri, decode, encode};

/// Canvases whose parts are on one page of a list.
const CANVASES: usize = 25;

/// Files of the folder on one page of a list.
const FILES: usize = 1_000;

/// Entries of the journal that are read.
const ENTRIES: usize = 200;

/// Maximum number of listed versions per canvas, the newest first. Templates name the others.
const VERSIONS: usize = 20;

/// Description of an earlier document for clients.
const PAST: &str = "An earlier text of the document, in Markdown. It is no base for an edit.";

/// The pages, each whole in itself: what both need comes first.
static PAGES: LazyLock<[(&str, &str, String); 2]> = LazyLock::new(|| {
    let shared = include_str!("../app/shared.html");
    // Markdown is drawn as in the studio, by the same file.
    let markdown = inlined(include_str!("../../studio/web/markdown.js"));
    [
        (DOCUMENT_PAGE, "Document", [shared, &markdown, include_str!("../app/document.html")].concat()),
        (BOARD_PAGE, "Board", [shared, include_str!("../app/board.html")].concat()),
    ]
});

/// A module as a script of a page that is one file. What it imports stands before it there, under the same names.
fn inlined(module: &str) -> String {
    let lines = module.lines().filter(|line| !line.starts_with("import "));
    let lines: Vec<_> = lines.map(|line| line.strip_prefix("export ").unwrap_or(line)).collect();
    format!("<script>\n\"use strict\";\n{}\n</script>\n", lines.join("\n"))
}

/// Texts that were made of canvases, so that a revision is made into text once for all who read it.
#[derive(Debug, Default)]
pub(crate) struct Rendered(Mutex<Texts>);

type Texts = HashMap<(CanvasId, Part), (Revision, Arc<str>)>;

/// The text of a part, with the canvas's revision and the document's id at that moment.
type Shown = (Arc<str>, Revision, String);

/// Bytes of texts that are kept. Of more all go, and are made again.
const KEPT: usize = 64 << 20;

impl Host {
    /// A page of the list, and the cursor of the next.
    pub(crate) async fn resources(
        &self,
        caller: &Caller,
        cursor: Option<String>,
    ) -> Result<(Vec<Resource>, Option<String>), ErrorData> {
        let mut resources = Vec::new();
        let mut after = None;
        let files = match &cursor {
            None => {
                if caller.has_pages {
                    resources.extend(PAGES.iter().map(|(uri, title, _)| {
                        Resource::new(*uri, *title).with_title(*title).with_mime_type(PAGE)
                    }));
                }
                for canvas in self.named_canvases() {
                    self.list_canvas(&canvas, &mut resources).await;
                }
                Some("")
            }
            Some(cursor) => {
                let file = cursor.strip_prefix("file:");
                if file.is_none() {
                    let id = cursor.strip_prefix("after:").and_then(decode);
                    let id = id.and_then(|id| CanvasId::new(&id).ok());
                    after = Some(id.ok_or_else(|| page::unknown(cursor))?);
                }
                file
            }
        };
        // A page of the folder's files is of one listing as long as that is asked for.
        let age = if cursor.is_none() { Duration::ZERO } else { Duration::MAX };
        let listing = self.listing(age).await.map_err(|error| invalid(&error))?;
        if let (Some(start), Some(listing)) = (files, &listing) {
            let start = decode(start).ok_or_else(|| page::unknown(start))?;
            let rest = &listing.files[listing.files.partition_point(|file| file.label <= start)..];
            let page = &rest[..rest.len().min(FILES)];
            resources.extend(page.iter().filter(|file| !self.is_named(&file.canvas)).map(file_resource));
            if let Some(last) = page.last().filter(|_| rest.len() > page.len()) {
                return Ok((resources, Some(format!("file:{}", encode(&last.label)))));
            }
        }
        let ids = self.engine.store().list(after.as_ref(), CANVASES + 1).await.map_err(EngineError::Store);
        let mut ids = ids.map_err(|error| fault(&error))?;
        let is_last = ids.len() <= CANVASES;
        ids.truncate(CANVASES);
        let next = ids.last().filter(|_| !is_last).map(|last| format!("after:{}", encode(last.as_str())));
        let is_listed = |canvas: &CanvasId| {
            let is_file = listing.as_ref().is_some_and(|listing| listing.has(canvas));
            is_file || self.is_named(canvas) || is_list(canvas)
        };
        for canvas in ids.iter().filter(|canvas| !is_listed(canvas)) {
            self.list_canvas(canvas, &mut resources).await;
        }
        Ok((resources, next))
    }

    /// The canvases that come first in a list.
    fn named_canvases(&self) -> Vec<CanvasId> {
        let files = self.files.named();
        match (&*files, self.files.has_folder()) {
            ([], false) => vec![self.first.clone()],
            _ => files.iter().map(|file| file.canvas.clone()).collect(),
        }
    }

    fn is_named(&self, canvas: &CanvasId) -> bool {
        self.named_canvases().contains(canvas)
    }

    async fn list_canvas(&self, canvas: &CanvasId, resources: &mut Vec<Resource>) {
        let Ok(snapshot) = self.engine.snapshot(canvas, clock::now()).await else { return };
        // A draft that was thrown away is in its history.
        if is_draft(canvas) && snapshot.text().is_empty() {
            return;
        }
        let file = self.files.of(canvas);
        for part in Part::ALL {
            let is_there = match part {
                Part::Board => snapshot.head.board().is_some(),
                Part::Proposals => {
                    self.options.proposes || snapshot.head.face_revision(Face::Proposals) > Revision::ZERO
                }
                Part::Document | Part::History => true,
            };
            if !is_there {
                continue;
            }
            let uri = CanvasUri { canvas: canvas.clone(), part }.to_string();
            let name = match &file {
                Some(file) if part == Part::Document => file.label.clone(),
                Some(file) => format!("{}: {}", file.label, part.name()),
                None => format!("{canvas}: {}", part.name()),
            };
            let mut resource = Resource::new(uri, format!("{canvas}/{}", part.name()))
                .with_title(name)
                .with_description(part.description())
                .with_mime_type(part.media_type());
            if part == Part::Document {
                resource = resource.with_size(snapshot.text().len() as u64);
            }
            resources.push(resource);
        }
        let versions = self.engine.versions(canvas, clock::now()).await.unwrap_or_default();
        let newest = versions.into_iter().rev().filter(|version| !version.is_erased());
        resources.extend(newest.take(VERSIONS).map(|version| {
            let title = format!("{canvas}: version {}", version.label);
            let at = PastPoint::Version(version.label);
            let uri = PastUri { canvas: canvas.clone(), at }.to_string();
            Resource::new(uri, format!("{canvas}/versions"))
                .with_title(title)
                .with_description(PAST)
                .with_mime_type(Part::Document.media_type())
        }));
    }

    /// What a URI names.
    pub(crate) async fn read(&self, uri: &str) -> Result<ResourceContents, ErrorData> {
        if let Some((_, _, html)) = PAGES.iter().find(|(page, ..)| *page == uri) {
            let border = json!({"ui": {"prefersBorder": true}});
            let contents = ResourceContents::text(html, uri).with_mime_type(PAGE);
            return Ok(contents.with_meta(MetaObject(object(border))));
        }
        if let Some(past) = PastUri::parse(uri) {
            return self.read_past(past, uri).await;
        }
        let parsed = CanvasUri::parse(uri).ok_or_else(|| missing(uri))?;
        if is_list(&parsed.canvas) {
            return Err(missing(uri));
        }
        self.look(&parsed.canvas).await.map_err(|error| invalid(&error))?;
        let (text, revision, id) = match self.text_of(&parsed).await {
            Ok(Some(read)) => read,
            Ok(None) | Err(EngineError::NotFound { .. }) => return Err(missing(uri)),
            Err(error) => return Err(fault(&error)),
        };
        let meta = json!({"canvas/revision": revision, "canvas/revision_id": id});
        let contents = ResourceContents::text(&*text, uri).with_mime_type(parsed.part.media_type());
        Ok(contents.with_meta(MetaObject(object(meta))))
    }

    /// An earlier document. The conversation does not count as having seen it.
    async fn read_past(&self, past: PastUri, uri: &str) -> Result<ResourceContents, ErrorData> {
        let PastUri { canvas, at } = past;
        if is_list(&canvas) {
            return Err(missing(uri));
        }
        self.look(&canvas).await.map_err(|error| invalid(&error))?;
        let (point, id) = match at {
            PastPoint::Revision(id) => (At::Revision(id.revision()), Some(id)),
            PastPoint::Version(label) => (At::Version(label), None),
        };
        let found = match self.engine.document_at(&canvas, point, clock::now()).await {
            Ok(found) if id.is_none_or(|id| found.is_named_by(id)) => found,
            Ok(_) | Err(EngineError::NotFound { .. }) => return Err(missing(uri)),
            Err(
                error @ (EngineError::RevisionNotFound { .. }
                | EngineError::RevisionNotKept { .. }
                | EngineError::VersionNotFound { .. }
                | EngineError::VersionErased { .. }),
            ) => {
                let data = json!({"uri": shown(uri), "code": error.code()});
                return Err(ErrorData::resource_not_found(error.message(), Some(data)));
            }
            Err(error) => return Err(fault(&error)),
        };
        let meta = json!({"canvas/past": true, "canvas/revision_id": found.revision_id});
        let contents = ResourceContents::text(found.text(), uri).with_mime_type(Part::Document.media_type());
        Ok(contents.with_meta(MetaObject(object(meta))))
    }

    /// The text of a part, and the canvas's revision and document id then; `None` where the canvas has no such part.
    pub(crate) async fn text_of(&self, uri: &CanvasUri) -> Result<Option<Shown>, EngineError> {
        let snapshot = self.engine.snapshot(&uri.canvas, clock::now()).await?;
        let (revision, id) = (snapshot.head.revision(), snapshot.revision_id().to_string());
        let key = (uri.canvas.clone(), uri.part);
        if let Some((known, text)) = self.rendered.lock().get(&key)
            && *known == revision
        {
            return Ok(Some((Arc::clone(text), revision, id)));
        }
        let Some((text, revision, id)) = self.render(uri, snapshot).await? else { return Ok(None) };
        let mut rendered = self.rendered.lock();
        if rendered.values().map(|(_, text)| text.len()).sum::<usize>() + text.len() > KEPT {
            rendered.clear();
        }
        rendered.insert(key, (revision, Arc::clone(&text)));
        Ok(Some((text, revision, id)))
    }

    async fn render(
        &self,
        CanvasUri { canvas, part }: &CanvasUri,
        snapshot: Snapshot,
    ) -> Result<Option<Shown>, EngineError> {
        let (text, snapshot): (Arc<str>, _) = match part {
            Part::Document => (snapshot.text().into(), snapshot),
            Part::Board => {
                let (board, snapshot) = self.engine.board(canvas, clock::now()).await?;
                let Some(board) = board else { return Ok(None) };
                (json!(board.workspace(|_| DataLoadingState::Idle)).to_string().into(), snapshot)
            }
            Part::History => {
                let entries = self.engine.history(canvas, None, ENTRIES, clock::now()).await?;
                let entries: Vec<HistoryEntry> =
                    entries.iter().map(HistoryEntry::from).map(HistoryEntry::anonymous).collect();
                (json!({"entries": entries}).to_string().into(), snapshot)
            }
            Part::Proposals => {
                let (open, snapshot) = self.engine.proposals(canvas, clock::now()).await?;
                (json!({"proposals": proposals::anonymous(&open)}).to_string().into(), snapshot)
            }
        };
        Ok(Some((text, snapshot.head.revision(), snapshot.revision_id().to_string())))
    }
}

impl Rendered {
    fn lock(&self) -> MutexGuard<'_, Texts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The document of a file below the folder, which may not be open.
fn file_resource(file: &Listed) -> Resource {
    let uri = CanvasUri { canvas: file.canvas.clone(), part: Part::Document };
    Resource::new(uri.to_string(), &*file.label)
        .with_title(&*file.label)
        .with_description(Part::Document.description())
        .with_mime_type(Part::Document.media_type())
        .with_size(file.bytes())
}

/// The error of a file or a folder that cannot be read.
fn invalid(error: &StartError) -> ErrorData {
    ErrorData::internal_error(error.message(), Some(error.to_json()))
}

/// How URIs are made of ids.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let template = |part: Part| {
        ResourceTemplate::new(format!("canvas://{{id}}/{}", part.name()), part.name())
            .with_title(format!("{} of a canvas", part.name()))
            .with_description(part.description())
            .with_mime_type(part.media_type())
    };
    let past = [(PastUri::REVISION, "revision"), (PastUri::VERSION, "version")].map(|(uri, name)| {
        ResourceTemplate::new(uri, name)
            .with_title(format!("document of a {name}"))
            .with_description(PAST)
            .with_mime_type(Part::Document.media_type())
    });
    Part::ALL.map(template).into_iter().chain(past).collect()
}

fn shown(uri: &str) -> String {
    uri.chars().take(200).collect()
}

pub(crate) fn missing(uri: &str) -> ErrorData {
    let shown = shown(uri);
    let message =
        format!("there is no resource {shown:?}: take a URI that resources/list or a template gives");
    ErrorData::resource_not_found(message, Some(json!({"uri": shown})))
}

/// The error of an engine that cannot answer.
pub(crate) fn fault(error: &EngineError) -> ErrorData {
    let data = json!({"code": error.code(), "retryable": error.is_retryable()});
    ErrorData::internal_error(error.message(), Some(data))
}

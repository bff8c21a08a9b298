//! The history of a canvas: its list, undo and redo, earlier texts, and who wrote which lines.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use canvas_core::document::DocumentStep;
use canvas_core::history::{
    At as Point, ChangeNumber, ChangeSelection, ChangesOf, DocumentDiff, Entry, EntryKind, EntryNumber,
    HistoryEntry, HistoryMove, HistoryRefusal, RedoOf, Reverts, Step, Undo, UndoRefusal, UndoScope,
};
use canvas_core::lease::Turn;
use canvas_core::text::LineRange;
use canvas_core::{
    Actor, Author, CanvasId, ConversationId, EngineError, PersonId, Refused as _, Revision, RevisionId,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::documents::{Direction, Documents, canvas};
use super::request::{BridgeError, Request};
use super::versions::{label_of, point};

/// Entries read at once.
const PAGE: usize = 256;

/// Whose changes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct By {
    person: Option<PersonId>,
    conversation: Option<ConversationId>,
    turn: Option<Turn>,
    change: Option<ChangeNumber>,
    edits: Option<Vec<u32>>,
}

/// A revision in one of two forms, or a version by its label.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a revision number, a revision id or a version")]
pub(super) enum At {
    Number(Revision),
    Id(RevisionId),
    Version { version: String },
}

impl At {
    pub(super) fn point(&self) -> Result<Point, BridgeError> {
        Ok(match self {
            Self::Number(revision) => (*revision).into(),
            Self::Id(id) => id.revision().into(),
            Self::Version { version } => label_of(version)?.into(),
        })
    }

    fn revision(&self) -> Result<Revision, BridgeError> {
        match self.point()? {
            Point::Revision(revision) => Ok(revision),
            Point::Version(_) => {
                let message = "field since: it is not a revision: send its number or id".to_owned();
                Err(BridgeError::new("BAD_REQUEST", message))
            }
        }
    }
}

/// Lists entries of the journal, oldest first.
pub(super) async fn list(documents: &Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let canvas = canvas(request)?;
    let mut after = request.field::<Option<EntryNumber>>("after")?;
    let limit = request.field::<Option<NonZeroU32>>("limit")?.map_or(100, NonZeroU32::get);
    let by = by(request)?;
    let (mut changes, mut next) = (Vec::new(), None);
    loop {
        let page = documents.engine().history_after(&canvas, after, PAGE, documents.clock());
        let page = page.await?;
        let Some(last) = page.last() else { return Ok(page_of(changes, None)) };
        after = Some(last.number);
        for entry in page.iter().filter(|entry| by.as_ref().is_none_or(|by| is_of(entry, by))) {
            if changes.len() == limit as usize {
                return Ok(page_of(changes, next));
            }
            next = Some(entry.number);
            changes.push(row(documents, &canvas, entry).await?);
        }
    }
}

/// Reads the document of an earlier revision, or of a version.
pub(super) async fn text_at(documents: &Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let at = point(request)?.point()?;
    let past = documents.engine().document_at(&canvas(request)?, at, documents.clock()).await;
    let past = past.map_err(past_error)?;
    Ok(json!({"markdown": past.text(), "revision_id": past.revision_id}))
}

/// Compares the documents of two revisions or versions.
pub(super) async fn diff(documents: &Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let (from, to) = (request.field::<At>("from")?.point()?, request.field::<At>("to")?.point()?);
    let diff = documents.engine().diff(&canvas(request)?, from, to, documents.clock()).await;
    let DocumentDiff { patch, words, actors, .. } = diff.map_err(past_error)?;
    let words: Vec<_> = words.into_iter().map(|span| json!({"kind": span.kind, "text": span.text})).collect();
    Ok(json!({"patch": patch, "words": words, "actors": actors}))
}

/// Says who last wrote each line.
pub(super) async fn blame(documents: &Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let (start, end) =
        (request.field::<Option<usize>>("start_line")?, request.field::<Option<usize>>("end_line")?);
    let lines = LineRange { start: start.unwrap_or(1), end: end.unwrap_or(usize::MAX) };
    let runs = documents.engine().blame(&canvas(request)?, Some(lines), documents.clock()).await?;
    let runs = runs.into_iter().map(|run| {
        let writer = run.writer.as_ref();
        json!({
            "start_line": run.start_line,
            "end_line": run.end_line,
            "change": writer.map(|writer| writer.change),
            "revision": writer.map(|writer| writer.revision),
            "at": writer.map(|writer| writer.at),
            "actor": writer.map(|writer| &writer.actor),
            "author": writer.and_then(|writer| writer.author.as_ref()),
        })
    });
    Ok(json!({"runs": runs.collect::<Vec<_>>()}))
}

pub(super) fn past_error(error: EngineError) -> BridgeError {
    match error {
        EngineError::RevisionNotKept { oldest, .. } => BridgeError::from(error).with("oldest", json!(oldest)),
        error => error.into(),
    }
}

fn page_of(changes: Vec<Value>, next: Option<EntryNumber>) -> Value {
    let mut page = json!({"changes": changes});
    if let Some(next) = next {
        page["next"] = json!(next);
    }
    page
}

async fn row(documents: &Documents, canvas: &CanvasId, entry: &Entry) -> Result<Value, BridgeError> {
    let edits = match (entry.edits(), &entry.step) {
        (Some(edits), _) => edits,
        (None, Step::Document(step)) => edits_of(documents, canvas, step).await?,
        (None, _) => 1,
    };
    Ok(json!({
        "change": entry.change,
        "revision": entry.revision_after,
        "at": entry.at,
        "actor": entry.made_by(),
        "author": entry.written_by(),
        "kind": entry.kind,
        "summary": entry.summary,
        "edits": edits,
    }))
}

/// Counts the edits between the two texts that an entry keeps.
async fn edits_of(
    documents: &Documents,
    canvas: &CanvasId,
    step: &DocumentStep,
) -> Result<usize, BridgeError> {
    let text = |id| documents.engine().document(canvas, id);
    let (before, after) = (text(step.before).await?, text(step.after).await?);
    let text = |blob: &Option<canvas_core::Blob>| {
        blob.as_ref().and_then(|blob| blob.as_text().map(str::to_owned)).unwrap_or_default()
    };
    Ok(step.delta_between(&text(&before), &text(&after)).edits().len())
}

fn is_of(entry: &Entry, by: &ChangesOf) -> bool {
    match by {
        ChangesOf::Person(name) => entry.made_by() == Actor::Person { person: name.clone() },
        ChangesOf::Conversation(name) => {
            matches!(entry.written_by(), Some(Actor::Conversation { conversation, .. }) if conversation == *name)
        }
        ChangesOf::Turn(name, turn) => {
            entry.written_by() == Some(Actor::Conversation { conversation: name.clone(), turn: *turn })
        }
        ChangesOf::Change(change) | ChangesOf::Edits(change, _) => entry.change == *change,
    }
}

/// Undoes the last changes, or an actor's.
pub(super) async fn undo(documents: &mut Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let (by, last) = (by(request)?, request.field::<Option<NonZeroU32>>("steps")?);
    let since = request.field::<Option<At>>("since")?.map(|since| since.revision()).transpose()?;
    let partial = request.field::<Option<bool>>("partial")?.unwrap_or_default();
    let Some(of) = by else {
        return match (since, partial) {
            (None, false) => replay(documents, request, Direction::Undo).await,
            (Some(_), _) => Err(lonely("since")),
            (None, true) => Err(lonely("partial")),
        };
    };
    if of.change().is_some() && (last.is_some() || since.is_some()) {
        let message = "fields steps and since: with a change in by, leave them out".to_owned();
        return Err(BridgeError::new("BAD_REQUEST", message));
    }
    let what = UndoScope::Select(ChangeSelection { of, last, since, partial });
    let (now, canvas) = (documents.now(request)?, canvas(request)?);
    let done = documents.ask(&canvas, Undo { by: Author::User, what }, now).await?;
    moved(documents, &canvas, "undone", done).await
}

/// Redoes the last undos, or a person's last one.
pub(super) async fn redo(documents: &mut Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let person = match by(request)? {
        None => return replay(documents, request, Direction::Redo).await,
        Some(ChangesOf::Person(person)) => person,
        Some(_) => {
            let message = "field by: redo is by person: send {\"person\": …} or steps alone".to_owned();
            return Err(BridgeError::new("BAD_REQUEST", message));
        }
    };
    if request.has("steps") {
        let message = "field steps: redo by person takes the person's last undo: leave it out".to_owned();
        return Err(BridgeError::new("BAD_REQUEST", message));
    }
    let (now, canvas) = (documents.now(request)?, canvas(request)?);
    let done = documents.ask(&canvas, RedoOf { by: Author::User, person }, now).await?;
    moved(documents, &canvas, "redone", done).await
}

/// Undoes or redoes `steps` changes as the user, or as many as there are. One command does all of it, so that it fails
/// as a whole and a person redoes all of it at once.
async fn replay(
    documents: &mut Documents,
    request: &Request<'_>,
    direction: Direction,
) -> Result<Value, BridgeError> {
    let (now, canvas) = (documents.now(request)?, canvas(request)?);
    let mut steps = request.field::<Option<NonZeroU32>>("steps")?.unwrap_or(NonZeroU32::MIN);
    if steps.get() as usize > documents.engine().policy().history.reach {
        // One more than the limit is enough to see that a command does not reach all.
        let limit = documents.engine().policy().history.reach + 1;
        let stacks = documents.engine().stacks(&canvas, None, limit, now).await?;
        let available = match direction {
            Direction::Undo => stacks.undo.len(),
            Direction::Redo => stacks.redo.len(),
        };
        steps = of_available(available, direction)?;
    }
    loop {
        match documents.step(&canvas, direction, steps, now).await? {
            Err(UndoRefusal::History(HistoryRefusal::HistoryEmpty { available, .. })) => {
                steps = of_available(available as usize, direction)?;
            }
            done => {
                let name = match direction {
                    Direction::Undo => "undone",
                    Direction::Redo => "redone",
                };
                return answer(documents, &canvas, name, &done.map_err(refused)?).await;
            }
        }
    }
}

fn of_available(count: usize, direction: Direction) -> Result<NonZeroU32, BridgeError> {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    NonZeroU32::new(count).ok_or_else(|| nothing(direction))
}

fn nothing(direction: Direction) -> BridgeError {
    let (code, what) = match direction {
        Direction::Undo => ("NOTHING_TO_UNDO", "no change is in effect"),
        Direction::Redo => ("NOTHING_TO_REDO", "nothing was undone last"),
    };
    BridgeError::new(code, format!("{what}: look at the history of the canvas"))
}

async fn moved(
    documents: &mut Documents,
    canvas: &CanvasId,
    name: &str,
    done: Result<HistoryMove, UndoRefusal>,
) -> Result<Value, BridgeError> {
    let done = done.map_err(refused)?;
    documents.faces.follow_move(canvas, &done);
    answer(documents, canvas, name, &done).await
}

async fn answer(
    documents: &Documents,
    canvas: &CanvasId,
    name: &str,
    done: &HistoryMove,
) -> Result<Value, BridgeError> {
    let HistoryMove { entries, kept, epoch, revision, .. } = done;
    let rows = rows(documents, canvas, entries).await?;
    let mut result = json!({"revision_id": revision, "canvas_epoch": epoch, name: rows});
    if name == "undone" {
        result["kept"] = json!(kept);
    }
    Ok(result)
}

/// Returns the entries with the changes that they undid or redid.
async fn rows(
    documents: &Documents,
    canvas: &CanvasId,
    entries: &[HistoryEntry],
) -> Result<Vec<Value>, BridgeError> {
    let mut rows = Vec::with_capacity(entries.len());
    for entry in entries {
        let mut row = json!(entry);
        if let (EntryKind::Revert, [change, ..]) = (entry.kind, entry.reverts.as_slice()) {
            row["change"] = json!(redone(documents, canvas, entry.number).await?.unwrap_or(*change));
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Returns the change that an entry redid by undoing its undo. `None` if the entry is no redo, or if the undo is no
/// longer kept.
async fn redone(
    documents: &Documents,
    canvas: &CanvasId,
    number: EntryNumber,
) -> Result<Option<ChangeNumber>, BridgeError> {
    let reverts = async |number: u64| -> Result<Option<Reverts>, BridgeError> {
        let before = EntryNumber::new(number + 1);
        let entries = documents.engine().history(canvas, Some(before), 1, documents.clock()).await?;
        Ok(entries.into_iter().find(|entry| entry.number.get() == number).and_then(|entry| entry.reverts))
    };
    let redo = reverts(number.get()).await?.filter(|reverts| reverts.is_redo);
    let Some(undo) = redo.and_then(|redo| redo.changes.first().copied()) else { return Ok(None) };
    Ok(reverts(undo.get()).await?.and_then(|undo| undo.changes.first().copied()))
}

/// A refusal, with the changes that it names.
fn refused(refusal: UndoRefusal) -> BridgeError {
    let error = BridgeError::from(refusal.view());
    match refusal {
        UndoRefusal::History(HistoryRefusal::HistoryConflict { change, with }) => {
            error.with("change", json!(change)).with("with", json!(with))
        }
        UndoRefusal::History(HistoryRefusal::EffectConflict { change, path, effect }) => {
            error.with("change", json!(change)).with("path", json!(path)).with("with", json!(effect))
        }
        UndoRefusal::History(HistoryRefusal::EditNotFound { change, edit, count }) => {
            error.with("change", json!(change)).with("edit", json!(edit)).with("count", json!(count))
        }
        _ => error,
    }
}

fn by(request: &Request<'_>) -> Result<Option<ChangesOf>, BridgeError> {
    let bad = |what: &str| Err(BridgeError::new("BAD_REQUEST", format!("field by: {what}")));
    // A list would be read as the fields in their order.
    if request.field::<Option<Value>>("by")?.is_some_and(|by| !by.is_object()) {
        return bad("it is not an object: send one with a person, a conversation or a change");
    }
    let Some(by) = request.field::<Option<By>>("by")? else { return Ok(None) };
    match by {
        By { person: Some(person), conversation: None, turn: None, change: None, edits: None } => {
            Ok(Some(ChangesOf::Person(person)))
        }
        By { person: None, conversation: Some(conversation), turn, change: None, edits: None } => {
            Ok(Some(match turn {
                Some(turn) => ChangesOf::Turn(conversation, turn),
                None => ChangesOf::Conversation(conversation),
            }))
        }
        By { person: None, conversation: None, turn: None, change: Some(change), edits } => match edits {
            None => Ok(Some(ChangesOf::Change(change))),
            Some(edits) if edits.is_empty() => bad("edits is empty: name at least one, or leave it out"),
            Some(edits) if edits.iter().collect::<BTreeSet<_>>().len() < edits.len() => {
                bad("edits has a number twice: name each once")
            }
            Some(edits) => Ok(Some(ChangesOf::Edits(change, edits))),
        },
        By { person: None, conversation: None, change: None, .. } => {
            bad("it names nobody: send a person, a conversation or a change")
        }
        _ => bad(
            "it names more than one: send a person, a conversation (with a turn) or a change (with edits)",
        ),
    }
}

fn lonely(field: &str) -> BridgeError {
    let message = format!("field {field}: it goes with by: send by too, or leave it out");
    BridgeError::new("BAD_REQUEST", message)
}

//! Reads of who wrote which lines.

use std::sync::Arc;

use canvas_lease::Timestamp;
use canvas_patch::LineRange;

use super::history::reading;
use super::walk::Walk;
use super::{Engine, EngineError};
use crate::history::blame::{Blame, LineWriter};
use crate::history::journal::Entry;
use crate::model::blob::{BlobId, is_document};
use crate::model::id::CanvasId;
use crate::store::contract::Store;

/// Lines of a document that the same change wrote, from [`Engine::blame`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlamedLines {
    /// First line, counted from 1.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
    /// The change that last wrote the lines. `None` if they are older than the kept history, for example lines of
    /// the first document.
    pub writer: Option<LineWriter>,
}

impl<S: Store> Engine<S> {
    /// Returns who last wrote each of these lines, counted from 1, in runs without gaps. `None` means all lines. Lines past
    /// the end of the document are left out.
    ///
    /// A line belongs to the last change that touched it. A line that an undo or redo gives back belongs to its earlier
    /// writer. The engine keeps the answer with the cached document, and each change moves it on. While an engine knows it,
    /// its commits also store it, once every 256 entries. Without a cached answer, this replays the entries since the last
    /// stored one, or the whole journal, which it then holds in memory.
    ///
    /// ```
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CanvasId, Engine, OpKey, Policy};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
    /// let edit = Edit::overwrite("# Plan\n- one\n");
    /// engine.call(&plan, &OpKey::user("edit".parse()?), edit, now).await?.result?;
    /// let blamed = engine.blame(&plan, None, now).await?;
    /// assert_eq!((blamed[0].start_line, blamed[0].end_line, &blamed[0].writer), (1, 1, &None));
    /// assert_eq!(blamed[1].writer.as_ref().map(|writer| writer.change.get()), Some(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Engine::history`].
    pub async fn blame(
        &self,
        canvas: &CanvasId,
        lines: Option<LineRange>,
        now: Timestamp,
    ) -> Result<Vec<BlamedLines>, EngineError> {
        let range = lines.map_or(1..usize::MAX, |lines| lines.start..lines.end.saturating_add(1));
        reading!(self, "blame", canvas, now, walk => async {
            let blame = blame(&mut walk).await?;
            let written = blame.lines(range.clone(), walk.kept()).into_iter();
            Ok(written.map(|lines| BlamedLines {
                start_line: lines.start,
                end_line: lines.end,
                writer: lines.writer,
            }).collect())
        })
    }
}

async fn blame<S: Store>(walk: &mut Walk<'_, S>) -> Result<Arc<Blame>, EngineError> {
    if let Some(known) = walk.known_blame() {
        return Ok(known);
    }
    let mut blame = replayed(walk).await?;
    blame.trim();
    let blame = Arc::new(blame);
    walk.keep_blame(&blame);
    Ok(blame)
}

/// Most entries to read at once by their numbers.
const AT_ONCE: u64 = 1_024;

/// Computes the blame from the journal.
async fn replayed<S: Store>(walk: &mut Walk<'_, S>) -> Result<Blame, EngineError> {
    let head = Arc::clone(&walk.head);
    let slot = head.journal();
    let mut entries = Vec::new();
    for &(number, stored) in slot.blames.iter().rev() {
        let since = slot.entries.saturating_sub(number);
        // A stored blame that cannot be used costs only time.
        let stored = walk.stored(stored).await?;
        let stored =
            stored.as_ref().and_then(Blame::of_blob).filter(|blame| blame.reaches(walk.oldest().max(1)));
        let Some(stored) = stored else { continue };
        let after = if since <= AT_ONCE {
            walk.entries(number.saturating_add(1)..=slot.entries).await?
        } else {
            read_back(walk, &mut entries, number).await?;
            entries.iter().take_while(|(_, entry)| entry.number.get() > number).cloned().collect()
        };
        if after.len() as u64 == since
            && let Some(blame) = play(walk, &after, Some(stored)).await?
        {
            return Ok(blame);
        }
    }
    read_back(walk, &mut entries, 0).await?;
    play(walk, &entries, None).await?.ok_or_else(|| walk.damaged(head.document()))
}

/// Reads the entries after a number, in addition to newer ones.
async fn read_back<S: Store>(
    walk: &mut Walk<'_, S>,
    entries: &mut Vec<(BlobId, Arc<Entry>)>,
    number: u64,
) -> Result<(), EngineError> {
    while entries.last().is_none_or(|(_, entry)| entry.number.get() > number.saturating_add(1)) {
        let window = walk.window().await?;
        if window.is_empty() {
            break;
        }
        entries.extend(window);
    }
    Ok(())
}

/// Moves a blame past entries, newest first, up to the current document. Without a blame, the writers before the first of
/// them are unknown. Returns `None` if the blame does not belong there, or does not suffice.
async fn play<S: Store>(
    walk: &Walk<'_, S>,
    newest_first: &[(BlobId, Arc<Entry>)],
    base: Option<Blame>,
) -> Result<Option<Blame>, EngineError> {
    let (mut text, mut document) =
        (walk.document.as_text().unwrap_or_default().to_owned(), walk.head.document());
    // The texts after the changes that have no edits.
    let mut afters = Vec::new();
    for (_, entry) in newest_first {
        let Some(step) = entry.document() else { continue };
        match &step.delta {
            Some(delta) => delta.revert(&mut text).map_err(|_| walk.damaged(step.before))?,
            None => {
                let before = walk.blob(step.before).await?.as_text().unwrap_or_default().to_owned();
                afters.push(std::mem::replace(&mut text, before));
            }
        }
        document = step.before;
    }
    if !is_document(&text, document) {
        return Err(walk.damaged(document));
    }
    let last = newest_first.last().map_or_else(|| walk.head.journal().last, |(_, entry)| entry.previous());
    let mut blame = match base {
        Some(base) if base.fits(last, document, &text) => base,
        Some(_) => return Ok(None),
        None => {
            let oldest = newest_first.last().map(|(_, entry)| entry.number.get());
            let since = oldest.unwrap_or_else(|| walk.head.journal().entries.saturating_add(1));
            Blame::unknown((last, since), document, &text)
        }
    };
    for (id, entry) in newest_first.iter().rev() {
        let after = match entry.document().map(|step| (&step.delta, step.after)) {
            None => None,
            Some((Some(delta), after)) => Some(delta.apply(&text).map_err(|_| walk.damaged(after))?),
            Some((None, _)) => afters.pop(),
        };
        let texts = (text.as_str(), after.as_ref().unwrap_or(&text).as_str());
        let Some(next) = blame.after((*id, entry), texts) else { return Ok(None) };
        blame = next;
        text = after.unwrap_or(text);
    }
    Ok(Some(blame))
}

//! The lines that a person selected when sending a message.

use canvas_core::history::Entry;
use canvas_core::lease::Timestamp;
use canvas_core::store::Store;
use canvas_core::text::{Address, Delta, Outline};
use canvas_core::{BlobId, CanvasId, Engine, EngineError, RevisionId, Snapshot};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Lines of the document that a person selected, as the person's page showed them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserSelection {
    /// First line, counted from 1.
    pub start_line: usize,
    /// Last line, at least `start_line`.
    pub end_line: usize,
    /// The revision that the page showed.
    pub base_revision_id: RevisionId,
}

/// Changes after the base that are looked through at most.
const LOOKED_AT: usize = 256;

impl UserSelection {
    /// Returns a line of text for the model, which tells the lines and the smallest section around them. Follows
    /// changes since the base. Returns `None` if the base is not known, or if it has no such lines.
    pub(super) async fn describe<S: Store>(
        &self,
        engine: &Engine<S>,
        canvas: &CanvasId,
        snapshot: &Snapshot,
        now: Timestamp,
    ) -> Result<Option<String>, EngineError> {
        let mut found = None;
        if self.base_revision_id == snapshot.revision_id() {
            found = self.follow(snapshot, &[]);
        } else {
            // The page shows the document, even if the model sees what it proposes.
            let document = engine.snapshot(canvas, now).await?;
            let entries = engine.history(canvas, None, LOOKED_AT, now).await?;
            let newer = entries.iter().filter(|entry| entry.revision_after <= document.head.revision());
            let newer: Vec<_> =
                newer.take_while(|entry| entry.revision_after > self.base_revision_id.revision()).collect();
            if let Some((from, to)) = self.follow(&document, &newer) {
                let pending = Delta::between(document.text(), snapshot.text());
                let (from, to) = (moved(from, &pending, false), moved(to, &pending, true));
                found = (from < to).then_some((from, to));
            }
        }
        let Some((from, to)) = found else { return Ok(None) };
        let text = snapshot.text();
        let line_of = |at: usize| line_starts(text).take_while(|start| *start <= at).count().max(1);
        let (start, end) = (line_of(from), line_of(to - 1));
        let outline = snapshot.outline();
        let place = match smallest_section(outline, start, end) {
            Some(address) => format!(", in {}", json!(address)),
            None => String::new(),
        };
        let lines = if start == end { format!("line {start}") } else { format!("lines {start}-{end}") };
        Ok(Some(format!("Selection (do not display to user). The user selected {lines}{place}.")))
    }

    /// Returns the bytes of the selected lines in the newest text. A change inside them changes where they end.
    fn follow(&self, snapshot: &Snapshot, newer: &[&Entry]) -> Option<(usize, usize)> {
        let steps = newer.iter().filter_map(|entry| entry.document());
        let deltas: Vec<_> = steps.map(|step| step.delta.as_ref()).collect::<Option<_>>()?;
        let mut text = snapshot.text().to_owned();
        for delta in &deltas {
            delta.revert(&mut text).ok()?;
        }
        let base = self.base_revision_id;
        // The current revision needs no proof.
        let ids = [BlobId::of_document(&text), BlobId::of(text.as_bytes())];
        let is_base = base == snapshot.revision_id()
            || ids.iter().any(|id| RevisionId::new(base.revision(), *id) == base);
        if !is_base {
            return None;
        }
        let starts: Vec<usize> = line_starts(&text).collect();
        if self.start_line == 0 || self.end_line < self.start_line || self.end_line > starts.len() {
            return None;
        }
        let mut from = starts[self.start_line - 1];
        let mut to = starts.get(self.end_line).copied().unwrap_or(text.len());
        for delta in deltas.iter().rev() {
            (from, to) = (moved(from, delta, false), moved(to, delta, true));
        }
        (from < to).then_some((from, to))
    }
}

/// Returns the place of an offset after the edits. A replacement around an end belongs to the selection, and an
/// insertion exactly at an end does not.
fn moved(at: usize, delta: &Delta, is_end: bool) -> usize {
    let (mut removed, mut added) = (0, 0);
    for edit in delta.edits() {
        let range = edit.range();
        if range.end <= at && !(is_end && range.start == at) {
            (removed, added) = (removed + edit.old.len(), added + edit.new.len());
        } else if range.start < at {
            return range.start + added - removed + if is_end { edit.new.len() } else { 0 };
        } else {
            break;
        }
    }
    at + added - removed
}

fn line_starts(text: &str) -> impl Iterator<Item = usize> + '_ {
    let after_breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
    let last = text.len();
    std::iter::once(0).chain(after_breaks.filter(move |start| *start < last))
}

/// Returns the address of the smallest section that contains the lines.
fn smallest_section(outline: &Outline, start: usize, end: usize) -> Option<Address> {
    let sections = outline.sections().iter().enumerate();
    let around = sections.filter(|(_, section)| section.lines.start <= start && end <= section.lines.end);
    let (index, _) = around.min_by_key(|(_, section)| section.lines.end - section.lines.start)?;
    let titles = |index: usize| outline.path(index).into_iter().map(str::to_owned).collect::<Vec<_>>();
    let path = titles(index);
    let alike: Vec<usize> = (0..outline.sections().len()).filter(|other| titles(*other) == path).collect();
    let number = alike.iter().position(|other| *other == index)? + 1;
    Some(Address::Section { path, ordinal: (alike.len() > 1).then_some(number), part: None })
}

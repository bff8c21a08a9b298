//! Blame, which names the change that last wrote each line of the document.
//!
//! * A line belongs to the last change that touched one of its bytes, including its end. A removed line leaves no trace
//!   in its neighbours.
//! * Undo, redo and revert give lines back. A line that they insert belongs to the writer of the same line among those
//!   that the changes taken back had removed. If the removed lines have no such line, the undo itself wrote it.
//! * The lines are runs with one writer, in chunks that the blame of the next document shares, so that a change costs as
//!   much as it touches.
//! * The lines that the latest changes removed are kept in memory, in order to give them back. If they are not at hand,
//!   the blame is computed again from the journal.
//! * Every [`BLAME_EVERY`](crate::model::journal_slot::BLAME_EVERY) entries, a commit stores the blame as a blob that the
//!   journal slot names, if its engine knows the blame. Everything works without the blob, so an older library may drop it.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::ops::Range;
use std::sync::Arc;

use canvas_lease::Timestamp;
use canvas_patch::{Delta, TextEdit};
use serde::{Deserialize, Serialize};

use crate::face::contents::Contents;
use crate::history::cause::Cause;
use crate::history::journal::{Entry, EntryKind, Reverts};
use crate::history::kept::Kept;
use crate::history::number::ChangeNumber;
use crate::model::actor::Actor;
use crate::model::blob::{Blob, BlobId};
use crate::model::face::TreeFile;
use crate::model::head::Head;
use crate::model::json_text::json_text;
use crate::model::receipt::is_zero;
use crate::model::revision::Revision;

/// Longest run in bytes, unless one line is longer, so that no change reads more of the text.
const RUN: usize = 4 << 10;

/// Runs in a chunk.
const CHUNK: usize = 128;

/// Maximum numbers of changes, and of lines, whose removed lines stay in memory.
const TAKEN: (usize, usize) = (256, 16 << 10);

/// The change that last wrote a line.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LineWriter {
    /// Number of the change. If somebody undid and redid it, this is still the first number.
    pub change: ChangeNumber,
    /// Revision after the change.
    pub revision: Revision,
    /// Time of the change, by the store's clock.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub at: Timestamp,
    /// Actor who made the change happen, for example the person who accepted a proposal.
    pub actor: Actor,
    /// Author of the text, for example the conversation that proposed it. `None` if an earlier library did not record it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<Actor>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Writer {
    #[serde(flatten)]
    line: LineWriter,
    /// Number of effects before the change, which tells whether its entry is kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    effects_before: u64,
}

/// The writer of a line, or `None` for a line older than the first known entry.
type By = Option<Arc<Writer>>;

#[derive(Debug, Clone)]
struct Run {
    bytes: usize,
    lines: usize,
    by: By,
}

#[derive(Debug, Clone, Default)]
struct Chunk {
    bytes: usize,
    lines: usize,
    runs: Vec<Run>,
}

/// A line that a change removed, by the hash of its text.
type TakenLine = (u64, By);

/// The blame of one document at one point of the journal.
#[derive(Debug, Clone)]
pub(crate) struct Blame {
    /// The last entry, which names all earlier ones.
    last: Option<BlobId>,
    document: BlobId,
    chunks: Vec<Arc<Chunk>>,
    /// The lines that the latest changes removed, by the numbers of [`Cause`], newest last.
    taken: VecDeque<(u64, Arc<Vec<TakenLine>>)>,
    /// Whether `taken` has every change since the first known entry.
    is_whole: bool,
    /// The first known entry. The writers of older lines are unknown.
    since: u64,
}

/// A replaced range of whole lines, in the texts before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Region {
    old: Range<usize>,
    new: Range<usize>,
}

/// The lines that an entry may give back.
struct GivenBack {
    /// The writers of each line in order, by the hash of its text.
    lines_by: HashMap<u64, VecDeque<By>>,
    /// Whether all changes that the entry takes back are known.
    is_whole: bool,
}

/// Lines with one writer, see [`Blame::lines`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) writer: Option<LineWriter>,
}

impl Blame {
    /// Creates the blame of a text whose writers are not known.
    pub(crate) fn unknown((last, since): (Option<BlobId>, u64), document: BlobId, text: &str) -> Self {
        let runs = runs_of(text, &mut |_| None);
        Self { last, document, chunks: chunks(runs), taken: VecDeque::new(), is_whole: true, since }
    }

    /// Whether the writers since this entry are known.
    pub(crate) const fn reaches(&self, entry: u64) -> bool {
        self.since <= entry
    }

    /// Returns the kept blame of a head's document.
    pub(crate) fn known(contents: &Contents, head: &Head) -> Option<Arc<Self>> {
        contents.attached(head)
    }

    /// Like [`Blame::known`], also for a head without a journal. No writer of its document is known. This reads the
    /// document.
    pub(crate) fn of(contents: &Contents, head: &Head) -> Option<Arc<Self>> {
        let unknown = || {
            let document = contents.file(TreeFile::Document, head.document())?;
            let (since, text) = (head.journal.entries + 1, document.as_text().unwrap_or_default());
            head.journal.last.is_none().then(|| Self::unknown((None, since), document.id(), text).into())
        };
        Self::known(contents, head).or_else(unknown)
    }

    pub(crate) fn put(self: Arc<Self>, contents: &mut Contents) {
        let bytes = self.approximate_bytes();
        contents.attach((self.last, self.document), self, bytes);
    }

    /// Whether this is the blame of a head's document.
    pub(crate) fn is_of(&self, head: &Head) -> bool {
        self.last == head.journal.last && self.document == head.document()
    }

    /// Returns the blame after an entry with this id, which leads from one text to the other. Returns `None` if it gives
    /// back lines of a change whose removed lines are not at hand.
    pub(crate) fn after(mut self, (id, entry): (BlobId, &Entry), texts: (&str, &str)) -> Option<Self> {
        self.last = Some(id);
        let Some(step) = entry.document() else { return Some(self) };
        let (before, after) = texts;
        let delta = match &step.delta {
            Some(delta) => Cow::Borrowed(delta),
            None => Cow::Owned(Delta::between(before, after)),
        };
        let GivenBack { mut lines_by, is_whole } = self.given_back(entry)?;
        // The entry itself wrote the other lines, unless they may be those of a change that is no longer kept.
        let own = is_whole.then(|| Arc::new(Writer::of(entry)));
        let mut of_line = |line: &str| {
            let by = if lines_by.is_empty() { None } else { lines_by.get_mut(&hash(line)) };
            by.and_then(VecDeque::pop_front).unwrap_or_else(|| own.clone())
        };
        let regions = regions(before, after, delta.edits());
        let runs = regions.iter().map(|region| runs_of(&after[region.new.clone()], &mut of_line));
        let runs: Vec<_> = runs.collect();
        self.document = step.after;
        let mut taken = Vec::new();
        // From the end, so that the offsets before stay.
        for (Region { old, .. }, runs) in regions.into_iter().zip(runs).rev() {
            let removed = self.replace(old.clone(), runs, before);
            let by = removed.into_iter().flat_map(|Run { lines, by, .. }| std::iter::repeat_n(by, lines));
            let lines: Vec<_> = lines(&before[old]).zip(by).collect();
            taken.extend(lines.into_iter().rev().map(|(line, by)| (hash(line), by)));
        }
        taken.reverse();
        let taken = Arc::new(taken);
        // A person's redo names the change, and not the revert that undid it.
        let whole = entry.reverts.as_ref().filter(|_| entry.kind == EntryKind::Revert);
        let whole = whole.and_then(Reverts::whole).map(|change| Cause::number_of(change) + 1);
        let own = Cause::of(entry.kind, entry.change, entry.reverts.as_ref()).number;
        self.taken
            .extend([Some(own), whole].into_iter().flatten().map(|number| (number, Arc::clone(&taken))));
        Some(self)
    }

    /// Returns the lines that an entry may give back, or `None` if they are not at hand.
    fn given_back(&self, entry: &Entry) -> Option<GivenBack> {
        let number = Cause::number_of(entry.change);
        let undone: Vec<u64> = match entry.kind {
            EntryKind::Edit | EntryKind::Effect => Vec::new(),
            EntryKind::Undo => vec![number],
            EntryKind::Redo => vec![number + 1],
            EntryKind::Revert => {
                let changes = entry.reverts.iter().flat_map(|reverts| &reverts.changes);
                changes.map(|change| Cause::number_of(*change)).collect()
            }
        };
        let mut given = GivenBack { lines_by: HashMap::new(), is_whole: true };
        for number in undone {
            match self.taken.iter().rev().find(|(taken, _)| *taken == number) {
                Some((_, lines)) => {
                    for (line, by) in lines.iter() {
                        given.lines_by.entry(*line).or_default().push_back(by.clone());
                    }
                }
                None if self.is_whole => given.is_whole = false,
                None => return None,
            }
        }
        Some(given)
    }

    /// Forgets the lines that older changes removed, beyond the limits.
    pub(crate) fn trim(&mut self) {
        let mut left: usize = self.taken.iter().map(|(_, lines)| lines.len()).sum();
        while self.taken.len() > TAKEN.0 || left > TAKEN.1 && self.taken.len() > 1 {
            left -= self.taken.pop_front().map_or(0, |(_, lines)| lines.len());
            self.is_whole = false;
        }
    }

    /// Puts runs in the place of the lines in a range of the text before, and returns the removed runs.
    fn replace(&mut self, range: Range<usize>, runs: Vec<Run>, text: &str) -> Vec<Run> {
        let (mut first, mut start) = (0, 0);
        while first + 1 < self.chunks.len() && start + self.chunks[first].bytes <= range.start {
            start += self.chunks[first].bytes;
            first += 1;
        }
        let (mut last, mut at) = (first, start);
        let (mut kept, mut removed, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        while last < self.chunks.len() && (last == first || at < range.end) {
            for run in &self.chunks[last].runs {
                let end = at + run.bytes;
                let (from, to) = (range.start.clamp(at, end), range.end.clamp(at, end));
                let count = |part: Range<usize>| match part.len() {
                    0 => 0,
                    bytes if bytes == run.bytes => run.lines,
                    _ => lines(&text[part]).count(),
                };
                let (before, inside) = (count(at..from), count(from..to));
                // The text after the range may be replaced already.
                let after = run.lines.saturating_sub(before + inside);
                for (runs, bytes, lines) in [
                    (&mut kept, from - at, before),
                    (&mut removed, to - from, inside),
                    (&mut rest, end - to, after),
                ] {
                    if bytes > 0 {
                        runs.push(Run { bytes, lines, by: run.by.clone() });
                    }
                }
                at = end;
            }
            last += 1;
        }
        for run in runs.into_iter().chain(rest) {
            add(&mut kept, run);
        }
        self.chunks.splice(first..last, chunks(kept));
        removed
    }

    /// Returns the runs of lines in a range, counted from 1, without gaps. The writers whose entries are not kept are
    /// left out.
    pub(crate) fn lines(&self, range: Range<usize>, kept: Kept) -> Vec<Written> {
        let mut written: Vec<Written> = Vec::new();
        let mut line = 1;
        for chunk in &self.chunks {
            if line + chunk.lines <= range.start {
                line += chunk.lines;
                continue;
            }
            for run in &chunk.runs {
                let (start, end) = (line.max(range.start), (line + run.lines).min(range.end));
                line += run.lines;
                if start >= end {
                    continue;
                }
                let writer = run.by.as_ref().filter(|by| by.is_kept(kept)).map(|by| &by.line);
                match written.last_mut() {
                    Some(last) if last.writer.as_ref() == writer => last.end = end - 1,
                    _ => written.push(Written { start, end: end - 1, writer: writer.cloned() }),
                }
            }
            if line >= range.end {
                break;
            }
        }
        written
    }

    /// Returns the approximate size in memory, in bytes.
    fn approximate_bytes(&self) -> usize {
        let runs: usize = self.chunks.iter().map(|chunk| chunk.runs.len()).sum();
        let taken: usize = self.taken.iter().map(|(_, lines)| lines.len()).sum();
        // A writer of its own for each run, which is the worst case.
        runs * 256 + taken * 24
    }

    /// Encodes the blame as a blob for the journal slot.
    pub(crate) fn to_blob(&self) -> Blob {
        let (mut writers, mut known) = (Vec::<&Arc<Writer>>::new(), HashMap::new());
        let runs = self.chunks.iter().flat_map(|chunk| &chunk.runs).map(|Run { bytes, lines, by }| {
            let by = by.as_ref().map(|by| {
                *known.entry(Arc::as_ptr(by)).or_insert_with(|| {
                    writers.push(by);
                    writers.len() - 1
                })
            });
            (*bytes, *lines, by)
        });
        let runs: Vec<_> = runs.collect();
        let writers: Vec<&Writer> = writers.into_iter().map(Arc::as_ref).collect();
        let stored =
            StoredBlame { last: self.last, document: self.document, since: self.since, writers, runs };
        Blob::text(json_text(&stored, 64 << 10))
    }

    /// Decodes a blob of [`Blame::to_blob`], or returns `None` for any other blob. The lines that earlier changes removed
    /// are not in it.
    pub(crate) fn of_blob(blob: &Blob) -> Option<Self> {
        let StoredBlame { last, document, since, writers, runs } =
            serde_json::from_str::<StoredBlame<Writer>>(blob.as_text()?).ok()?;
        let writers: Vec<_> = writers.into_iter().map(Arc::new).collect();
        let runs = runs.into_iter().map(|(bytes, lines, by)| {
            let by = match by {
                Some(by) => Some(Arc::clone(writers.get(by)?)),
                None => None,
            };
            Some(Run { bytes, lines, by })
        });
        let chunks = chunks(runs.collect::<Option<_>>()?);
        Some(Self { last, document, chunks, taken: VecDeque::new(), is_whole: false, since })
    }

    /// Whether this is the blame of a text after the entry with this id. A stored blame may come from anywhere, so each of
    /// its runs is compared with the lines of the text.
    pub(crate) fn fits(&self, last: Option<BlobId>, document: BlobId, text: &str) -> bool {
        let mut rest = text;
        let mut take = |run: &Run| match rest.split_at_checked(run.bytes) {
            Some((own, after)) if is_boundary(own, own.len()) || after.is_empty() => {
                rest = after;
                !own.is_empty() && lines(own).count() == run.lines
            }
            _ => false,
        };
        let fit = self.chunks.iter().flat_map(|chunk| &chunk.runs).all(&mut take);
        (self.last, self.document) == (last, document) && fit && rest.is_empty()
    }
}

#[derive(Serialize, Deserialize)]
struct StoredBlame<W> {
    last: Option<BlobId>,
    document: BlobId,
    since: u64,
    writers: Vec<W>,
    /// Bytes, lines and writer.
    runs: Vec<(usize, usize, Option<usize>)>,
}

impl Writer {
    fn of(entry: &Entry) -> Self {
        let actor = match entry.kind {
            EntryKind::Redo => entry.first_made_by(),
            _ => None,
        };
        let line = LineWriter {
            change: entry.change,
            revision: entry.revision_after,
            at: entry.at,
            actor: actor.unwrap_or_else(|| entry.made_by()),
            author: entry.written_by(),
        };
        Self { line, effects_before: entry.effects_before() }
    }

    fn is_kept(&self, kept: Kept) -> bool {
        kept.has_number(self.line.change.get(), self.effects_before)
    }
}

fn lines(text: &str) -> std::str::SplitInclusive<'_, char> {
    text.split_inclusive('\n')
}

/// Whether a line begins at this offset.
fn is_boundary(text: &str, at: usize) -> bool {
    at == 0 || text.as_bytes()[at - 1] == b'\n'
}

fn hash(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}

/// Returns the runs of a text, by the writer of each line.
fn runs_of(text: &str, by: &mut impl FnMut(&str) -> By) -> Vec<Run> {
    let mut runs = Vec::new();
    lines(text).for_each(|line| add(&mut runs, Run { bytes: line.len(), lines: 1, by: by(line) }));
    runs
}

/// Adds a run to the last one, if both have the same writer and are short enough.
fn add(runs: &mut Vec<Run>, run: Run) {
    let is_same = |a: &By, b: &By| match (a, b) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b) || a == b,
        (None, None) => true,
        _ => false,
    };
    match runs.last_mut() {
        Some(last) if last.bytes + run.bytes <= RUN && is_same(&last.by, &run.by) => {
            last.bytes += run.bytes;
            last.lines += run.lines;
        }
        _ => runs.push(run),
    }
}

fn chunks(runs: Vec<Run>) -> Vec<Arc<Chunk>> {
    let mut chunks = Vec::with_capacity(runs.len().div_ceil(CHUNK));
    // Half full, so that a few more runs do not divide them again.
    let size = if runs.len() <= CHUNK { CHUNK } else { CHUNK / 2 };
    let mut left = runs.into_iter();
    loop {
        let runs: Vec<Run> = left.by_ref().take(size).collect();
        if runs.is_empty() {
            return chunks;
        }
        let (bytes, lines) = runs.iter().fold((0_usize, 0_usize), |(bytes, lines), run| {
            (bytes.saturating_add(run.bytes), lines.saturating_add(run.lines))
        });
        chunks.push(Arc::new(Chunk { bytes, lines, runs }));
    }
}

/// Returns the whole lines that edits touch, in order and apart from one another. A removal of whole lines has an
/// empty range in the text after.
fn regions(before: &str, after: &str, edits: &[TextEdit]) -> Vec<Region> {
    let line_start = |at: usize| after[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = |at: usize| after[at..].find('\n').map_or(after.len(), |newline| at + newline + 1);
    // The end of a region with its last line.
    let whole = |Region { old, new }: &Region| {
        let is_whole = is_boundary(before, old.end) && is_boundary(after, new.end);
        let end = if is_whole { new.end } else { line_end(new.end) };
        Region { old: old.start..old.end + (end - new.end), new: new.start..end }
    };
    let mut regions: Vec<Region> = Vec::new();
    let mut grown = 0_isize;
    for TextEdit { at, old, new } in edits {
        let start = at.wrapping_add_signed(grown);
        let mut region = Region { old: *at..at + old.len(), new: start..start + new.len() };
        grown += new.len() as isize - old.len() as isize;
        let left = start - line_start(start);
        match regions.last_mut() {
            Some(last) if whole(last).new.end > start - left => {
                (last.old.end, last.new.end) = (region.old.end, region.new.end);
            }
            _ => {
                region.old.start -= left;
                region.new.start -= left;
                regions.push(region);
            }
        }
    }
    regions.iter().map(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stored blame may come from an import, so a run that does not end with a line is not used.
    #[test]
    fn a_blame_that_is_not_of_a_text_does_not_fit() {
        let (text, id) = ("aé\nb\nc", BlobId::of(b"document"));
        let stored = |runs: &[(usize, usize, Option<usize>)]| {
            let (writers, runs) = (Vec::<Writer>::new(), runs.to_vec());
            let stored = StoredBlame { last: None, document: id, since: 1, writers, runs };
            Blame::of_blob(&Blob::text(json_text(&stored, 64)))
        };
        let fits = |runs: &[_]| stored(runs).is_some_and(|blame| blame.fits(None, id, text));
        for (runs, expected) in [
            (&[(7, 3, None)][..], true),
            (&[(4, 1, None), (3, 2, None)], true),
            (&[(4, 1, None), (2, 1, None), (1, 1, None)], true),
            // Within a character, and within a line.
            (&[(2, 1, None), (5, 2, None)], false),
            (&[(5, 2, None), (2, 1, None)], false),
            (&[(7, 2, None)], false),
            (&[(4, 1, None), (3, 3, None)], false),
            (&[(4, 1, None), (0, 0, None), (3, 2, None)], false),
            (&[(4, 1, None)], false),
            (&[(8, 3, None)], false),
            (&[(usize::MAX, 1, None), (8, 2, None)], false),
            (&[(7, 3, Some(0))], false),
            (&[], false),
        ] {
            assert_eq!(fits(runs), expected, "{runs:?}");
        }
        assert!(!stored(&[(7, 3, None)]).unwrap().fits(Some(id), id, text));
    }

    #[test]
    fn regions_are_whole_lines() {
        for (before, after, expected) in [
            ("a\nb\nc\n", "a\nB\nc\n", &[(2..4, 2..4)][..]),
            ("a\nb\nc\n", "a\nc\n", &[(2..4, 2..2)]),
            ("a\nc\n", "a\nb\nc\n", &[(2..2, 2..4)]),
            ("a\nb\n", "ab\n", &[(0..4, 0..3)]),
            ("a", "a\nb", &[(0..1, 0..3)]),
        ] {
            let delta = Delta::between(before, after);
            let found = regions(before, after, delta.edits());
            let found: Vec<_> = found.into_iter().map(|Region { old, new }| (old, new)).collect();
            assert_eq!(found, expected, "{before:?} {after:?}");
        }
        // Edits within lines, as a directive makes them. Those in one line are one region.
        let edit = |at, old: &str, new: &str| TextEdit { at, old: old.to_owned(), new: new.to_owned() };
        let (before, after) = ("one two\nthree\n", "ONE TWO\nth\nree\n");
        let edits = [edit(0, "one", "ONE"), edit(4, "two", "TWO"), edit(10, "", "\n")];
        assert_eq!(
            regions(before, after, &edits),
            [Region { old: 0..8, new: 0..8 }, Region { old: 8..14, new: 8..15 }]
        );
    }
}

//! Undoes changes while later ones stay.

use canvas_patch::Delta;

use crate::document::step::DocumentStep;
use crate::face::read_error::ReadError;
use crate::face::step::StepSeed;
use crate::history::journal::{Entry, EntryKind, NewEntry, Reverts};
use crate::history::number::{ChangeNumber, EntryNumber};
use crate::history::revert::{Selection, Verdict};
use crate::history::step::{Faces, Step};
use crate::history::track::RevertConflict;
use crate::model::actor::Actor;
use crate::model::author::{Author, Role};
use crate::model::blob::{Blob, BlobId, Missing};
use crate::model::face::{Face, PerFace, TreeFile};
use crate::model::op_key::OpKey;
use crate::proposal::decision::Decision;
use crate::transition::refusal::{HistoryRefusal, UndoRefusal};
use crate::transition::search::{Bound, Search, Visited};
use crate::transition::step::{Stop, Transition};
use crate::transition::undo::{KeptChange, Undone};

/// Number of moves of one change past another that an undo may make for each pair that it may reach.
const MOVES: usize = 16;

/// A call that reverts entries, and the entries that record it.
pub(super) struct Reverting<'o> {
    pub(super) operation: &'o OpKey,
    pub(super) by: Author,
    /// Whether entries that cannot be reverted stay.
    pub(super) partial: bool,
}

/// The fields of an entry that records a revert.
pub(super) struct Recorded {
    pub(super) kind: EntryKind,
    /// The earlier change that is redone; `None` for a new change.
    pub(super) change: Option<ChangeNumber>,
    pub(super) author: Role,
    pub(super) written_by: Option<Actor>,
    pub(super) first_made_by: Option<Actor>,
    pub(super) reverts: Option<Reverts>,
    pub(super) summary: String,
}

/// A revert, as one step of each face.
struct Reverted {
    steps: Vec<Step>,
    /// The decisions that it takes back.
    decisions: Vec<Decision>,
}

impl Recorded {
    pub(super) fn revert(by: Author, reverts: Reverts, summary: String) -> Self {
        Self {
            kind: EntryKind::Revert,
            change: None,
            author: by.actor(),
            written_by: None,
            first_made_by: None,
            reverts: Some(reverts),
            summary,
        }
    }
}

/// The fate of a part of an entry.
enum Fate {
    Stays,
    /// A later entry undid it.
    UndoneBy(EntryNumber),
    /// It is to be reverted, either all of it or these edits.
    Reverted(Option<SomeEdits>),
}

/// Some edits of a change.
#[derive(Debug, Clone)]
pub(super) struct SomeEdits {
    pub(super) numbers: Vec<u32>,
    /// Number of all edits of the change.
    pub(super) count: u32,
}

/// The documents after each revert.
#[derive(Default)]
struct Documents {
    between: Vec<Blob>,
    /// Whether a revert keeps its texts instead of edits.
    are_large: bool,
}

impl<'a> Transition<'a> {
    /// Reverts changes, as one entry for each face, or as one entry if one of the changes is of several faces. A single
    /// conflict refuses the whole revert.
    pub(super) fn revert(
        &mut self,
        operation: &OpKey,
        by: Author,
        selection: Selection<'_>,
    ) -> Result<Undone, Stop<UndoRefusal>> {
        let mut search = Search::of_changes(&self.head.journal, selection, Bound::Reach);
        let visited = self.find(&mut search)?;
        let chosen = || visited.iter().filter(|visited| visited.verdict.is_chosen());
        self.authorize_entries(operation, by, chosen().map(|visited| visited.entry))?;
        let mut faces = self.faces_for(chosen().map(|visited| visited.entry))?;
        self.read_edits(&visited)?;
        let (mut author, call) = (by.actor(), Reverting { operation, by, partial: false });
        for Visited { entry, verdict } in &visited {
            for (steps, fate) in self.pieces(entry, verdict, None)? {
                if let Some(_edits) = pass(&mut faces, entry, &steps, fate) {
                    self.revert_steps(&mut faces, entry, &steps)?;
                    author = entry.author;
                }
            }
        }
        let mut undone = Undone::of(faces);
        // A change of several faces is undone by one entry.
        let is_joined = chosen().any(|visited| !visited.entry.also.is_empty());
        let mut made: Vec<(Reverted, Vec<ChangeNumber>)> = Vec::new();
        for face in Face::ALL {
            #[cfg(feature = "surface")]
            if face == Face::Surface {
                self.check_state::<UndoRefusal>(&undone.faces)?;
            }
            let seed = StepSeed { operation, nth: 0, bytes: self.policy.history.entry_bytes };
            let decided = chosen().map(|visited| visited.entry).filter(|entry| entry.is_decision());
            let decided: Vec<&Entry> = decided.filter(|_| face == Face::Document).collect();
            let nothing = decided.first().and_then(|entry| without_edits(&undone.faces, entry));
            let since = undone.faces.since(face, &seed);
            let of_decisions = || Some((nothing?, decided.iter().map(|entry| entry.change).collect()));
            let Some((step, changes)) = since.or_else(of_decisions) else { continue };
            if let (Face::Document, Some(at)) = (face, &undone.faces.document.at) {
                self.check_size::<UndoRefusal>(at.text().len())?;
            }
            let decisions = decided.iter().flat_map(|entry| Decision::inverse(&entry.decisions)).collect();
            match made.last_mut().filter(|_| is_joined) {
                Some((reverted, joined)) => {
                    reverted.steps.push(step);
                    let new = changes.into_iter().filter(|change| !joined.contains(change));
                    joined.extend(new.collect::<Vec<_>>());
                }
                None => made.push((Reverted { steps: vec![step], decisions }, changes)),
            }
        }
        for (reverted, changes) in made {
            let count = changes.len();
            let s = if count == 1 { "" } else { "s" };
            let summary = format!("took back {count} change{s}");
            let recorded = Recorded::revert(by, Reverts::of(changes, author), summary);
            self.push_undone(&call, &mut undone, reverted, recorded)?;
        }
        if undone.done.is_empty() {
            return Err(Stop::refused(HistoryRefusal::HistoryEmpty { asked: 1, available: 0 }));
        }
        Ok(undone)
    }

    /// Reverts the chosen ones among the visited entries, newest first, with an entry for each. `record` returns the
    /// entry that records a revert. The inverse of a change may have no effect any more. Such a change counts as undone
    /// before, so the search goes on for an older one in its place.
    pub(super) fn revert_each(
        &mut self,
        call: &Reverting<'_>,
        (search, mut visited): (&mut Search<'_, 'a>, Vec<Visited<'a>>),
        edits: Option<&[u32]>,
        record: impl Fn(&Self, &'a Entry, Option<SomeEdits>) -> Result<Recorded, Stop<UndoRefusal>>,
    ) -> Result<Undone, Stop<UndoRefusal>> {
        let mut undone = Undone::of(Faces::default());
        let (mut documents, mut moves) = (Documents::default(), 0);
        loop {
            let chosen = visited.iter().filter(|visited| visited.verdict.is_chosen());
            self.read_faces(&mut undone.faces, chosen.map(|visited| visited.entry))?;
            self.read_edits(&visited)?;
            let mut without_effect = 0;
            for visited in &visited {
                let before = undone.done.len() + undone.kept.len();
                let pieces = self.pieces(visited.entry, &visited.verdict, edits)?;
                let of = (visited.entry, pieces);
                self.revert_pieces(call, &mut undone, (&mut documents, &mut moves), of, &record)?;
                let has_effect = undone.done.len() + undone.kept.len() > before;
                without_effect += usize::from(visited.verdict.is_chosen() && !has_effect);
            }
            if without_effect == 0 || !search.go_on(without_effect, undone.done.is_empty()) {
                break;
            }
            visited = self.visit(search)?;
            if visited.is_empty() {
                break;
            }
            self.authorize_chosen(call.operation, call.by, &visited)?;
        }
        if let Some(at) = &undone.faces.document.at {
            self.check_size::<UndoRefusal>(at.text().len())?;
        }
        #[cfg(feature = "surface")]
        self.check_state::<UndoRefusal>(&undone.faces)?;
        if documents.are_large {
            // Steps without edits name the texts between them.
            let older = self.view.contents.document();
            self.blobs.extend(documents.between.iter().flat_map(|document| document.to_put(older)));
        }
        Ok(undone)
    }

    /// Passes the parts of an entry, and reverts those that are to be reverted.
    fn revert_pieces(
        &mut self,
        call: &Reverting<'_>,
        undone: &mut Undone,
        (documents, moves): (&mut Documents, &mut usize),
        (entry, pieces): (&'a Entry, Vec<(Vec<Step>, Fate)>),
        record: &impl Fn(&Self, &'a Entry, Option<SomeEdits>) -> Result<Recorded, Stop<UndoRefusal>>,
    ) -> Result<(), Stop<UndoRefusal>> {
        let reach = self.policy.history.reach;
        for (steps, fate) in pieces {
            let Some(edits) = pass(&mut undone.faces, entry, &steps, fate) else { continue };
            let later = steps.iter().map(|step| undone.faces.later(step.face()));
            *moves = later.fold(*moves, usize::saturating_add);
            if *moves > reach.saturating_mul(reach).saturating_mul(MOVES) {
                return Err(Stop::refused(HistoryRefusal::HistoryTooDeep { limit: reach }));
            }
            // The first face must stay too if the second one stays.
            let before = (call.partial && steps.len() > 1).then(|| undone.faces.clone());
            let reverted = self.revert_steps(&mut undone.faces, entry, &steps);
            match reverted.map_err(|stop| (KeptChange::of(entry.change, &stop), stop)) {
                Ok(()) => {}
                Err((Some(kept), _)) if call.partial => {
                    undone.kept.push(kept);
                    undone.faces = before.unwrap_or_else(|| std::mem::take(&mut undone.faces));
                    steps.iter().for_each(|step| undone.faces.keep((entry.number, entry.change), step));
                    continue;
                }
                Err((_, stop)) => return Err(stop),
            }
            let bytes = self.policy.history.entry_bytes;
            let seed = StepSeed { operation: call.operation, nth: undone.done.len(), bytes };
            let made = steps.iter().filter_map(|step| step_of(&mut undone.faces, step.face(), &seed, entry));
            let steps: Vec<Step> = made.collect();
            if steps.is_empty() {
                continue;
            }
            if let (Some(step), Some(at)) = (steps.iter().find_map(Step::document), &undone.faces.document.at)
            {
                documents.are_large |= step.delta.is_none();
                documents.between.push(at.blob.clone());
            }
            let is_whole = edits.is_none();
            let recorded = record(self, entry, edits)?;
            let decisions = if is_whole { Decision::inverse(&entry.decisions) } else { Vec::new() };
            self.push_undone(call, undone, Reverted { steps, decisions }, recorded)?;
        }
        Ok(())
    }

    /// Reverts the steps of an entry, unless a later change touches one of them.
    fn revert_steps(
        &self,
        faces: &mut Faces,
        entry: &Entry,
        steps: &[Step],
    ) -> Result<(), Stop<UndoRefusal>> {
        self.check_effects(entry)?;
        for step in steps {
            let reverted = faces.revert(entry.change, step);
            reverted.map_err(|conflict| self.refused((entry, step), conflict))?;
        }
        Ok(())
    }

    /// Adds an entry with its own revision.
    fn push_undone(
        &mut self,
        call: &Reverting<'_>,
        undone: &mut Undone,
        Reverted { steps, decisions }: Reverted,
        recorded: Recorded,
    ) -> Result<(), Stop<UndoRefusal>> {
        let mut also = steps.into_iter();
        let Some(step) = also.next() else { return Ok(()) };
        let also: Vec<Step> = also.collect();
        let Recorded { kind, change, author, written_by, first_made_by, reverts, summary } = recorded;
        let before = self.head.revision;
        self.next_revision::<UndoRefusal>()?;
        for face in [&step].into_iter().chain(&also).map(Step::face) {
            undone.revisions[face] = self.head.revision;
            #[cfg(feature = "board")]
            undone.events.extend(undone.faces.events(face));
        }
        undone.done.extend(self.push(NewEntry {
            kind,
            change,
            actor: call.by.actor(),
            author,
            written_by,
            first_made_by,
            reverts,
            operation: call.operation.clone(),
            at: self.view.clock,
            summary,
            revisions: (before, self.head.revision),
            step,
            also,
            decisions,
        }));
        Ok(())
    }

    /// Returns the reason why a step cannot be reverted.
    fn refused(&self, (entry, step): (&Entry, &Step), conflict: RevertConflict) -> Stop<UndoRefusal> {
        match conflict {
            RevertConflict::Touched(with) => {
                Stop::refused(HistoryRefusal::HistoryConflict { change: entry.change, with })
            }
            RevertConflict::Mismatch => self.unplayed(entry, step),
        }
    }

    /// Returns the parts of an entry that have different fates, newest first. `edits` are those to revert, if not all.
    fn pieces(
        &self,
        entry: &Entry,
        verdict: &Verdict,
        edits: Option<&[u32]>,
    ) -> Result<Vec<(Vec<Step>, Fate)>, Stop<UndoRefusal>> {
        let (is_chosen, parts) = match verdict {
            Verdict::UndoneBy(by) => return Ok(vec![(self.with_edits(entry)?, Fate::UndoneBy(*by))]),
            Verdict::InEffect { is_chosen, parts, .. } => (*is_chosen, parts),
        };
        let edits = edits.filter(|_| is_chosen);
        let whole = |steps| vec![(steps, if is_chosen { Fate::Reverted(None) } else { Fate::Stays })];
        if parts.is_empty() && edits.is_none() {
            return self.with_edits(entry).map(whole);
        }
        if let (Some(_), Some(edit)) = (&entry.reverts, edits.and_then(<[u32]>::first)) {
            // The edits of an undo have no numbers of their own.
            let (change, edit) = (entry.change, *edit);
            return Err(Stop::refused(HistoryRefusal::EditNotFound { change, edit, count: 0 }));
        }
        let steps = self.with_edits(entry)?;
        let [Step::Document(step)] = steps.as_slice() else {
            return self.check_edits(entry, edits.unwrap_or_default(), 1).map(|()| whole(steps));
        };
        let count = step.delta.as_ref().map_or(0, |delta| delta.edits().len());
        self.check_edits(entry, edits.unwrap_or_default(), count)?;
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let is_of = |edit: &u32, part: &[u32]| part.contains(edit);
        let left: Vec<u32> =
            (0..count).filter(|edit| !parts.iter().any(|(_, part)| is_of(edit, part))).collect();
        let (taken, stay): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|edit| is_chosen && edits.is_none_or(|edits| is_of(edit, edits)));
        if edits.is_some() && taken.is_empty() {
            return Err(Stop::refused(HistoryRefusal::HistoryNotFound { change: entry.change }));
        }
        let is_all = parts.is_empty() && stay.is_empty();
        let recorded = (!is_all).then(|| SomeEdits { numbers: taken.clone(), count });
        let mut groups = vec![(stay, Fate::Stays), (taken, Fate::Reverted(recorded))];
        groups.extend(parts.iter().rev().map(|(by, part)| (part.clone(), Fate::UndoneBy(*by))));
        groups.retain(|(group, _)| !group.is_empty());
        let (groups, fates): (Vec<_>, Vec<_>) = groups.into_iter().unzip();
        let Some(steps) = step.split(&groups) else { return Err(self.unplayed(entry, &entry.step)) };
        Ok(steps.into_iter().map(|step| vec![step.into()]).zip(fates).rev().collect())
    }

    /// Returns the steps of an entry. A step of the document has its edits, even if the entry keeps both texts instead.
    fn with_edits(&self, entry: &Entry) -> Result<Vec<Step>, Stop<UndoRefusal>> {
        let with_edits = |step: &Step| {
            let Step::Document(document) = step else { return Ok(step.clone()) };
            document.with_edits(&self.view.files()).map(Step::from).map_err(|error| match error {
                ReadError::Missing(ids) => Missing::all(ids).into(),
                ReadError::Damaged(_) => self.unplayed(entry, step),
            })
        };
        entry.steps().map(with_edits).collect()
    }

    /// Reads the texts that entries keep instead of edits. Requests all that are not yet loaded at once.
    fn read_edits(&self, visited: &[Visited<'_>]) -> Result<(), Missing> {
        let files = self.view.files();
        let steps = visited.iter().flat_map(|visited| visited.entry.steps());
        let kept = steps.flat_map(Step::kept);
        let texts = kept.filter(|(file, _)| *file == TreeFile::Document).map(|(_, id)| id);
        let mut missing: Vec<BlobId> = texts.filter(|id| files.blob(*id).is_err()).collect();
        missing.sort_unstable();
        missing.dedup();
        if missing.is_empty() { Ok(()) } else { Err(Missing::all(missing)) }
    }

    /// Checks that a change has all these edits.
    fn check_edits(&self, entry: &Entry, edits: &[u32], count: usize) -> Result<(), Stop<UndoRefusal>> {
        match edits.iter().find(|edit| **edit as usize >= count) {
            Some(edit) => {
                let (change, edit) = (entry.change, *edit);
                Err(Stop::refused(HistoryRefusal::EditNotFound { change, edit, count }))
            }
            None => Ok(()),
        }
    }
}

/// Returns the step of a decision that does not change the document. `None` if the entry is no decision.
fn without_edits(faces: &Faces, entry: &Entry) -> Option<Step> {
    let at = faces.document.at.as_ref().filter(|_| entry.is_decision())?;
    Some(DocumentStep { before: at.id(), after: at.id(), delta: Some(Delta::default()) }.into())
}

/// Returns the step of the last revert.
fn step_of(faces: &mut Faces, face: Face, seed: &StepSeed<'_>, entry: &Entry) -> Option<Step> {
    let nothing = without_edits(faces, entry);
    faces.since(face, seed).map(|(step, _)| step).or(nothing)
}

/// Passes a part of an entry. Returns the edits to revert, if it is to be reverted.
fn pass(faces: &mut Faces, entry: &Entry, steps: &[Step], fate: Fate) -> Option<Option<SomeEdits>> {
    let of: (EntryNumber, ChangeNumber) = (entry.number, entry.change);
    match fate {
        Fate::Stays => steps.iter().for_each(|step| faces.keep(of, step)),
        Fate::UndoneBy(by) => steps.iter().for_each(|step| faces.cancel(of, step, by)),
        Fate::Reverted(edits) => return Some(edits),
    }
    None
}

impl Undone {
    fn of(faces: Faces) -> Self {
        Self {
            faces,
            revisions: PerFace::default(),
            #[cfg(feature = "board")]
            events: Vec::new(),
            done: Vec::new(),
            kept: Vec::new(),
        }
    }
}

//! Makes, renames, removes and restores named versions.

use canvas_lease::Epoch;
use serde::{Deserialize, Serialize};

#[cfg(feature = "board")]
use crate::board::CanvasEvent;
use crate::face::read_error::ReadError;
use crate::face::step::{Mismatch, StepSeed};
use crate::history::journal::{Entry, EntryKind};
use crate::history::past::{PastDocument, PastFaces};
use crate::history::step::{Faces, Step};
use crate::model::actor::Actor;
use crate::model::author::{Author, Role};
use crate::model::blob::{Blob, Missing};
use crate::model::face::{Face, PerFace, TreeFile};
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::model::revision::RevisionId;
use crate::model::unknown::Unknown;
use crate::transition::command::Command;
use crate::transition::command::sealed::Decide;
use crate::transition::refusal::{RestoreRefusal, VersionCommandRefusal, VersionRefusal};
use crate::transition::step::{Record, Stop, Transition};
use crate::transition::view::View;
use crate::version::label::VersionLabel;
use crate::version::stored::{MAX_NOTE_BYTES, MAX_VERSIONS, NamedVersion, Unread, VersionIndex};

/// Gives a revision a label. The first version raises the canvas to format 3, which libraries before 0.2 refuse.
///
/// ```
/// # canvas_core::testing::block_on(async {
/// # use canvas_core::document::Edit;
/// # use canvas_core::lease::Timestamp;
/// # use canvas_core::store::MemoryStore;
/// # use canvas_core::version::{NameVersion, Restore};
/// # use canvas_core::{CanvasId, Engine, OpKey, Policy};
/// # let now = Timestamp::from_millis(1_000);
/// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
/// # let plan = CanvasId::new("plan")?;
/// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
/// let sent = NameVersion { label: "sent".parse()?, note: None, of: None };
/// engine.call(&plan, &OpKey::user("name".parse()?), sent, now).await?.result?;
/// engine.call(&plan, &OpKey::user("edit".parse()?), Edit::overwrite("# Ours\n"), now).await?.result?;
///
/// let sent = engine.document_at(&plan, "sent".parse::<canvas_core::version::VersionLabel>()?, now).await?;
/// let restore = Restore { faces: sent.into() };
/// let restored = engine.call(&plan, &OpKey::user("restore".parse()?), restore, now).await?;
/// assert_eq!(restored.snapshot.text(), "# Plan\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameVersion {
    /// Label that no other version of the canvas has.
    pub label: VersionLabel,
    /// A note for people. It has at most [`MAX_NOTE_BYTES`].
    pub note: Option<String>,
    /// The revision to name, from [`Engine::document_at`](crate::Engine::document_at); `None` names the current one.
    /// The version then has the document, and the other faces if they have not changed since.
    pub of: Option<PastDocument>,
}

/// Removes a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoveVersion {
    /// Label of the version.
    pub label: VersionLabel,
}

/// Gives a version another label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenameVersion {
    /// Present label of the version.
    pub label: VersionLabel,
    /// Label that no other version of the canvas has.
    pub to: VersionLabel,
}

/// Makes faces of an earlier revision the current ones, as one change that can be undone. The other faces stay. If it
/// changes the document, it ends the lease, like a user's edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restore {
    /// The faces of a version or revision, from [`Engine::faces_at`](crate::Engine::faces_at), or the document alone,
    /// from [`Engine::document_at`](crate::Engine::document_at).
    pub faces: PastFaces,
}

/// The answer to [`Restore`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Restored {
    /// The changed faces, in the order of [`Face::ALL`]. Those equal to the earlier ones are left out.
    pub changed: Vec<Face>,
    /// The resulting events of the board.
    #[cfg(feature = "board")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<CanvasEvent>,
    /// Epoch of the canvas after the command.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub epoch: Epoch,
    /// Revision id of the document after the command.
    pub revision: RevisionId,
}

impl Command for NameVersion {
    type Done = NamedVersion;
    type Refusal = VersionCommandRefusal;
}

impl Command for RemoveVersion {
    type Done = NamedVersion;
    type Refusal = VersionCommandRefusal;
}

impl Command for RenameVersion {
    type Done = NamedVersion;
    type Refusal = VersionCommandRefusal;
}

impl Command for Restore {
    type Done = Restored;
    type Refusal = RestoreRefusal;
}

impl Decide for NameVersion {
    const NAME: &'static str = "name_version";
    const KIND: &'static str = "version_named";

    fn digest(&self) -> Digest {
        let of = self.of.as_ref().map(name_of).unwrap_or_default();
        let note = self.note.as_ref().map(|note| format!("note {note}")).unwrap_or_default();
        Digest::of(&["name_version", self.label.as_str(), &note, &of].map(str::as_bytes))
    }

    fn decide(
        &self,
        at: &mut Transition<'_>,
        operation: &OpKey,
    ) -> Result<NamedVersion, Stop<VersionCommandRefusal>> {
        let actor = not_model::<VersionCommandRefusal>(operation)?;
        if let Some(bytes) = self.note.as_ref().map(String::len).filter(|bytes| *bytes > MAX_NOTE_BYTES) {
            return Err(Stop::refused(VersionRefusal::VersionNoteTooLong { bytes, limit: MAX_NOTE_BYTES }));
        }
        let mut index = at.versions::<VersionCommandRefusal>()?;
        at.check_label(&index, &self.label)?;
        if index.count() >= MAX_VERSIONS {
            return Err(Stop::refused(VersionRefusal::TooManyVersions { limit: MAX_VERSIONS }));
        }
        // A canvas that this call creates is not at its first revision yet.
        let revision = at.head.revision.max(at.head.faces[Face::Document]);
        let (mut tree, mut revision, mut revision_id) =
            (at.head.draft.clone(), revision, at.head.revision_id());
        if let Some(past) = &self.of {
            at.check_past::<VersionCommandRefusal>(&past.clone().into())?;
            (revision, revision_id) = (past.revision, past.revision_id);
            let changed = Face::ALL.into_iter().filter(|face| at.head.faces[*face] > revision);
            for face in changed.collect::<Vec<_>>() {
                let files = TreeFile::ALL.into_iter().filter(|file| file.face() == face);
                files.for_each(|file| _ = tree.remove(&file.tree_path()));
            }
            let document = &past.text;
            if Some(document.id()) != at.head.draft.file(TreeFile::Document) {
                at.blobs.extend(document.to_put(at.view.contents.document()));
            }
            tree.insert(TreeFile::Document.tree_path(), document.id());
        }
        let note = self.note.clone();
        let (label, clock) = (self.label.clone(), at.view.clock);
        let (tree, unknown) = (Some(tree), Unknown::NONE);
        let version = NamedVersion { label, revision, revision_id, at: clock, actor, note, tree, unknown };
        at.change_versions(&mut index, |index, blobs, at| {
            index.put(version.clone(), |id| at.blob(id), blobs)
        })?;
        Ok(version)
    }
}

impl Decide for RemoveVersion {
    const NAME: &'static str = "remove_version";
    const KIND: &'static str = "version_removed";

    fn digest(&self) -> Digest {
        Digest::of(&["remove_version", self.label.as_str()].map(str::as_bytes))
    }

    fn decide(
        &self,
        at: &mut Transition<'_>,
        operation: &OpKey,
    ) -> Result<NamedVersion, Stop<VersionCommandRefusal>> {
        not_model::<VersionCommandRefusal>(operation)?;
        let mut index = at.versions::<VersionCommandRefusal>()?;
        let version = at.named::<VersionCommandRefusal>(&index, &self.label)?;
        at.change_versions(&mut index, |index, blobs, at| {
            index.remove(&self.label, |id| at.blob(id), blobs)
        })?;
        Ok(version)
    }
}

impl Decide for RenameVersion {
    const NAME: &'static str = "rename_version";
    const KIND: &'static str = "version_renamed";

    fn digest(&self) -> Digest {
        Digest::of(&["rename_version", self.label.as_str(), self.to.as_str()].map(str::as_bytes))
    }

    fn decide(
        &self,
        at: &mut Transition<'_>,
        operation: &OpKey,
    ) -> Result<NamedVersion, Stop<VersionCommandRefusal>> {
        not_model::<VersionCommandRefusal>(operation)?;
        let mut index = at.versions::<VersionCommandRefusal>()?;
        let mut version = at.named::<VersionCommandRefusal>(&index, &self.label)?;
        at.check_label(&index, &self.to)?;
        version.label = self.to.clone();
        at.change_versions(&mut index, |index, blobs, at| {
            index.remove(&self.label, |id| at.blob(id), blobs)?;
            index.put(version.clone(), |id| at.blob(id), blobs)
        })?;
        Ok(version)
    }
}

impl Decide for Restore {
    const NAME: &'static str = "restore";
    const KIND: &'static str = "restored";

    fn digest(&self) -> Digest {
        let PastFaces { canvas, revision, version, .. } = &self.faces;
        let label = version.as_ref().map(VersionLabel::as_str).unwrap_or_default();
        let files = self.faces.files().map(|(file, id)| format!(" {} {id}", file.path()));
        let faces = format!("{canvas} {} {label}{}", revision.get(), files.collect::<String>());
        Digest::of(&["restore", &faces].map(str::as_bytes))
    }

    fn decide(&self, at: &mut Transition<'_>, operation: &OpKey) -> Result<Restored, Stop<RestoreRefusal>> {
        not_model::<RestoreRefusal>(operation)?;
        at.check_past::<RestoreRefusal>(&self.faces)?;
        let named = self.faces.faces();
        let mut faces = at.faces_now(&named)?;
        let seed = StepSeed { operation, nth: 0, bytes: at.policy.history.entry_bytes };
        let mut steps = Vec::new();
        for face in named {
            let restored = faces.restore(face, &self.faces.faces);
            restored.map_err(|Mismatch| Stop::refused(VersionRefusal::VersionsDamaged))?;
            steps.extend(faces.since(face, &seed).map(|(step, _)| step));
        }
        let changed: Vec<Face> = steps.iter().map(Step::face).collect();
        if let (Some(document), true) = (&faces.document.at, changed.contains(&Face::Document)) {
            at.check_size::<RestoreRefusal>(document.text().len())?;
        }
        #[cfg(feature = "surface")]
        at.check_state::<RestoreRefusal>(&faces)?;
        let mut also = steps.into_iter();
        let Some(step) = also.next() else {
            return Err(Stop::refused(VersionRefusal::NothingToRestore));
        };
        at.next_revision::<RestoreRefusal>()?;
        if changed.len() > 1 || changed == [Face::Board] {
            // Older libraries know neither several steps nor a step of the board without a command.
            at.head.raise_to_shared();
        }
        let summary = match &self.faces.version {
            Some(label) => format!("restored version {label}"),
            None => format!("restored revision {}", self.faces.revision.get()),
        };
        #[cfg(feature = "board")]
        let events = faces.events(Face::Board);
        let mut revisions = PerFace::default();
        changed.iter().for_each(|face| revisions[*face] = at.head.revision);
        at.record_as(EntryKind::Edit, Record { actor: Role::User, operation, summary }, step, also.collect());
        at.put_faces(Author::User, faces, &revisions);
        Ok(Restored {
            changed,
            #[cfg(feature = "board")]
            events,
            epoch: at.head.lock.epoch(),
            revision: at.head.revision_id(),
        })
    }
}

/// Returns the actor, unless it is a model.
fn not_model<R: From<VersionRefusal>>(operation: &OpKey) -> Result<Actor, Stop<R>> {
    match operation.actor() {
        Actor::Conversation { .. } => Err(Stop::refused(VersionRefusal::VersionByModel)),
        actor => Ok(actor),
    }
}

/// Names a document exactly.
fn name_of(past: &PastDocument) -> String {
    let PastDocument { canvas, revision, revision_id, text, version } = past;
    let label = version.as_ref().map(VersionLabel::as_str).unwrap_or_default();
    format!("{canvas} {} {revision_id} {} {label}", revision.get(), text.id())
}

fn unread<R: From<VersionRefusal>>(unread: Unread) -> Stop<R> {
    match unread {
        Unread::Missing(missing) => missing.into(),
        Unread::Damaged(_) => Stop::refused(VersionRefusal::VersionsDamaged),
    }
}

impl Transition<'_> {
    fn versions<R: From<VersionRefusal>>(&self) -> Result<VersionIndex, Stop<R>> {
        VersionIndex::read(self.head.versions, |id| self.view.blob(id)).map_err(unread)
    }

    /// Checks that faces are of this canvas in its present life, and that the store still has their files. An erasure or a
    /// collection may drop these after they were read.
    fn check_past<R: From<VersionRefusal>>(&self, past: &PastFaces) -> Result<(), Stop<R>> {
        let revision = self.head.revision.max(self.head.faces[Face::Document]);
        let is_of_canvas = past.canvas == self.head.canvas && past.revision <= revision;
        let is_there = match (&past.version, past.anchor) {
            (Some(label), _) => {
                let tree = self.named::<R>(&self.versions()?, label)?.tree;
                tree.is_some_and(|tree| past.files().all(|(file, id)| tree.file(file) == Some(id)))
            }
            (None, Some(anchor)) => {
                // The text of a document is at hand.
                let mut files = past.files().filter(|(file, _)| *file != TreeFile::Document);
                let is_current = files.all(|(file, id)| self.head.file(file) == Some(id));
                let is_kept = |entry: &Entry| entry.previous() == anchor.previous;
                is_current || self.entry_at(anchor.number)?.is_some_and(is_kept)
            }
            (None, None) => true,
        };
        let is_of_life = past.version.is_some() || past.since >= self.head.origin.revision;
        match is_of_canvas && is_there && is_of_life {
            true => Ok(()),
            false => Err(Stop::refused(VersionRefusal::DocumentNotFound)),
        }
    }

    /// Reads the current faces, all that are not yet loaded at once.
    fn faces_now(&self, named: &[Face]) -> Result<Faces, Stop<RestoreRefusal>> {
        let (mut faces, mut missing) = (Faces::default(), Vec::new());
        for face in named {
            match faces.load(*face, &self.view.files()) {
                Ok(true) => {}
                Err(ReadError::Missing(ids)) => missing.extend(ids),
                Ok(false) | Err(ReadError::Damaged(_)) => {
                    return Err(Stop::refused(VersionRefusal::VersionsDamaged));
                }
            }
        }
        if missing.is_empty() { Ok(faces) } else { Err(Missing::all(missing).into()) }
    }

    fn named<R: From<VersionRefusal>>(
        &self,
        index: &VersionIndex,
        label: &VersionLabel,
    ) -> Result<NamedVersion, Stop<R>> {
        let found = index.find(label, |id| self.view.blob(id)).map_err(unread)?;
        found.ok_or_else(|| Stop::refused(VersionRefusal::VersionNotFound { label: label.clone() }))
    }

    fn check_label(
        &self,
        index: &VersionIndex,
        label: &VersionLabel,
    ) -> Result<(), Stop<VersionCommandRefusal>> {
        match index.find(label, |id| self.view.blob(id)).map_err(unread)? {
            Some(_) => Err(Stop::refused(VersionRefusal::VersionExists { label: label.clone() })),
            None => Ok(()),
        }
    }

    fn change_versions(
        &mut self,
        index: &mut VersionIndex,
        change: impl FnOnce(&mut VersionIndex, &mut Vec<Blob>, &View<'_>) -> Result<(), Unread>,
    ) -> Result<(), Stop<VersionCommandRefusal>> {
        let mut blobs = Vec::new();
        change(index, &mut blobs, self.view).map_err(unread)?;
        self.head.versions = index.put_index(&mut blobs);
        self.head.raise_to_shared();
        self.blobs.append(&mut blobs);
        Ok(())
    }
}

//! Applies a directive to a canvas.

use canvas_core::document::{DocumentStep, HostEdit, HostEditRefusal, HostEdited};
use canvas_core::history::{ChangeNumber, EntryNumber};
use canvas_core::lease::Timestamp;
use canvas_core::proposal::ProposedParts;
use canvas_core::rollout::Access;
use canvas_core::store::Store;
use canvas_core::text::{Delta, build, floor_char_boundary};
use canvas_core::{CanvasId, Engine, Face, OpKey, Revision, RevisionId, Snapshot};
use serde_json::{Value, json};

use super::action::Action;
use super::failure::{DirectiveFailure, FailureKind};
use super::fields::EditFields;
use super::parse::Directive;
use super::plan::{EditContext, plan_with};
use super::since::changes_since;
use crate::session::Session;

/// The result of an applied directive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedDirective {
    /// The document's version before the edit.
    pub version_before: RevisionId,
    /// The version after the edit. Equal to `version_before` if the text is unchanged.
    pub version: RevisionId,
    /// The number of the change in the history, for undoing it. `None` if the text is unchanged.
    pub change: Option<ChangeNumber>,
    /// The effect of the directive on the text, with its places.
    pub context: EditContext,
    /// The diff of the change, shortened to a few lines. Empty if the text is unchanged.
    pub preview: String,
    /// The parts of the proposal that the directive made or changed, if the session proposes.
    pub proposed: Option<ProposedParts>,
    /// Whether the call is a retry, in which case this is the result of the first call.
    pub replayed: bool,
}

impl AppliedDirective {
    /// Returns one line for a model or a status bar, such as `applied: +120 chars (patch, version=r12-3fa94c02)`.
    pub fn status(&self) -> String {
        let what = match self.context.action {
            Action::Annotate => "annotated",
            _ if self.version == self.version_before => "unchanged",
            _ => "applied",
        };
        let EditContext { summary, action, .. } = &self.context;
        format!("{what}: {summary} ({}, version={})", action.as_str(), self.version)
    }

    /// Returns the result as JSON, with `status`, `document_version`, `spans`, `summary` and more.
    pub fn to_json(&self) -> Value {
        json!(self.fields())
    }

    pub(super) fn fields(&self) -> EditFields<'_> {
        let EditContext { action, summary, spans, before, after, selection, repairs, note } = &self.context;
        EditFields {
            status: self.status(),
            action: *action,
            document_version: self.version,
            previous_version: self.version_before,
            summary,
            spans,
            replaced_range: *before,
            edited_range: *after,
            selection: *selection,
            repairs,
            change: self.change,
            proposed: self.proposed.as_ref(),
            note: note.as_deref(),
        }
    }
}

/// Applies a directive to a canvas as one entry of the history, which a single undo reverts.
///
/// This does not need a lease, and it is refused while someone holds a valid one. If the directive names a version, it
/// must be the document's current version. The key is one of a session
/// ([`Session::operation`](crate::Session::operation)). If a person asked for the edit, name the person in the key, and
/// the history has both. A retry, with the same key and the same directive, does not apply the
/// directive again. It returns the first result, including the version that the edit made. An annotation does not
/// change the canvas; you have to keep it.
///
/// ```
/// # canvas_core::testing::block_on(async {
/// # use canvas_core::lease::{Timestamp, Turn};
/// # use canvas_core::store::MemoryStore;
/// # use canvas_core::{CanvasId, ConversationId, Engine, OpKey, Policy};
/// # use canvas_tools::Session;
/// use canvas_tools::directive::{Directive, apply_directive};
/// use serde_json::json;
///
/// # let now = Timestamp::from_millis(1_000);
/// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
/// # let (canvas, chat) = (CanvasId::new("plan")?, ConversationId::new("chat")?);
/// # let key = OpKey::of(chat.clone(), "create".parse()?);
/// # engine.create(&canvas, "# Plan\n\n- one\n", &key, now).await?;
/// # let session = Session::open(&engine, canvas.clone(), chat, now).await?;
/// let version = engine.snapshot(&canvas, now).await?.revision_id();
/// let patch = Directive::patch("@@\n-- one\n+- two\n", version, None)?;
/// let done = apply_directive(&engine, &canvas, &session.operation("1".parse()?), &patch, now).await?;
/// assert_eq!(done.status(), format!("applied: +0 chars (patch, version={})", done.version));
///
/// // The document has a new version by now.
/// let late = apply_directive(&engine, &canvas, &session.operation("2".parse()?), &patch, now).await.unwrap_err();
/// assert_eq!(late.status(), format!("failed: stale patch vs {}", done.version));
///
/// // By offsets, without a version.
/// let rename = json!({"action": "replace", "content": "Aims", "target_range": [2, 6]});
/// let rename = Directive::parse(&rename)?;
/// let done = apply_directive(&engine, &canvas, &session.operation("3".parse()?), &rename, now).await?;
/// assert_eq!((done.context.spans[0].lines.start_line, done.context.selection.end()), (1, 6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
///
/// # Errors
///
/// [`DirectiveFailure`]. The canvas is unchanged.
pub async fn apply_directive<S: Store>(
    engine: &Engine<S>,
    canvas: &CanvasId,
    operation: &OpKey,
    directive: &Directive,
    now: Timestamp,
) -> Result<AppliedDirective, DirectiveFailure> {
    let session = Session::new(canvas.clone(), operation.conversation.clone());
    session.apply_directive(engine, operation, directive, now).await
}

impl Session {
    /// Applies a directive like [`apply_directive`]. If the session proposes, it changes the proposed text, and
    /// [`AppliedDirective::proposed`] has the parts.
    ///
    /// # Errors
    ///
    /// [`DirectiveFailure`]. The canvas is unchanged.
    pub async fn apply_directive<S: Store>(
        &self,
        engine: &Engine<S>,
        operation: &OpKey,
        directive: &Directive,
        now: Timestamp,
    ) -> Result<AppliedDirective, DirectiveFailure> {
        apply(self, engine, operation, directive, now).await
    }
}

async fn apply<S: Store>(
    session: &Session,
    engine: &Engine<S>,
    operation: &OpKey,
    directive: &Directive,
    now: Timestamp,
) -> Result<AppliedDirective, DirectiveFailure> {
    let canvas = &session.canvas;
    let failed = |at: Option<&Snapshot>, kind: FailureKind| DirectiveFailure {
        action: Some(directive.action()),
        expected: directive.version(),
        current: at.map(Snapshot::revision_id),
        clock: at.map(|at| at.clock),
        kind,
    };
    let edit = |base: RevisionId, delta, summary| HostEdit {
        base: base.into(),
        delta,
        summary,
        request: Some(directive.digest()),
    };
    let permits = engine.policy().permits(Access::Write);
    permits.map_err(|refusal| failed(None, HostEditRefusal::from(refusal).into()))?;
    // Only the key and the request determine whether this is a retry.
    let nobody = RevisionId::new(Revision::ZERO, directive.digest());
    let asked = edit(nobody, Delta::default(), String::new());
    let known = session.recall(engine, operation, &asked, now).await;
    let (answer, snapshot) = known.map_err(|e| failed(None, e.into()))?;
    let current = snapshot.revision_id();
    match answer {
        Some(Ok(first)) => return Ok(replayed(engine, canvas, directive, first, now).await),
        Some(Err(refusal)) => return Err(failed(Some(&snapshot), refusal.into())),
        None => {}
    }
    if directive.version().is_some_and(|version| !is_current(version, &snapshot)) {
        let version = directive.version().unwrap_or(current);
        let changes = changes_since(engine, canvas, version, &snapshot, now).await;
        return Err(failed(Some(&snapshot), FailureKind::Stale { changes }));
    }
    let limits = &engine.policy().document.patch;
    let planned = plan_with(snapshot.text(), directive, limits, |address| snapshot.resolve(address))
        .map_err(|e| failed(Some(&snapshot), e.into()))?;
    let (context, text) = (planned.context, planned.text);
    if directive.action() == Action::Annotate {
        let (version_before, version, change) = (current, current, None);
        let (preview, replayed) = (String::new(), false);
        let proposed = None;
        return Ok(AppliedDirective {
            version_before,
            version,
            change,
            context,
            preview,
            proposed,
            replayed,
        });
    }
    let preview = preview(snapshot.text(), &text, &planned.delta);
    let edit = edit(current, planned.delta, context.summary.clone());
    let answered = session.run(engine, operation, edit, now).await;
    let answered = answered.map_err(|e| failed(Some(&snapshot), e.into()))?;
    let now_there = &answered.snapshot;
    let edited = answered.result.map_err(|refusal| failed(Some(now_there), refusal.into()))?;
    if answered.replayed {
        // The same call was made twice concurrently, and the other one was faster.
        return Ok(replayed(engine, canvas, directive, edited, now).await);
    }
    let HostEdited { revision: version, previous: version_before, change, proposed, .. } = edited;
    Ok(AppliedDirective { version_before, version, change, context, preview, proposed, replayed: false })
}

/// Whether the canvas's document still has this version. Other faces may differ.
fn is_current(version: RevisionId, snapshot: &Snapshot) -> bool {
    let head = &snapshot.head;
    let of_document = head.face_revision(Face::Document)..=head.revision();
    of_document.contains(&version.revision())
        && RevisionId::new(version.revision(), head.document()) == version
}

/// Returns the result of the first call, without its places if the history dropped the change.
async fn replayed<S: Store>(
    engine: &Engine<S>,
    canvas: &CanvasId,
    directive: &Directive,
    first: HostEdited,
    now: Timestamp,
) -> AppliedDirective {
    let HostEdited { previous: version_before, revision: version, change, summary, proposed } = first;
    let recorded = match change {
        Some(change) => recorded_change(engine, canvas, change, now).await,
        None => None,
    };
    let (before, after, delta) = recorded.unwrap_or_default();
    let context = EditContext::of(directive.action(), &before, &after, &delta);
    let preview = preview(&before, &after, &delta);
    let context = EditContext { summary, ..context };
    AppliedDirective { version_before, version, change, context, preview, proposed, replayed: true }
}

/// Returns a change from the history as the old text, the new text and the edit.
async fn recorded_change<S: Store>(
    engine: &Engine<S>,
    canvas: &CanvasId,
    change: ChangeNumber,
    now: Timestamp,
) -> Option<(String, String, Delta)> {
    let number = EntryNumber::from(change);
    let entries =
        engine.history(canvas, Some(EntryNumber::new(number.get().saturating_add(1))), 1, now).await.ok()?;
    let entry = entries.into_iter().find(|entry| entry.number == number)?;
    let DocumentStep { after, delta, .. } = entry.document()?.clone();
    let blob = engine.document(canvas, after).await.ok()??;
    let (after, delta) = (blob.as_text()?.to_owned(), delta?);
    let before = delta.inverse().apply(&after).ok()?;
    Some((before, after, delta))
}

/// Maximum size of a preview, and of a change that gets a preview.
const PREVIEW_BYTES: usize = 2 << 10;
const PREVIEWED_BYTES: usize = 64 << 10;

fn preview(before: &str, after: &str, delta: &Delta) -> String {
    if delta.len_bytes() > PREVIEWED_BYTES {
        return format!("(a change of {} bytes)\n", delta.len_bytes());
    }
    let mut diff = build(before, after, 3);
    if diff.len() > PREVIEW_BYTES {
        diff.truncate(floor_char_boundary(&diff, PREVIEW_BYTES));
        diff.truncate(diff.rfind('\n').map_or(diff.len(), |end| end + 1));
        diff.push_str("…\n");
    }
    diff
}

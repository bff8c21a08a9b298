//! A page of the changes of the document, and the named versions of its revisions.

use canvas_core::history::{DocumentChanges, Entry, EntryNumber};
use canvas_core::store::Store;
use canvas_core::version::NamedVersion;
use canvas_core::{Actor, ConversationId, Snapshot};

use super::fields::{ChangeFields, HistoryFields, VersionFields};
use super::lines::clipped;
use crate::reply::ToolError;
use crate::toolset::context::ToolContext;

/// Maximum number of changes in one reply, and of versions.
pub(super) const MAX_CHANGES: usize = 50;

/// Number of changes in a reply to a call that does not ask for another.
pub(super) const CHANGES: usize = 20;

/// Maximum bytes of a summary that a reply shows.
const SUMMARY_BYTES: usize = 200;

/// Selects a page of the list.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) limit: usize,
    pub(super) before: Option<EntryNumber>,
    /// Whether to list the versions, which costs a read of all of them.
    pub(super) versions: bool,
}

impl Page {
    /// Lists the changes. The times of the reply count back from the clock of the snapshot.
    pub(super) async fn list<S: Store>(
        &self,
        context: &ToolContext<'_, S>,
        snapshot: &Snapshot,
    ) -> Result<HistoryFields, ToolError> {
        let ToolContext { engine, session, now, .. } = context;
        let canvas = &session.canvas;
        let DocumentChanges { entries, next, .. } =
            engine.document_changes(canvas, self.before, self.limit, *now).await?;
        let changes = entries.iter().filter_map(|entry| change(entry, &session.conversation, snapshot));
        let oldest = entries.last().filter(|_| next.is_none()).and_then(Entry::document_ids);
        let mut fields = HistoryFields {
            changes: changes.collect(),
            next_before: next.map(EntryNumber::get),
            oldest_revision_id: oldest.map(|(before, _)| before),
            versions: None,
            more_versions: 0,
        };
        if self.versions {
            let number = |change: &ChangeFields| change.revision_id.revision().get();
            let low = next.map_or(0, |_| fields.changes.last().map_or(u64::MAX, number));
            let high = match (self.before, fields.changes.first()) {
                (None, _) => u64::MAX,
                (Some(_), Some(newest)) => number(newest),
                // All older versions, for which no changes are kept.
                (Some(before), None) => {
                    let after = before.get().checked_add(1).map(EntryNumber::new);
                    let entries = engine.history(canvas, after, 1, *now).await?;
                    entries.first().map_or(0, |entry| entry.revision_after.get().saturating_sub(1))
                }
            };
            let mut versions = engine.versions(canvas, *now).await?;
            versions.retain(|version| {
                !version.is_erased() && (low..=high).contains(&version.revision_id.revision().get())
            });
            versions.reverse();
            fields.more_versions = versions.len().saturating_sub(MAX_CHANGES);
            fields.versions = Some(versions.iter().take(MAX_CHANGES).map(version).collect());
        }
        Ok(fields)
    }
}

fn change(entry: &Entry, own: &ConversationId, snapshot: &Snapshot) -> Option<ChangeFields> {
    let (_, revision_id) = entry.document_ids()?;
    let by = name(&entry.made_by(), own);
    let written_by = entry.written_by().map(|writer| name(&writer, own));
    Some(ChangeFields {
        revision_id,
        seconds_ago: snapshot.clock.as_millis().saturating_sub(entry.at.as_millis()) / 1_000,
        by,
        written_by: written_by.filter(|writer| *writer != by),
        kind: entry.kind,
        summary: clipped(&one_line(&entry.summary), SUMMARY_BYTES).into_owned(),
    })
}

fn version(version: &NamedVersion) -> VersionFields {
    VersionFields { label: one_line(version.label.as_str()), revision_id: version.revision_id }
}

/// Names an actor without an id, because a model may know neither people nor other conversations.
fn name(actor: &Actor, own: &ConversationId) -> &'static str {
    match actor {
        Actor::Person { .. } => "a person",
        Actor::Conversation { conversation, .. } if conversation == own => "you",
        Actor::Conversation { .. } => "another conversation",
        Actor::Host => "the host",
    }
}

/// Replaces all that could end a line.
fn one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'), " ")
}

//! A head that uses every field, created by the engine.

use std::collections::BTreeMap;

use canvas_core::document::{ApplyPatch, Edit};
use canvas_core::lease::{CheckOut, LeaseId, Timestamp};
use canvas_core::store::{Commit, Head, MemoryStore, Store as _};
use canvas_core::turn::{EndTurn, SendMessage};
use canvas_core::{Blob, BlobId, CanvasId, CodedError as _, Command, Engine, Policy};

use super::server::Outcome;
use super::{canvas, row};
use crate::conformance::stored::{needed, with_journal};
use crate::id::{key, key_of};

/// A name that tests quoting, escaping, NUL-terminated strings and normalization.
const MODEL: &str = "modèle e\u{301} 🦀 \u{0} \"\\' \u{202e}";
const OTHER: &str = "autre\n\t\u{7f}\u{2028}";

/// A first commit of a full head, and the blobs that the head needs, each with its reason.
pub(super) struct Fixture {
    pub(super) commit: Commit,
    pub(super) needed: Vec<(&'static str, BlobId)>,
}

impl Fixture {
    /// Builds a head with short and long answers in receipts, two conversations, a committed tree that differs from the
    /// draft, a held lease, and the largest possible revision.
    pub(super) async fn new() -> Result<Self, String> {
        let story = Story::begin().await?;
        let lease = story.check_out(MODEL, "out").await?;
        let patch = "@@\n origin\n+été 🦀\n".to_owned();
        story.play(MODEL, "patch", ApplyPatch { lease, patch, base: None, scope: None, shown: None }).await?;
        let start = row(story.engine.store(), &story.canvas).await?.head.turn_start();
        story.play(MODEL, "end", EndTurn { start }).await?;
        story.edit("edit", "committed\n").await?;
        story.play(OTHER, "message", SendMessage).await?;
        story.edit("long", &"a line that the other has not seen\n".repeat(60)).await?;
        let lease = story.check_out(OTHER, "out").await?;
        // This patch is refused with a diff that is too long for the head.
        let patch = "@@\n-committed\n+mine\n".to_owned();
        story.play(OTHER, "stale", ApplyPatch { lease, patch, base: None, scope: None, shown: None }).await?;
        story.finish().await
    }

    fn of(head: &Head, mut blobs: BTreeMap<BlobId, Blob>) -> Result<Self, String> {
        let entry = Blob::text("an entry of the journal\n".to_owned());
        let head = with_journal(head, entry.id());
        blobs.insert(entry.id(), entry);
        let needed = needed(&head, MODEL)?;
        let blobs = blobs.into_values().collect();
        Ok(Self { commit: Commit { expected: None, head, blobs, not_after: None }, needed })
    }
}

struct Story {
    engine: Engine<MemoryStore>,
    canvas: CanvasId,
}

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);

impl Story {
    async fn begin() -> Result<Self, String> {
        let engine = Engine::new(MemoryStore::new(|| NOW), Policy::default());
        let story = Self { engine, canvas: canvas("c") };
        let created = story.engine.create(&story.canvas, "origin\n", &key("create"), NOW).await;
        created.map_err(|e| e.message())?;
        Ok(story)
    }

    /// Runs a command, which may be refused.
    async fn play<C: Command>(&self, who: &str, call: &str, command: C) -> Result<(), String> {
        self.call(who, call, command).await.map(drop)
    }

    async fn call<C: Command>(&self, who: &str, call: &str, command: C) -> Result<Outcome<C>, String> {
        let turn = row(self.engine.store(), &self.canvas).await?.head.lock().turn();
        let answered = self.engine.call(&self.canvas, &key_of(who, turn, call), command, NOW).await;
        Ok(answered.map_err(|e| e.message())?.result)
    }

    async fn check_out(&self, who: &str, call: &str) -> Result<Option<LeaseId>, String> {
        match self.call(who, call, CheckOut).await? {
            Ok(checked_out) => Ok(Some(checked_out.lease)),
            Err(refusal) => Err(format!("a check-out in memory gave {refusal:?}")),
        }
    }

    async fn edit(&self, call: &str, markdown: &str) -> Result<(), String> {
        let edit = Edit::overwrite(markdown);
        self.play("user", call, edit).await
    }

    async fn finish(self) -> Result<Fixture, String> {
        let loaded = row(self.engine.store(), &self.canvas).await?;
        let mut blobs = BTreeMap::new();
        for id in loaded.head.blobs() {
            let blob = self.engine.store().blob(&self.canvas, id).await.map_err(|e| e.message())?;
            blobs.insert(id, blob.ok_or("a blob of the head is not in memory")?);
        }
        Fixture::of(&loaded.head, blobs)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use canvas_core::testing::block_on;

    use super::*;
    use crate::conformance::stored::conversations;

    #[test]
    fn a_full_head_has_everything_in_it() {
        let Fixture { commit, needed } = block_on(Fixture::new()).unwrap();
        let head = &commit.head;
        assert_eq!(needed.len(), 6);
        assert_eq!(
            needed.iter().map(|(_, id)| *id).collect::<BTreeSet<_>>().len(),
            6,
            "no blob has two reasons"
        );
        assert!(head.lock().lease().is_some());
        assert_eq!(conversations(head), 2);
        assert_ne!(head.committed(), Some(head.draft()));
        let put: BTreeSet<_> = commit.blobs.iter().map(Blob::id).collect();
        assert_eq!(put, head.blobs().collect(), "it brings what it needs and nothing else");
        assert_eq!(Head::from_json(head.canvas(), &head.to_json()).as_ref(), Ok(&**head));
    }
}

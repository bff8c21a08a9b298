//! A secret on a canvas, and tests that erasing removes it.

use std::num::NonZeroU32;

use canvas_core::document::{Base, Edit};
use canvas_core::history::{Undo, UndoScope};
use canvas_core::lease::Turn;
use canvas_core::store::Store;
use canvas_core::turn::SendMessage;
use canvas_core::{
    Author, CanvasId, CodedError as _, Command, DroppedBlobs, Engine, OpKey, Refused as _, Resolution,
    Revision,
};

use super::clock::system_now;
use super::id::{key, key_of};

/// Writes a secret to every place in which a canvas stores text: documents, entries, receipts in the head and in pages,
/// long answers, diffs, and the known state of conversations. At the end, document and artefact no longer contain it.
pub async fn write(engine: &Engine<impl Store>, canvas: &CanvasId, secret: &str) {
    let first = format!("# {secret}\n");
    engine.create(canvas, &first, &key("create"), system_now()).await.expect("there is no such canvas");
    for round in 0..40 {
        let text = format!("# Notes\n\n{secret} {round}\n").repeat(1 + 40 * (round % 2));
        assert_eq!(ask(engine, canvas, &user(&format!("edit-{round}")), Edit::overwrite(text)).await, "OK");
        if round % 8 == 0 {
            let turn = turn(engine, canvas).await;
            ask(engine, canvas, &key_of("model", turn, &format!("message-{round}")), SendMessage).await;
        }
    }
    let base = Base::Number(Revision::new(2).expect("it is small"));
    let stale = Edit::on(base, format!("{secret} as the user typed it\n"));
    assert_eq!(ask(engine, canvas, &user("stale"), stale).await, "PATCH_REJECTED");
    assert_eq!(ask(engine, canvas, &user("clean"), Edit::overwrite("clean\n")).await, "OK");
    for call in ["begin", "promote"] {
        let turn = turn(engine, canvas).await;
        assert_eq!(ask(engine, canvas, &key_of("other", turn, call), SendMessage).await, "OK");
    }
    let head = engine.snapshot(canvas, system_now()).await.expect("the canvas is there").head;
    let (draft, artefact) = head.hash_pair();
    assert_eq!(Some(draft), artefact, "the clean text was promoted");
}

/// Erases the canvas's past, and checks the results of later calls.
pub async fn erase(engine: &Engine<impl Store>, canvas: &CanvasId) -> DroppedBlobs {
    let operation = key("erase");
    let dropped = engine.erase(canvas, &operation, system_now()).await.expect("it is erased");
    assert!(dropped.blobs > 40, "{dropped:?}");
    let again = engine.erase(canvas, &operation, system_now()).await.expect("it was erased");
    assert_eq!(again, DroppedBlobs::default());
    let undo = Undo { by: Author::User, what: UndoScope::Steps(NonZeroU32::MIN) };
    assert_eq!(ask(engine, canvas, &user("undo"), undo).await, "HISTORY_EMPTY");
    for call in ["edit-0", "edit-39", "stale", "clean"] {
        // The refusal does not depend on the arguments.
        assert_eq!(ask(engine, canvas, &user(call), Edit::overwrite("again\n")).await, "CALL_ABANDONED");
        let became = engine.resolve(canvas, &user(call), system_now()).await.expect("the store answers");
        assert!(matches!(became, Resolution::Done(answer) if answer.json() == r#"{"kind":"erased"}"#));
    }
    let turn = turn(engine, canvas).await;
    let began = engine.call(canvas, &key_of("model", turn, "next"), SendMessage, system_now()).await;
    let began = began.expect("the store answers").result.expect("a message may come");
    assert!(began.changes.is_some_and(|changes| changes.diff.is_none()), "it gets the whole document");
    engine.replay(canvas, system_now()).await.expect("the canvas is whole");
    let snapshot = engine.snapshot(canvas, system_now()).await.expect("the canvas is whole");
    assert_eq!(snapshot.text(), "clean\n");
    dropped
}

fn user(call: &str) -> OpKey {
    key_of("user", Turn::ZERO, call)
}

async fn turn(engine: &Engine<impl Store>, canvas: &CanvasId) -> Turn {
    engine.snapshot(canvas, system_now()).await.expect("the canvas is there").head.lock().turn()
}

async fn ask<C: Command>(
    engine: &Engine<impl Store>,
    canvas: &CanvasId,
    operation: &OpKey,
    command: C,
) -> &'static str {
    let answered = engine.call(canvas, operation, command, system_now()).await.expect("the store answers");
    answered.result.as_ref().err().map_or("OK", |refusal| refusal.view().code())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use canvas_core::policy::HistoryLimits;
    use canvas_core::store::{Commit, Committed, Layer, MemoryStore, StoreError};
    use canvas_core::testing::block_on;
    use canvas_core::{Blob, BlobId, Policy};

    use super::*;

    /// A store in memory that records the ids of all put blobs.
    struct Noting(MemoryStore, Mutex<Vec<BlobId>>);

    impl Layer for Noting {
        type Inner = MemoryStore;

        fn inner(&self) -> &MemoryStore {
            &self.0
        }

        async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
            let ids = commit.blobs.iter().map(Blob::id);
            self.1.lock().expect("nobody has panicked").extend(ids);
            self.0.commit(commit).await
        }
    }

    /// Counts the blobs and heads that contain the secret.
    fn found(engine: &Engine<Noting>, canvas: &CanvasId, secret: &str) -> usize {
        let store = engine.store();
        let ids = store.1.lock().expect("nobody has panicked").clone();
        let blobs = block_on(Store::blobs(store, canvas, &ids)).expect("memory does not fail");
        let head =
            block_on(Store::load(store, canvas)).expect("memory does not fail").expect("it is there").head;
        let texts = blobs.into_iter().flatten().map(|blob| blob.as_bytes().to_vec()).chain([head.to_json()]);
        texts.filter(|text| String::from_utf8_lossy(text).contains(secret)).count()
    }

    #[test]
    fn memory_has_no_secret_that_was_erased() {
        let (canvas, secret) = (super::super::id::canvas("c"), "s3cr3t-7a91");
        let store = Noting(MemoryStore::new(system_now), Mutex::default());
        let engine = Engine::new(
            store,
            Policy { history: HistoryLimits { entry_bytes: 200, ..Default::default() }, ..Policy::default() },
        );
        block_on(write(&engine, &canvas, secret));
        assert!(found(&engine, &canvas, secret) > 40);
        block_on(erase(&engine, &canvas));
        assert_eq!(found(&engine, &canvas, secret), 0);
    }
}

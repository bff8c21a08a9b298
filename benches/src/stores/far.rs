//! Reads of many blobs from a store that is far away, beside the same reads one by one.

use std::num::NonZeroU32;

use canvas_core::board::{ComponentId, CreateBoard, Workspace};
use canvas_core::document::Edit;
use canvas_core::history::{Redo, Undo, UndoScope};
use canvas_core::lease::Timestamp;
use canvas_core::store::{Layer, MemoryStore, Store, StoreError};
use canvas_core::testing::block_on;
use canvas_core::{Author, Blob, BlobId, CanvasId, Command, Engine};
use serde_json::json;

use super::delayed::Delayed;
use super::writer::{canvas, key, policy};
use super::{Rate, rates};
use crate::measure::Effort;

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);

/// Components of the board.
const COMPONENTS: usize = 10_000;

/// Changes that are undone by one call.
const STEPS: u32 = 100;

/// A store that can be asked for one blob at a time only.
struct OneByOne<S>(S);

impl<S: Store> Layer for OneByOne<S> {
    type Inner = S;

    fn inner(&self) -> &S {
        &self.0
    }

    async fn blobs(&self, canvas: &CanvasId, ids: &[BlobId]) -> Result<Vec<Option<Blob>>, StoreError> {
        let mut blobs = Vec::with_capacity(ids.len());
        for id in ids {
            blobs.push(self.0.blob(canvas, *id).await?);
        }
        Ok(blobs)
    }
}

/// A server that has just been started opens a board.
pub(super) fn board(work: &'static str, effort: Effort) -> Vec<Rate> {
    let store = with_document();
    let created = CreateBoard { workspace: Box::new(workspace()) };
    call(store.clone(), "board", created);
    rates(
        work,
        effort.long_rounds(),
        vec![
            ("one by one", Box::new(|| open(OneByOne(Delayed(store.clone()))))),
            ("canvas", Box::new(|| open(Delayed(store.clone())))),
        ],
    )
}

fn open(store: impl Store) -> u32 {
    let engine = Engine::new(store, policy());
    let last = ComponentId::new(&format!("cmp_{}", COMPONENTS - 1)).expect("it is a name");
    let (board, _) = block_on(engine.board(&canvas(), NOW)).expect("nothing fails");
    assert!(board.is_some_and(|board| board.component(&last).is_some()), "it is the board");
    1
}

/// Servers that have just been started undo 100 changes and redo them.
pub(super) fn undo(work: &'static str, effort: Effort) -> Vec<Rate> {
    let [by_one, at_once] = [(); 2].map(|()| {
        let store = with_document();
        for i in 0..STEPS {
            call(store.clone(), &format!("edit {i}"), Edit::overwrite(format!("{i}\n")));
        }
        store
    });
    let (mut first, mut second) = (0, 0);
    rates(
        work,
        effort.long_rounds(),
        vec![
            ("one by one", Box::new(|| back_and_forth(|| OneByOne(Delayed(by_one.clone())), &mut first))),
            ("canvas", Box::new(|| back_and_forth(|| Delayed(at_once.clone()), &mut second))),
        ],
    )
}

fn back_and_forth<S: Store>(connect: impl Fn() -> S, rounds: &mut u32) -> u32 {
    *rounds += 1;
    let steps = NonZeroU32::new(STEPS).expect("it is not zero");
    call(connect(), &format!("undo {rounds}"), Undo { by: Author::User, what: UndoScope::Steps(steps) });
    call(connect(), &format!("redo {rounds}"), Redo { by: Author::User, steps });
    2
}

fn with_document() -> MemoryStore {
    let store = MemoryStore::new(|| NOW);
    let engine = Engine::new(store.clone(), policy());
    block_on(engine.create(&canvas(), "a\n", &key("create"), NOW)).expect("it is new");
    store
}

/// A call at a server that knows nothing yet.
fn call<C: Command>(store: impl Store, name: &str, command: C) {
    let engine = Engine::new(store, policy());
    let answered = block_on(engine.call(&canvas(), &key(name), command, NOW)).expect("nothing fails");
    assert!(answered.result.is_ok(), "{:?}", answered.result);
}

fn workspace() -> Workspace {
    let grid = json!({"columns": 12, "rows": 2_000, "gap": 8, "cellWidth": 80, "cellHeight": 60});
    let tile = |number: usize| {
        json!({
            "id": format!("cmp_{number}"), "typeId": "github.stat-tile",
            "config": {"repo": "o/r", "metric": "stars"},
            "position": {"col": number % 12, "row": number / 12}, "size": {"cols": 1, "rows": 1},
            "dataBinding": null, "dataState": {"status": "idle"},
            "meta": {"createdAt": 1, "createdBy": "user", "pinned": false},
        })
    };
    let workspace = json!({
        "id": "ws_1", "name": "Board", "threadId": "thread", "views": [], "triggers": [],
        "canvas": {"grid": grid, "components": (0..COMPONENTS).map(tile).collect::<Vec<_>>()},
        "createdAt": 1, "updatedAt": 1,
        "settings": {
            "theme": "system", "voiceEnabled": false, "defaultRefreshInterval": 60000, "grid": grid,
            "proactiveMode": "off",
        },
    });
    serde_json::from_value(workspace).expect("it is a workspace")
}

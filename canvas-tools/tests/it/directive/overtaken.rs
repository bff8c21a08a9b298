//! Somebody is faster: another server acts between the look at the document and the edit.

use std::sync::{Arc, Mutex};

use canvas_core::lease::CheckOut;
use canvas_core::store::{Commit, Committed, Layer, MemoryStore, Store as _, StoreError};
use canvas_core::testing::block_on;
use canvas_core::turn::{Cancel, Forget};
use canvas_core::{CallId, CodedError as _, Engine, Policy};
use canvas_tools::directive::{Directive, FailureKind, apply_directive};
use serde_json::{Value, json};

use super::world::{Done, World, code};

/// What happens at the other server.
type Act = fn(&World);

/// A server at whose first commit somebody acts at another one.
struct Overtaken {
    store: MemoryStore,
    world: Arc<World>,
    act: Mutex<Option<Act>>,
}

impl Layer for Overtaken {
    type Inner = MemoryStore;

    fn inner(&self) -> &MemoryStore {
        &self.store
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let act = self.act.lock().unwrap().take();
        if let Some(act) = act {
            act(&self.world);
        }
        self.store.commit(commit).await
    }
}

fn insert() -> Value {
    json!({"action": "insert", "content": "x", "target_range": [0, 0]})
}

/// Makes an insertion under the id `k`, and meanwhile this happens.
fn insert_while(world: &Arc<World>, act: Act) -> Done {
    let store = Overtaken {
        store: world.engine.store().clone(),
        world: Arc::clone(world),
        act: Mutex::new(Some(act)),
    };
    let engine = Engine::new(store, Policy::default());
    let (id, directive) = (CallId::new("k").unwrap(), Directive::parse(&insert()).unwrap());
    let done = block_on(apply_directive(
        &engine,
        &world.session.canvas,
        &world.session.operation(id),
        &directive,
        world.now(),
    ));
    assert!(engine.store().act.lock().unwrap().is_none(), "nobody came between");
    done
}

/// What happens meanwhile, what is answered, and the text in the end.
#[test]
fn an_overtaken_edit_is_decided_again() {
    let rows: [(Act, &str, &str); 5] = [
        (
            |world| {
                world.model(Forget);
            },
            "OK",
            "xa\nb\n",
        ),
        (|world| world.edit("a\nc\n"), "STALE_VERSION", "a\nc\n"),
        (
            |world| {
                world.model(CheckOut);
            },
            "LOCK_NOT_AVAILABLE/HELD",
            "a\nb\n",
        ),
        (
            |world| {
                world.user(Cancel);
            },
            "LOCK_NOT_AVAILABLE/USER_ACTIVE",
            "a\nb\n",
        ),
        // The same call, made twice at once.
        (|world| drop(world.direct_as("k", &insert()).unwrap()), "OK", "xa\nb\n"),
    ];
    for (row, (act, expected, text)) in rows.into_iter().enumerate() {
        let world = Arc::new(World::new("a\nb\n"));
        let done = insert_while(&world, act);
        assert_eq!((code(&done).as_str(), world.text().as_str()), (expected, text), "row {row}");
        let version = done.map_or_else(|failure| failure.current.unwrap(), |done| done.version);
        assert_eq!(version.to_string(), world.version(), "row {row}");
    }
}

#[test]
fn a_stale_edit_returns_the_changes() {
    let world = Arc::new(World::new("a\nb\n"));
    let failure = insert_while(&world, |world| world.edit("a\nc\n")).unwrap_err();
    assert_eq!(failure.status(), format!("failed: stale insert vs {}", world.version()));
    let FailureKind::Stale { changes: Some(changes) } = &failure.kind else { panic!("{failure:?}") };
    assert_eq!(changes.diff.as_deref(), Some("@@ -1,2 +1,2 @@\n a\n-b\n+c\n"));
}

#[test]
fn of_two_calls_at_once_one_is_done_and_both_are_answered_the_same() {
    let world = Arc::new(World::new("a\nb\n"));
    let late = insert_while(&world, |world| drop(world.direct_as("k", &insert()).unwrap())).unwrap();
    let first = &world.entries()[0];
    assert_eq!((world.entries().len(), late.replayed, late.change), (1, true, Some(first.change)));
    assert_eq!(late.status(), format!("applied: +1 chars (insert, version={})", world.version()));
    assert_eq!(late.preview, "@@ -1,2 +1,2 @@\n-a\n+xa\n b\n");
}

/// A retry is answered as it was, also where it was refused because somebody was faster.
#[test]
fn a_retry_of_an_edit_that_was_overtaken_is_answered_the_same() {
    let world = Arc::new(World::new("a\nb\n"));
    let first = insert_while(&world, |world| world.edit("a\nc\n")).unwrap_err();
    let again = world.direct_as("k", &insert()).unwrap_err();
    assert_eq!((again.code(), again.reason()), (first.code(), first.reason()));
    assert_eq!((again.status(), again.advice()), (first.status(), first.advice()));
    assert_eq!(again.to_json(), first.to_json());
    // Later too, beside the version of the document then.
    world.edit("a\nd\n");
    let later = world.direct_as("k", &insert()).unwrap_err();
    assert_eq!(later.to_json()["changes"], first.to_json()["changes"]);
    assert_eq!(later.status(), format!("failed: stale insert vs {}", world.version()));
}

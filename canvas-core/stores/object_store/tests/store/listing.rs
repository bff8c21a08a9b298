//! Lists: in the order of the ids, from any place, and refused where the server's order is another.

use std::collections::BTreeSet;
use std::sync::Arc;

use canvas_core::store::Store as _;
use canvas_core::{CanvasId, block_on};
use canvas_store_testing::{canvas, commit, done, fault};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt as _};
use proptest::prelude::*;

use super::open;
use super::server::Server;

/// Ids of few characters, so that one often begins another, and some that take more than one segment of a key.
fn id() -> impl Strategy<Value = String> {
    prop_oneof![
        "[\0\n./a\u{7f}é\u{1f980}]{1,4}",
        (123_usize..128, "[\0a/]{0,3}").prop_map(|(n, end)| "a".repeat(n) + &end),
        Just("\u{7f}".repeat(512)),
    ]
}

/// Each id is a canvas that is made, which takes longer than all else. `PROPTEST_CASES` sets another number.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { 24 };
    ProptestConfig { cases, failure_persistence: None, ..default }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn pages_are_the_sorted_ids(ids in proptest::collection::btree_set(id(), 1..12), after in id(), size in 1_usize..5) {
        let store = open(Arc::new(InMemory::new()), "p").unwrap();
        let sorted: BTreeSet<CanvasId> = ids.iter().map(|id| canvas(id)).collect();
        for id in &sorted {
            done(block_on(store.commit(commit(id.as_str(), None, "x\n"))));
        }
        let list = |after: Option<&CanvasId>, limit| block_on(store.list(after, limit)).unwrap();
        prop_assert_eq!(&list(None, usize::MAX), &sorted.iter().cloned().collect::<Vec<_>>());
        prop_assert!(list(None, 0).is_empty());
        // After an id that may be there or not.
        let after = canvas(&after);
        let later: Vec<_> = sorted.iter().filter(|id| **id > after).cloned().collect();
        prop_assert_eq!(list(Some(&after), usize::MAX), later);
        let mut paged: Vec<CanvasId> = Vec::new();
        loop {
            let page = list(paged.last(), size);
            prop_assert!(page.len() <= size);
            if page.is_empty() {
                break;
            }
            paged.extend(page);
        }
        prop_assert_eq!(paged, sorted.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn a_list_out_of_order_is_refused() {
    let store = open(Arc::new(Server::backwards()), "p").unwrap();
    done(block_on(store.commit(commit("a", None, "x\n"))));
    assert_eq!(block_on(store.list(None, 10)).unwrap(), [canvas("a")]);
    done(block_on(store.commit(commit("b", None, "x\n"))));
    let (code, text) = fault(block_on(store.list(None, 10)));
    assert!(code == "STORE_UNFIT" && text.contains("lists keys"), "{text}");
    assert!(text.starts_with("list: "), "{text}");
}

#[test]
fn what_is_no_head_is_said_and_not_left_out() {
    let objects: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
    let store = open(Arc::clone(&objects), "p").unwrap();
    done(block_on(store.commit(commit("b", None, "x\n"))));
    for foreign in ["p/heads/readme.txt", "p/heads/c5.head", "p/heads/x/y"] {
        let foreign = Path::from(foreign);
        block_on(objects.put(&foreign, "hello".into())).unwrap();
        let (code, _) = fault(block_on(store.list(None, 10)));
        assert_eq!(code, "STORE_DAMAGED");
        block_on(objects.delete(&foreign)).unwrap();
    }
    // Beside the heads nobody looks.
    block_on(objects.put(&Path::from("p/readme.txt"), "hello".into())).unwrap();
    assert_eq!(block_on(store.list(None, 10)).unwrap(), [canvas("b")]);
}

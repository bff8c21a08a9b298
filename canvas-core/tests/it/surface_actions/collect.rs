//! Collections of what actions have left.

use std::time::Duration;

use canvas_core::store::{Store as _, Version};
use canvas_core::testing::block_on;
use canvas_core::{CollectOptions, DroppedBlobs};
use serde_json::json;

use super::world::{World, key, press};

fn version(world: &World) -> Version {
    block_on(world.servers[0].engine.store().load(&world.canvas)).unwrap().unwrap().version
}

fn collect(world: &World) -> DroppedBlobs {
    let collection = CollectOptions { older_than: Duration::from_secs(60), ..CollectOptions::default() };
    block_on(world.servers[0].engine.collect(&world.canvas, collection)).unwrap()
}

/// Older records are forgotten for good; the head is written for that, and for nothing else.
#[test]
fn a_collection_keeps_as_many_records_as_the_host_says() {
    for (kept, from) in [(10, None), (5, None), (4, Some(2)), (2, Some(4)), (0, Some(6))] {
        let world = World::with(|policy| policy.surface.audit = kept);
        for call in ["1", "2", "3", "4", "5"] {
            world.begin(0, call, press("mark")).unwrap();
        }
        let audit = world.head()["audit"].clone();
        assert_eq!((&audit["records"], &audit["kept_from"]), (&json!(5), &json!(null)));
        world.wait(60_000);
        for is_first in [true, false] {
            let before = version(&world);
            let dropped = collect(&world);
            assert_eq!(version(&world) != before, is_first && from.is_some(), "{kept}");
            assert_eq!(dropped.blobs > 0, is_first, "{kept}: {dropped:?}");
            assert_eq!(world.head()["audit"]["kept_from"], json!(from), "{kept}");
            assert_eq!(world.records().len() as u64, kept.min(5));
        }
        // Numbers go on, and the next collection drops one more.
        world.begin(0, "6", press("mark")).unwrap();
        world.wait(60_000);
        collect(&world);
        let numbers: Vec<_> = world.records().iter().map(|record| record.number).collect();
        let oldest = 7_u64.saturating_sub(kept).max(1);
        assert_eq!(numbers, (oldest..=6).rev().collect::<Vec<_>>(), "{kept}");
    }
}

/// An erasure leaves no record, and a collection has nothing to do afterwards.
#[test]
fn a_collection_after_an_erasure_commits_nothing() {
    let world = World::new();
    world.begin(0, "1", press("mark")).unwrap();
    let engine = &world.servers[0].engine;
    block_on(engine.erase(&world.canvas, &key("host", "erase"), world.now())).unwrap();
    assert_eq!(world.records(), []);
    let before = version(&world);
    collect(&world);
    assert_eq!(version(&world), before);
}

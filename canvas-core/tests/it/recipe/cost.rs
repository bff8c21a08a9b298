//! What a refresh writes.

use canvas_core::recipe::RecipeLimits;
use serde_json::json;

use super::world::{World, recipe};

/// Of 1,000 components one is refreshed: its data and the manifest are written, an entry of the journal, and nothing else.
#[test]
fn a_refresh_writes_what_it_changes() {
    let count = 1_000;
    let world = World::with(count, |policy| {
        policy.recipe = RecipeLimits { mappings: 1_000, bytes: 1 << 20, ..policy.recipe };
    });
    let all: Vec<_> = (0..count as usize).collect();
    let data = |round: usize| json!([round, "x".repeat(10_000)]);
    let first: Vec<_> = all.iter().map(|component| (*component, data(*component))).collect();
    world.record(recipe(&world, &all, &[]), &first).unwrap();
    let manifest = {
        let id = world.head().draft().get(&canvas_core::store::TreePath::new("data.json").unwrap()).unwrap();
        let blob = canvas_core::testing::block_on(canvas_core::store::Store::blob(
            world.engine.store(),
            &world.canvas,
            id,
        ));
        blob.unwrap().unwrap().as_bytes().len()
    };
    let (commits, bytes) = world.written();
    world.finish(vec![world.made(7, data(1_007))]);
    let (after, written) = world.written();
    let rest = written - bytes - manifest - data(1_007).to_string().len();
    #[expect(clippy::print_stdout, reason = "the figure belongs into reports")]
    {
        println!("refresh of 1 of {count}: {} bytes, of which the manifest has {manifest}", written - bytes);
    }
    assert_eq!(after - commits, 1);
    assert!(rest < 3_000, "the entry and a page of receipts have {rest} bytes");
    assert!(manifest < 200 * count as usize, "{manifest}");
    world.replays();
}

//! Collections while others write.

use std::time::Duration;

use canvas_store_testing::World;
use canvas_store_testing::collecting::{self, Work};

#[test]
fn tables_are_collected_while_others_write() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    let world = runtime.block_on(World::new());
    let run = |work: Work<'_>| runtime.block_on(work);
    let counts = collecting::run(|| world.store(), run, Duration::from_nanos(1), (3, 150));
    println!("postgres: {counts}");
}

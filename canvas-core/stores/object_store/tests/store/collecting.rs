//! Collections while others write.

use std::sync::Arc;
use std::time::Duration;

use canvas_core::block_on;
use canvas_store_object::ObjectCanvasStore;
use canvas_store_testing::collecting::{self, Work};
use canvas_store_testing::system_now;
use object_store::ObjectStore;
use object_store::path::Path;

use super::server::{Conditions, Names, Server};

/// Nothing is too young to go, so that each blob that is put again races its own collection.
#[test]
fn a_bucket_is_collected_while_others_write() {
    let server: Arc<dyn ObjectStore> = Arc::new(Server::new(Names::Hashed, Conditions::Kept));
    let connect =
        || block_on(ObjectCanvasStore::open(Arc::clone(&server), Path::from("p"), system_now)).unwrap();
    let counts = collecting::run(connect, |work: Work<'_>| block_on(work), Duration::ZERO, (3, 200));
    println!("object store: {counts}");
}

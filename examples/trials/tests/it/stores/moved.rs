//! A canvas with every face goes through every store, one after the other, and comes out as it went in.

use std::num::NonZeroU32;

use canvas_core::history::{Undo, UndoScope};
use canvas_core::store::Store;
use canvas_core::{Author, CanvasId, CodedError as _, Engine, Policy};
use canvas_store_testing::key;

#[cfg(feature = "object-store")]
use super::world::Bucket;
#[cfg(feature = "postgres")]
use super::world::Postgres;
#[cfg(feature = "sqlite")]
use super::world::Sqlite;
use super::world::{Memory, Place};

/// The export that the tests of `canvas-core` pin.
fn pinned() -> Vec<u8> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../canvas-core/tests/fixtures/export-1.bin");
    std::fs::read(file).expect("the fixture is there")
}

fn sales() -> CanvasId {
    canvas_store_testing::canvas("sales")
}

async fn export(engine: &Engine<impl Store>) -> Vec<u8> {
    let mut export = engine.export(&sales()).await.expect("the canvas is there");
    let mut bytes = Vec::new();
    while let Some(piece) = export.next().await {
        bytes.extend(piece.expect("the canvas is whole"));
    }
    bytes
}

async fn import(engine: &Engine<impl Store>, bytes: &[u8]) -> Result<(), &'static str> {
    let id = sales();
    let mut import = engine.import(&id).await.map_err(|e| e.code())?;
    for piece in bytes.chunks(65_537) {
        import = import.push(piece).await.map_err(|e| e.code())?;
    }
    import.finish().await.map(drop).map_err(|e| e.code())
}

/// The bytes that another connection exports after they were imported.
fn through<P: Place + Default>(bytes: &[u8]) -> Vec<u8> {
    let place = P::default();
    let engine = || Engine::new(place.connect(), Policy::default());
    place.wait_for(async {
        let (first, second) = (engine(), engine());
        // A cut one before, which leaves nothing in the way.
        assert_eq!(import(&first, &bytes[..bytes.len() - 1]).await, Err("EXPORT_CUT"));
        assert_eq!(import(&first, bytes).await, Ok(()));
        let again = export(&second).await;
        assert_eq!(import(&second, bytes).await, Err("CANVAS_EXISTS"));
        let now = place.clock().now();
        let undo = Undo { by: Author::User, what: UndoScope::Steps(NonZeroU32::MIN) };
        let undone = second.call(&sales(), &key("undo"), undo, now).await.expect("the canvas is whole");
        undone.result.expect("it has a change");
        second.replay(&sales(), now).await.expect("the canvas is whole");
        again
    })
}

#[track_caller]
fn goes_through_all(bytes: &[u8]) {
    let check = |store: &str, found: Vec<u8>| assert!(found == bytes, "{store} has changed it");
    check("memory", through::<Memory>(bytes));
    #[cfg(feature = "sqlite")]
    check("SQLite", through::<Sqlite>(&through::<Memory>(bytes)));
    #[cfg(feature = "object-store")]
    check("a bucket", through::<Bucket>(&through::<Memory>(bytes)));
    #[cfg(all(feature = "sqlite", feature = "object-store"))]
    {
        check("SQLite, then a bucket", through::<Bucket>(&through::<Sqlite>(bytes)));
        check("a bucket, then SQLite", through::<Sqlite>(&through::<Bucket>(bytes)));
    }
    #[cfg(feature = "postgres")]
    check("PostgreSQL", through::<Memory>(&through::<Postgres>(&through::<Memory>(bytes))));
    #[cfg(all(feature = "postgres", feature = "sqlite"))]
    check("PostgreSQL, then SQLite", through::<Sqlite>(&through::<Postgres>(bytes)));
    #[cfg(all(feature = "postgres", feature = "object-store"))]
    check("a bucket, then PostgreSQL", through::<Postgres>(&through::<Bucket>(bytes)));
}

#[test]
fn a_canvas_with_every_face_goes_through_every_store() {
    goes_through_all(&pinned());
}

/// More than one commit takes.
#[test]
fn a_large_canvas_goes_through_every_store() {
    let place = Memory::default();
    let engine = Engine::new(place.connect(), Policy::default());
    let now = place.clock().now();
    let large = place.wait_for(async {
        let text =
            |word: &str| -> String { (0..140_000).map(|n| format!("{word} {n} of a long text\n")).collect() };
        let made = engine.create(&sales(), &text("Line"), &key("create"), now).await;
        made.expect("there is no such canvas");
        let edit = canvas_core::document::Edit::overwrite(text("Row"));
        engine
            .call(&sales(), &key("edit"), edit, now)
            .await
            .expect("memory does not fail")
            .result
            .expect("it fits");
        export(&engine).await
    });
    assert!(large.len() > 6 << 20, "{} bytes", large.len());
    goes_through_all(&large);
}

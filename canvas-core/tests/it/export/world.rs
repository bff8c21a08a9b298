//! A canvas that has all that a canvas can have, and empty stores.

use std::num::NonZeroU32;
use std::sync::{Arc, OnceLock};

use canvas_core::document::Edit;
use canvas_core::export::{ImportError, ImportedCanvas};
use canvas_core::history::{Redo, Undo, UndoScope};
use canvas_core::lease::{CheckOut, Timestamp};
use canvas_core::store::{Head, MemoryStore, Store};
use canvas_core::surface::{
    ActionId, ActionName, ActionRequest, BeginAction, Ceiling, EventId, RunnerId, ToolName, UpsertSurface,
};
use canvas_core::testing::block_on;
use canvas_core::{Author, Blob, CanvasId, CodedError as _, Command, ConversationId, Engine, OpKey, Policy};
use serde_json::{Value, json};

use crate::recipe::world::{START, World, client, recipe_of};

pub(crate) const NOW: Timestamp = Timestamp::from_millis(START + 1_000);

pub(crate) fn canvas() -> CanvasId {
    CanvasId::new("sales").unwrap()
}

/// A store of its own.
pub(crate) fn engine(policy: Policy) -> Engine<MemoryStore> {
    Engine::new(MemoryStore::new(|| NOW), policy)
        .with_ceiling(Arc::clone(World::bare(|_| ()).engine.ceiling()))
}

/// A text of so many lines, no two of which are the same.
pub(crate) fn text(lines: usize) -> String {
    (0..lines).map(|n| format!("Line {n} of a text, with {} in it.\n", n * 7_919 % 10_007)).collect()
}

/// The bytes of a canvas with every face, each with a history, at [`NOW`].
pub(crate) fn original() -> &'static [u8] {
    static EXPORT: OnceLock<Vec<u8>> = OnceLock::new();
    EXPORT.get_or_init(|| {
        let world = full();
        export(&world.engine, &world.canvas).unwrap()
    })
}

fn begin(action: &str, event: &str) -> BeginAction {
    let action = ActionName::Id(ActionId::new(action).unwrap());
    let input = json!({});
    let request =
        ActionRequest { by: client(), job: None, action, input, expected: None, confirmation: None };
    BeginAction { request, event: EventId::new(event).unwrap(), runner: RunnerId::new("runner").unwrap() }
}

fn spec() -> Value {
    let patch = json!([{"op": "replace", "path": "/title", "value": "marked"}]);
    json!({
        "version": 1, "mode": "html", "toolPolicy": {"allow": ["send"]},
        "actions": {
            "mark": {"kind": "state.patch", "patch": patch},
            "call": {"kind": "tool.call", "tool": "send", "confirm": "never"},
        },
    })
}

pub(crate) fn full() -> World {
    let mut world = World::new(3);
    let trust = [ToolName::new("send").unwrap()].into();
    let ceiling = Ceiling { trust, ..Ceiling::clone(world.engine.ceiling()) };
    world.engine = world.engine.with_ceiling(Arc::new(ceiling));
    let step = json!({"id": "s", "tool": "t0", "params": {"day": {"$date": "now/d"}}});
    world.record(recipe_of(step, &world, &[0], &[]), &[(0, json!(1))]).unwrap();
    world.finish(vec![world.made(0, json!(3))]);
    world.delete(2);
    let asset = |text: &str| Some(Blob::bytes(text.as_bytes().to_vec()));
    let assets =
        [("assets/logo.svg".to_owned(), asset("a logo")), ("assets/empty.txt".to_owned(), asset(""))];
    let spec = Some(spec());
    let upsert = UpsertSurface { by: client(), title: None, spec, assets: assets.into(), expected: None };
    assert_eq!(world.code(upsert), "OK");
    assert_eq!(world.code(begin("mark", "one")), "OK");
    assert_eq!(world.code(begin("mark", "two")), "OK");
    // It is under way.
    assert_eq!(world.code(begin("call", "three")), "OK");
    // Enough receipts for an index.
    for n in 0..120 {
        assert_eq!(world.code(Edit::overwrite(format!("# Sales\n\n{n}\n"))), "OK");
    }
    let long = text(1_800);
    assert_eq!(world.code(Edit::overwrite(&long)), "OK");
    assert_eq!(world.code(Edit::overwrite(long.replacen("Line 900 ", "LINE 900 ", 1))), "OK");
    world.next_turn();
    assert_eq!(world.code(Edit::overwrite(long.replacen("Line 901 ", "LINE 901 ", 1))), "OK");
    world.set(&json!([{"op": "add", "path": "/note", "value": [0.1, "é"]}]));
    assert_eq!(world.undo(1), "OK");
    world.wait(1_000);
    let model = OpKey {
        turn: world.turn,
        ..OpKey::of(ConversationId::new("model").unwrap(), "out".parse().unwrap())
    };
    block_on(world.engine.call(&world.canvas, &model, CheckOut, NOW)).unwrap().result.unwrap();
    assert_eq!(world.now(), NOW);
    world
}

/// The bytes of an export, or the code of its error.
pub(crate) fn export<S: Store>(engine: &Engine<S>, canvas: &CanvasId) -> Result<Vec<u8>, &'static str> {
    block_on(async {
        let mut export = engine.export(canvas).await.map_err(|e| e.code())?;
        let mut bytes = Vec::new();
        while let Some(piece) = export.next().await {
            bytes.extend(piece.map_err(|e| e.code())?);
        }
        Ok(bytes)
    })
}

pub(crate) async fn import_pieces<'a, S: Store>(
    engine: &Engine<S>,
    canvas: &CanvasId,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Result<ImportedCanvas, ImportError> {
    let mut import = engine.import(canvas).await?;
    for piece in pieces {
        import = import.push(piece).await?;
    }
    import.finish().await
}

pub(crate) fn import<S: Store>(engine: &Engine<S>, bytes: &[u8]) -> Result<ImportedCanvas, ImportError> {
    block_on(import_pieces(engine, &canvas(), [bytes]))
}

pub(crate) fn head<S: Store>(engine: &Engine<S>) -> Option<Arc<Head>> {
    block_on(engine.store().load(&canvas())).unwrap().map(|row| row.head)
}

/// `OK`, or the code of the refusal.
pub(crate) fn code<S: Store, C: Command>(engine: &Engine<S>, call: &str, command: C) -> &'static str {
    let key = OpKey::user(call.parse().unwrap());
    let answered = block_on(engine.call(&canvas(), &key, command, NOW)).unwrap();
    answered.result.map_or_else(|refusal| refusal.code(), |_| "OK")
}

pub(crate) fn undo(steps: u32) -> Undo {
    Undo { by: Author::User, what: UndoScope::Steps(NonZeroU32::new(steps).unwrap()) }
}

pub(crate) fn redo(steps: u32) -> Redo {
    Redo { by: Author::User, steps: NonZeroU32::new(steps).unwrap() }
}

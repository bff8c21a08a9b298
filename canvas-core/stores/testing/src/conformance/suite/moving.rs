//! A canvas that moves into the store and out of it as an export.

use std::num::NonZeroU32;

use canvas_core::document::Edit;
use canvas_core::history::{Undo, UndoScope};
use canvas_core::lease::Timestamp;
use canvas_core::store::{MemoryStore, Store};
use canvas_core::{Author, CanvasId, CodedError as _, Command, Engine, Policy, Refused as _};

use super::{PASSED, Verdict, row, same, same_head};
use crate::conformance::harness::Harness;
use crate::id::key;

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);

pub(crate) async fn moved<H: Harness>(harness: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let memory = Engine::new(MemoryStore::new(|| NOW), Policy::default());
    make(&memory, id).await?;
    let first = exported(&memory, id).await?;
    let engine = Engine::new(harness.peer(store).await, Policy::default());
    imported(&engine, id, &first).await?;
    let loaded = row(store, id).await?;
    same_head("the head of an imported canvas", &loaded.head, &row(memory.store(), id).await?.head)?;
    let peer = Engine::new(harness.peer(store).await, Policy::default());
    same("an export of the import, on another connection", exported(&peer, id).await? == first, true)?;
    let again = imported(&engine, id, &first).await;
    same("a second import", again, Err("an import gave CANVAS_EXISTS".to_owned()))?;
    // It goes on in the store, and from there in memory.
    let steps = UndoScope::Steps(NonZeroU32::MIN.saturating_add(2));
    told(&peer, id, "undo", Undo { by: Author::User, what: steps }, loaded.clock).await?;
    let second = exported(&engine, id).await?;
    same("whether an undo changes the export", second == first, false)?;
    let back = Engine::new(MemoryStore::new(|| NOW), Policy::default());
    imported(&back, id, &second).await?;
    same("an export of what came back", exported(&back, id).await? == second, true)?;
    let text = |n: usize| format!("# Plan\n\n- step {n}\n");
    let snapshot = back.snapshot(id, NOW).await.map_err(|e| e.message())?;
    same("the text that came back", snapshot.text().to_owned(), text(37))?;
    PASSED
}

/// A canvas with a history, a document in chunks, an index of receipts and an artefact.
async fn make(engine: &Engine<MemoryStore>, id: &CanvasId) -> Result<(), String> {
    engine.create(id, "# Plan\n", &key("create"), NOW).await.map_err(|e| e.message())?;
    let long: String = (0..4_000).map(|n| format!("Line {n} of a long document.\n")).collect();
    let edited = long.replacen("Line 700 ", "LINE 700 ", 1);
    let short = (0..40).map(|n| format!("# Plan\n\n- step {n}\n"));
    let texts = [long, edited].into_iter().chain(short);
    for (n, text) in texts.enumerate() {
        told(engine, id, &format!("edit {n}"), Edit::overwrite(text), NOW).await?;
    }
    told(engine, id, "message", canvas_core::turn::SendMessage, NOW).await?;
    told(engine, id, "last", Edit::overwrite("# Last\n"), NOW).await
}

async fn told<C: Command>(
    engine: &Engine<impl Store>,
    id: &CanvasId,
    call: &str,
    command: C,
    now: Timestamp,
) -> Result<(), String> {
    let answered = engine.call(id, &key(call), command, now).await.map_err(|e| e.message())?;
    answered.result.map(drop).map_err(|refusal| format!("{call} gave {}", refusal.view().code()))
}

async fn exported(engine: &Engine<impl Store>, id: &CanvasId) -> Result<Vec<u8>, String> {
    let mut export = engine.export(id).await.map_err(|e| format!("an export gave {}", e.code()))?;
    let mut bytes = Vec::new();
    while let Some(piece) = export.next().await {
        bytes.extend(piece.map_err(|e| format!("an export gave {}", e.code()))?);
    }
    Ok(bytes)
}

async fn imported(engine: &Engine<impl Store>, id: &CanvasId, bytes: &[u8]) -> Result<(), String> {
    let ended = async {
        let mut import = engine.import(id).await?;
        for piece in bytes.chunks(10_000) {
            import = import.push(piece).await?;
        }
        import.finish().await
    };
    ended.await.map(drop).map_err(|e| format!("an import gave {}", e.code()))
}

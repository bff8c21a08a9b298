//! A user edits a canvas in an SQLite file while a page follows it: `cargo run -p canvas-store-sqlite --example watch`

use std::{env, error::Error, fs, io::Write as _, process, thread};

use canvas_core::document::Edit;
use canvas_core::store::Blocking;
use canvas_core::testing::block_on;
use canvas_core::watch::Watch;
use canvas_core::{CanvasId, Engine, OpKey, Policy};
use canvas_store_sqlite::{SqliteStore, system_clock};

type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

/// Ends with the engine. A page that is slow sees the newest state and how many it missed.
fn follow(mut watch: Watch) -> Outcome {
    while let Some(event) = block_on(watch.next()) {
        writeln!(std::io::stdout(), "{}", serde_json::to_string(&event?)?)?;
    }
    Ok(())
}

fn edit(engine: &Engine<Blocking<SqliteStore>>, canvas: &CanvasId) -> Outcome {
    block_on(engine.create(canvas, "# Plan\n", &OpKey::host("create".parse()?), system_clock()))?;
    for item in ["one", "two"] {
        let edit = Edit::overwrite(format!("# Plan\n\n- {item}\n"));
        let key = OpKey::user(item.parse()?);
        block_on(engine.call(canvas, &key, edit, system_clock()))?.result?;
    }
    Ok(())
}

fn main() -> Outcome {
    let (folder, canvas) = (env::temp_dir().join(format!("watch-{}", process::id())), CanvasId::new("plan")?);
    fs::create_dir_all(&folder)?;
    let store = Blocking::new(SqliteStore::open(folder.join("canvases.db"), system_clock)?);
    let engine = Engine::new(store, Policy::default());
    let watch = engine.watch(&canvas);
    let tasks = [thread::spawn(|| follow(watch)), thread::spawn(move || edit(&engine, &canvas))];
    tasks.into_iter().try_for_each(|task| task.join().expect("it does not panic"))?;
    Ok(fs::remove_dir_all(&folder)?)
}

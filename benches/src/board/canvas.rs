//! Boards on a canvas: what the engine, its journal and the store make of a call.

use std::borrow::Cow;
use std::hint::black_box;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use canvas_core::board::{
    Board, CanvasCommand, ComponentInstance, CreateBoard, DataLoadingState, GridPolicy, Position, Registry,
    RunBoardCommand,
};
use canvas_core::lease::{Timestamp, Turn};
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::{Author, CallId, CanvasId, ConversationId, Engine, OpKey, Policy};
use serde_json::{Value, json};

use super::ours::{REPETITIONS, Timed, command, empty, median, nanoseconds};

const COLUMNS: usize = 12;

const NOW: Timestamp = Timestamp::from_millis(1);

/// A canvas whose board is full of tiles of one cell, `cmp_0` and so on, row by row.
struct Full {
    store: MemoryStore,
    engine: Engine<MemoryStore>,
    canvas: CanvasId,
    calls: usize,
}

impl Full {
    /// With this many tiles, and other components below.
    fn new(size: usize, others: impl IntoIterator<Item = ComponentInstance>) -> Self {
        let store = MemoryStore::new(|| NOW);
        let engine = Engine::new(store.clone(), Policy::default());
        let canvas = CanvasId::new("canvas").expect("a name");
        let mut full = Self { store, engine, canvas, calls: 0 };
        let key = full.next_key();
        block_on(full.engine.create(&full.canvas, "", &key, NOW)).expect("there is none yet");
        let mut workspace = empty(u32::try_from(COLUMNS).expect("few"));
        workspace.canvas.components = (0..size).map(tile).chain(others).collect();
        let (key, create) = (full.next_key(), CreateBoard { workspace: Box::new(workspace) });
        let created = block_on(full.engine.call(&full.canvas, &key, create, NOW)).expect("the store works");
        created.result.expect("there is none");
        full
    }

    fn next_key(&mut self) -> OpKey {
        self.calls += 1;
        OpKey {
            conversation: ConversationId::new("host").expect("a name"),
            turn: Turn::new(1).expect("a number"),
            call: CallId::new(&self.calls.to_string()).expect("a name"),
            person: None,
        }
    }

    /// Runs a command, and tells how many components it changed; `None` where it was refused.
    fn run(&mut self, command: CanvasCommand) -> (f64, Option<usize>) {
        let command = RunBoardCommand {
            by: Author::User,
            command: Box::new(command),
            base: None,
            grid: Some(GridPolicy::Grow),
        };
        let key = self.next_key();
        let start = Instant::now();
        let answered = block_on(self.engine.call(&self.canvas, &key, command, NOW));
        let took = nanoseconds(start);
        let run = answered.expect("the store works").result.ok().filter(|run| run.result.is_success());
        (took, run.map(|run| run.events.len()))
    }

    fn board(&self) -> Arc<Board> {
        let (board, _) = block_on(self.engine.board(&self.canvas, NOW)).expect("the store works");
        board.expect("it has one")
    }
}

/// Moves of one component.
pub(super) fn move_one(_: &Registry, _: &Path, size: usize) -> io::Result<Timed> {
    let mut full = Full::new(size, []);
    let row = rows(size) + 9;
    let (mut samples, mut refused, (_, before)) = (Vec::new(), 0, full.store.blob_stats(&full.canvas));
    let moves = 5 * REPETITIONS;
    for turn in 0..moves {
        let position = Position::new(1, row + u32::try_from(turn).expect("few"));
        let (took, changed) = full.run(command(json!({
            "type": "component.move", "payload": {"componentId": "cmp_1", "position": position},
        })));
        samples.push(took);
        refused += usize::from(changed.is_none());
    }
    let (_, after) = full.store.blob_stats(&full.canvas);
    let flaw = (refused > 0).then(|| format!("{refused} of {moves} moves refused"));
    Ok(Timed {
        median_ns: median(samples),
        result: json!({"bytes_of_a_move": (after - before) / moves}),
        flaw,
    })
}

/// Moves of a component as wide as the grid, each of which all below makes room for.
pub(super) fn shift(_: &Registry, _: &Path, size: usize) -> io::Result<Timed> {
    let wide = component("cmp_wide", Position::new(0, rows(size)), COLUMNS);
    let mut full = Full::new(size, [wide]);
    let (mut samples, mut changed) = (Vec::new(), Vec::new());
    for turn in 0..REPETITIONS {
        let position = Position::new(0, u32::try_from(turn).expect("few"));
        let (took, events) = full.run(command(json!({
            "type": "component.move",
            "payload": {"componentId": "cmp_wide", "position": position, "onCollision": "shift"},
        })));
        samples.push(took);
        changed.push(events.unwrap_or(0));
    }
    // The first comes from below all others; each later one goes one row down.
    let expected = |turn: usize| size + 1 - COLUMNS * turn.saturating_sub(1);
    let fewer = changed.iter().enumerate().find(|(turn, changed)| **changed != expected(*turn));
    let flaw = fewer.map(|(turn, changed)| format!("move {turn} changes {changed}, not {}", expected(turn)));
    Ok(Timed { median_ns: median(samples), result: json!({"changed": changed.first()}), flaw })
}

/// The board as the JSON of its workspace, as a reply or an export has it.
pub(super) fn read(_: &Registry, _: &Path, size: usize) -> io::Result<Timed> {
    let full = Full::new(size, []);
    let (mut samples, mut json) = (Vec::new(), String::new());
    for _ in 0..REPETITIONS {
        let start = Instant::now();
        let board = full.board();
        let written = board.workspace_json(|_| Cow::Owned(DataLoadingState::Idle));
        json = black_box(serde_json::to_string(&written)?);
        samples.push(nanoseconds(start));
    }
    let read: Value = serde_json::from_str(&json)?;
    let components = read["canvas"]["components"].as_array().map_or(0, Vec::len);
    let flaw = (components != size).then(|| format!("{components} components of {size}"));
    Ok(Timed { median_ns: median(samples), result: json!({"bytes": json.len()}), flaw })
}

/// Rows that so many tiles fill.
fn rows(size: usize) -> u32 {
    u32::try_from(size.div_ceil(COLUMNS)).expect("few")
}

fn tile(number: usize) -> ComponentInstance {
    let place = |number: usize| u32::try_from(number).expect("few");
    component(&format!("cmp_{number}"), Position::new(place(number % COLUMNS), place(number / COLUMNS)), 1)
}

fn component(id: &str, position: Position, cols: usize) -> ComponentInstance {
    serde_json::from_value(json!({
        "id": id, "typeId": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"},
        "position": position, "size": {"cols": cols, "rows": 1},
        "dataBinding": null, "dataState": {"status": "idle"},
        "meta": {"createdAt": 1, "createdBy": "user", "pinned": false},
    }))
    .expect("it is a component")
}

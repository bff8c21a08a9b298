//! Our own rows: through commands, with ids, validation and history.

use std::collections::HashMap;
use std::hint::black_box;
use std::io;
use std::path::Path;
use std::time::Instant;

use canvas_core::Role;
use canvas_core::board::{
    Board, BoardEnv, BoardJournal, BoardResult, BoardRules, Bounds, CanvasCommand, CommandResult,
    ComponentId, Executed, GridConfig, GridPolicy, IdSource, PlacementResult, Position, ProactiveMode,
    Registry, Size, Workspace, WorkspaceId,
};
use canvas_core::lease::Timestamp;
use serde_json::{Value, json};

use super::{BoardRow, Op, SUBJECT, WHOLE_SIZES, Workload, canvas, workload};
use crate::memory;

/// How often a workload is run; the median counts.
pub(super) const REPETITIONS: usize = 9;

/// The rows of every work at these sizes, those of [`WHOLE_SIZES`] up to the largest of them; none where the workloads are
/// not there.
pub fn rows(folder: &Path, sizes: &[usize]) -> Vec<BoardRow> {
    let registry = Registry::built_in();
    let mut rows = Vec::new();
    let largest = sizes.iter().copied().max().unwrap_or(0);
    let whole: Vec<usize> = WHOLE_SIZES.into_iter().filter(|size| *size <= largest).collect();
    for (work, run, sizes) in [
        ("board-place", place as fn(&Registry, &Path, usize) -> io::Result<Timed>, sizes),
        ("board-push", push, sizes),
        ("board-collide", collide, sizes),
        ("board-undo", undo, sizes),
        ("board-canvas", canvas::move_one, sizes),
        ("board-shift", canvas::shift, &whole),
        ("board-read", canvas::read, &whole),
    ] {
        for &size in sizes {
            if let Ok(Timed { median_ns, result, flaw }) = run(&registry, folder, size) {
                let (subject, version) = (SUBJECT.to_owned(), env!("CARGO_PKG_VERSION").to_owned());
                let median_ns = Some(median_ns).filter(|_| flaw.is_none());
                rows.push(BoardRow {
                    work: work.to_owned(),
                    size,
                    subject,
                    version,
                    median_ns,
                    result,
                    flaw,
                });
            }
        }
    }
    rows
}

pub(super) struct Timed {
    pub(super) median_ns: f64,
    pub(super) result: Value,
    pub(super) flaw: Option<String>,
}

/// A board that runs commands, and keeps what they did.
struct Desk<'r> {
    registry: &'r Registry,
    board: Board,
    history: BoardJournal,
    calls: u64,
}

impl<'r> Desk<'r> {
    fn new(registry: &'r Registry, columns: u32, limit: usize) -> Self {
        let board = Board::new(empty(columns)).expect("an empty board is one");
        Self { registry, board, history: BoardJournal::new(limit), calls: 0 }
    }

    /// A board with what a workload begins with, and the ids of its components by the workload's.
    fn filled(registry: &'r Registry, work: &Workload) -> (Self, HashMap<String, ComponentId>) {
        let mut desk = Self::new(registry, work.grid.columns, 0);
        let place = |standing: &super::Standing| {
            let executed = desk.run(&create(Some(standing.bounds.position), standing.bounds.size));
            (standing.id.clone(), made(&executed).expect("nothing is there"))
        };
        let ids = work.initial.iter().map(place).collect();
        (desk, ids)
    }

    fn run(&mut self, command: &CanvasCommand) -> Executed {
        self.calls += 1;
        let rules = BoardRules { grid: GridPolicy::Grow, ..BoardRules::default() };
        let (ids, now) = (IdSource::seeded(&self.calls.to_le_bytes()), Timestamp::from_millis(self.calls));
        let mut env = BoardEnv { registry: self.registry, rules, now, ids };
        self.board.execute(command, Role::Assistant, &mut env)
    }

    /// Runs a command and keeps what it did.
    fn keep(&mut self, command: &CanvasCommand) -> BoardResult {
        let Executed { result, change, .. } = self.run(command);
        if let Some(change) = change {
            self.history.push(change);
        }
        result
    }
}

/// A board that is empty and that has all the rows there may be.
pub(super) fn empty(columns: u32) -> Workspace {
    let grid = GridConfig { columns, rows: Board::ROWS, gap: 8.0, cell_width: 80.0, cell_height: 60.0 };
    let (id, now) = (WorkspaceId::new("ws").expect("a name"), Timestamp::from_millis(1));
    let mut workspace = Workspace::empty(id, "Board".to_owned(), "thread".to_owned(), grid, now);
    workspace.settings.proactive_mode = ProactiveMode::Off;
    workspace
}

/// The command that this is the JSON of.
pub(super) fn command(json: Value) -> CanvasCommand {
    serde_json::from_value(json).expect("it is a command")
}

fn place(registry: &Registry, folder: &Path, size: usize) -> io::Result<Timed> {
    let work = workload(folder, "place", size)?;
    let sizes = || {
        work.ops.iter().map(|op| match op {
            Op::Create { size, .. } => *size,
            other => unreachable!("{other:?} is no placing"),
        })
    };
    let commands: Vec<CanvasCommand> = sizes().map(|size| create(None, size)).collect();
    let cells: u64 = sizes().map(|size| u64::from(size.cols) * u64::from(size.rows)).sum();
    let (mut samples, mut places) = (Vec::new(), Vec::new());
    let mut covered = 0;
    for _ in 0..REPETITIONS {
        let mut desk = Desk::new(registry, work.grid.columns, 50);
        places.clear();
        let start = Instant::now();
        for command in &commands {
            places.push(desk.keep(command));
        }
        samples.push(nanoseconds(start));
        covered = desk.board.covered_cells();
    }
    let places: Vec<Position> =
        places.iter().filter_map(|result| placed(result).map(|place| place.position)).collect();
    let elsewhere =
        places.iter().zip(&work.expect_first_fit_row_major).filter(|(one, two)| one != two).count();
    let wrong = elsewhere > 0 || places.len() != size || covered != cells;
    let flaw = wrong.then(|| "other places than first fit".to_owned());
    Ok(Timed { median_ns: median(samples), result: json!({"elsewhere_than_first_fit": elsewhere}), flaw })
}

fn push(registry: &Registry, folder: &Path, size: usize) -> io::Result<Timed> {
    let work = workload(folder, "pushdown", size)?;
    let (mut desk, ids) = Desk::filled(registry, &work);
    let (mut samples, mut landed, mut others) = (Vec::new(), 0, 0);
    for op in &work.ops {
        let Op::Move { id, position } = op else { unreachable!("{op:?} is no move") };
        let id = &ids[id];
        let command = command(json!({
            "type": "component.move",
            "payload": {"componentId": id, "position": position, "onCollision": "shift"},
        }));
        let start = Instant::now();
        let executed = desk.run(&command);
        samples.push(nanoseconds(start));
        landed += usize::from(desk.board.bounds(id).map(|bounds| bounds.position) == Some(*position));
        let adjusted = placed(&executed.result).and_then(|place| place.adjustments.as_ref());
        others += adjusted.map_or(0, Vec::len);
        if let Some(change) = executed.change {
            desk.board.apply(&change.patch.inverse()).expect("it was made just now");
        }
    }
    let moves = work.ops.len();
    let flaw = (landed < moves).then(|| "not all land where asked".to_owned());
    Ok(Timed {
        median_ns: median(samples),
        result: json!({"moves": moves, "landed": landed, "others_moved": others}),
        flaw,
    })
}

fn collide(registry: &Registry, folder: &Path, size: usize) -> io::Result<Timed> {
    let work = workload(folder, "collide", size)?;
    let (desk, _) = Desk::filled(registry, &work);
    let rectangles: Vec<Bounds> = work
        .ops
        .iter()
        .map(|op| match op {
            Op::Collide { bounds } => *bounds,
            other => unreachable!("{other:?} is no question"),
        })
        .collect();
    let (mut samples, mut hits) = (Vec::new(), 0);
    for _ in 0..5 * REPETITIONS {
        let start = Instant::now();
        hits = rectangles.iter().map(|bounds| black_box(desk.board.collisions(*bounds)).len()).sum();
        samples.push(nanoseconds(start) / rectangles.len() as f64);
    }
    let flaw = (Some(hits) != work.expect_total_hits).then(|| "finds others than expected".to_owned());
    Ok(Timed { median_ns: median(samples), result: json!({"hits": hits}), flaw })
}

/// Undo of one entry, over the commands of the workload. Ours places what peers let overlap: a move that something is in
/// the way of goes to the nearest free place.
fn undo(registry: &Registry, folder: &Path, size: usize) -> io::Result<Timed> {
    if size != 1_000 {
        return Err(io::ErrorKind::NotFound.into());
    }
    let text = std::fs::read_to_string(folder.join("workload_undo_1000.json"))?;
    let work: Value = serde_json::from_str(&text)?;
    let (mut undos, mut redos, mut applies, mut flaw) = (Vec::new(), Vec::new(), Vec::new(), None);
    let mut entries = 0;
    for _ in 0..REPETITIONS {
        let mut desk = Desk::new(registry, 12, 10_000);
        let mut ids = HashMap::new();
        let start = Instant::now();
        for op in work["ops"].as_array().into_iter().flatten() {
            done(&mut desk, &mut ids, op);
        }
        entries = desk.history.changes().len();
        applies.push(nanoseconds(start) / entries as f64);
        let last = desk.board.clone();
        let start = Instant::now();
        while desk.history.undo(&mut desk.board).is_ok() {}
        undos.push(nanoseconds(start) / entries as f64);
        let is_empty = desk.board.is_empty();
        let start = Instant::now();
        while desk.history.redo(&mut desk.board).is_ok() {}
        redos.push(nanoseconds(start) / entries as f64);
        if !is_empty || desk.board != last {
            flaw = Some("undo and redo do not lead back".to_owned());
        }
    }
    let result = json!({
        "entries": entries, "redo_ns": median(redos).round(), "apply_ns": median(applies).round(),
        "bytes_of_a_move": bytes_of_a_move(registry),
    });
    Ok(Timed { median_ns: median(undos), result, flaw })
}

fn done(desk: &mut Desk<'_>, ids: &mut HashMap<String, ComponentId>, op: &Value) {
    let name = op["id"].as_str().unwrap_or_default();
    let payload = match op["op"].as_str() {
        Some("create") => {
            let mut config = json!({"repo": op["config"]["repo"]});
            if op["typeId"] == "github.stat-tile" {
                config["metric"] = "stars".into();
            }
            json!({"type": "component.create", "payload": {"typeId": op["typeId"], "config": config, "size": op["size"]}})
        }
        Some("move") => json!({
            "type": "component.move", "payload": {"componentId": ids.get(name), "position": op["position"]},
        }),
        Some("update") => json!({
            "type": "component.update", "payload": {"componentId": ids.get(name), "meta": {"label": op["config"].to_string()}},
        }),
        _ => json!({"type": "component.remove", "payload": {"componentId": ids.get(name)}}),
    };
    let command = command(payload);
    let result = desk.keep(&command);
    let corrected = result.error().and_then(|error| error.corrected.clone());
    if let Some(corrected) = corrected {
        desk.keep(&corrected);
    }
    if let (CanvasCommand::Create(_), BoardResult::One(result)) = (&command, result) {
        ids.extend(result.affected_component_ids.into_iter().next().map(|id| (name.to_owned(), id)));
    }
}

/// What the history holds for one move, as the allocator counts it; nothing where it does not count.
fn bytes_of_a_move(registry: &Registry) -> usize {
    const MOVES: u32 = 1_000;
    let mut desk = Desk::new(registry, 12, MOVES as usize);
    let id =
        made(&desk.run(&create(Some(Position::new(0, 0)), Size::new(1, 1)))).expect("the board is empty");
    let moved = |turn: u32| {
        let position = Position::new(1 + turn % 2, 0);
        let payload = json!({"componentId": id, "position": position});
        command(json!({"type": "component.move", "payload": payload}))
    };
    let commands: Vec<_> = (0..MOVES).map(moved).collect();
    let peak = memory::peak(|| {
        for command in &commands {
            desk.keep(command);
        }
    });
    peak / MOVES as usize
}

fn create(position: Option<Position>, size: Size) -> CanvasCommand {
    let mut payload =
        json!({"typeId": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"}, "size": size});
    if let Some(position) = position {
        payload["position"] = json!(position);
    }
    command(json!({"type": "component.create", "payload": payload}))
}

fn made(executed: &Executed) -> Option<ComponentId> {
    one(&executed.result).filter(|result| result.success)?.affected_component_ids.first().cloned()
}

fn placed(result: &BoardResult) -> Option<&PlacementResult> {
    one(result)?.placement.as_ref()
}

const fn one(result: &BoardResult) -> Option<&CommandResult> {
    match result {
        BoardResult::One(result) => Some(result),
        BoardResult::Batch(_) => None,
    }
}

pub(super) fn nanoseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e9
}

pub(super) fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

//! A dashboard is built, rearranged, given wrong commands, corrected and undone; the grid is drawn after each step.
//!
//! `cargo run -p canvas-examples --example dashboard [-- FILE.svg]` also writes its last state as a picture.

mod host;
mod svg;
mod text;

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs, io};

use canvas_core::board::{CanvasCommand, CommandError, LoadView, ViewId};
use serde_json::{Value, json};

use host::Dashboard;

enum Step {
    /// A command. `@A` is the first component that was ever made, `@view` the first view.
    Ask(&'static str, Value),
    Undo(&'static str, usize),
    Redo(&'static str, usize),
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args_os().nth(1).map_or_else(|| env::temp_dir().join("dashboard.svg"), PathBuf::from);
    let mut dashboard = Dashboard::new()?;
    let out = &mut io::stdout().lock();
    for step in script() {
        match step {
            Step::Ask(title, command) => {
                text::title(out, title)?;
                let mut command = dashboard.command(&command)?;
                while let Err(refusal) = dashboard.ask(&command, out)? {
                    text::refusal(out, &refusal)?;
                    let Some(corrected) = corrected(&command, refusal) else { break };
                    text::command(out, "so instead", &corrected)?;
                    command = corrected;
                }
            }
            Step::Undo(title, steps) => {
                text::title(out, title)?;
                (0..steps).try_for_each(|_| dashboard.undo(out))?;
            }
            Step::Redo(title, steps) => {
                text::title(out, title)?;
                (0..steps).try_for_each(|_| dashboard.redo(out))?;
            }
        }
        text::grid(out, &dashboard)?;
    }
    fs::write(&path, svg::draw(&dashboard))?;
    text::title(out, &format!("Drawn to {}", path.display()))?;
    Ok(())
}

/// The command that a refusal proposes: a corrected one, or the same with its first candidate.
fn corrected(command: &CanvasCommand, refusal: CommandError) -> Option<CanvasCommand> {
    match (refusal.corrected, command, refusal.candidates.first()) {
        (Some(corrected), ..) => Some(*corrected),
        (None, CanvasCommand::LoadView(_), Some(view)) => {
            Some(CanvasCommand::LoadView(LoadView { view_id: ViewId::new(view).ok()? }))
        }
        _ => None,
    }
}

fn script() -> Vec<Step> {
    let tile =
        |metric: &str| create("github.stat-tile", json!({"repo": "example/project", "metric": metric}));
    let list = |kind: &str| create(kind, json!({"repo": "example/project"}));
    vec![
        Step::Ask(
            "Build: six components at once, and the board finds their places",
            batch(
                "Built the dashboard of example/project.",
                vec![
                    tile("stars"),
                    tile("open_prs"),
                    tile("open_issues"),
                    list("github.pr-list"),
                    list("github.issue-grid"),
                    list("github.activity-timeline"),
                ],
            ),
        ),
        Step::Ask(
            "Rearrange: tiles to the left, lists beside them; only the end counts, so places may be swapped",
            batch(
                "Tiles to the left, lists beside them.",
                vec![
                    resize("@A", 3, 2),
                    place("@B", 0, 2),
                    resize("@B", 3, 2),
                    place("@C", 0, 4),
                    resize("@C", 3, 2),
                    place("@D", 3, 0),
                    resize("@D", 5, 4),
                    place("@E", 3, 4),
                    resize("@E", 5, 4),
                    place("@F", 8, 0),
                    resize("@F", 4, 7),
                ],
            ),
        ),
        Step::Ask("Pin and name: it stays when the canvas is cleared or a view loaded", pin("@A", "Stars")),
        Step::Ask("Save it as a view", json!({"type": "view.save", "payload": {"name": "Overview"}})),
        Step::Ask("Wrong: a larger size than there is room for", resize("@B", 3, 3)),
        Step::Ask("Wrong: a place that is taken", tile_at("github.stat-tile", "forks", 2, 5)),
        Step::Ask("Wrong: a type that is not registered", tile_at("github.stat-tiles", "forks", 8, 7)),
        Step::Ask("Wrong: a metric that does not exist", tile_at("github.stat-tile", "people", 10, 7)),
        Step::Ask("As the refusal says", tile_at("github.stat-tile", "contributors", 10, 7)),
        Step::Ask(
            "Clear: pinned ones stay",
            json!({"type": "canvas.clear", "payload": {"preservePinned": true}}),
        ),
        Step::Ask(
            "Wrong: a view that does not exist",
            json!({"type": "view.load", "payload": {"viewId": "Overview"}}),
        ),
        Step::Undo("Undo everything", 20),
        Step::Redo("Redo everything", 20),
        Step::Ask(
            "Two more, and of one the data cannot be had",
            batch(
                "Added forks and contributors.",
                vec![
                    tile_of("mock-error/rate-limited", "forks", (0, 6), (3, 2)),
                    tile_of("example/project", "contributors", (8, 7), (4, 1)),
                ],
            ),
        ),
    ]
}

fn create(kind: &str, config: Value) -> Value {
    json!({"type": "component.create", "payload": {"typeId": kind, "config": config}})
}

fn tile_at(kind: &str, metric: &str, col: u32, row: u32) -> Value {
    let mut command = create(kind, json!({"repo": "example/project", "metric": metric}));
    command["payload"]["position"] = json!({"col": col, "row": row});
    command
}

fn tile_of(repo: &str, metric: &str, (col, row): (u32, u32), (cols, rows): (u32, u32)) -> Value {
    let mut command = tile_at("github.stat-tile", metric, col, row);
    command["payload"]["config"]["repo"] = json!(repo);
    command["payload"]["size"] = json!({"cols": cols, "rows": rows});
    command
}

fn place(id: &str, col: u32, row: u32) -> Value {
    json!({"type": "component.move", "payload": {"componentId": id, "position": {"col": col, "row": row}}})
}

fn resize(id: &str, cols: u32, rows: u32) -> Value {
    json!({"type": "component.resize", "payload": {"componentId": id, "size": {"cols": cols, "rows": rows}}})
}

fn pin(id: &str, label: &str) -> Value {
    let meta = json!({"pinned": true, "label": label});
    json!({"type": "component.update", "payload": {"componentId": id, "meta": meta}})
}

fn batch(description: &str, commands: Vec<Value>) -> Value {
    json!({"type": "batch", "payload": {"commands": commands, "description": description}})
}

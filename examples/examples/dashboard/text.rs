//! The board as text: a letter for each cell, and beside the grid a line for each component.

use std::io::{self, Write};

use canvas_core::board::{
    Bounds, CanvasCommand, CommandError, ComponentInstance, DataLoadingState, Position, Size,
};

use super::host::Dashboard;

pub(crate) fn title(out: &mut impl Write, title: &str) -> io::Result<()> {
    writeln!(out, "\n== {title}")
}

pub(crate) fn line(out: &mut impl Write, what: &str) -> io::Result<()> {
    writeln!(out, "   {what}")
}

pub(crate) fn refusal(out: &mut impl Write, error: &CommandError) -> io::Result<()> {
    let code = serde_json::to_value(error.code).unwrap_or_default();
    writeln!(out, "   refused, {}: {}", code.as_str().unwrap_or_default(), error.message)?;
    if !error.candidates.is_empty() {
        writeln!(out, "   perhaps {}", error.candidates.join(", "))?;
    }
    Ok(())
}

pub(crate) fn command(out: &mut impl Write, how: &str, command: &CanvasCommand) -> io::Result<()> {
    writeln!(out, "   {how} {}", serde_json::to_string(command)?)
}

pub(crate) fn grid(out: &mut impl Write, dashboard: &Dashboard) -> io::Result<()> {
    let canvas = dashboard.workspace().canvas;
    let mut lines: Vec<_> = canvas.components.iter().map(|component| legend(dashboard, component)).collect();
    lines.sort_unstable();
    let mut beside = lines.into_iter();
    writeln!(out)?;
    for row in 0..canvas.grid.rows {
        write!(out, "     ")?;
        for col in 0..canvas.grid.columns {
            let cell = Bounds::new(Position::new(col, row), Size::new(1, 1));
            // Of several components the one that was made last.
            let covers = canvas.components.iter().rev().find(|component| component.bounds().overlaps(cell));
            write!(out, " {}", covers.map_or('.', |component| dashboard.letter(component)))?;
        }
        writeln!(out, "{}", beside.next().map_or_else(String::new, |line| format!("     {line}")))?;
    }
    beside.try_for_each(|line| writeln!(out, "{:36}{line}", ""))
}

/// `A  Stat Tile "Stars"  3x2 at (0, 0), pinned, ready`
fn legend(dashboard: &Dashboard, component: &ComponentInstance) -> String {
    let definition = dashboard.registry.get(&component.type_id);
    let name = definition.map_or(component.type_id.as_str(), |definition| definition.name.as_str());
    let label = component.meta.label.as_ref().map_or_else(String::new, |label| format!(" \"{label}\""));
    let pinned = if component.meta.pinned { ", pinned" } else { "" };
    let (letter, state) = (dashboard.letter(component), state(&component.data_state));
    format!("{letter}  {name}{label}, {} at {}{pinned}, {state}", component.size, component.position)
}

pub(crate) fn state(state: &DataLoadingState) -> &'static str {
    match state {
        DataLoadingState::Idle => "idle",
        DataLoadingState::Loading { .. } => "loading",
        DataLoadingState::Ready { .. } => "ready",
        DataLoadingState::Error { .. } => "error",
        DataLoadingState::Stale { .. } => "stale",
    }
}

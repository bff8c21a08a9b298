//! A dashboard that refreshes itself: how its data were made is recorded once, and replayed without a model.
//!
//! `cargo run -p canvas-examples --example refresh` tells the story. The clock and the shop are the story's own.

mod host;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use canvas_core::testing::block_on;
use canvas_tools::recipe::ReplayReport;
use serde_json::{Value, json};

use host::{DAY, Host};

fn main() -> ExitCode {
    let mut out = io::stdout().lock();
    match tell(&mut out).and_then(|()| Ok(out.flush()?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            drop(writeln!(io::stderr(), "refresh: {problem}"));
            ExitCode::FAILURE
        }
    }
}

/// The whole story.
fn tell(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let mut host = Host::open()?;
    record(&mut host, out)?;
    for (days, when) in [(0, "the same day"), (1, "a day later"), (14, "two weeks later")] {
        host.wait(days * DAY);
        title(out, &format!("A refresh {when}, without a model"))?;
        let report = host.refresh()?;
        show(&host, &report, out)?;
    }
    drift(&mut host, out)
}

fn title(out: &mut impl Write, title: &str) -> io::Result<()> {
    writeln!(out, "\n  {title} {}", "─".repeat(86_usize.saturating_sub(title.chars().count())))
}

fn line(out: &mut impl Write, sign: char, name: &str, detail: &str) -> io::Result<()> {
    let line = format!("    {sign} {name:<22} {detail}");
    writeln!(out, "{}", line.trim_end())
}

/// The assistant has asked for orders and for the customer of the dearest one; the host has seen the calls.
fn record(host: &mut Host, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    title(out, "A turn of the assistant")?;
    let since = json!({"from": "2026-04-08", "to": "2026-04-15"});
    let found = host.turn_call("orders", "shop__Orders", since)?;
    line(
        out,
        '✓',
        "shop__Orders",
        &format!("{} orders of the last week", found["rows"].as_array().map_or(0, Vec::len)),
    )?;
    let customer = host.turn_call("customer", "shop__Customer", json!({"order": found["rows"][0]["id"]}))?;
    line(out, '✓', "shop__Customer", &customer["name"].to_string())?;
    let day = |days| json!({"$date": format!("now-{days}d/d"), "as": "date"});
    let recorded = host.assistant("canvas_record_recipe", json!({
        "timezone": "Europe/Berlin",
        "mappings": [
            {"step": "orders", "path": "/rows", "component": "cities", "ops": [
                {"op": "aggregate", "by": {"city": "/city"}, "values": {"sum": {"fn": "sum", "path": "/amount"}}},
                {"op": "sort", "by": [{"path": "/sum", "dir": "desc"}]},
            ]},
            {"step": "orders", "path": "/rows", "component": "total", "ops": [
                {"op": "aggregate", "by": {}, "values": {"sum": {"fn": "sum", "path": "/amount"}}},
            ]},
            {"step": "customer", "path": "/name", "component": "customer"},
        ],
        "params": {
            "orders": {"/from": day(7), "/to": day(0)},
            "customer": {"/order": {"$result": {"step": "orders", "path": "/rows/0/id"}}},
        },
    }));
    if recorded["ok"] != true {
        return Err(recorded.to_string().into());
    }
    line(
        out,
        '✓',
        "canvas_record_recipe",
        "two calls, three components; played on what came, it gives the same",
    )?;
    components(host, out)
}

/// What a refresh has called and changed.
fn show(host: &Host, report: &ReplayReport, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    for call in &report.run.calls {
        line(out, '›', call.tool.as_str(), &call.params.to_string())?;
    }
    let changed = match (report.patch().len(), report.run.finished.committed) {
        (0, false) => "nothing has changed, and no revision was made".to_owned(),
        (0, true) => "no data have changed".to_owned(),
        (places, _) => format!("{places} components have new data, in one change"),
    };
    line(out, '✓', "patch", &changed)?;
    components(host, out)?;
    let rerun = block_on(host.rerun(report))?;
    line(out, '=', "played again offline", if rerun { "the same bytes" } else { "OTHER BYTES" })?;
    Ok(())
}

fn components(host: &Host, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    for (id, data) in &host.data()?.components {
        let shown = data.data.as_ref().map_or_else(|| "nothing".to_owned(), Value::to_string);
        let status = json!(data.status);
        line(out, ' ', id.as_str(), &format!("{:<6} {shown}", status.as_str().unwrap_or_default()))?;
    }
    Ok(())
}

/// The shop changes a tool. Its component grows stale, the others are fed, and the user is offered one turn of a model.
fn drift(host: &mut Host, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    host.break_customer()?;
    host.wait(DAY);
    title(out, "The shop has changed shop__Customer")?;
    let report = host.refresh()?;
    show(host, &report, out)?;
    for stale in report.stale() {
        line(out, '!', stale.reason.code.code(), &stale.reason.message)?;
    }
    let escalation = report.escalation.ok_or("nothing was offered")?;
    title(out, "What the user is offered")?;
    for text in escalation.message.lines() {
        writeln!(out, "    {text}")?;
    }
    Ok(())
}

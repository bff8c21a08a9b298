//! Measures the server of the studio: what an event costs that a thousand windows are sent, and how soon a press is seen in
//! the other window.
//!
//! `studio-bench [--sockets N] [--presses N] [--get] [--json]`. The server runs in this process and the windows in another
//! one, so that the memory of this one is the server's. `--get` has each window ask for the whole canvas first.

#[expect(dead_code, reason = "the tests of the server use the rest")]
mod client;
mod report;
mod windows;

use std::env;
use std::io::Write as _;
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use canvas_studio::options::Options;
use canvas_studio::run;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{ChildStdout, Command};
use tokio::sync::watch;

use crate::report::Report;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Plan {
    sockets: usize,
    presses: usize,
    asks: bool,
    is_json: bool,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("threads to work with");
    let measured = runtime.block_on(async {
        if let [first, rest @ ..] = arguments.as_slice()
            && first == "windows"
        {
            return windows::run(rest).await;
        }
        measure(plan(&arguments)?).await
    });
    match measured {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            drop(writeln!(std::io::stderr(), "studio-bench: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn plan(arguments: &[String]) -> Result<Plan, String> {
    let mut plan = Plan { sockets: 1_000, presses: 600, asks: false, is_json: false };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut number = || {
            let value = arguments.next().and_then(|value| value.parse().ok()).filter(|value| *value > 0);
            value.ok_or_else(|| format!("{argument} takes a number of at least 1"))
        };
        match argument.as_str() {
            "--sockets" => plan.sockets = number()?,
            "--presses" => plan.presses = number()?,
            "--get" => plan.asks = true,
            "--json" => plan.is_json = true,
            _ => {
                return Err(format!(
                    "there is no option {argument}: take --sockets, --presses, --get or --json"
                ));
            }
        }
    }
    Ok(plan)
}

/// Windows that come first, so that what the first ones cost is not counted.
const WARM: usize = 50;

/// Events that all windows are sent.
const EVENTS: usize = 50;

async fn measure(plan: Plan) -> Result<(), String> {
    let options = Options { port: 0, ..Options::default() };
    let listening = run::listen(options.port).await?;
    let origins = listening.origins.clone();
    let host = run::open(&options, &origins).await?;
    let (stop, told) = watch::channel(false);
    let served = {
        let host = host.clone();
        tokio::spawn(async move { run::serve_until(listening, &host, told).await })
    };
    let port = origins.page().rsplit(':').next().unwrap_or_default().to_owned();
    let program = env::current_exe().map_err(|e| e.to_string())?;
    let mut windows = Command::new(program)
        .args(["windows", &port, &WARM.to_string(), &plan.sockets.to_string(), &EVENTS.to_string()])
        .args([plan.presses.to_string(), plan.asks.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|e| e.to_string())?;
    let mut input = windows.stdin.take().expect("it was asked for");
    let output = windows.stdout.take().expect("it was asked for");
    let mut lines = BufReader::new(output).lines();
    said(&mut lines, "warm").await?;
    let before = resident()?;
    windows::go(&mut input).await?;
    said(&mut lines, "connected").await?;
    // Data of components come at the beginning.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let idle = resident()?;
    let written = host.fan.written();
    windows::go(&mut input).await?;
    let events = said(&mut lines, "events").await?;
    let (busy, written) = (resident()?, host.fan.written() - written);
    windows::go(&mut input).await?;
    let presses = said(&mut lines, "presses").await?;
    let per_window = |bytes: u64| bytes.saturating_sub(before) / plan.sockets as u64;
    Report {
        sockets: plan.sockets,
        asked: plan.asks,
        idle_bytes: per_window(idle),
        busy_bytes: per_window(busy),
        events: events["received"].as_u64().unwrap_or_default() / (WARM + plan.sockets) as u64,
        written,
        resyncs: host.fan.resyncs(),
        to_all_ms: events["to_all_ms"].clone(),
        presses: plan.presses,
        press_ms: presses["alone"].clone(),
        crowded_press_ms: presses["crowd"].clone(),
    }
    .print(plan.is_json);
    let _ = stop.send(true);
    drop(served.await);
    Ok(())
}

/// Waits for a line of the windows, and gives what it says.
async fn said(lines: &mut Lines<BufReader<ChildStdout>>, step: &str) -> Result<Value, String> {
    let line = lines.next_line().await.map_err(|e| e.to_string())?.ok_or("the windows have gone")?;
    let value: Value = serde_json::from_str(&line).map_err(|e| e.to_string())?;
    if value["step"] == step { Ok(value) } else { Err(format!("the windows say {line}, and not {step}")) }
}

/// Bytes of this process in memory.
fn resident() -> Result<u64, String> {
    let statm = std::fs::read_to_string("/proc/self/statm").map_err(|e| format!("/proc/self/statm: {e}"))?;
    let pages: Option<u64> = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    Ok(pages.ok_or("/proc/self/statm has no second number")? * 4_096)
}

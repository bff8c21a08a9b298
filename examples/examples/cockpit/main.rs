//! A deploy cockpit: buttons that run commands on a server, without a model and without a value ever becoming a command.
//!
//! `cargo run -p canvas-examples --example cockpit` tells the story. The commands are real: they run by `sh -c` in a
//! temporary folder. The clock is the story's own.

mod host;
mod shell;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use canvas_core::CodedError as _;
use canvas_core::testing::block_on;
use canvas_tools::action::ActionOver;
use canvas_tools::surface::SurfaceReply;
use serde_json::{Value, json};

use host::Host;

/// The spec and the page, as the assistant writes them.
const SPEC: &str = include_str!("../../../canvas-tools/tests/it/surface/deploy.json");
const PAGE: &str = include_str!("../../../canvas-tools/tests/it/surface/index.html");

fn main() -> ExitCode {
    let mut out = io::stdout().lock();
    match tell(&mut out).and_then(|()| Ok(out.flush()?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            drop(writeln!(io::stderr(), "cockpit: {problem}"));
            ExitCode::FAILURE
        }
    }
}

/// The whole story.
fn tell(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let mut host = Host::open()?;
    make(&mut host, out)?;
    deploy(&host, out)?;
    attack(&host, out)?;
    poll_and_undo(&host, out)?;
    audit(&host, out)
}

fn title(out: &mut impl Write, title: &str) -> io::Result<()> {
    writeln!(out, "\n  {title} {}", "─".repeat(86_usize.saturating_sub(title.chars().count())))
}

fn line(out: &mut impl Write, sign: char, name: &str, detail: &str) -> io::Result<()> {
    let line = format!("    {sign} {name:<22} {detail}");
    writeln!(out, "{}", line.trim_end())
}

fn make(host: &mut Host, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    title(out, "The assistant makes a surface")?;
    let spec: Value = serde_json::from_str(SPEC)?;
    let (actions, jobs) = (
        spec["actions"].as_object().map_or(0, |all| all.len()),
        spec["refresh"].as_array().map_or(0, Vec::len),
    );
    let made = host.assistant(json!({
        "operation": "upsert", "title": "Deploy Cockpit", "spec": spec, "assets": {"assets/index.html": PAGE},
    }));
    if made["ok"] != true {
        return Err(made.to_string().into());
    }
    line(
        out,
        '✓',
        "gsv__Canvas upsert",
        &format!("{actions} actions, {jobs} job, one page; revision {}", made["descriptor"]["revision"]),
    )?;
    host.window("canvas.open", json!({}))?.result?;
    let shown = format!("{} {}", host.state("/service")?, host.state("/version")?);
    Ok(line(out, '›', "a window shows it", &shown.replace('"', ""))?)
}

/// Presses a button, and confirms what is shown. Gives the words that were.
fn press(host: &Host, out: &mut impl Write, action: &str) -> Result<SurfaceReply, Box<dyn Error>> {
    line(out, '›', &format!("presses {action}"), "")?;
    let asked = host.window("canvas.action", json!({"actionId": action}))?;
    let Err(error) = &asked.result else { return Ok(asked) };
    let Some(prompt) = error.confirmation() else { return Ok(asked) };
    line(out, '?', error.code(), &words(prompt.words.as_deref().unwrap_or_default()))?;
    host.wait(2_000);
    line(out, '›', "says yes", &format!("to {}…", &prompt.digest.to_string()[..8]))?;
    let confirmation = json!({"digest": prompt.digest, "plannedAt": prompt.planned_at});
    host.window("canvas.action", json!({"actionId": action, "confirmation": confirmation}))
}

fn words(words: &[String]) -> String {
    words.iter().map(|word| format!("[{word}]")).collect::<Vec<_>>().join(" ")
}

/// What a reply says, in one line.
fn tell_reply(out: &mut impl Write, reply: &SurfaceReply) -> io::Result<()> {
    match &reply.result {
        Ok(answer) => {
            let result = answer["result"]["result"].as_str().unwrap_or_default().lines().next_back();
            let saved = if answer["saved"] == true { "saved" } else { "not saved" };
            line(
                out,
                '✓',
                "finished",
                &format!("\"{}\"; {saved}, revision {}", result.unwrap_or_default(), answer["revision"]),
            )
        }
        Err(error) => line(out, '✗', error.code(), &error.to_string()),
    }
}

fn deploy(host: &Host, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    title(out, "A person deploys")?;
    let reply = press(host, out, "deploy")?;
    tell_reply(out, &reply)?;
    for event in &reply.events {
        let paths: Vec<&str> = event.changed_paths.iter().flatten().map(|path| path.as_str()).collect();
        line(
            out,
            '→',
            &json!(event.event).as_str().unwrap_or_default().replace("canvas.", ""),
            &paths.join(" "),
        )?;
    }
    Ok(())
}

fn attack(host: &Host, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    title(out, "Somebody types a version that is a command")?;
    let hostile = "1.2.8; rm -rf .";
    set_version(host, hostile)?;
    line(out, '›', "types", hostile)?;
    let reply = press(host, out, "deploy")?;
    tell_reply(out, &reply)?;
    line(out, '·', "still in the folder", &host.shell.files()?.join(" "))?;
    line(out, '·', "lastDeploy is still", &host.state("/lastDeploy/result")?.to_string())?;
    Ok(())
}

fn set_version(host: &Host, version: &str) -> Result<(), Box<dyn Error>> {
    let patch = json!([{"op": "replace", "path": "/version", "value": version}]);
    host.window("canvas.patch", json!({"patch": patch}))?.result?;
    Ok(())
}

fn poll_and_undo(host: &Host, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    title(out, "The log is polled, and undo goes below it")?;
    set_version(host, "1.2.9")?;
    line(out, '›', "types", "1.2.9")?;
    for note in ["the disk is at 81 %", "the disk is at 82 %"] {
        host.shell.note(note)?;
        for over in host.poll()? {
            let ActionOver::Ended { ended, .. } = &over else { return Err(format!("{over:?}").into()) };
            let seconds = ended.record.started_at.saturating_duration_since(host::START).as_secs();
            let tail = host.state("/logsTail/result")?;
            let last = tail.as_str().and_then(|tail| tail.lines().next_back()).unwrap_or_default();
            line(
                out,
                '·',
                &format!("pollLogs at {seconds} s"),
                &format!("\"{last}\"; revision {}", ended.revision.get()),
            )?;
        }
    }
    for summary in host.undo()? {
        line(out, '›', "takes back", &summary)?;
    }
    line(out, '·', "version", &host.state("/version")?.to_string())?;
    let tail = host.state("/logsTail/result")?;
    let count = tail.as_str().map_or(0, |tail| tail.lines().count());
    Ok(line(out, '·', "logsTail", &format!("{count} lines, as the last poll left them"))?)
}

fn audit(host: &Host, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    title(out, "What ran")?;
    let mut records = block_on(host.engine.audit(&host.canvas, None, 20, host.now()))?;
    records.reverse();
    for record in records {
        let (number, record) = (record.number, record.record);
        let who = record.job_id.map_or_else(|| "window".to_owned(), |job| job.to_string());
        line(out, '·', &format!("{number} {}", record.action_id), &format!("{who:<9} {}", record.summary))?;
    }
    Ok(())
}

//! Peers that are not written in Rust: the board's, which are libraries of browsers, that of time expressions, those
//! of documents of the past, and OpenAI's own applier of V4A diffs. Node and Python run them.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::board::BoardRow;
use crate::measure::Time;
use crate::native::V4aEdit;

/// Why peers were not run.
#[derive(Debug)]
pub enum Skipped {
    /// The folder of the workloads is not there.
    NoWorkloads(PathBuf),
    /// A program is missing.
    Missing(&'static str, io::Error),
    /// A program failed; the line of what it says that tells why.
    Failed(&'static str, String),
    /// The script printed something else than rows.
    Unreadable(serde_json::Error),
}

impl std::fmt::Display for Skipped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoWorkloads(folder) => {
                write!(f, "no workloads in {}: let CANVAS_DATA name a folder with `board`", folder.display())
            }
            Self::Missing(program, error) => write!(f, "{program} does not start ({error}): install it"),
            Self::Failed(program, said) => write!(f, "{program} failed: {said}"),
            Self::Unreadable(error) => write!(f, "the script prints no rows: {error}"),
        }
    }
}

impl std::error::Error for Skipped {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Missing(_, error) => Some(error),
            Self::Unreadable(error) => Some(error),
            Self::NoWorkloads(_) | Self::Failed(..) => None,
        }
    }
}

/// Runs the peers on the workloads in a folder; each takes this number of seconds at most for each work and size, or what its first
/// repetition takes. The first run installs them, in the versions that the lock file pins, without their scripts.
///
/// # Errors
///
/// Where they cannot be run here.
pub fn rows(workloads: &Path, sizes: &[usize], seconds: u64) -> Result<Vec<BoardRow>, Skipped> {
    if !workloads.is_dir() {
        return Err(Skipped::NoWorkloads(workloads.to_owned()));
    }
    let project = installed()?;
    let sizes: Vec<_> = sizes.iter().map(usize::to_string).collect();
    let mut script = Command::new("node");
    script.arg(project.join("run.mjs")).arg(workloads);
    script.args(["--sizes", &sizes.join(","), "--seconds", &seconds.to_string()]);
    let Output { stdout, .. } = run("node", &mut script)?;
    let rows = serde_json::Deserializer::from_slice(&stdout).into_iter();
    rows.collect::<Result<_, _>>().map_err(Skipped::Unreadable)
}

/// Runs `@elastic/datemath` on the expression of the work `recipe-date`, in the same zone.
///
/// # Errors
///
/// Where it cannot be run here.
pub fn date_math() -> Result<Time, Skipped> {
    let script = installed()?.join("datemath.mjs");
    let Output { stdout, .. } = run("node", Command::new("node").arg(script).env("TZ", "Europe/Berlin"))?;
    let [median_ns, fastest_ns] = serde_json::from_slice(&stdout).map_err(Skipped::Unreadable)?;
    Ok(Time { median_ns, fastest_ns })
}

/// The subjects of [`past`].
pub const PAST: [&str; 5] = ["automerge view", "automerge diff", "yjs snapshot", "yjs diff", "yjs authors"];

/// Runs Automerge and Yjs on a history, for each of [`PAST`].
///
/// # Errors
///
/// Where they cannot be run here, or give another text.
#[expect(clippy::missing_panics_doc, reason = "strings serialise")]
pub fn past(history: &Value) -> Result<[Time; 5], Skipped> {
    let script = installed()?.join("past.mjs");
    let history = serde_json::to_vec(history).expect("strings serialise");
    let Output { stdout, .. } = run_on("node", Command::new("node").arg(script), &history)?;
    let times: [[f64; 2]; 5] = serde_json::from_slice(&stdout).map_err(Skipped::Unreadable)?;
    Ok(times.map(|[median_ns, fastest_ns]| Time { median_ns, fastest_ns }))
}

/// Runs OpenAI's own applier of V4A diffs on one edit. The first run installs it in the pinned version.
///
/// # Errors
///
/// Where it cannot be run here, or gives another text.
#[expect(clippy::missing_panics_doc, reason = "strings serialise")]
pub fn apply_patch(edit: &V4aEdit) -> Result<Time, Skipped> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    let python = project.join("python/bin/python");
    if !python.is_file() {
        run("python3", Command::new("python3").args(["-m", "venv"]).arg(project.join("python")))?;
    }
    let install = ["-m", "pip", "install", "-q", "--disable-pip-version-check", "-r"];
    run("pip", Command::new(&python).args(install).arg(project.join("requirements.txt")))?;
    let mut script = Command::new(&python);
    let script = script.arg(project.join("apply_patch.py"));
    let Output { stdout, .. } =
        run_on("python3", script, &serde_json::to_vec(edit).expect("strings serialise"))?;
    let [median_ns, fastest_ns] = serde_json::from_slice(&stdout).map_err(Skipped::Unreadable)?;
    Ok(Time { median_ns, fastest_ns })
}

/// The folder of the scripts, with what they need.
fn installed() -> Result<PathBuf, Skipped> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    run("node", Command::new("node").arg("--version"))?;
    if !project.join("node_modules/.package-lock.json").is_file() {
        let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
        run("npm", Command::new("npm").args(arguments).current_dir(&project))?;
    }
    Ok(project)
}

fn run(program: &'static str, command: &mut Command) -> Result<Output, Skipped> {
    run_on(program, command, &[])
}

/// Runs a program that reads all of its input before it prints.
fn run_on(program: &'static str, command: &mut Command, input: &[u8]) -> Result<Output, Skipped> {
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let output = child.and_then(|mut child| {
        // One that ends before it has read all says why by itself.
        let _ = child.stdin.take().map(|mut stdin| stdin.write_all(input));
        child.wait_with_output()
    });
    let output = output.map_err(|error| Skipped::Missing(program, error))?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().find(|line| line.contains("rror")).or_else(|| said.lines().last());
    Err(Skipped::Failed(program, line.unwrap_or_default().to_owned()))
}

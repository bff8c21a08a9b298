//! The host of the cockpit's tools: a folder with a few scripts, where commands run by `sh -c`.

use std::error::Error;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use canvas_core::surface::ActionFailure;
use canvas_tools::action::{SessionHost, SessionMessage, ToolHost, ToolInvocation};
use serde_json::{Value, json};

/// Writes each of its words down, and what is live now.
const DEPLOY: &str = r#"#!/bin/sh
{
    echo "deploy was given $# words"
    for word in "$@"; do echo "  [$word]"; done
} >>journal
case $2 in
    *[!0-9.]*) echo "deploy: $2 is no version" | tee -a journal >&2; exit 2 ;;
esac
echo "$1 $2 is live" | tee -a journal
"#;

/// Stands in for systemd's: its unit is the second word, the number of lines the fourth.
const JOURNALCTL: &str = "#!/bin/sh\nexec tail -n \"$4\" journal\n";

/// A server with nothing but a shell.
pub(crate) struct Shell {
    folder: PathBuf,
}

impl Shell {
    /// Makes the folder and its scripts.
    pub(crate) fn open() -> Result<Self, Box<dyn Error>> {
        let folder = std::env::temp_dir().join(format!("canvas-cockpit-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let shell = Self { folder };
        for (name, script) in [("deploy", DEPLOY), ("journalctl", JOURNALCTL)] {
            let path = shell.folder.join(name);
            fs::write(&path, script)?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
        fs::write(shell.folder.join("journal"), "the server is up\n")?;
        Ok(shell)
    }

    /// The names of the files in the folder.
    pub(crate) fn files(&self) -> Result<Vec<String>, Box<dyn Error>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        Ok(names)
    }

    /// Something else on the server writes to the journal.
    pub(crate) fn note(&self, line: &str) -> Result<(), Box<dyn Error>> {
        let path = self.folder.join("journal");
        let journal = fs::read_to_string(&path)?;
        Ok(fs::write(path, journal + line + "\n")?)
    }

    fn run(&self, command: &str, timeout: Duration) -> Result<Value, ActionFailure> {
        let failed = |e: std::io::Error| ActionFailure::Failed { code: None, message: e.to_string() };
        let path = std::env::var("PATH").unwrap_or_default();
        let mut child = Command::new("sh")
            .args(["-c", command])
            .current_dir(&self.folder)
            .env("PATH", format!("{}:{path}", self.folder.display()))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let end = Instant::now() + timeout;
        let status = loop {
            match child.try_wait().map_err(failed)? {
                Some(status) => break status,
                None if Instant::now() >= end => {
                    child.kill().and_then(|()| child.wait()).map_err(failed)?;
                    return Err(ActionFailure::TimedOut);
                }
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        let (mut result, mut error) = (String::new(), String::new());
        child.stdout.take().map_or(Ok(0), |mut out| out.read_to_string(&mut result)).map_err(failed)?;
        child.stderr.take().map_or(Ok(0), |mut out| out.read_to_string(&mut error)).map_err(failed)?;
        if status.success() {
            return Ok(json!({"result": result.trim_end()}));
        }
        Err(ActionFailure::Failed {
            code: status.code().map(|code| code.to_string()),
            message: error.trim_end().into(),
        })
    }
}

impl ToolHost for Shell {
    async fn call(&self, invocation: &ToolInvocation) -> Result<Value, ActionFailure> {
        let command = invocation.arguments["command"].as_str().unwrap_or_default();
        self.run(command, invocation.timeout)
    }
}

/// The assistant is somewhere else: it answers with what it was told to look at.
impl SessionHost for Shell {
    async fn send(&self, message: &SessionMessage) -> Result<Value, ActionFailure> {
        Ok(json!(format!(
            "1. Watch the log for a minute. ({} characters read)",
            message.text.chars().count()
        )))
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        remove(&self.folder);
    }
}

/// A folder that stays behind harms nobody.
fn remove(folder: &Path) {
    drop(fs::remove_dir_all(folder));
}

//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use crate::assistant::AssistantOptions;

/// What `--help` prints.
pub const HELP: &str = "usage: canvas-studio [OPTION]...

One canvas in a browser. The address of the page is printed.

  --db FILE          keep canvases in an SQLite file (in memory)
  --port N           listen at this port of 127.0.0.1; 0 takes any that is free (8420)
  --script FILE      recorded answers of the assistant, in place of those that are built in
  --live PROVIDER    let a model in; the key is taken from the environment, such as ANTHROPIC_API_KEY
  --model MODEL      the model, with --live
  --base-url URL     another host that speaks the provider's dialect, with --live
  --no-assistant     nobody answers
  --tools-version N  the version of the host's tools that recipes see (1): another one makes their data stale";

/// What the program runs with.
#[derive(Debug, Clone)]
pub struct Options {
    /// The file of the database; in memory without one.
    pub db: Option<PathBuf>,
    /// The port of the page.
    pub port: u16,
    /// Who answers.
    pub assistant: AssistantOptions,
    /// The version of the host's tools.
    pub tools_version: u32,
    /// How long a call waits for a database that another program has locked.
    pub busy: Duration,
    /// How long a page may take to read what it is sent. Then it is let go.
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            db: None,
            port: 8420,
            assistant: AssistantOptions::default(),
            tools_version: 1,
            busy: Duration::from_secs(2),
            patience: Duration::from_secs(30),
        }
    }
}

impl Options {
    /// Reads the command line; `None` where help is asked for. An error is one sentence.
    ///
    /// # Errors
    ///
    /// Where an option is unknown, or has no value that it takes.
    pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Option<Self>, String> {
        let mut options = Self::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let mut value =
                || arguments.next().ok_or_else(|| format!("{argument} needs a value: see --help"));
            let number = |value: String| {
                let why = format!("{argument} takes a number, not {value:?}: see --help");
                value.parse::<u32>().map_err(|_| why)
            };
            match argument.as_str() {
                "--help" | "-h" => return Ok(None),
                "--db" => options.db = Some(value()?.into()),
                "--port" => {
                    let port = number(value()?)?;
                    let wrong = |_| format!("there is no port {port}: take one from 0 to 65535");
                    options.port = port.try_into().map_err(wrong)?;
                }
                "--script" => options.assistant.script = Some(value()?.into()),
                "--live" => options.assistant.live = Some(value()?),
                "--model" => options.assistant.model = Some(value()?),
                "--base-url" => options.assistant.base_url = Some(value()?),
                "--no-assistant" => options.assistant.is_off = true,
                "--tools-version" => options.tools_version = number(value()?)?,
                _ => return Err(format!("there is no option {argument}: see --help")),
            }
        }
        Ok(Some(options))
    }
}

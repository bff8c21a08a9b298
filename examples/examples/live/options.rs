//! The command line and the keys of the environment.

use std::time::Duration;

use canvas_examples::live::{ClientOptions, Endpoint};
use canvas_providers::{Provider, Retries};

pub(crate) const USAGE: &str = "usage: live --model MODEL [OPTION]... [MESSAGE]

A model edits a document in memory as MESSAGE says, and the transcript is printed.

  --provider NAME   whose dialect is spoken (anthropic)
  --base-url URL    another host that speaks it, such as http://localhost:8080
  --file FILE       the document; the file stays as it is
  --no-stream       ask for whole answers
  --attempts N      how often a request is sent at most (4)
  --longest-wait S  give up where the provider asks for a longer wait, in seconds (60)

The key is taken from the environment: ANTHROPIC_API_KEY for anthropic.";

const DOCUMENT: &str = "\
# Release

- Run the tests.
- Tag the commit.
";

const MESSAGE: &str = "Add a step at the end of the list: announce the release.";

/// What the example runs with.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) provider: Provider,
    pub(crate) client: ClientOptions,
    pub(crate) retries: Retries,
    pub(crate) document: String,
    pub(crate) message: String,
}

impl Options {
    /// Reads the command line; `None` where help is asked for. An error is one sentence.
    pub(crate) fn parse(
        arguments: impl IntoIterator<Item = String>,
        variable: impl FnOnce(&str) -> Option<String>,
    ) -> Result<Option<Self>, String> {
        let (mut provider, mut base_url, mut model) = ("anthropic".to_owned(), None, None);
        let (mut document, mut message, mut streamed) = (DOCUMENT.to_owned(), None, true);
        let mut retries = Retries::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let mut value =
                || arguments.next().ok_or_else(|| format!("{argument} needs a value: see --help"));
            match argument.as_str() {
                "--help" | "-h" => return Ok(None),
                "--provider" => provider = value()?,
                "--base-url" => base_url = Some(value()?),
                "--model" => model = Some(value()?),
                "--file" => {
                    let path = value()?;
                    document = std::fs::read_to_string(&path)
                        .map_err(|e| format!("{path} cannot be read ({e}): name a text file"))?;
                }
                "--no-stream" => streamed = false,
                "--attempts" => retries.attempts = number(&argument, &value()?)?,
                "--longest-wait" => {
                    retries.max_backoff = Duration::from_secs(number(&argument, &value()?)?.into());
                }
                _ if argument.starts_with("--") => {
                    return Err(format!("there is no option {argument}: see --help"));
                }
                _ if message.is_none() => message = Some(argument),
                _ => return Err("there are too many arguments: put the message into quotes".to_owned()),
            }
        }
        let provider: Provider =
            provider.parse().map_err(|e: canvas_providers::UnknownProvider| e.to_string())?;
        let endpoint = Endpoint::of(provider)
            .ok_or_else(|| format!("it is not known where {provider} is reached: choose another provider"))?;
        let key = endpoint.key.and_then(variable).filter(|key| !key.trim().is_empty());
        // A host on this machine mostly wants none.
        if let (Some(name), None, None) = (endpoint.key, &key, &base_url) {
            return Err(format!("there is no key: set {name}, or name another host with --base-url"));
        }
        Ok(Some(Self {
            provider,
            client: ClientOptions {
                endpoint,
                base_url: base_url.unwrap_or_else(|| endpoint.base_url.to_owned()),
                model: model.ok_or("there is no model: name one with --model")?,
                key,
                streamed,
            },
            retries,
            document,
            message: message.unwrap_or_else(|| MESSAGE.to_owned()),
        }))
    }
}

fn number(option: &str, value: &str) -> Result<u32, String> {
    value.parse().map_err(|_| format!("{option} takes a whole number, not {value:?}"))
}

//! The command line.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use canvas_core::proposal::{PartChoice, PartId};
use canvas_core::{CanvasId, PersonId};
use canvas_tools::SessionMode;
use canvas_tools::native::Dialect;

/// What `--help` prints.
pub const HELP: &str = "\
canvas-mcp: documents and boards for the clients of the Model Context Protocol

usage: canvas-mcp [OPTIONS]               speaks over standard input and output
       canvas-mcp --check [OPTIONS]       tries the files and the database, and prints what a client's configuration holds
       canvas-mcp draft FILE [OPTIONS]    prints the draft that was kept when a save of the user overlapped it;
                                          with --throw-away it is let go
       canvas-mcp review FILE [OPTIONS]   prints the changes that models propose there, each with its id; --accept and
                                          --reject take ids separated by commas, or all; --note TEXT says why

  --db FILE          keeps canvases in an SQLite file; without it and --postgres they are gone at the end
  --postgres URL     keeps canvases in a PostgreSQL database
  --document FILE    edits this Markdown file: takes in what others save there, writes it when a model checks in; may be
                     repeated
  --folder FOLDER    edits the Markdown files below it, but those that an ignore file names
  --was OLD          after a --document: the file was there before, and keeps its canvas
  --canvas ID        the canvas that calls are about which name none (notes, or that of the file)
  --http ADDR        serves streamable HTTP there, such as 127.0.0.1:0; the first line of output is its address
  --allow-host HOST  with --http: answers requests to this name too (loopback names always), may be repeated
  --allow-origin O   with --http: answers pages of this origin, such as https://app.example.com:443, may be repeated
  --tools LIST       of document, board, directive, surface, separated by commas (all; with files: document)
  --dialect [FORM]   edits in a native form: auto (the usual: by the name of the client), text-editor, apply-patch,
                     codex-patch, edit, replace or search-replace
  --propose          edits of models wait until the user decides on them, in the page or with canvas-mcp review
  --ttl SECONDS      how long a lease lives without a call (15)
  --person NAME      who the person at this server is, in the history (user); models never see the name
  --quiet SECONDS    after a person took control, how long before a model may begin again by itself (10)
  --trace            writes a line of JSON to standard error for each call, with the traceparent of its request
  --conformance      adds the fixtures of the public conformance suite
  --help, --version";

/// What the server is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Where canvases are kept.
    pub store: StoreOption,
    /// The files whose documents are edited.
    pub documents: Vec<DocumentOption>,
    /// The folder below which Markdown files are edited.
    pub folder: Option<PathBuf>,
    /// The first canvas; `None` for its usual name.
    pub canvas: Option<CanvasId>,
    /// Where to serve HTTP; `None` for standard input and output.
    pub http: Option<SocketAddr>,
    /// Names that HTTP requests may be sent to, beside those of loopback.
    pub allow_hosts: Vec<String>,
    /// Origins of pages that may ask.
    pub allow_origins: Vec<String>,
    /// The toolsets.
    pub tools: Toolsets,
    /// Whether edits of models wait for a decision.
    pub proposes: bool,
    /// The form of edits.
    pub dialect: DialectOption,
    /// The life of a lease.
    pub ttl: Duration,
    /// The person at this server; `None` for `user`.
    pub person: Option<PersonId>,
    /// How long people are left alone after they took control.
    pub quiet: Duration,
    /// Whether each call is written to standard error.
    pub trace: bool,
    /// Whether the fixtures of the conformance suite are there.
    pub conformance: bool,
}

/// A file whose document is edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentOption {
    /// Where it is.
    pub path: PathBuf,
    /// Where it was before.
    pub was: Option<PathBuf>,
}

/// Where canvases are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreOption {
    /// In memory.
    Memory,
    /// In an SQLite file.
    Sqlite(PathBuf),
    /// In a PostgreSQL database, by its URL.
    Postgres(String),
}

/// The toolsets that models get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Toolsets {
    /// Reading and patching the document.
    pub document: bool,
    /// The board of components.
    pub board: bool,
    /// Edits without a lease.
    pub directive: bool,
    /// Panels of state and actions.
    pub surface: bool,
}

/// The form in which models edit the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DialectOption {
    /// The addressed tools.
    Addressed,
    /// What suits the client's name; the addressed tools where it is not known.
    Auto,
    /// This one.
    Fixed(Dialect),
}

/// What a command line asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// Serve.
    Serve(Box<Options>),
    /// Try what would be served.
    Check {
        /// What would be served.
        options: Box<Options>,
        /// The options as they were given, but `--check`.
        given: Vec<(String, Option<OsString>)>,
    },
    /// Print the draft that is kept for the first document.
    Draft(Box<Options>),
    /// Let it go.
    ThrowDraftAway(Box<Options>),
    /// Print what models propose, or decide on it.
    Review {
        /// The document.
        options: Box<Options>,
        /// What is decided.
        verdict: Verdict,
    },
    /// Print [`HELP`].
    Help,
    /// Print the version.
    Version,
}

/// Parts that a command line decides on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verdict {
    /// Parts that go into the document.
    pub accept: ChosenParts,
    /// Parts that leave their proposals.
    pub reject: ChosenParts,
    /// Why, for the model.
    pub note: Option<String>,
}

/// All parts that wait, or some.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChosenParts {
    /// All of them.
    All,
    /// These.
    Some(Vec<MarkedPart>),
}

/// A part, as it was printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkedPart {
    /// Its id.
    pub part: PartId,
    /// The mark of its text; `None` for whatever it has become.
    pub mark: Option<String>,
}

impl Default for ChosenParts {
    fn default() -> Self {
        Self::Some(Vec::new())
    }
}

impl ChosenParts {
    pub(crate) fn parts(&self) -> &[MarkedPart] {
        match self {
            Self::All => &[],
            Self::Some(parts) => parts,
        }
    }
}

impl From<ChosenParts> for PartChoice {
    fn from(chosen: ChosenParts) -> Self {
        match chosen {
            ChosenParts::All => Self::All,
            ChosenParts::Some(parts) => Self::Only(parts.into_iter().map(|marked| marked.part).collect()),
        }
    }
}

/// What stands before the options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Serve,
    Draft,
    Review,
}

/// A command line that cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageError(String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: see canvas-mcp --help", self.0)
    }
}

impl std::error::Error for UsageError {}

impl Default for Options {
    fn default() -> Self {
        Self {
            store: StoreOption::Memory,
            documents: Vec::new(),
            folder: None,
            canvas: None,
            http: None,
            allow_hosts: Vec::new(),
            allow_origins: Vec::new(),
            tools: Toolsets { document: true, board: true, directive: true, surface: true },
            proposes: false,
            dialect: DialectOption::Addressed,
            ttl: Duration::from_secs(15),
            person: None,
            quiet: Duration::from_secs(10),
            trace: false,
            conformance: false,
        }
    }
}

impl Options {
    /// Reads the arguments after the name of the program.
    ///
    /// # Errors
    ///
    /// [`UsageError`] for the first argument that cannot be followed.
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Asked, UsageError> {
        let (mut options, mut arguments) = (Self::default(), arguments.into_iter().peekable());
        let (mut keeps, mut names_tools, mut was) = (0, false, None);
        let (mut checks, mut throws, mut given) = (false, false, Vec::new());
        let word = match arguments.next_if(|first| first == "draft" || first == "review") {
            None => Word::Serve,
            Some(word) if word == "draft" => Word::Draft,
            Some(_) => Word::Review,
        };
        let mut verdict = Verdict::default();
        while let Some(argument) = arguments.next() {
            // Only paths are no text.
            let argument = text(argument)?;
            let (name, inline) = match argument.split_once('=') {
                Some((name, value)) if name.starts_with("--") => {
                    (name.to_owned(), Some(OsString::from(value)))
                }
                _ => (argument, None),
            };
            let is_alone = inline.is_none()
                && arguments.peek().is_none_or(|next| next.as_encoded_bytes().starts_with(b"-"));
            let mut value = || {
                let value = inline.clone().or_else(|| arguments.next());
                let value = value.ok_or_else(|| UsageError(format!("{name} needs a value")))?;
                given.push((name.clone(), Some(value.clone())));
                Ok::<_, UsageError>(value)
            };
            match name.as_str() {
                "--help" | "-h" => return Ok(Asked::Help),
                "--version" | "-V" => return Ok(Asked::Version),
                "--db" => {
                    options.store = StoreOption::Sqlite(path(value()?));
                    keeps += 1;
                }
                "--postgres" => {
                    options.store = StoreOption::Postgres(text(value()?)?);
                    keeps += 1;
                }
                "--document" => {
                    options.documents.push(DocumentOption { path: path(value()?), was: was.take() });
                }
                "--folder" if options.folder.is_some() => {
                    return Err(UsageError("one --folder is served: name a folder above both".into()));
                }
                "--folder" => options.folder = Some(path(value()?)),
                "--was" => match options.documents.last_mut() {
                    Some(document) if document.was.is_none() => document.was = Some(path(value()?)),
                    _ => was = Some(path(value()?)),
                },
                "--canvas" => options.canvas = Some(canvas(&text(value()?)?)?),
                "--http" => options.http = Some(address(&text(value()?)?)?),
                "--allow-host" => options.allow_hosts.push(text(value()?)?),
                "--allow-origin" => options.allow_origins.push(text(value()?)?),
                "--tools" => {
                    options.tools = toolsets(&text(value()?)?)?;
                    names_tools = true;
                }
                // Alone it follows the name of the client.
                "--dialect" if is_alone => {
                    options.dialect = DialectOption::Auto;
                    given.push((name, None));
                }
                "--dialect" => options.dialect = dialect(&text(value()?)?)?,
                "--ttl" => options.ttl = seconds("--ttl", &text(value()?)?)?,
                "--person" => {
                    options.person =
                        Some(person(&text(value()?)?)?).filter(|name| *name != PersonId::default());
                }
                "--quiet" => options.quiet = seconds("--quiet", &text(value()?)?)?,
                "--conformance" | "--propose" | "--trace" => {
                    options.proposes |= name == "--propose";
                    options.conformance |= name == "--conformance";
                    options.trace |= name == "--trace";
                    given.push((name, None));
                }
                "--check" if word == Word::Serve => checks = true,
                "--throw-away" if word == Word::Draft => throws = true,
                "--accept" if word == Word::Review => verdict.accept = parts(&name, &text(value()?)?)?,
                "--reject" if word == Word::Review => verdict.reject = parts(&name, &text(value()?)?)?,
                "--note" if word == Word::Review => verdict.note = Some(text(value()?)?),
                file if word != Word::Serve && !file.starts_with('-') => {
                    options.documents.push(DocumentOption { path: path(file.into()), was: None });
                }
                other => return Err(UsageError(format!("there is no option {other}"))),
            }
        }
        if keeps > 1 {
            return Err(UsageError("canvases are kept at one place: give one of --db and --postgres".into()));
        }
        if was.is_some() {
            return Err(UsageError("--was says where a --document was before: name both".into()));
        }
        let has_files = !options.documents.is_empty() || options.folder.is_some();
        if options.canvas.is_some() && (options.documents.len() > 1 || options.folder.is_some()) {
            return Err(UsageError("--canvas is that of one --document: leave it out".into()));
        }
        if has_files && !names_tools {
            options.tools = toolsets("document")?;
        }
        if options.proposes && !names_tools {
            options.tools = toolsets("document")?;
        }
        if options.proposes && (options.tools.board || options.tools.surface) {
            let message =
                "--propose has the tools document and directive: a board does not wait for decisions";
            return Err(UsageError(message.into()));
        }
        let files = options.documents.len();
        if word != Word::Serve && (options.folder.is_some() || files > 1 || files == 0 && word == Word::Draft)
        {
            let word = if word == Word::Draft { "draft" } else { "review" };
            return Err(UsageError(format!("{word} takes one file")));
        }
        let options = Box::new(options);
        Ok(match word {
            Word::Draft if throws => Asked::ThrowDraftAway(options),
            Word::Draft => Asked::Draft(options),
            Word::Review => Asked::Review { options, verdict },
            Word::Serve if checks => Asked::Check { options, given },
            Word::Serve => Asked::Serve(options),
        })
    }

    /// Whether edits of models wait for a decision.
    pub(crate) fn mode(&self) -> SessionMode {
        if self.proposes { SessionMode::propose() } else { SessionMode::Direct }
    }

    /// What a model calls the document in a native form.
    pub fn document_name(&self) -> String {
        let name = self.documents.first().and_then(|document| document.path.file_name());
        name.map_or_else(|| "document.md".to_owned(), |name| name.to_string_lossy().into_owned())
    }
}

fn text(argument: OsString) -> Result<String, UsageError> {
    argument.into_string().map_err(|argument| UsageError(format!("{} is no text", argument.display())))
}

/// A path in which a leading `~/` stands for the folder of the user, as shells have it and configurations of clients have not.
pub(crate) fn path(argument: OsString) -> PathBuf {
    let home = argument.to_str().and_then(|text| Some(std::env::home_dir()?.join(text.strip_prefix("~/")?)));
    home.unwrap_or_else(|| argument.into())
}

fn canvas(text: &str) -> Result<CanvasId, UsageError> {
    CanvasId::new(text).map_err(|error| UsageError(format!("--canvas: {error}")))
}

fn person(text: &str) -> Result<PersonId, UsageError> {
    PersonId::new(text).map_err(|error| UsageError(format!("--person: {error}")))
}

fn address(text: &str) -> Result<SocketAddr, UsageError> {
    let address = text.replacen("localhost:", "127.0.0.1:", 1);
    address.parse().map_err(|_| UsageError(format!("--http takes an address and a port, not {text:?}")))
}

fn seconds(name: &str, text: &str) -> Result<Duration, UsageError> {
    match text.parse::<u32>() {
        Ok(seconds @ 1..=86_400) => Ok(Duration::from_secs(seconds.into())),
        _ => Err(UsageError(format!("{name} takes 1 to 86400 seconds, not {text:?}"))),
    }
}

fn toolsets(text: &str) -> Result<Toolsets, UsageError> {
    let mut tools = Toolsets { document: false, board: false, directive: false, surface: false };
    for name in text.split(',') {
        match name.trim() {
            "document" => tools.document = true,
            "board" => tools.board = true,
            "directive" => tools.directive = true,
            "surface" => tools.surface = true,
            other => return Err(UsageError(format!("--tools has no {other:?}"))),
        }
    }
    Ok(tools)
}

fn parts(name: &str, text: &str) -> Result<ChosenParts, UsageError> {
    if text == "all" {
        return Ok(ChosenParts::All);
    }
    let part = |id: &str| {
        let (id, mark) = match id.trim().split_once('@') {
            Some((id, mark)) => (id, Some(mark.to_owned())),
            None => (id.trim(), None),
        };
        let part = id.parse().map_err(|_| {
            UsageError(format!("{name} takes all, or ids that canvas-mcp review prints, not {id:?}"))
        })?;
        Ok(MarkedPart { part, mark })
    };
    text.split(',').map(part).collect::<Result<_, _>>().map(ChosenParts::Some)
}

fn dialect(text: &str) -> Result<DialectOption, UsageError> {
    match text {
        "auto" => Ok(DialectOption::Auto),
        "addressed" => Ok(DialectOption::Addressed),
        name => Dialect::from_code(name)
            .map(DialectOption::Fixed)
            .ok_or_else(|| UsageError(format!("--dialect has no {name:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Asked, UsageError> {
        Options::parse(line.split_whitespace().map(OsString::from))
    }

    fn serve(line: &str) -> Options {
        match parse(line) {
            Ok(Asked::Serve(options)) => *options,
            other => panic!("{line:?} is {other:?}"),
        }
    }

    #[test]
    fn what_is_asked_for() {
        assert_eq!(serve(""), Options::default());
        assert_eq!(serve("--db a.db").store, StoreOption::Sqlite("a.db".into()));
        assert_eq!(serve("--db=a.db").store, StoreOption::Sqlite("a.db".into()));
        assert_eq!(serve("--postgres postgres://x").store, StoreOption::Postgres("postgres://x".into()));
        assert_eq!(serve("--http 127.0.0.1:0").http, Some(([127, 0, 0, 1], 0).into()));
        assert_eq!(serve("--http localhost:80").http, Some(([127, 0, 0, 1], 80).into()));
        assert_eq!(serve("--person Zoë").person, PersonId::new("Zoë").ok());
        assert_eq!(serve("--ttl 2").ttl, Duration::from_secs(2));
        for line in ["--dialect auto", "--dialect", "--dialect --db a.db"] {
            assert_eq!(serve(line).dialect, DialectOption::Auto, "{line}");
        }
        assert_eq!(serve("--dialect edit").dialect, DialectOption::Fixed(Dialect::Edit));
        let tools = serve("--tools document,board").tools;
        assert!(tools.document && tools.board && !tools.directive && !tools.surface);
        let tools = serve("--document plan.md").tools;
        assert!(tools.document && !tools.board && !tools.directive && !tools.surface);
        let document =
            |path: &str, was: Option<&str>| DocumentOption { path: path.into(), was: was.map(Into::into) };
        for (line, documents) in [
            ("--document a.md --document b.md", vec![document("a.md", None), document("b.md", None)]),
            (
                "--document a.md --was o.md --document b.md",
                vec![document("a.md", Some("o.md")), document("b.md", None)],
            ),
            ("--was o.md --document a.md", vec![document("a.md", Some("o.md"))]),
        ] {
            assert_eq!(serve(line).documents, documents, "{line}");
        }
        for line in ["draft a.md --db x.db", "draft --db x.db --document a.md"] {
            let Ok(Asked::Draft(options)) = parse(line) else { panic!("{line}") };
            assert_eq!(options.documents, [document("a.md", None)], "{line}");
        }
        for (line, accept, reject, note) in [
            ("review a.md", Some(vec![]), vec![], None),
            (
                "review a.md --accept p1@c0ffee,p3 --reject=p2 --note no",
                Some(vec![(1, Some("c0ffee")), (3, None)]),
                vec![(2, None)],
                Some("no"),
            ),
            ("review --db a.db --accept all", None, vec![], None),
        ] {
            let choice = |parts: Vec<(u64, Option<&str>)>| {
                let part = |(id, mark): (u64, Option<&str>)| MarkedPart {
                    part: PartId::new(id),
                    mark: mark.map(str::to_owned),
                };
                ChosenParts::Some(parts.into_iter().map(part).collect())
            };
            let accept = accept.map_or(ChosenParts::All, choice);
            let verdict = Verdict { accept, reject: choice(reject), note: note.map(str::to_owned) };
            let Ok(Asked::Review { verdict: read, .. }) = parse(line) else { panic!("{line}") };
            assert_eq!(read, verdict, "{line}");
        }
        let proposing = serve("--propose");
        assert!(proposing.proposes && proposing.tools == toolsets("document").unwrap());
        assert!(matches!(parse("draft a.md --throw-away"), Ok(Asked::ThrowDraftAway(_))));
        let Ok(Asked::Check { given, .. }) = parse("--check --db=x.db --dialect --document a.md") else {
            panic!("a check")
        };
        let given: Vec<_> = given
            .iter()
            .map(|(name, value)| (&**name, value.as_ref().and_then(|value| value.to_str())))
            .collect();
        assert_eq!(given, [("--db", Some("x.db")), ("--dialect", None), ("--document", Some("a.md"))]);
        assert_eq!(serve("--folder notes").folder, Some("notes".into()));
        assert_eq!(parse("--db x --help"), Ok(Asked::Help));
        assert_eq!(parse("--version"), Ok(Asked::Version));
    }

    #[test]
    fn what_cannot_be_followed() {
        for line in [
            "--db",
            "--nothing",
            "notes.db",
            "--http nowhere",
            "--http 127.0.0.1",
            "--person=",
            "--person=\u{202e}a",
            "--ttl 0",
            "--ttl x",
            "--tools fish",
            "--dialect fish",
            "--db a --postgres b",
            "--folder a --folder b",
            "--canvas x --document a.md --document b.md",
            "--canvas x --folder a",
            "--document a.md --was b.md --was c.md",
            "draft",
            "draft a.md b.md",
            "draft --folder a",
            "draft a.md --check",
            "--throw-away",
            "--propose --tools document,board",
            "review a.md b.md",
            "review a.md --accept 1",
            "review a.md --accept",
            "--accept p1",
            "--was a.md",
        ] {
            let error = parse(line).expect_err(line);
            assert!(error.to_string().ends_with("see canvas-mcp --help"), "{error}");
        }
    }
}

//! `--check`: whether what a command line names can be served, and what a client's configuration holds.

use std::ffi::OsString;
use std::path::Path;

use canvas_core::Policy;
use serde_json::json;

use crate::failure::Failure;
use crate::file::{is_document, may_be_written};
use crate::files::markdown_below;
use crate::identity::{canonical, folder_of};
use crate::open::open;
use crate::options::{Options, StoreOption, path};

/// An option and its value.
type Given = (String, Option<OsString>);

/// What is printed, or what has to be put right.
pub(crate) async fn check(options: &Options, given: &[Given]) -> Result<String, Failure> {
    let mut good = Vec::new();
    let mut bad = Vec::new();
    let mut note = |what: String, tried: Result<String, Failure>| match tried {
        Ok(said) => good.push(format!("ok    {what}: {said}\n")),
        Err(error) => bad.push(format!("      {what}: {error}\n")),
    };
    for document in &options.documents {
        let path = canonical(&document.path);
        note(path.display().to_string(), document_at(&path));
    }
    if let Some(folder) = options.folder.as_deref().map(canonical) {
        let (files, fault) = markdown_below(&folder);
        let count = format!("Markdown files: {}", files.len());
        note(folder.display().to_string(), fault.map_or(Ok(count), |fault| Err(fault.into())));
    }
    match &options.store {
        StoreOption::Memory => {
            note("canvases".into(), Ok("in memory, so that drafts and history end with it".into()))
        }
        StoreOption::Sqlite(path) if !path.exists() => {
            let path = canonical(path);
            note(path.display().to_string(), writable(&path).map(|()| "is new".into()));
        }
        StoreOption::Sqlite(path) => {
            let tried = open(&options.store).await.map(drop).map_err(Failure::from);
            let tried = tried.and_then(|()| Ok(std::fs::OpenOptions::new().append(true).open(path)?));
            note(canonical(path).display().to_string(), tried.map(|_| "is a database of canvases".into()));
        }
        StoreOption::Postgres(_) => {
            let tried = open(&options.store).await;
            note("PostgreSQL".into(), tried.map(|_| "has the tables".into()).map_err(Failure::from));
        }
    }
    if let Some(address) = options.http {
        let tried = std::net::TcpListener::bind(address).map_err(Failure::from);
        note(address.to_string(), tried.map(|_| "is free".into()));
    }
    if !bad.is_empty() {
        return Err(format!("this cannot be served as it is:\n{}{}", good.concat(), bad.concat()).into());
    }
    Ok(format!("{}\n{}", good.concat(), configurations(options, given)?))
}

/// What is there now, or is made at the start.
fn document_at(path: &Path) -> Result<String, Failure> {
    let data = match std::fs::metadata(path) {
        Ok(data) => data,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            writable(path)?;
            return Ok("is new: it is made at the start".into());
        }
        Err(error) => return Err(error.into()),
    };
    is_document(&data, Policy::default().document.bytes)?;
    let text = String::from_utf8(std::fs::read(path)?)
        .map_err(|error| format!("no text in UTF-8, at byte {}", error.utf8_error().valid_up_to()))?;
    may_be_written(path, &data)?;
    writable(path)?;
    Ok(format!("text of {} bytes, may be written", text.len()))
}

/// Whether a file may be made beside another.
fn writable(path: &Path) -> Result<(), Failure> {
    let folder = folder_of(path);
    let probe = folder.join(format!(".canvas-mcp-check-{}", std::process::id()));
    let made = std::fs::File::create_new(&probe);
    drop(std::fs::remove_file(&probe));
    made.map(drop).map_err(|error| format!("no file can be made in {}: {error}", folder.display()).into())
}

/// Lines for the clients that most people have, with whole paths: clients start servers wherever they like.
fn configurations(options: &Options, given: &[Given]) -> Result<String, Failure> {
    let command = std::env::current_exe()?.to_string_lossy().into_owned();
    if options.http.is_some() {
        return Ok("A client gets the URL that the server prints at its start.\n".into());
    }
    let arguments = arguments(given);
    let servers = json!({"mcpServers": {"canvas": {"command": command, "args": arguments}}});
    let code = json!({"name": "canvas", "command": command, "args": arguments});
    let line: Vec<_> = std::iter::once(&command).chain(&arguments).map(|word| quoted(word)).collect();
    let line = line.join(" ");
    Ok(format!(
        "Claude Desktop, Cursor:  {servers}\nClaude Code:             claude mcp add canvas -- {line}\n\
         VS Code:                 code --add-mcp {}\n",
        quoted(&code.to_string())
    ))
}

/// The options as they were given, with whole paths.
fn arguments(given: &[Given]) -> Vec<String> {
    let mut arguments = Vec::new();
    for (name, value) in given {
        arguments.push(name.clone());
        let is_path = ["--db", "--document", "--folder", "--was"].contains(&&**name);
        let value = value.as_ref().map(|value| match is_path {
            true => canonical(&path(value.clone())).to_string_lossy().into_owned(),
            false => value.to_string_lossy().into_owned(),
        });
        arguments.extend(value);
    }
    arguments
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

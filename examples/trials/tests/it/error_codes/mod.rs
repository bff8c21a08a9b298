//! The table of error codes (`canvas-core/ERRORS.md`) has every code of the sources and no other, and every error has one.

mod messages;
mod types;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use canvas_core::ErrorReport;
use canvas_examples::http::{http_status, status_of};

const CRATES: [&str; 5] = ["canvas-patch", "canvas-lease", "canvas-core", "canvas-tools", "canvas-providers"];

/// Upper-case texts in the sources that are no codes. The last are variables of the environment that have keys.
const NO_CODES: &[&str] = &[
    "CANVAS_MODEL",
    "SCREAMING_SNAKE_CASE",
    "COMMIT",
    "FULL",
    "NORMAL",
    "ROLLBACK",
    "ANTHROPIC_API_KEY",
    "AWS_BEARER_TOKEN_BEDROCK",
    "GEMINI_API_KEY",
    "OPENAI_API_KEY",
];

/// Sources without codes of their own: tests, the suite that judges stores, a table of codes, and a wire whose own words
/// are in upper case.
const NO_SOURCES: &[&str] =
    &["tests.rs", "tests", "laws.rs", "model.rs", "strategies.rs", "testing", "gemini", "http.rs"];

/// Sections of the table without codes of errors.
const NO_ERRORS: [&str; 2] = ["Reasons of ", "Reported in addition to errors"];

/// Codes that no request is refused with: warnings of a spec, and results of calls that were never run.
const NEVER_RETURNED: [&str; 12] = [
    "ACTION_UNBOUND",
    "ANSWER_BROKEN",
    "CALL_DECLINED",
    "CALL_INTERRUPTED",
    "CALL_MALFORMED",
    "CALL_TRUNCATED",
    "CONFIRM_IGNORED",
    "JOB_DISABLED",
    "SAVE_PREFIXED",
    "SAVE_UNREACHABLE",
    "STATE_NO_OBJECT",
    "TOOL_UNUSED",
];

fn is_code(word: &str) -> bool {
    let upper = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    word.len() > 3 && word.bytes().all(upper) && word.as_bytes()[0].is_ascii_uppercase()
}

/// Texts between `quote` marks that look like codes.
fn quoted(text: &str, quote: char) -> impl Iterator<Item = String> {
    text.split(quote).skip(1).step_by(2).filter(|word| is_code(word)).map(str::to_owned)
}

/// The sources in these folders without comments and tests.
fn sources(folders: &[String]) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut sources = Vec::new();
    for folder in folders {
        collect(&root.join(folder), &mut sources);
    }
    sources
}

fn collect(folder: &Path, sources: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if NO_SOURCES.contains(&name) {
            continue;
        }
        if path.is_dir() {
            collect(&path, sources);
        } else if name.ends_with(".rs") {
            let source = fs::read_to_string(&path).unwrap();
            // Tests come last in a file.
            let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
            let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            sources.push(code.fold(String::new(), |code, line| code + line + "\n"));
        }
    }
}

#[test]
fn the_table_has_every_code_and_no_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = CRATES.map(|krate| format!("{krate}/src")).to_vec();
    all.extend(["examples/src", "canvas-core/stores"].map(str::to_owned));
    all.retain(|folder| root.join(folder).is_dir());
    let mut codes = BTreeSet::new();
    for code in sources(&all) {
        codes.extend(code.lines().flat_map(|line| quoted(line, '"').collect::<Vec<_>>()));
    }
    codes.retain(|code| !NO_CODES.contains(&code.as_str()));

    let table = fs::read_to_string(root.join("canvas-core/ERRORS.md")).unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    let listed: Vec<String> = rows
        .clone()
        .flat_map(|row| quoted(row.split(" | ").next().unwrap(), '`').collect::<Vec<_>>())
        .collect();
    // Reasons that a row names beside its code.
    let beside: BTreeSet<String> = rows.flat_map(|row| quoted(row, '`').collect::<Vec<_>>()).collect();

    let missing: Vec<_> = codes.iter().filter(|code| !beside.contains(*code)).collect();
    let surplus: Vec<_> = listed.iter().filter(|code| !codes.contains(*code)).collect();
    assert!(missing.is_empty(), "give these a row in ERRORS.md: {missing:?}");
    assert!(surplus.is_empty(), "no source has these codes of ERRORS.md: {surplus:?}");
    let mut once = BTreeSet::new();
    let twice: Vec<_> = listed.iter().filter(|code| !once.insert(*code)).collect();
    // What data say of a fetch, and a patch of a text, have two words in common with others.
    assert_eq!(twice, ["NOT_FOUND", "INVALID_QUERY"], "one row a code");
    assert!(codes.len() > 150, "{} codes", codes.len());
}

#[test]
fn each_error_code_has_an_http_status() {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../canvas-core/ERRORS.md");
    let table = fs::read_to_string(table).unwrap();
    let sections = table.split("\n## ").filter(|section| !NO_ERRORS.iter().any(|no| section.starts_with(no)));
    let rows = sections.flat_map(str::lines).filter(|line| line.starts_with("| `"));
    for code in rows.flat_map(|row| quoted(row.split(" | ").next().unwrap(), '`')) {
        assert_eq!(status_of(&code).is_none(), NEVER_RETURNED.contains(&code.as_str()), "{code}");
    }
    for (code, retryable, status) in [
        ("STORE_BUSY", true, 503),
        ("STORE_DENIED", false, 500),
        ("CANVAS_NOT_FOUND", false, 404),
        ("DOCUMENT_TOO_LARGE", false, 413),
        ("INVALID_NAME", false, 400),
        ("HISTORY_CONFLICT", false, 409),
        ("LOCK_NOT_AVAILABLE", true, 503),
        ("ANOTHER", false, 500),
    ] {
        let report = ErrorReport { code, reason: None, message: String::new(), retryable };
        assert_eq!(http_status(&report), status, "{code}");
    }
}

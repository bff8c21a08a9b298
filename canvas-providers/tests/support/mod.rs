//! What the tests share: where data lies, and a judge of requests that knows nothing of the encoder.

#![allow(dead_code, reason = "each test binary uses its own part")]

pub(crate) mod judge;

use std::path::{Path, PathBuf};

use proptest::test_runner::Config;
use serde_json::Value;

/// The cases of a fixture file of this crate.
pub(crate) fn cases(file: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(file);
    match read_json(&path) {
        Value::Array(cases) => cases,
        _ => panic!("{file} holds a list of cases"),
    }
}

/// The folder of recorded answers of one provider, where it is there.
pub(crate) fn recorded(provider: &str) -> Option<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "a test is its own host")]
    let root = std::env::var("CANVAS_DATA")
        .map_or_else(|_| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"), PathBuf::from);
    Some(root.join("providers").join(provider)).filter(|folder| folder.is_dir())
}

pub(crate) fn read_json(path: &Path) -> Value {
    #[expect(clippy::disallowed_methods, reason = "a test is its own host")]
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[expect(clippy::print_stdout, reason = "counts of recorded cases are for whoever runs the tests")]
pub(crate) fn say(line: &str) {
    println!("{line}");
}

/// No seeds are kept: a case that was found becomes a story or a fixture.
pub(crate) fn law() -> Config {
    Config { failure_persistence: None, ..Config::default() }
}

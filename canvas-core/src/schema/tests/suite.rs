//! The official test suite of draft 7.

use std::path::{Path, PathBuf};

use crate::schema::tests::*;

#[derive(serde::Deserialize)]
struct Group {
    description: String,
    schema: Value,
    tests: Vec<Case>,
}

#[derive(serde::Deserialize)]
struct Case {
    description: String,
    data: Value,
    valid: bool,
}

#[derive(Default)]
struct Score {
    right: usize,
    wrong: Vec<String>,
}

/// Returns `None` if the corpus is missing.
#[expect(clippy::disallowed_methods, reason = "a test reads its corpus")]
fn folder() -> Option<PathBuf> {
    let given = std::env::var("CANVAS_DATA").map(PathBuf::from);
    let root = given.unwrap_or_else(|_| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"));
    let folder = root.join("json-schema-draft7");
    folder.is_dir().then_some(folder)
}

#[expect(clippy::disallowed_methods, reason = "a test reads its corpus")]
fn read<T: serde::de::DeserializeOwned>(path: &Path) -> T {
    let bytes = std::fs::read(path).unwrap();
    serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn files(folder: &Path, deep: bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() && deep {
            found.extend(files(&path, true));
        } else if path.extension().is_some_and(|extension| extension == "json") {
            found.push(path);
        }
    }
    found
}

fn run(folder: &Path, remotes: &BTreeMap<String, Value>) -> Score {
    let mut score = Score::default();
    for path in files(folder, false) {
        let groups: Vec<Group> = read(&path);
        for group in groups {
            // All remotes together are larger than a schema may be, so that each group gets only those in its text.
            let text = group.schema.to_string();
            let needed = |uri: &str| {
                let name = uri.rsplit('/').next().unwrap_or(uri);
                text.contains(name)
            };
            let mut near: BTreeMap<String, Value> =
                remotes.iter().filter(|(uri, _)| needed(uri)).map(|(u, v)| (u.clone(), v.clone())).collect();
            // The documents to which those refer in turn.
            for (uri, document) in remotes {
                let name = uri.rsplit('/').next().unwrap_or(uri);
                if near.values().any(|other| other.to_string().contains(name)) {
                    near.insert(uri.clone(), document.clone());
                }
            }
            let compiled = Schema::compile_with(&group.schema, &near);
            for case in group.tests {
                let found = compiled.as_ref().map(|schema| schema.is_valid(&case.data));
                if found.as_ref().is_ok_and(|&valid| valid == case.valid) {
                    score.right += 1;
                } else {
                    let file = path.file_stem().unwrap_or_default().to_string_lossy();
                    let why = found.err().map(|error| error.to_string()).unwrap_or_default();
                    score.wrong.push(format!("{file}: {}: {}: {why}", group.description, case.description));
                }
            }
        }
    }
    score
}

#[test]
#[expect(clippy::print_stderr, reason = "a corpus that is not there is said aloud, and so are the counts")]
fn the_official_suite() {
    let Some(root) = folder() else {
        eprintln!("SKIPPED: the JSON Schema suite (not in CANVAS_DATA)");
        return;
    };
    let mut remotes = BTreeMap::new();
    let folder = root.join("remotes");
    for path in files(&folder, true) {
        let name = path.strip_prefix(&folder).unwrap().to_string_lossy().into_owned();
        // Schemas of other drafts break the rules of this one.
        if !name.starts_with("draft2") && !name.starts_with("v1") && !name.starts_with("draft3") {
            remotes.insert(format!("http://localhost:1234/{name}"), read(&path));
        }
    }
    let tests = root.join("tests/draft7");
    let required = run(&tests, &remotes);
    let optional = run(&tests.join("optional"), &remotes);
    let format = run(&tests.join("optional/format"), &remotes);
    for (name, score) in [("required", &required), ("optional", &optional), ("format", &format)] {
        eprintln!("draft 7, {name}: {} of {} right", score.right, score.right + score.wrong.len());
        for wrong in &score.wrong {
            eprintln!("  {wrong}");
        }
    }
    assert!(required.wrong.is_empty());
    // Among the others, two refer to another draft, two are about `idn-email`, and 54 about `idn-hostname`, which needs
    // tables of names.
    assert!(required.right >= 927 && optional.wrong.len() <= 2 && format.wrong.len() <= 56);
}

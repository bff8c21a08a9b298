//! Where `CANVAS_REPLIES` names a folder, the replies of tests are kept there, for `.ci/schemas`: a file for each process, a
//! line `{tool, reply}` for each reply.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::json;

#[expect(clippy::disallowed_methods, reason = "a test is its own host")]
pub(crate) fn keep(tool: &str, reply: &impl Serialize) {
    let Some(folder) = std::env::var_os("CANVAS_REPLIES").map(PathBuf::from) else { return };
    let path = folder.join(format!("{}.jsonl", std::process::id()));
    let mut file =
        OpenOptions::new().create(true).append(true).open(path).expect("CANVAS_REPLIES is a folder");
    // One write, so that lines of threads stay whole.
    let line = format!("{}\n", json!({"tool": tool, "reply": reply}));
    file.write_all(line.as_bytes()).expect("there is room");
}

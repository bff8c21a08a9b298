//! Two processes on one PostgreSQL database, where `CANVAS_POSTGRES` names one.

use std::io::Write as _;

use serde_json::json;

use super::client::{Client, pages};

#[test]
fn a_change_is_told_across_processes() {
    let Ok(database) = std::env::var("CANVAS_POSTGRES") else {
        drop(writeln!(std::io::stderr(), "SKIPPED: CANVAS_POSTGRES names no database"));
        return;
    };
    let canvas = format!("mcp-{}", std::process::id());
    let arguments = ["--postgres", &database, "--canvas", &canvas];
    let mut reader = Client::start(&arguments);
    let mut writer = Client::start_as("page", pages(), &arguments);
    let uri = format!("canvas://{canvas}/document");
    reader.ask("resources/subscribe", json!({"uri": uri})).unwrap();
    for round in 0..3 {
        writer.done("app_edit", json!({"markdown": format!("# {round}\n")}));
        reader.hear_update(&uri);
    }
    let lease = reader.check_out();
    assert_eq!(writer.refused("canvas_check_out", json!({})), "LOCK_NOT_AVAILABLE");
    reader.done("canvas_read_all", json!({"lease_id": lease}));
    reader.done("canvas_apply_patch", json!({"lease_id": lease, "patch": "@@\n-# 2\n+# Model\n"}));
    reader.done("canvas_check_in", json!({"lease_id": lease}));
    assert_eq!(writer.read(&uri), "# Model\n");
    assert!(reader.close().success() && writer.terminate().success());
}

#[test]
fn a_database_that_is_not_there() {
    for url in ["nonsense", "postgres://nobody@127.0.0.1:1/nothing"] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_canvas-mcp"))
            .args(["--postgres", url])
            .output()
            .unwrap();
        assert!(!output.status.success() && output.stdout.is_empty(), "{url}");
    }
}

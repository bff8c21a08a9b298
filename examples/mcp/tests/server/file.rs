//! The file of a document.

use std::ffi::OsString;
use std::process::Command;
use std::sync::mpsc::channel;
use std::thread;

use canvas_core::BlobId;
use serde_json::json;

use super::client::{Client, Folder, pages};

struct World {
    folder: Folder,
}

impl World {
    fn new(text: &str) -> Self {
        let folder = Folder::new();
        folder.write("plan.md", text);
        Self { folder }
    }

    fn start(&self) -> Client {
        Client::start(&["--db", &self.folder.file("x.db"), "--document", &self.folder.file("plan.md")])
    }

    fn file(&self) -> String {
        self.folder.text("plan.md")
    }
}

fn patch(client: &mut Client, lease: &serde_json::Value, patch: &str) {
    client.done("canvas_read_all", json!({"lease_id": lease}));
    client.done("canvas_apply_patch", json!({"lease_id": lease, "patch": patch}));
}

#[test]
fn a_check_in_writes_and_a_dropped_turn_does_not() {
    let world = World::new("# Plan\n\n- a\n");
    let mut client = world.start();
    let lease = client.check_out();
    patch(&mut client, &lease, "@@\n-- a\n+- b\n");
    assert_eq!(world.file(), "# Plan\n\n- a\n");
    client.done("canvas_check_in", json!({"lease_id": lease}));
    assert_eq!(world.file(), "# Plan\n\n- b\n");

    let lease = client.check_out();
    patch(&mut client, &lease, "@@\n-- b\n+- c\n");
    assert!(client.close().success());
    assert_eq!(world.file(), "# Plan\n\n- b\n");
    let mut client = world.start();
    assert_eq!(world.file(), "# Plan\n\n- b\n", "a draft stays a draft");
    assert_eq!(client.read("canvas://plan/document"), "# Plan\n\n- c\n");
    let lease = client.check_out();
    client.done("canvas_check_in", json!({"lease_id": lease}));
    assert_eq!(world.file(), "# Plan\n\n- c\n");
}

#[test]
fn what_another_program_wrote_is_refused_and_taken_at_the_next_start() {
    let world = World::new("# Plan\n\n- a\n");
    let mut client = world.start();
    let lease = client.check_out();
    patch(&mut client, &lease, "@@\n-- a\n+- b\n");
    world.folder.write("plan.md", "# My plan\n\n- a\n");
    let refused = client.call("canvas_check_in", json!({"lease_id": lease}));
    let error = &refused["structuredContent"]["error"];
    assert_eq!(error["code"], "FILE_CHANGED", "{refused}");
    assert!(error["diff"].as_str().unwrap().contains("+# My plan"), "{error}");
    assert_eq!(world.file(), "# My plan\n\n- a\n", "nobody's text is overwritten");
    assert!(client.close().success());

    // Both go together: the user's heading and the model's item.
    let mut client = world.start();
    assert_eq!(client.read("canvas://plan/document"), "# My plan\n\n- b\n");
    assert_eq!(world.file(), "# My plan\n\n- b\n");
    assert!(client.close().success());

    // Between two sessions the file is the user's.
    world.folder.write("plan.md", "# Anew\n");
    let mut client = world.start();
    assert_eq!(client.read("canvas://plan/document"), "# Anew\n");
}

#[test]
fn a_file_and_a_draft_that_do_not_go_together_stop_the_start() {
    let world = World::new("# Plan\n\n- a\n");
    let mut client = world.start();
    let lease = client.check_out();
    patch(&mut client, &lease, "@@\n-- a\n+- model\n");
    assert!(client.close().success());
    world.folder.write("plan.md", "# Plan\n\n- user\n");
    let (database, document) = (world.folder.file("x.db"), world.folder.file("plan.md"));
    let output = Command::new(env!("CARGO_BIN_EXE_canvas-mcp"))
        .args(["--db", &database, "--document", &document])
        .output()
        .unwrap();
    assert!(!output.status.success());
    assert!(output.stdout.is_empty(), "nothing but protocol on standard output");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("were both changed") && said.contains("+- user"), "{said}");
    assert_eq!(world.file(), "# Plan\n\n- user\n");
}

#[test]
fn files_that_are_missing_or_no_text() {
    let folder = Folder::new();
    let (database, document) = (folder.file("x.db"), folder.file("new.md"));
    let client = Client::start(&["--db", &database, "--document", &document]);
    assert!(client.close().success());
    assert_eq!(folder.text("new.md"), "# Notes\n");
    std::fs::remove_file(folder.path().join("new.md")).unwrap();
    let client = Client::start(&["--db", &database, "--document", &document]);
    assert!(client.close().success());
    assert_eq!(folder.text("new.md"), "# Notes\n");

    std::fs::write(folder.path().join("bytes.md"), [0xff, 0xfe, 0x00]).unwrap();
    for path in [folder.file("bytes.md"), folder.path().to_str().unwrap().to_owned()] {
        let output =
            Command::new(env!("CARGO_BIN_EXE_canvas-mcp")).args(["--document", &path]).output().unwrap();
        assert!(!output.status.success() && output.stdout.is_empty(), "{path}");
    }
    assert_eq!(std::fs::read(folder.path().join("bytes.md")).unwrap(), [0xff, 0xfe, 0x00]);
}

#[test]
fn bytes_outside_of_an_edit_stay_as_they_are() {
    let world = World::new("\u{feff}# Plan\r\n\r\n- a\r\n- end");
    let mut client = world.start();
    assert_eq!(world.file(), "\u{feff}# Plan\r\n\r\n- a\r\n- end");
    let lease = client.check_out();
    patch(&mut client, &lease, "@@\n-- a\n+- b\n");
    client.done("canvas_check_in", json!({"lease_id": lease}));
    assert_eq!(world.file(), "\u{feff}# Plan\r\n\r\n- b\r\n- end");
    let left: Vec<_> =
        std::fs::read_dir(world.folder.path()).unwrap().flatten().map(|e| e.file_name()).collect();
    let is_left = |name: &OsString| name.to_string_lossy().starts_with('.');
    assert!(!left.iter().any(is_left), "{left:?}");
}

#[test]
fn a_command_line_that_cannot_be_followed() {
    for arguments in [&["--nothing"][..], &["--db"], &["--db", "/nothing/at/all.db"], &["--http", "x"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_canvas-mcp")).args(arguments).output().unwrap();
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
        assert!(String::from_utf8(output.stderr).unwrap().starts_with("canvas-mcp: "), "{arguments:?}");
    }
}

/// A server that was killed after its promotion had more than its file leaves a note of what it wrote.
#[test]
fn a_promotion_that_was_cut_off_is_made_whole() {
    let world = World::new("# Plan\n\n- a\n");
    let mut client = world.start();
    let lease = client.check_out();
    patch(&mut client, &lease, "@@\n-- a\n+- b\n");
    client.done("canvas_check_in", json!({"lease_id": lease}));
    assert!(client.close().success());
    let old = "# Plan\n\n- a\n";
    world.folder.write("plan.md", old);
    world.folder.write(".plan.md.promoting", &BlobId::of(old.as_bytes()).to_string());
    let mut client = world.start();
    assert_eq!(client.read("canvas://plan/document"), "# Plan\n\n- b\n");
    assert_eq!(world.file(), "# Plan\n\n- b\n");
    assert!(!world.folder.path().join(".plan.md.promoting").exists());
    assert!(client.close().success());

    // Without the note the same text is what another program wrote.
    world.folder.write("plan.md", old);
    assert_eq!(world.start().read("canvas://plan/document"), old);
}

/// Two servers on one file and one database, a model at one and a person at the other.
#[test]
fn two_servers_on_one_file_take_turns() {
    let world = World::new("# Plan\n\n- model 0\n\n## Mine\n\n- user 0\n");
    let (mut model, database) = (world.start(), world.folder.file("x.db"));
    let document = world.folder.file("plan.md");
    let arguments = ["--db", database.as_str(), "--document", document.as_str()];
    let mut person = Client::start_as("page", pages(), &arguments);
    let (tried, tries) = channel();
    let at_work = thread::spawn(move || {
        let mut done = 0;
        while done < 12 {
            tried.send(()).unwrap();
            let taken = model.call("canvas_check_out", json!({}));
            let lease = &taken["structuredContent"]["lease_id"];
            if taken["isError"] == true {
                continue;
            }
            let read = model.call("canvas_read_all", json!({"lease_id": lease}));
            let patch = format!("@@\n-- model {done}\n+- model {}\n", done + 1);
            let patched = model.call("canvas_apply_patch", json!({"lease_id": lease, "patch": patch}));
            if read["isError"] == false && patched["isError"] == false {
                done += 1;
            }
            let given = model.call("canvas_check_in", json!({"lease_id": lease}));
            let code = &given["structuredContent"]["error"]["code"];
            assert!(given["isError"] == false || code == "STALE_EPOCH", "{given}");
        }
        model
    });
    for number in 0..12 {
        loop {
            let state = person.done("app_state", json!({}));
            let text = state["markdown"].as_str().unwrap();
            let text = text.replace(&format!("- user {number}\n"), &format!("- user {}\n", number + 1));
            let edit = json!({"markdown": text, "base_revision_id": state["revision_id"]});
            let edited = person.call("app_edit", edit);
            if edited["isError"] == false {
                break;
            }
            assert_eq!(edited["structuredContent"]["error"]["code"], "PATCH_REJECTED", "{edited}");
        }
        // Goes on when the model has begun its next try, or has finished.
        tries.try_iter().for_each(drop);
        let _ = tries.recv();
    }
    let mut model = at_work.join().unwrap();
    let lease = model.check_out();
    model.done("canvas_check_in", json!({"lease_id": lease}));
    let text = "# Plan\n\n- model 12\n\n## Mine\n\n- user 12\n";
    assert_eq!(person.read("canvas://plan/document"), text);
    assert_eq!(world.file(), text);
}

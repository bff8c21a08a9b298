//! The file of a document.

use std::ffi::OsString;
use std::process::Command;
use std::sync::mpsc::channel;
use std::thread;

use canvas_core::document::DocumentStep;
use canvas_core::history::Step;
use canvas_core::lease::Timestamp;
use canvas_core::store::Blocking;
use canvas_core::testing::block_on;
use canvas_core::{BlobId, CanvasId, Engine, Policy};
use canvas_store_sqlite::SqliteStore;
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

    /// The resource of its document.
    fn uri(&self) -> String {
        format!("canvas://{}/document", self.canvas())
    }

    /// Its canvas: the name of the file, and the hash of its path.
    fn canvas(&self) -> String {
        canvas_of(&self.folder, "plan")
    }
}

fn canvas_of(folder: &Folder, stem: &str) -> String {
    let path = std::fs::canonicalize(folder.path()).unwrap().join(format!("{stem}.md"));
    format!("{stem}-{}", &BlobId::of(path.to_str().unwrap().as_bytes()).to_string()[..16])
}

fn patch(client: &mut Client, lease: &serde_json::Value, patch: &str) {
    client.done("canvas_read_all", json!({"lease_id": lease}));
    client.done("canvas_apply_patch", json!({"lease_id": lease, "patch": patch}));
}

#[test]
fn a_check_in_writes_and_so_does_the_end_of_the_client() {
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
    assert_eq!(world.file(), "# Plan\n\n- c\n");

    // A killed process checks nothing in; its draft is there.
    let mut client = world.start();
    let lease = client.check_out();
    patch(&mut client, &lease, "@@\n-- c\n+- d\n");
    client.kill();
    let mut client = world.start();
    assert_eq!(
        (world.file().as_str(), client.read(&world.uri()).as_str()),
        ("# Plan\n\n- c\n", "# Plan\n\n- d\n")
    );
}

/// A model that forgets to check in.
#[test]
fn a_draft_whose_lease_has_expired_is_written() {
    let world = World::new("# Plan\n\n- a\n");
    let (database, document) = (world.folder.file("x.db"), world.folder.file("plan.md"));
    let mut client = Client::start(&["--ttl", "1", "--db", &database, "--document", &document]);
    let lease = client.check_out();
    patch(&mut client, &lease, "@@\n-- a\n+- b\n");
    let begun = std::time::Instant::now();
    while world.file() != "# Plan\n\n- b\n" {
        assert!(begun.elapsed() < super::client::PATIENCE);
        thread::sleep(std::time::Duration::from_millis(20));
    }
    let said = client.call("canvas_check_out", json!({}));
    assert!(said.to_string().contains("expired without a check-in"), "{said}");
}

/// How programs save.
const WAYS: [fn(&Folder, &str); 3] = [
    |folder, text| folder.write("plan.md", text),
    |folder, text| {
        folder.write("plan.md.tmp", text);
        std::fs::rename(folder.file("plan.md.tmp"), folder.file("plan.md")).unwrap();
    },
    // As vim does it: the old file goes away first.
    |folder, text| {
        std::fs::rename(folder.file("plan.md"), folder.file("plan.md~")).unwrap();
        folder.write("plan.md", text);
        std::fs::remove_file(folder.file("plan.md~")).unwrap();
    },
];

#[test]
fn a_save_between_turns_is_seen_by_the_next_call() {
    for save in WAYS {
        for (tool, arguments) in [
            ("canvas_check_out", json!({})),
            ("canvas_outline", json!({})),
            ("canvas_read_section", json!({"path": ["Mine"]})),
            ("resources/read", json!({})),
        ] {
            let world = World::new("# Plan\n\n- a\n");
            let mut client = world.start();
            assert_eq!(client.read(&world.uri()), "# Plan\n\n- a\n");
            save(&world.folder, "# Plan\n\n- a\n\n## Mine\n");
            let lease = match tool {
                "canvas_check_out" => client.check_out(),
                "resources/read" => {
                    assert!(client.read(&world.uri()).contains("## Mine"));
                    client.check_out()
                }
                tool => {
                    client.done(tool, arguments);
                    client.check_out()
                }
            };
            patch(&mut client, &lease, "@@\n-- a\n+- b\n");
            client.done("canvas_check_in", json!({"lease_id": lease}));
            assert_eq!(world.file(), "# Plan\n\n- b\n\n## Mine\n", "{tool}");
        }
    }
}

#[test]
fn a_save_beside_a_draft_is_joined_with_it() {
    for (number, save) in WAYS.into_iter().enumerate() {
        // At the check-in.
        let world = World::new("# Plan\n\n- a\n");
        let mut client = world.start();
        let lease = client.check_out();
        patch(&mut client, &lease, "@@\n-- a\n+- b\n");
        save(&world.folder, "# My plan\n\n- a\n");
        client.done("canvas_check_in", json!({"lease_id": lease}));
        assert_eq!(world.file(), "# My plan\n\n- b\n");
        // Before the next patch: the user comes first, and the model is shown the change.
        let lease = client.check_out();
        patch(&mut client, &lease, "@@\n-- b\n+- c\n");
        save(&world.folder, "# Our plan\n\n- b\n");
        let refused =
            client.call("canvas_apply_patch", json!({"lease_id": lease, "patch": "@@\n-- c\n+- d\n"}));
        let error = &refused["structuredContent"]["error"];
        assert_eq!(error["code"], "STALE_EPOCH", "{refused}");
        assert!(error["changes"]["diff"].as_str().unwrap().contains("+# Our plan"), "{error}");
        assert_eq!(world.file(), "# Our plan\n\n- b\n", "a draft is not written by that");
        // Who saves the old text again has taken the change back, whatever was read meanwhile, and after a kill too.
        assert!(client.read(&world.uri()).starts_with("# Our plan"));
        if number == 1 {
            client.kill();
            client = world.start();
            assert_eq!(world.file(), "# Our plan\n\n- b\n");
        }
        save(&world.folder, "# My plan\n\n- b\n");
        let lease = client.check_out();
        patch(&mut client, &lease, "@@\n-- c\n+- d\n");
        client.done("canvas_check_in", json!({"lease_id": lease}));
        assert_eq!(world.file(), "# My plan\n\n- d\n");
        assert!(client.close().success());

        // While the server is down.
        save(&world.folder, "# Anew\n\n- d\n");
        assert_eq!(world.start().read(&world.uri()), "# Anew\n\n- d\n");
    }
}

/// The file counts, the draft is kept, and nothing stops a start.
#[test]
fn where_a_save_and_a_draft_overlap_the_file_counts_and_the_draft_is_kept() {
    for (number, save) in WAYS.into_iter().enumerate() {
        let world = World::new("# Plan\n\n- a\n");
        let mut client = world.start();
        let lease = client.check_out();
        patch(&mut client, &lease, "@@\n-- a\n+- model\n");
        save(&world.folder, "# Plan\n\n- user\n");
        let kept = world.uri().replace("/document", ".draft/document");
        match number {
            // At the check-in.
            0 => {
                let refused = client.call("canvas_check_in", json!({"lease_id": lease}));
                let error = &refused["structuredContent"]["error"];
                assert_eq!(error["code"], "FILE_CHANGED", "{refused}");
                assert!(error["diff"].as_str().unwrap().contains("+- user"), "{error}");
                assert!(error["message"].as_str().unwrap().contains(".draft"), "{error}");
            }
            // At another call, which says so.
            1 => {
                let read = client
                    .call("canvas_read_lines", json!({"lease_id": lease, "start_line": 1, "end_line": 1}));
                assert!(read.to_string().contains("the draft is kept as the canvas"), "{read}");
            }
            // At the next start, after a kill.
            _ => {
                client.kill();
                client = world.start();
            }
        }
        assert_eq!(world.file(), "# Plan\n\n- user\n");
        assert_eq!(client.read(&world.uri()), "# Plan\n\n- user\n");
        assert_eq!(client.read(&kept), "# Plan\n\n- model\n");
        // The next turn is as any other, and a later draft takes the place of the kept one.
        let lease = client.check_out();
        patch(&mut client, &lease, "@@\n-- user\n+- user and model\n");
        save(&world.folder, "# Plan\n\n- user again\n");
        let refused = client.call("canvas_check_in", json!({"lease_id": lease}));
        assert_eq!(refused["structuredContent"]["error"]["code"], "FILE_CHANGED");
        assert_eq!(client.read(&kept), "# Plan\n\n- user and model\n");
        assert!(client.close().success());
        assert_eq!(world.start().read(&world.uri()), "# Plan\n\n- user again\n");
    }
}

#[test]
fn without_a_database_the_draft_is_kept_beside_the_file() {
    let world = World::new("# Plan\n\n- a\n");
    let mut client = Client::start(&["--document", &world.folder.file("plan.md")]);
    let lease = client.check_out();
    patch(&mut client, &lease, "@@\n-- a\n+- model\n");
    world.folder.write("plan.md", "# Plan\n\n- user\n");
    let refused = client.call("canvas_check_in", json!({"lease_id": lease}));
    assert_eq!(refused["structuredContent"]["error"]["code"], "FILE_CHANGED");
    assert_eq!(
        (world.file().as_str(), world.folder.text("plan.md.draft").as_str()),
        ("# Plan\n\n- user\n", "# Plan\n\n- model\n")
    );
}

#[test]
fn a_file_that_is_gone_is_not_made_again() {
    let world = World::new("# Plan\n\n- a\n");
    let mut client = world.start();
    let lease = client.check_out();
    patch(&mut client, &lease, "@@\n-- a\n+- b\n");
    let file = world.folder.file("plan.md");
    std::fs::remove_file(&file).unwrap();
    let refused = client.call("canvas_check_in", json!({"lease_id": lease}));
    assert_eq!(refused["structuredContent"]["error"]["code"], "FILE_GONE", "{refused}");
    assert!(client.close().success());
    // It starts, with what the canvas has.
    let mut client = world.start();
    assert_eq!(client.read(&world.uri()), "# Plan\n\n- b\n");
    assert!(!std::path::Path::new(&file).exists());
    // Saved again it is the user's edit.
    world.folder.write("plan.md", "# Back\n");
    assert_eq!(client.read(&world.uri()), "# Back\n");
}

#[cfg(unix)]
#[test]
fn permissions_names_and_marks_are_kept() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    let edit = |world: &World, from: &str, to: &str| {
        let mut client = world.start();
        let lease = client.check_out();
        patch(&mut client, &lease, &format!("@@\n-- {from}\n+- {to}\n"));
        client.call("canvas_check_in", json!({"lease_id": lease}))
    };
    let world = World::new("\u{feff}# Plan\r\n- a\r\n- end");
    let file = world.folder.path().join("plan.md");
    let mode = |mode: u32| std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
    // What may not be written is not replaced.
    mode(0o444);
    let before = std::fs::metadata(&file).unwrap().ino();
    let refused = edit(&world, "a", "b");
    assert_eq!(refused["structuredContent"]["error"]["code"], "FILE_UNAVAILABLE", "{refused}");
    assert_eq!(
        (world.file().as_str(), std::fs::metadata(&file).unwrap().ino()),
        ("\u{feff}# Plan\r\n- a\r\n- end", before)
    );
    // Then it is, with its mode, its owner and its mark.
    mode(0o640);
    std::os::unix::fs::chown(&file, Some(1234), Some(1234)).ok();
    let owner = std::fs::metadata(&file).unwrap().uid();
    let written = edit(&world, "b", "c");
    assert_eq!(written["isError"], false, "{written}");
    let data = std::fs::metadata(&file).unwrap();
    assert_eq!((data.permissions().mode() & 0o777, data.uid()), (0o640, owner));
    assert_eq!(world.file(), "\u{feff}# Plan\r\n- c\r\n- end");
    // A file of two names stays one file.
    let other = world.folder.path().join("other.md");
    std::fs::hard_link(&file, &other).unwrap();
    edit(&world, "c", "d");
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "\u{feff}# Plan\r\n- d\r\n- end");
    assert_eq!(std::fs::metadata(&other).unwrap().ino(), std::fs::metadata(&file).unwrap().ino());
    let mut client = world.start();
    assert_eq!(client.read(&world.uri()), "# Plan\r\n- d\r\n- end", "a model sees no mark");
}

/// A write in place that a kill has cut off is made whole from its copy.
#[cfg(unix)]
#[test]
fn a_write_in_place_that_was_cut_off_is_made_whole() {
    let world = World::new("# Plan\n\n- a\n");
    std::fs::hard_link(world.folder.file("plan.md"), world.folder.file("other.md")).unwrap();
    let mut client = world.start();
    let lease = client.check_out();
    patch(&mut client, &lease, "@@\n-- a\n+- b, and more\n");
    client.kill();
    let new = "# Plan\n\n- b, and more\n";
    world.folder.write(".plan.md.promoting", &BlobId::of(new.as_bytes()).to_string());
    world.folder.write(".plan.md.0.new", new);
    world.folder.write("plan.md", "# Pla");
    let mut client = world.start();
    assert_eq!((world.file().as_str(), client.read(&world.uri()).as_str()), (new, new));
    assert!(!world.folder.path().join(".plan.md.0.new").exists());
}

#[test]
fn a_file_that_is_missing_is_made() {
    let folder = Folder::new();
    let (database, document) = (folder.file("x.db"), folder.file("new.md"));
    let client = Client::start(&["--db", &database, "--document", &document]);
    assert!(client.close().success());
    assert_eq!(folder.text("new.md"), "# Notes\n");
}

/// All text that was ever in documents, as their histories have it.
fn written(database: &str, canvases: &[String]) -> String {
    let clock = || Timestamp::from_millis(4_000_000_000_000);
    let engine = Engine::new(Blocking::new(SqliteStore::open(database, clock).unwrap()), Policy::default());
    let mut text = String::new();
    for canvas in canvases {
        let canvas = CanvasId::new(canvas).unwrap();
        let Ok(snapshot) = block_on(engine.snapshot(&canvas, clock())) else { continue };
        text += snapshot.text();
        for entry in block_on(engine.history(&canvas, None, 100_000, clock())).unwrap() {
            let Step::Document(DocumentStep { delta, .. }) = entry.step else { continue };
            let delta = delta.expect("these changes are small");
            text.extend(delta.edits().iter().flat_map(|edit| [edit.old.as_str(), "\n", &edit.new, "\n"]));
        }
    }
    text
}

/// A person with an editor and a model on one file, and kills: every line that either wrote is in the file, in the draft, or in
/// the history of the document.
#[test]
fn no_line_of_a_person_or_a_model_is_lost() {
    let world = World::new("# Plan\n\n## Model\n\n- model 0\n\n## User\n\n- user 0\n");
    let mut client = world.start();
    let mut dice = 7_u64;
    let mut roll = |sides: u64| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) % sides
    };
    let (mut lease, mut of_model, mut of_user) =
        (None, vec!["- model 0".to_owned()], vec!["- user 0".to_owned()]);
    let acts = std::env::var("CANVAS_ACTS").map_or(160, |acts| acts.parse().unwrap());
    for number in 1..=acts {
        match roll(10) {
            // The person adds a line, now and then beside the model's own.
            0..3 => {
                let line = format!("- user {number}");
                let near = if roll(4) == 0 { "## Model\n\n" } else { "## User\n\n" };
                WAYS[roll(3) as usize](
                    &world.folder,
                    &world.file().replacen(near, &format!("{near}{line}\n"), 1),
                );
                of_user.push(line);
            }
            3..7 => {
                let id = match &lease {
                    Some(id) => serde_json::Value::clone(id),
                    None => {
                        let taken =
                            client.call("canvas_check_out", json!({}))["structuredContent"]["lease_id"]
                                .clone();
                        lease = Some(taken.clone());
                        taken
                    }
                };
                client.call("canvas_read_all", json!({"lease_id": id}));
                let line = format!("- model {number}");
                let patch = format!("@@\n ## Model\n \n+{line}\n");
                let done = client.call("canvas_apply_patch", json!({"lease_id": id, "patch": patch}));
                match done["isError"] == false {
                    true => of_model.push(line),
                    false => lease = None,
                }
            }
            7..9 => {
                if let Some(id) = lease.take() {
                    client.call("canvas_check_in", json!({"lease_id": id}));
                }
            }
            _ => {
                if roll(3) == 0 {
                    client.kill();
                } else {
                    assert!(client.close().success());
                }
                (client, lease) = (world.start(), None);
            }
        }
    }
    let file = world.file();
    for line in &of_user {
        assert!(file.lines().any(|known| known == line), "{line} of the user is not in\n{file}");
    }
    assert!(client.close().success());
    let known =
        file + &written(&world.folder.file("x.db"), &[world.canvas(), format!("{}.draft", world.canvas())]);
    let is_lost = |line: &&String| !known.lines().any(|known| known == **line);
    let lost: Vec<_> = of_model.iter().chain(&of_user).filter(is_lost).collect();
    assert!(lost.is_empty() && of_model.len() > 20 && of_user.len() > 20, "{lost:?} are nowhere");
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
    assert_eq!(client.read(&world.uri()), "# Plan\n\n- b\n");
    assert_eq!(world.file(), "# Plan\n\n- b\n");
    assert!(!world.folder.path().join(".plan.md.promoting").exists());
    assert!(client.close().success());

    // Without the note the same text is what another program wrote.
    world.folder.write("plan.md", old);
    assert_eq!(world.start().read(&world.uri()), old);
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
    assert_eq!(person.read(&world.uri()), text);
    assert_eq!(world.file(), text);
}

/// One database, two files of one name: two canvases.
#[test]
fn files_of_one_name_are_two_canvases() {
    let folder = Folder::new();
    let database = folder.file("notes.db");
    for name in ["a", "b"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    folder.write("a/plan.md", "# Plan\n\n- a\n");
    let start = |path: &str| Client::start(&["--db", &database, "--document", &folder.file(path)]);
    let mut one = start("a/plan.md");
    let lease = one.check_out();
    patch(&mut one, &lease, "@@\n-- a\n+- draft of A\n");
    // The other is new, or has a text of its own; at the same time, and after a kill.
    let mut other = start("b/plan.md");
    assert_eq!(folder.text("b/plan.md"), "# Notes\n");
    let lease = other.check_out();
    patch(&mut other, &lease, "@@\n-# Notes\n+# B\n");
    other.done("canvas_check_in", json!({"lease_id": lease}));
    one.kill();
    assert_eq!(
        (folder.text("a/plan.md").as_str(), folder.text("b/plan.md").as_str()),
        ("# Plan\n\n- a\n", "# B\n")
    );
    // A link is the file that it leads to, and a moved file is found again if its path of before is named.
    let id = canvas_of(&folder, "a/plan").replace("a/plan-", "plan-");
    let has_draft = |mut client: Client| {
        let listed = client.ask("resources/list", json!({})).unwrap();
        assert_eq!(listed["resources"][0]["uri"], format!("canvas://{id}/document"), "{listed}");
        assert_eq!(client.read(&format!("canvas://{id}/document")), "# Plan\n\n- draft of A\n");
        client
    };
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.file("a/plan.md"), folder.file("link.md")).unwrap();
        has_draft(start("link.md")).kill();
    }
    std::fs::rename(folder.file("a/plan.md"), folder.file("moved.md")).unwrap();
    let (moved, was) = (folder.file("moved.md"), folder.file("a/plan.md"));
    has_draft(Client::start(&["--db", &database, "--document", &moved, "--was", &was])).kill();
    // From then on without.
    let mut client = has_draft(start("moved.md"));
    // No client sees the list of files.
    assert_eq!(client.try_read("canvas://canvas-mcp-files/document"), None);
    let listed = client.ask("resources/list", json!({})).unwrap();
    assert!(!listed.to_string().contains("canvas-mcp-files"), "{listed}");
}

/// A database of before knows a canvas by the name of its file.
#[test]
fn a_canvas_of_before_goes_to_the_file_that_has_its_text() {
    let folder = Folder::new();
    let database = folder.file("notes.db");
    folder.write("plan.md", "# Plan\n\n- a\n");
    let named = |more: &[&str]| {
        let file = folder.file("plan.md");
        Client::start(&[&["--db", &database, "--document", &file], more].concat())
    };
    let mut client = named(&["--canvas", "plan"]);
    let lease = client.check_out();
    patch(&mut client, &lease, "@@\n-- a\n+- b\n");
    client.done("canvas_check_in", json!({"lease_id": lease}));
    assert!(client.close().success());
    // Another file of that name gets nothing of it.
    std::fs::create_dir(folder.path().join("other")).unwrap();
    folder.write("other/plan.md", "# Other\n");
    let mut other = Client::start(&["--db", &database, "--document", &folder.file("other/plan.md")]);
    let lease = other.check_out();
    assert!(other.done("canvas_read_all", json!({"lease_id": lease})).to_string().contains("# Other"));
    assert!(other.close().success());
    assert_eq!(folder.text("other/plan.md"), "# Other\n");
    // The file goes on with its canvas, and its history.
    let mut client = named(&[]);
    assert!(client.read("canvas://plan/history").contains("+1 −1"));
}

/// With a file a model has the tools of the document, unless more are asked for.
#[test]
fn a_file_is_edited_with_the_tools_of_the_document() {
    let world = World::new("# Plan\n");
    let mut client = world.start();
    let tools = client.ask("tools/list", json!({})).unwrap().to_string();
    assert!(tools.contains("canvas_apply_patch") && !tools.contains("create_component"), "{tools}");
    let (database, document) = (world.folder.file("y.db"), world.folder.file("plan.md"));
    let mut more = Client::start(&["--db", &database, "--document", &document, "--tools", "document,board"]);
    assert!(more.ask("tools/list", json!({})).unwrap().to_string().contains("create_component"));
}

/// A new session on a canvas with a history: a section that was read is enough for a patch that fits it.
#[test]
fn what_was_read_without_a_lease_was_read() {
    let world = World::new("# Plan\n\n- a\n");
    for number in 0..3 {
        let mut client = world.start();
        let lease = client.check_out();
        patch(&mut client, &lease, &format!("@@\n # Plan\n+- {number}\n"));
        client.done("canvas_check_in", json!({"lease_id": lease}));
        assert!(client.close().success());
    }
    for (tool, arguments) in [
        ("canvas_read_section", json!({"path": ["Plan"]})),
        ("canvas_outline", json!({})),
        ("resources/read", json!({"uri": world.uri()})),
    ] {
        let mut client = world.start();
        if tool.starts_with("canvas_") {
            client.done(tool, arguments);
        } else {
            client.ask(tool, arguments).unwrap();
        }
        let lease = client.check_out();
        let done = client.call("canvas_apply_patch", json!({"lease_id": lease, "patch": "@@\n-- a\n+- b\n"}));
        assert_eq!(done["isError"], false, "{tool} {done}");
        client.kill();
        let mut client = world.start();
        client.ask("prompts/get", json!({"name": "edit-document"})).unwrap();
        let lease = client.check_out();
        patch(&mut client, &lease, "@@\n-- b\n+- a\n");
        client.done("canvas_check_in", json!({"lease_id": lease}));
    }
}

/// A check-in gives back what the conversation holds, by whatever name it knows it.
#[test]
fn a_check_in_gives_back_a_lease_that_was_taken_anew() {
    let world = World::new("# Plan\n\n- a\n");
    let (database, document) = (world.folder.file("x.db"), world.folder.file("plan.md"));
    let mut client = Client::start(&["--ttl", "1", "--db", &database, "--document", &document]);
    let lease = client.check_out();
    client.done("canvas_read_all", json!({"lease_id": lease}));
    thread::sleep(std::time::Duration::from_millis(1_100));
    let done = client.call("canvas_apply_patch", json!({"lease_id": lease, "patch": "@@\n-- a\n+- b\n"}));
    assert!(done["isError"] == false && done["structuredContent"]["lease_id"] != lease, "{done}");
    client.done("canvas_check_in", json!({"lease_id": lease}));
    assert_eq!(world.file(), "# Plan\n\n- b\n");
    client.check_out();
}

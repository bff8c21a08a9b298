//! Several files, folders, and files that are hard to serve.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use canvas_core::BlobId;
use serde_json::{Value, json};

use super::client::{Client, Folder, PATIENCE, PROGRAM};

fn write(folder: &Folder, name: &str, text: &str) {
    let path = folder.path().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A turn of a model that replaces a line of a document.
fn turn(client: &mut Client, document: Option<&str>, old: &str, new: &str) {
    let named = |mut arguments: Value| {
        if let Some(document) = document {
            arguments["document"] = document.into();
        }
        arguments
    };
    let lease = client.done("canvas_check_out", named(json!({})))["lease_id"].take();
    client.done("canvas_read_all", named(json!({"lease_id": lease})));
    let patch = format!("@@\n-{old}\n+{new}\n");
    client.done("canvas_apply_patch", named(json!({"lease_id": lease, "patch": patch})));
    client.done("canvas_check_in", named(json!({"lease_id": lease})));
}

/// What a run of the program prints, and whether it succeeds.
fn run(arguments: &[&str]) -> (bool, String, String) {
    let output = Command::new(PROGRAM).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

fn documents(client: &mut Client, arguments: Value) -> Value {
    client.done("canvas_list_documents", arguments)["documents"].take()
}

/// All resources of the list, by their titles.
fn resources(client: &mut Client) -> Vec<(String, String)> {
    let (mut all, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let params = cursor.as_ref().map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
        let page = client.ask("resources/list", params).unwrap();
        for resource in page["resources"].as_array().unwrap() {
            let text = |field: &str| resource[field].as_str().unwrap().to_owned();
            all.push((text("title"), text("uri")));
        }
        match page["nextCursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return all,
        }
    }
}

#[test]
fn a_folder_of_documents() {
    let folder = Folder::new();
    for (name, text) in [
        ("notes/plan.md", "# Plan\n\n- a\n"),
        ("notes/work/plan.md", "# Work\n\n- a\n"),
        ("notes/Read.MARKDOWN", "# Read\n"),
        ("notes/.gitignore", "drafts/\n"),
        ("notes/drafts/x.md", "# X\n"),
        ("notes/.hidden.md", "# Hidden\n"),
        ("notes/code.rs", "fn main() {}\n"),
        ("secret.md", "# Secret\n"),
    ] {
        write(&folder, name, text);
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.file("secret.md"), folder.path().join("notes/link.md")).unwrap();
    for database in [Some("x.db"), None] {
        write(&folder, "notes/work/plan.md", "# Work\n\n- a\n");
        let (root, file) = (folder.file("notes"), folder.file("x.db"));
        let mut arguments = vec!["--folder", &root];
        arguments.extend(database.into_iter().flat_map(|_| ["--db", file.as_str()]));
        let mut client = Client::start(&arguments);
        assert!(client.instructions.contains("canvas_list_documents"));
        assert_eq!(documents(&mut client, json!({})), json!(["Read.MARKDOWN", "plan.md", "work/plan.md"]));
        assert_eq!(documents(&mut client, json!({"contains": "WORK"})), json!(["work/plan.md"]));
        assert_eq!(documents(&mut client, json!({"after": "plan.md"})), json!(["work/plan.md"]));
        let tools = client.ask("tools/list", json!({})).unwrap();
        for tool in tools["tools"].as_array().unwrap() {
            let schema = &tool["inputSchema"];
            let is_list = tool["name"] == "canvas_list_documents";
            let required =
                schema["required"].as_array().is_some_and(|names| names.contains(&json!("document")));
            assert!(is_list || required, "{tool}");
            assert!(schema["properties"].get("canvas").is_none(), "{tool}");
        }

        turn(&mut client, Some("work/plan.md"), "- a", "- b");
        assert_eq!(folder.text("notes/work/plan.md"), "# Work\n\n- b\n");
        assert_eq!(folder.text("notes/plan.md"), "# Plan\n\n- a\n");

        // Nothing outside of the folder is a document, and nothing is guessed.
        for name in
            ["../secret.md", "link.md", "drafts/x.md", ".hidden.md", "code.rs", "none.md", "", "/etc/passwd"]
        {
            let refused = client.call("canvas_check_out", json!({"document": name}));
            let error = &refused["structuredContent"]["error"];
            assert_eq!((&error["code"], &error["place"]), (&json!("INVALID_ARGUMENTS"), &json!("/document")));
        }
        assert_eq!(client.refused("canvas_check_out", json!({})), "INVALID_ARGUMENTS");
        assert_eq!(client.refused("canvas_check_out", json!({"document": 1})), "INVALID_ARGUMENTS");

        // A resource is opened by its URI, and a file that was made meanwhile by its name.
        let listed = resources(&mut client);
        let titles: Vec<_> = listed.iter().map(|(title, _)| title.as_str()).collect();
        assert_eq!(titles, ["Read.MARKDOWN", "plan.md", "work/plan.md"]);
        assert_eq!(client.read(&listed[1].1), "# Plan\n\n- a\n");
        write(&folder, "notes/new.md", "# New\n");
        std::thread::sleep(Duration::from_millis(1_100));
        client.done("canvas_outline", json!({"document": "new.md"}));
        std::fs::remove_file(folder.path().join("notes/new.md")).unwrap();
        let prompt =
            json!({"name": "edit-document", "arguments": {"document": "plan.md", "task": "shorten it"}});
        let prompt = client.ask("prompts/get", prompt).unwrap();
        assert!(prompt["messages"].to_string().contains("Edit plan.md: shorten it"), "{prompt}");
        assert!(client.close().success());
    }
}

/// Each file has a lease, a draft and a canvas of its own.
#[test]
fn several_documents() {
    let folder = Folder::new();
    write(&folder, "a/plan.md", "# A\n\n- a\n");
    write(&folder, "b/plan.md", "# B\n\n- a\n");
    write(&folder, "c.md", "# C\n\n- a\n");
    let (database, a, b, c) =
        (folder.file("x.db"), folder.file("a/plan.md"), folder.file("b/plan.md"), folder.file("c.md"));
    let arguments =
        ["--db", database.as_str(), "--document", &a, "--document", &b, "--document", &c, "--document", &c];
    let mut client = Client::start(&arguments);
    assert_eq!(documents(&mut client, json!({})), json!([a, b, "c.md"]));
    let mut leases = Vec::new();
    for document in [a.as_str(), &b, "c.md"] {
        let lease = client.done("canvas_check_out", json!({"document": document}))["lease_id"].take();
        client.done("canvas_read_all", json!({"document": document, "lease_id": lease}));
        let patch = json!({"document": document, "lease_id": lease, "patch": "@@\n-- a\n+- b\n"});
        client.done("canvas_apply_patch", patch);
        leases.push((document, lease));
    }
    assert_eq!(folder.text("c.md"), "# C\n\n- a\n");
    for (document, lease) in leases {
        client.done("canvas_check_in", json!({"document": document, "lease_id": lease}));
    }
    for (name, text) in
        [("a/plan.md", "# A\n\n- b\n"), ("b/plan.md", "# B\n\n- b\n"), ("c.md", "# C\n\n- b\n")]
    {
        assert_eq!(folder.text(name), text);
    }
    // A save in one ends no lease of another.
    let lease = client.done("canvas_check_out", json!({"document": "c.md"}))["lease_id"].take();
    write(&folder, "a/plan.md", "# A\n\n- b\n- c\n");
    client.done("canvas_outline", json!({"document": a}));
    client.done("canvas_check_in", json!({"document": "c.md", "lease_id": lease}));
    assert!(client.close().success());
}

/// In a native form the call names the file as its models do.
#[test]
fn several_documents_in_native_forms() {
    let folder = Folder::new();
    for name in ["a.md", "b.md"] {
        write(&folder, name, "# Plan\n\n- a\n");
    }
    let (a, b) = (folder.file("a.md"), folder.file("b.md"));
    for (dialect, read, edit) in [
        (
            "text-editor",
            Some(json!({"command": "view", "path": "b.md"})),
            // What a line of the text says is no name beside the path.
            json!({"command": "str_replace", "path": "b.md", "old_str": "- a\na.md", "new_str": "- b\na.md"}),
        ),
        ("apply-patch", None, json!({"type": "update_file", "path": "b.md", "diff": "@@\n-- a\n+- b\n"})),
        (
            "codex-patch",
            None,
            json!({"input": "*** Begin Patch\n*** Update File: b.md\n@@\n-- a\n+- b\n*** End Patch\n"}),
        ),
        (
            "search-replace",
            None,
            json!({"text": "b.md\n```\n<<<<<<< SEARCH\n- a\n=======\n- b\n>>>>>>> REPLACE\n```\n"}),
        ),
    ] {
        let end = if dialect == "text-editor" { "a.md\n" } else { "" };
        write(&folder, "b.md", &format!("# Plan\n\n- a\n{end}"));
        let mut client = Client::start(&["--document", &a, "--document", &b, "--dialect", dialect]);
        let tools = client.ask("tools/list", json!({})).unwrap();
        let native = tools["tools"][0]["name"].as_str().unwrap().to_owned();
        if let Some(read) = read {
            client.done(&native, read);
        }
        let done = client.call(&native, edit.clone());
        if done["isError"] == true {
            // One that has not seen the document is shown it.
            assert_eq!(done["structuredContent"]["error"]["code"], "STALE_BASE", "{dialect}: {done}");
            client.done(&native, edit);
        }
        assert_eq!(folder.text("b.md"), format!("# Plan\n\n- b\n{end}"), "{dialect}");
        assert_eq!(folder.text("a.md"), "# Plan\n\n- a\n");
    }
}

/// Whatever the file is: the server starts, says why it serves it not, and serves it once it can.
#[test]
fn a_file_that_cannot_be_served_stops_no_start() {
    type Make = fn(&Folder);
    let mut cases: Vec<(Make, &str, &str)> = vec![
        (
            |folder| std::fs::write(folder.path().join("plan.md"), [b'a', 0xff, 0xfe]).unwrap(),
            "FILE_NOT_TEXT",
            "at byte 1",
        ),
        (
            |folder| std::fs::create_dir(folder.path().join("plan.md")).unwrap(),
            "FILE_UNAVAILABLE",
            "it is a folder",
        ),
        (
            |folder| {
                let file = std::fs::File::create(folder.path().join("plan.md")).unwrap();
                file.set_len((16 << 20) + 4).unwrap();
            },
            "FILE_UNAVAILABLE",
            "16777220 bytes",
        ),
    ];
    if cfg!(unix) {
        cases.push((
            |folder| {
                let made = Command::new("mkfifo").arg(folder.path().join("plan.md")).status();
                assert!(made.unwrap().success());
            },
            "FILE_UNAVAILABLE",
            "no regular file",
        ));
        cases.push((
            |folder| {
                #[cfg(unix)]
                std::os::unix::fs::symlink("/dev/zero", folder.path().join("plan.md")).unwrap();
                let _ = folder;
            },
            "FILE_UNAVAILABLE",
            "no regular file",
        ));
    }
    for (make, code, words) in cases {
        let folder = Folder::new();
        make(&folder);
        let path = folder.path().join("plan.md");
        let (database, document) = (folder.file("x.db"), folder.file("plan.md"));
        let mut client = Client::start(&["--db", &database, "--document", &document]);
        for _ in 0..2 {
            let refused = client.call("canvas_check_out", json!({}));
            let error = &refused["structuredContent"]["error"];
            assert_eq!(error["code"], code, "{error}");
            assert!(error["message"].as_str().unwrap().contains(words), "{error}");
        }
        let (is_well, _, said) = run(&["--check", "--document", &document]);
        assert!(!is_well && said.contains(words), "{said}");
        if code == "FILE_UNAVAILABLE" && words == "no regular file" && path.canonicalize().unwrap() != path {
            continue;
        }
        if path.is_dir() {
            std::fs::remove_dir(&path).unwrap();
        } else {
            std::fs::remove_file(&path).unwrap();
        }
        folder.write("plan.md", "# Plan\n\n- a\n");
        turn(&mut client, None, "- a", "- b");
        assert_eq!(folder.text("plan.md"), "# Plan\n\n- b\n");
    }
}

/// A text that is no longer one while a model works: its draft stays, and nothing is written.
#[test]
fn a_file_that_is_text_no_more_keeps_the_draft() {
    let folder = Folder::new();
    folder.write("plan.md", "# Plan\n\n- a\n");
    let (database, document) = (folder.file("x.db"), folder.file("plan.md"));
    let mut client = Client::start(&["--db", &database, "--document", &document]);
    let lease = client.check_out();
    client.done("canvas_read_all", json!({"lease_id": lease}));
    client.done("canvas_apply_patch", json!({"lease_id": lease, "patch": "@@\n-- a\n+- b\n"}));
    let bytes = [b'#', 0xe9, b'\n'];
    std::fs::write(&document, bytes).unwrap();
    assert_eq!(client.refused("canvas_check_in", json!({"lease_id": lease})), "FILE_NOT_TEXT");
    assert!(client.close().success());
    assert_eq!(std::fs::read(&document).unwrap(), bytes);
    let mut client = Client::start(&["--db", &database, "--document", &document]);
    let uri = resources(&mut client)[0].1.clone();
    assert_eq!(client.read(&uri), "# Plan\n\n- b\n");
    assert_eq!(std::fs::read(&document).unwrap(), bytes);
}

#[cfg(unix)]
#[test]
fn names_that_are_hard_to_write() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    for name in [
        &b"a plan.md"[..],
        b"two\nlines.md",
        b"\xff\xfe.md",
        "Überblick – 计划.md".as_bytes(),
        b"-x.md",
        b"'\".md",
    ] {
        let folder = Folder::new();
        let path = folder.path().join(OsStr::from_bytes(name));
        std::fs::write(&path, "# Plan\n\n- a\n").unwrap();
        for way in ["--document", "--folder"] {
            std::fs::write(&path, "# Plan\n\n- a\n").unwrap();
            let value = if way == "--document" { path.as_os_str() } else { folder.path().as_os_str() };
            let database = folder.file("x.db");
            let arguments = [OsStr::new(way), value, OsStr::new("--db"), OsStr::new(&database)];
            let mut client = Client::start_program(Path::new(PROGRAM), &arguments);
            turn(&mut client, None, "- a", "- b");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), "# Plan\n\n- b\n", "{path:?}");
            assert!(client.close().success());
        }
    }
}

/// A link belongs to the file that it named at the start, and stays a link.
#[cfg(unix)]
#[test]
fn a_link_that_changes_its_target() {
    use std::os::unix::fs::symlink;

    let folder = Folder::new();
    folder.write("a.md", "# A\n\n- a\n");
    folder.write("b.md", "# B\n\n- a\n");
    let (database, link) = (folder.file("x.db"), folder.file("plan.md"));
    symlink("a.md", &link).unwrap();
    let mut client = Client::start(&["--db", &database, "--document", &link]);
    turn(&mut client, None, "- a", "- b");
    std::fs::remove_file(&link).unwrap();
    symlink("b.md", &link).unwrap();
    turn(&mut client, None, "- b", "- c");
    assert_eq!(
        (folder.text("a.md").as_str(), folder.text("b.md").as_str()),
        ("# A\n\n- c\n", "# B\n\n- a\n")
    );
    assert!(client.close().success());
    let mut client = Client::start(&["--db", &database, "--document", &link]);
    turn(&mut client, None, "- a", "- b");
    assert_eq!(
        (folder.text("a.md").as_str(), folder.text("b.md").as_str()),
        ("# A\n\n- c\n", "# B\n\n- b\n")
    );
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
}

/// Times that tell nothing: set back, far ahead, whole seconds as some network file systems have them, or as they were before.
#[test]
fn times_of_files_are_not_believed() {
    use std::time::SystemTime;

    let folder = Folder::new();
    folder.write("plan.md", "# Plan\n\n- 0\n");
    let (database, document) = (folder.file("x.db"), folder.file("plan.md"));
    let mut client = Client::start(&["--db", &database, "--document", &document]);
    let uri = resources(&mut client)[0].1.clone();
    let before = std::fs::metadata(&document).unwrap().modified().unwrap();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let times = [
        SystemTime::UNIX_EPOCH,
        before,
        SystemTime::now() + Duration::from_secs(86_400),
        SystemTime::UNIX_EPOCH + Duration::from_secs(now.as_secs()),
    ];
    for (number, time) in (1..=8).zip(times.into_iter().cycle()) {
        let text = format!("# Plan\n\n- {number}\n");
        let file = std::fs::OpenOptions::new().write(true).truncate(true).open(&document).unwrap();
        std::io::Write::write_all(&mut &file, text.as_bytes()).unwrap();
        file.set_modified(time).unwrap();
        drop(file);
        assert_eq!(client.read(&uri), text, "{time:?}");
    }
}

/// An editor that saves all the time, in its three ways, while a model works.
#[test]
fn a_thousand_saves() {
    let folder = Folder::new();
    folder.write("plan.md", "# Plan\n\n## Model\n\n- model 0\n\n## User\n\n- user 0\n");
    let (database, document) = (folder.file("x.db"), folder.file("plan.md"));
    let mut client = Client::start(&["--db", &database, "--document", &document]);
    let uri = resources(&mut client)[0].1.clone();
    let path = document;
    let saves = std::thread::spawn(move || {
        let new = format!("{path}.tmp");
        let begun = Instant::now();
        for number in 1..=1_000 {
            // What an editor has that never reads again.
            let text = format!("# Plan\n\n## Model\n\n- model 0\n\n## User\n\n- user {number}\n");
            if number % 2 == 0 {
                std::fs::write(&path, &text).unwrap();
            } else {
                std::fs::write(&new, &text).unwrap();
                std::fs::rename(&new, &path).unwrap();
            }
            std::thread::sleep(Duration::from_millis(number).saturating_sub(begun.elapsed()));
        }
    });
    let mut codes = std::collections::BTreeSet::new();
    while !saves.is_finished() {
        let taken = client.call("canvas_check_out", json!({}));
        let lease = &taken["structuredContent"]["lease_id"];
        if taken["isError"] == false {
            client.call("canvas_read_all", json!({"lease_id": lease}));
            let patch = json!({"lease_id": lease, "patch": "@@\n-- model 0\n+- model 1\n"});
            client.call("canvas_apply_patch", patch);
            let given = client.call("canvas_check_in", json!({"lease_id": lease}));
            codes.insert(given["structuredContent"]["error"]["code"].to_string());
        }
    }
    saves.join().unwrap();
    // The last save counts, beside what a check-in after it has written.
    let begun = Instant::now();
    while folder.text("plan.md") != client.read(&uri) {
        assert!(begun.elapsed() < PATIENCE, "{codes:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(folder.text("plan.md").contains("- user 1000\n"), "{codes:?}: {}", folder.text("plan.md"));
}

/// A disk that takes no more: the file is as it was, and the draft is kept.
#[cfg(unix)]
#[test]
fn a_disk_that_is_full() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = Folder::new();
    let long = "- a line of forty bytes that is repeated\n".repeat(2_000);
    let text = format!("# Plan\n\n- a\n{long}");
    folder.write("plan.md", &text);
    // The system refuses to write more than 16 blocks of a file, as a full disk does.
    folder.write("limited", &format!("#!/bin/sh\ntrap '' XFSZ\nulimit -f 16\nexec {} \"$@\"\n", PROGRAM));
    let limited = folder.path().join("limited");
    std::fs::set_permissions(&limited, std::fs::Permissions::from_mode(0o755)).unwrap();
    let document = folder.file("plan.md");
    let mut client = Client::start_program(&limited, &["--document", &document]);
    let lease = client.check_out();
    client.done("canvas_read_lines", json!({"lease_id": lease, "start_line": 1, "end_line": 5}));
    client.done("canvas_apply_patch", json!({"lease_id": lease, "patch": "@@\n-- a\n+- b\n"}));
    assert_eq!(client.refused("canvas_check_in", json!({"lease_id": lease})), "FILE_UNAVAILABLE");
    assert!(folder.text("plan.md") == text, "the file is as it was");
    let uri = resources(&mut client)[0].1.clone();
    assert!(client.read(&uri).contains("- b\n"));
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().flatten().map(|e| e.file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().ends_with(".new")), "{left:?}");
}

/// A draft that was kept is shown, and let go.
#[test]
fn a_kept_draft_is_shown_and_thrown_away() {
    for database in [true, false] {
        let folder = Folder::new();
        folder.write("plan.md", "# Plan\n\n- a\n");
        let (file, document) = (folder.file("x.db"), folder.file("plan.md"));
        let store = if database { vec!["--db", file.as_str()] } else { Vec::new() };
        let with = |more: &[&str]| -> (bool, String, String) {
            let arguments: Vec<_> = ["draft", document.as_str()].into_iter().chain(store.clone()).collect();
            run(&[&arguments[..], more].concat())
        };
        assert!(!with(&[]).0);
        let arguments: Vec<_> = store.iter().copied().chain(["--document", document.as_str()]).collect();
        let mut client = Client::start(&arguments);
        let lease = client.check_out();
        client.done("canvas_read_all", json!({"lease_id": lease}));
        client.done("canvas_apply_patch", json!({"lease_id": lease, "patch": "@@\n-- a\n+- model\n"}));
        folder.write("plan.md", "# Plan\n\n- user\n");
        client.call("canvas_check_in", json!({"lease_id": lease}));
        let is_draft = |(title, _): &(String, String)| title.ends_with(".draft: document");
        assert!(resources(&mut client).iter().any(is_draft));
        assert_eq!(with(&[]), (true, "# Plan\n\n- model\n".to_owned(), String::new()));
        let (is_well, said, _) = with(&["--throw-away"]);
        assert!(is_well && said.contains("3 lines"), "{said}");
        assert!(!with(&[]).0);
        assert_eq!(folder.text("plan.md"), "# Plan\n\n- user\n");
        assert!(!database || !resources(&mut client).iter().any(is_draft));
    }
}

/// `--check` changes nothing, and its lines are those that a client is given.
#[test]
fn a_check_prints_what_a_client_holds() {
    let folder = Folder::new();
    folder.write("a plan.md", "# Plan\n");
    let (database, document) = (folder.file("x.db"), folder.file("a plan.md"));
    let (is_well, said, _) = run(&["--check", "--db", &database, "--document", &document, "--ttl", "60"]);
    assert!(is_well, "{said}");
    let line = said.lines().find(|line| line.contains("mcpServers")).unwrap();
    let configuration: Value = serde_json::from_str(&line[line.find('{').unwrap()..]).unwrap();
    let canonical = |path: &str| {
        let folder = folder.path().canonicalize().unwrap();
        folder.join(path).to_str().unwrap().to_owned()
    };
    let arguments = json!(["--db", canonical("x.db"), "--document", canonical("a plan.md"), "--ttl", "60"]);
    assert_eq!(configuration["mcpServers"]["canvas"]["args"], arguments);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// A folder as large as a vault of notes.
#[test]
fn a_folder_of_ten_thousand() {
    let folder = Folder::new();
    for number in 0..10_000 {
        let name = format!("{:02}/{number:05}.md", number % 100);
        write(&folder, &name, "# Note\n");
    }
    let (database, root) = (folder.file("x.db"), folder.path().to_str().unwrap().to_owned());
    let mut client = Client::start(&["--db", &database, "--folder", &root]);
    assert_eq!(resources(&mut client).len(), 10_000);
    let listed = client.done("canvas_list_documents", json!({"contains": "/09999"}));
    assert_eq!(listed["documents"], json!(["99/09999.md"]));
    let id =
        &BlobId::of(folder.path().canonicalize().unwrap().join("99/09999.md").to_str().unwrap().as_bytes())
            .to_string()[..16];
    assert_eq!(client.read(&format!("canvas://09999-{id}/document")), "# Note\n");
}

/// The span of a request is that of the calls of the engine.
#[test]
fn a_request_brings_its_span() {
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let call = |id: u32, meta: Value| {
        json!({
            "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": "canvas_check_out", "arguments": {}, "_meta": meta},
        })
    };
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
    });
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let input =
        [hello, ready, call(2, json!({"traceparent": parent})), call(3, json!({"traceparent": "no span"}))];
    let mut server = Command::new(PROGRAM)
        .arg("--trace")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = server.stdin.take().unwrap();
    for line in input {
        std::io::Write::write_all(&mut pipe, format!("{line}\n").as_bytes()).unwrap();
    }
    drop(pipe);
    let said = String::from_utf8(server.wait_with_output().unwrap().stderr).unwrap();
    let lines = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let outs: Vec<_> = lines.filter(|line| line["name"] == "check_out").collect();
    assert_eq!(outs.len(), 2, "{said}");
    // The two run in any order.
    let parents: Vec<_> = outs.iter().filter_map(|out| out["traceparent"].as_str()).collect();
    assert!(parents == [parent] && outs[0]["took_us"].is_u64(), "{said}");
}

/// What optional arguments may be besides `null`: some clients show no field of two types.
#[test]
fn optional_arguments_have_one_type() {
    fn types(value: &Value, at: &str, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                if fields
                    .get("type")
                    .is_some_and(|kind| kind.as_array().is_some_and(|kinds| kinds.contains(&json!("null"))))
                {
                    found.push(at.to_owned());
                }
                fields.iter().for_each(|(name, value)| types(value, &format!("{at}/{name}"), found));
            }
            Value::Array(values) => values.iter().for_each(|value| types(value, at, found)),
            _ => {}
        }
    }
    let mut client = Client::start(&[]);
    let tools = client.ask("tools/list", json!({})).unwrap();
    let mut found = Vec::new();
    for tool in tools["tools"].as_array().unwrap() {
        types(&tool["inputSchema"], tool["name"].as_str().unwrap(), &mut found);
    }
    assert!(found.is_empty(), "{found:?}");
}

/// Two servers on one file with a database each, or with none: what one writes is a save to the other.
#[test]
fn two_servers_with_two_databases() {
    for databases in [[Some("x.db"), Some("y.db")], [Some("x.db"), None], [None, None]] {
        let folder = Folder::new();
        let sections: String = (0..2).map(|own| format!("## {own}\n\n- {own}: 0\n\n")).collect();
        folder.write("plan.md", &format!("# Plan\n\n{sections}"));
        let document = folder.file("plan.md");
        let mut clients = databases.map(|database| {
            let database = database.map(|name| folder.file(name));
            let mut arguments = vec!["--document", &document];
            arguments.extend(database.iter().flat_map(|database| ["--db", database]));
            Client::start(&arguments)
        });
        for number in 0..6 {
            // Both write before either checks in.
            let leases = [0, 1].map(|own| clients[own].check_out());
            for own in 0..2 {
                let lease = &leases[own];
                clients[own].done("canvas_read_all", json!({"lease_id": lease}));
                let patch = format!("@@\n-- {own}: {number}\n+- {own}: {}\n", number + 1);
                clients[own].done("canvas_apply_patch", json!({"lease_id": lease, "patch": patch}));
            }
            for own in [number % 2, 1 - number % 2] {
                // What the other has saved ends the lease; the draft joins it all the same.
                clients[own].call("canvas_check_in", json!({"lease_id": leases[own]}));
                clients[own].call("canvas_check_out", json!({}));
                clients[own].call("canvas_check_in", json!({"lease_id": leases[own]}));
            }
        }
        for client in clients {
            assert!(client.close().success());
        }
        let text = folder.text("plan.md");
        assert!(text.contains("- 0: 6\n") && text.contains("- 1: 6\n"), "{databases:?}: {text}");
    }
}

/// Pages of the list, and a name that is not in it any more.
#[test]
fn the_list_of_documents_goes_on_after_a_name() {
    let folder = Folder::new();
    for number in 0..201 {
        write(&folder, &format!("{number:03}.md"), "# Note\n");
    }
    let root = folder.path().to_str().unwrap().to_owned();
    let mut client = Client::start(&["--folder", &root]);
    let first = client.done("canvas_list_documents", json!({}));
    assert_eq!((&first["after"], &first["total"]), (&json!("199.md"), &json!(201)));
    let rest = client.done("canvas_list_documents", json!({"after": "199.md"}));
    assert_eq!((&rest["documents"], rest.get("after")), (&json!(["200.md"]), None));
    assert_eq!(client.refused("canvas_list_documents", json!({"after": "none.md"})), "INVALID_ARGUMENTS");
}

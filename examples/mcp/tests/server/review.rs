//! Edits of a model that wait for the user.

use std::process::{Command, Output};

use serde_json::{Value, json};

use super::client::{Client, Folder, PROGRAM, pages};

const DOCUMENT: &str = "# Launch\n\nThe launch is on Monday.\n\n- write the note\n- call the press\n";
const THREE: &str = "@@\n-# Launch\n+# Launch of version 2\n@@\n-The launch is on Monday.\n+The launch of version 2 is on \
                     Monday.\n@@\n-- call the press\n+- call the press and the partners\n";
const PROPOSALS: &str = "canvas://launch/proposals";

/// A file, and a server whose client shows pages beside its model.
struct Desk {
    folder: Folder,
    client: Client,
}

impl Desk {
    fn new() -> Self {
        let folder = Folder::new();
        folder.write("launch.md", DOCUMENT);
        let client = Self::start(&folder);
        Self { folder, client }
    }

    fn start(folder: &Folder) -> Client {
        let (file, database) = (folder.file("launch.md"), folder.file("notes.db"));
        Client::start_as(
            "model",
            pages(),
            &["--propose", "--document", &file, "--canvas", "launch", "--db", &database],
        )
    }

    fn propose(&mut self, patch: &str) -> Value {
        self.client.done("canvas_read_all", json!({}));
        self.client.done("canvas_apply_patch", json!({"patch": patch}))
    }

    /// The state for the page, and its permit.
    fn state(&mut self) -> (Value, Value) {
        let mut state = self.client.call("app_state", json!({}));
        assert_eq!(state["isError"], false, "{state}");
        let permit = state["_meta"]["canvas/permit"].take();
        (state["structuredContent"].take(), permit)
    }

    fn text(&self) -> String {
        self.folder.text("launch.md")
    }

    /// Runs the command of a person.
    fn review(&self, more: &[&str]) -> Output {
        let (file, database) = (self.folder.file("launch.md"), self.folder.file("notes.db"));
        let ours = ["review", &file, "--canvas", "launch", "--db", &database];
        Command::new(PROGRAM).args(ours).args(more).output().unwrap()
    }

    fn reviewed(&self, more: &[&str]) -> String {
        let output = self.review(more);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

fn hidden(result: &Value) -> Option<&str> {
    result["content"].get(1)?["text"].as_str()
}

/// What was said and done, in order, is what `review.txt` has. `CANVAS_MESSAGES=write` writes it.
#[test]
fn the_next_patch_respects_the_note_of_a_rejection() {
    let mut desk = Desk::new();
    let mut record =
        format!("The instructions end with:\n{}\n", desk.client.instructions.lines().last().unwrap());
    let proposed = desk.propose(THREE);
    record += &format!("\nThe model proposes:\n{THREE}It gets: {proposed}\nThe file is as it was.\n");
    assert_eq!(desk.text(), DOCUMENT);

    let (state, permit) = desk.state();
    let parts = state["proposals"][0]["parts"].as_array().unwrap().clone();
    record += "\nThe page shows:\n";
    for part in &parts {
        let text = |name: &str| part[name].as_str().unwrap().trim_end().to_owned();
        record += &format!("{}: {} -> {}\n", text("id"), text("before"), text("after"));
    }
    let seen: Value =
        parts.iter().map(|part| (part["id"].as_str().unwrap().to_owned(), part["after"].clone())).collect();
    let decision = json!({
        "permit": permit, "accept": ["p2", "p3"], "reject": ["p1"], "note": "keep the title short", "seen": seen,
    });
    let mut decided = desk.client.done("app_decide", decision);
    decided.as_object_mut().unwrap().remove("canvas");
    record +=
        &format!("\nThe user accepts p2 and p3, and rejects p1 with a note. The page gets: {decided}\n");
    record += &format!("The file has:\n{}", desk.text());

    let found = desk.client.call("canvas_grep", json!({"query": "Launch"}));
    record += &format!(
        "\nThe model searches for Launch. It gets: {}\nBeside it, it gets:\n{}\n",
        found["structuredContent"]["matches"],
        hidden(&found).unwrap()
    );
    let patch = "@@\n-# Launch\n+# Launch 2\n";
    let proposed = desk.client.call("canvas_apply_patch", json!({"patch": patch}));
    assert_eq!(hidden(&proposed), None, "it is told once: {proposed}");
    record += &format!("\nThe model proposes:\n{patch}It gets: {}\n", proposed["structuredContent"]);
    let again =
        desk.client.done("canvas_apply_patch", json!({"patch": "@@\n-# Launch 2\n+# Launch of version 2\n"}));
    record += &format!("\nThe model proposes the rejected title again. It gets: {}\n", again["proposed"]);

    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/server/review.txt");
    if std::env::var_os("CANVAS_MESSAGES").is_some_and(|value| value == "write") {
        std::fs::write(file, &record).unwrap();
    }
    let kept = std::fs::read_to_string(file).unwrap();
    assert!(kept == record, "{record}");
}

/// What a model can say to the server decides nothing.
#[test]
fn no_model_decides() {
    let mut desk = Desk::new();
    desk.propose(THREE);
    let names = desk.client.ask("tools/list", json!({})).unwrap();
    let names: Vec<&str> =
        names["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(!names.iter().any(|name| name.contains("lease") || *name == "canvas_check_out"), "{names:?}");

    let (_, permit) = desk.state();
    let permit = permit.as_str().unwrap().to_owned();
    let altered = format!("{}x", &permit[..permit.len() - 2]);
    for forged in [Value::Null, json!(""), json!("yes"), json!(altered)] {
        let decision = json!({"permit": forged, "accept": "all"});
        assert_eq!(desk.client.refused("app_decide", decision), "DECISION_BY_MODEL", "{forged}");
    }
    assert_eq!(desk.client.refused("app_decide", json!({"accept": "all"})), "DECISION_BY_MODEL");
    assert_eq!(
        desk.client.refused("app_decide", json!({"permit": permit, "accept": "some"})),
        "INVALID_ARGUMENTS"
    );
    for name in ["undo", "create_component", "canvas_check_out", "surface_action"] {
        let answer = desk.client.ask("tools/call", json!({"name": name, "arguments": {}}));
        assert!(answer.is_err() || answer.unwrap()["isError"] == true, "{name}");
    }
    // Another client gets no permit of this one, and has no pages.
    let mut other =
        Client::start(&["--propose", "--canvas", "launch", "--db", &desk.folder.file("notes.db")]);
    let decision = json!({"name": "app_decide", "arguments": {"permit": permit, "accept": "all"}});
    assert!(other.ask("tools/call", decision).is_err());
    assert_eq!(desk.text(), DOCUMENT);
    assert_eq!(desk.state().0["proposals"][0]["parts"].as_array().unwrap().len(), 3);
}

/// A permit counts for one decision. The same decision may be sent again.
#[test]
fn a_permit_is_used_once() {
    let mut desk = Desk::new();
    desk.propose(THREE);
    let (_, permit) = desk.state();
    let accept = json!({"permit": permit, "accept": ["p1"]});
    let first = desk.client.done("app_decide", accept.clone());
    assert_eq!(desk.client.done("app_decide", accept), first, "its answer was lost");
    assert!(!desk.client.refused("app_decide", json!({"permit": permit, "accept": ["p2"]})).is_empty());
    assert_eq!(desk.text(), DOCUMENT.replace("# Launch", "# Launch of version 2"));

    let (_, permit) = desk.state();
    let seen = json!({"p2": "The launch is on Sunday.\n"});
    let changed = json!({"permit": permit, "accept": ["p2"], "seen": seen});
    assert_eq!(desk.client.refused("app_decide", changed), "PART_CHANGED");
    desk.client.done("app_undo", json!({}));
    assert_eq!(desk.text(), DOCUMENT);
    assert_eq!(desk.state().0["proposals"][0]["parts"].as_array().unwrap().len(), 3);
}

#[test]
fn a_person_decides_by_a_command() {
    let mut desk = Desk::new();
    assert_eq!(desk.reviewed(&[]), "nothing waits for a decision\n");
    desk.propose(&THREE.replace("and the partners", "\u{1b}[2J\u{202e}"));
    let printed = desk.reviewed(&[]);
    assert!(printed.contains("+ # Launch of version 2\n"), "{printed}");
    assert!(printed.contains("\\u{1b}[2J\\u{202e}"), "no terminal obeys it: {printed}");
    let marked = |id: &str| {
        let line = printed.lines().find(|line| line.starts_with(&format!("{id}@"))).unwrap();
        line.split(' ').next().unwrap().to_owned()
    };
    // The model changes a part meanwhile.
    desk.client
        .done("canvas_apply_patch", json!({"patch": "@@\n-# Launch of version 2\n+# Launch of version 3\n"}));
    let refused = desk.review(&["--accept", &marked("p1")]);
    assert!(!refused.status.success());
    assert!(String::from_utf8(refused.stderr).unwrap().contains("PART_CHANGED"));
    assert_eq!(desk.text(), DOCUMENT);

    let (p2, p3) = (marked("p2"), marked("p3"));
    let said = desk.reviewed(&["--accept", &p2, "--reject", &p3, "--note", "no tricks"]);
    assert!(said.starts_with("accepted: p2\nrejected: p3\n"), "{said}");
    assert_eq!(desk.text(), DOCUMENT.replace("The launch is", "The launch of version 2 is"));
    let read = desk.client.call("canvas_read_all", json!({}));
    assert!(hidden(&read).unwrap().ends_with("Rejected (lines 6-6): \"no tricks\""), "{read}");

    // The proposal of a client that has gone waits too.
    let Desk { folder, client } = desk;
    client.close();
    let mut desk = Desk { client: Desk::start(&folder), folder };
    let read = desk.client.done("canvas_read_all", json!({}));
    assert!(!read["text"].as_str().unwrap().contains("version 3"), "it is of another conversation: {read}");
    assert!(desk.reviewed(&["--accept", "all"]).starts_with("accepted: p1\n"));
    assert!(desk.text().starts_with("# Launch of version 3\n"));
    for (more, why) in [(["--accept", "p9"], "PART_NOT_FOUND"), (["--accept", "9"], "--help")] {
        let refused = desk.review(&more);
        assert!(!refused.status.success());
        assert!(String::from_utf8(refused.stderr).unwrap().contains(why), "{why}");
    }
}

/// What the user saves in the file moves the parts, and is never undone by them.
#[test]
fn the_user_types_in_the_file_meanwhile() {
    let mut desk = Desk::new();
    desk.propose(THREE);
    let friday = DOCUMENT.replace("Monday", "Friday");
    desk.folder.write("launch.md", &friday);
    let list: Value = serde_json::from_str(&desk.client.read(PROPOSALS)).unwrap();
    let parts = list["proposals"][0]["parts"].as_array().unwrap();
    assert_eq!(parts[1]["after"], "The launch of version 2 is on Friday.\n", "{list}");
    assert!(parts.iter().all(|part| part["state"] == "pending"), "{list}");
    let read = desk.client.call("canvas_read_all", json!({}));
    assert!(hidden(&read).unwrap().contains("+The launch of version 2 is on Friday."), "{read}");
    assert_eq!(desk.text(), friday);

    // A save in the words of a part makes it stale.
    desk.folder.write("launch.md", &friday.replace("# Launch", "# Lunch"));
    let (state, permit) = desk.state();
    let parts = &state["proposals"][0]["parts"];
    assert_eq!((&parts[0]["id"], &parts[0]["state"]), (&json!("p1"), &json!("stale")));
    let decision = json!({"permit": permit, "accept": ["p1"]});
    assert_eq!(desk.client.refused("app_decide", decision), "PART_STALE");
    let (_, permit) = desk.state();
    desk.client.done("app_decide", json!({"permit": permit, "accept": "all"}));
    assert_eq!(
        desk.text(),
        "# Lunch\n\nThe launch of version 2 is on Friday.\n\n- write the note\n- call the press and the partners\n"
    );
}

/// Without a database, proposals are gone with their server.
#[test]
fn a_command_finds_nothing_in_the_memory_of_a_server() {
    let folder = Folder::new();
    folder.write("launch.md", DOCUMENT);
    let output = Command::new(PROGRAM).args(["review", &folder.file("launch.md")]).output().unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8(output.stderr).unwrap().contains("--db"));
}

//! Several clients at one canvas, and clients that go.

use std::time::{Duration, Instant};

use serde_json::json;

use super::client::{Client, Folder, PATIENCE, pages};

#[test]
fn two_clients_of_one_file_see_one_canvas() {
    let folder = Folder::new();
    let database = folder.file("notes.db");
    let (mut one, mut two) = (Client::start(&["--db", &database]), Client::start(&["--db", &database]));
    let lease = one.check_out();
    assert_eq!(two.refused("canvas_check_out", json!({})), "LOCK_NOT_AVAILABLE");
    one.done("canvas_apply_patch", json!({"lease_id": lease, "patch": "@@\n # Notes\n+\n+- one\n"}));
    assert_eq!(two.read("canvas://notes/document"), "# Notes\n\n- one\n");
    one.done("canvas_check_in", json!({"lease_id": lease}));
    two.check_out();
}

#[test]
fn a_change_is_told_across_processes() {
    let folder = Folder::new();
    let database = folder.file("notes.db");
    let mut reader = Client::start(&["--db", &database]);
    let mut writer = Client::start_as("page", pages(), &["--db", &database]);
    let (document, history) = ("canvas://notes/document", "canvas://notes/history");
    for uri in [document, history] {
        reader.ask("resources/subscribe", json!({"uri": uri})).unwrap();
    }
    for round in 0..5 {
        writer.done("app_edit", json!({"markdown": format!("# {round}\n")}));
        reader.hear_update(document);
        reader.hear_update(history);
    }
    reader.ask("resources/unsubscribe", json!({"uri": document})).unwrap();
    // The history is told of each of these edits, and so would the document be of all but the last one by its end.
    for round in 0..5 {
        writer.done("app_edit", json!({"markdown": format!("# unheard {round}\n")}));
        reader.hear_update(history);
    }
    assert!(!reader.told.iter().any(|told| told["params"]["uri"] == document), "{:?}", reader.told);
}

#[test]
fn a_new_canvas_is_told_across_processes() {
    let folder = Folder::new();
    let database = folder.file("notes.db");
    let mut reader = Client::start(&["--db", &database]);
    let mut writer = Client::start(&["--db", &database]);
    let spec = json!({"version": 1, "mode": "html", "toolPolicy": {"allow": []}, "state": {}, "actions": {}, "bindings": {}});
    let panel = json!({"operation": "upsert", "canvasId": "panel", "title": "x", "spec": spec});
    writer.done("gsv__Canvas", panel);
    reader.hear(|told| told["method"] == "notifications/resources/list_changed");
    assert_eq!(reader.read("canvas://panel/document"), "");
}

#[test]
fn a_client_that_goes_gives_its_lease_back() {
    let folder = Folder::new();
    let database = folder.file("notes.db");
    let ends: [fn(Client) -> std::process::ExitStatus; 2] = [Client::close, Client::terminate];
    for end in ends {
        let mut client = Client::start(&["--db", &database, "--ttl", "3600"]);
        client.check_out();
        assert!(end(client).success());
    }
    let mut next = Client::start(&["--db", &database]);
    next.check_out();
}

#[test]
fn a_client_that_goes_in_the_middle_of_a_call_leaves_nothing_half_written() {
    let folder = Folder::new();
    let database = folder.file("notes.db");
    for round in 0..5 {
        let mut client = Client::start(&["--db", &database]);
        let lease = client.check_out();
        let patch = format!("@@\n # Notes\n+\n+- {round}\n");
        let params = json!({"name": "canvas_apply_patch", "arguments": {"lease_id": lease, "patch": patch}});
        client.request("tools/call", params);
        assert!(client.close().success());
        let mut next = Client::start(&["--db", &database]);
        let text = next.read("canvas://notes/document");
        assert!(text.starts_with("# Notes\n") && text.ends_with('\n'), "{text:?}");
    }
}

#[test]
fn an_expired_write_that_still_fits_takes_the_lease_again() {
    let folder = Folder::new();
    let database = folder.file("notes.db");
    let mut client = Client::start(&["--db", &database, "--ttl", "1"]);
    let mut page = Client::start_as("page", pages(), &["--db", &database]);
    let lease = client.check_out();
    let end = Instant::now() + PATIENCE;
    while page.done("app_state", json!({}))["lock"]["locked"] == true {
        assert!(Instant::now() < end, "the lease does not expire");
        std::thread::sleep(Duration::from_millis(20));
    }
    let patch = json!({"lease_id": lease, "patch": "@@\n # Notes\n+\n+- late\n"});
    let late = client.done("canvas_apply_patch", patch);
    assert_ne!(late["lease_id"], lease);
    client.done("canvas_check_in", json!({"lease_id": late["lease_id"]}));
    assert_eq!(client.read("canvas://notes/document"), "# Notes\n\n- late\n");
}

#[test]
fn lists_have_pages() {
    let folder = Folder::new();
    let mut client = Client::start(&["--db", &folder.file("notes.db")]);
    let spec = json!({"version": 1, "mode": "html", "toolPolicy": {"allow": []}, "state": {}, "actions": {}, "bindings": {}});
    for number in 0..40 {
        let id = format!("panel/{number:02}");
        client
            .done("gsv__Canvas", json!({"operation": "upsert", "canvasId": id, "title": "x", "spec": spec}));
    }
    let (mut uris, mut cursor, mut pages) = (Vec::new(), None, 0);
    loop {
        let params = cursor.map_or_else(|| json!({}), |cursor: String| json!({"cursor": cursor}));
        let page = client.ask("resources/list", params).unwrap();
        uris.extend(
            page["resources"].as_array().unwrap().iter().map(|one| one["uri"].as_str().unwrap().to_owned()),
        );
        pages += 1;
        match page["nextCursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    assert_eq!(pages, 2);
    assert_eq!(uris[0], "canvas://notes/document");
    let documents: Vec<_> = uris.iter().filter(|uri| uri.ends_with("/document")).collect();
    assert_eq!(documents.len(), 41);
    assert!(uris.contains(&"canvas://panel%2F07/history".to_owned()));
    assert_eq!(client.read("canvas://panel%2F07/document"), "");
    let completed = json!({
        "ref": {"type": "ref/resource", "uri": "canvas://{id}/document"}, "argument": {"name": "id", "value": "panel/0"},
    });
    let found = client.ask("completion/complete", completed).unwrap();
    assert_eq!(found["completion"]["values"].as_array().unwrap().len(), 10);
}

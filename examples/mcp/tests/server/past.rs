//! Earlier documents: resources of revisions and versions, their completion, and what a model sees of them.

use canvas_core::document::Edit;
use canvas_core::store::Blocking;
use canvas_core::testing::block_on;
use canvas_core::version::{NameVersion, VersionLabel};
use canvas_core::{CanvasId, CollectOptions, Command, Engine, OpKey, Policy};
use canvas_store_sqlite::{SqliteStore, system_clock};
use serde_json::{Value, json};

use super::client::{Client, Folder};

/// A canvas in a database, which this process changes beside the server.
struct Desk {
    folder: Folder,
    engine: Engine<Blocking<SqliteStore>>,
    canvas: CanvasId,
    calls: u32,
}

impl Desk {
    fn new(text: &str) -> Self {
        let folder = Folder::new();
        let store = SqliteStore::open(folder.file("notes.db"), system_clock).unwrap();
        let policy = Policy { min_blob_age: std::time::Duration::ZERO, ..Policy::default() };
        let (engine, canvas) = (Engine::new(Blocking::new(store), policy), CanvasId::new("notes").unwrap());
        let key = OpKey::host("create".parse().unwrap());
        block_on(engine.create(&canvas, text, &key, system_clock())).unwrap();
        Self { folder, engine, canvas, calls: 0 }
    }

    fn client(&self) -> Client {
        Client::start(&["--db", &self.folder.file("notes.db")])
    }

    /// Runs a command, and gives the revision id after it.
    fn run<C: Command>(&mut self, command: C) -> String {
        self.calls += 1;
        let key = OpKey::user(format!("call-{}", self.calls).parse().unwrap());
        let answered = block_on(self.engine.call(&self.canvas, &key, command, system_clock())).unwrap();
        answered.result.unwrap();
        answered.snapshot.revision_id().to_string()
    }

    fn edit(&mut self, text: &str) -> String {
        self.run(Edit::overwrite(text))
    }

    fn name(&mut self, label: &str) -> String {
        self.run(NameVersion { label: VersionLabel::new(label).unwrap(), note: None, of: None })
    }
}

const LABELS: [(&str, &str); 3] = [
    ("<sent> & \"read\"", "canvas://notes/versions/%3Csent%3E%20%26%20%22read%22"),
    ("a/b?c#d", "canvas://notes/versions/a%2Fb%3Fc%23d"),
    ("日本", "canvas://notes/versions/%E6%97%A5%E6%9C%AC"),
];

#[test]
fn earlier_documents_are_resources() {
    let mut desk = Desk::new("# Notes\n\nfirst\n");
    let first = desk.name(LABELS[0].0);
    LABELS[1..].iter().for_each(|(label, _)| drop(desk.name(label)));
    let second = desk.edit("# Notes\n\nsecond\n");
    let mut client = desk.client();
    for (_, uri) in LABELS {
        assert_eq!(client.read(uri), "# Notes\n\nfirst\n");
    }
    let read = client
        .ask("resources/read", json!({"uri": format!("canvas://notes/document?revision={first}")}))
        .unwrap();
    let contents = &read["contents"][0];
    assert_eq!(
        (&contents["text"], &contents["mimeType"]),
        (&json!("# Notes\n\nfirst\n"), &json!("text/markdown"))
    );
    assert_eq!(contents["_meta"], json!({"canvas/past": true, "canvas/revision_id": first}));
    assert_eq!(client.read(&format!("canvas://notes/document?revision={second}")), "# Notes\n\nsecond\n");

    let digits = first.split_once('-').unwrap().1;
    for (uri, code) in [
        ("canvas://notes/versions/none".to_owned(), json!("VERSION_NOT_FOUND")),
        (format!("canvas://notes/document?revision=r99-{digits}"), json!("REVISION_NOT_FOUND")),
        ("canvas://notes/document?revision=r1-00000000".to_owned(), Value::Null),
        ("canvas://notes/document?revision=1".to_owned(), Value::Null),
        (format!("canvas://other/document?revision={first}"), Value::Null),
        ("canvas://notes/versions/%0A".to_owned(), Value::Null),
    ] {
        let error = client.ask("resources/read", json!({"uri": uri})).unwrap_err();
        assert_eq!((&error["code"], &error["data"]["code"]), (&json!(-32002), &code), "{uri}");
        assert!(error.to_string().len() < 2_000);
        // Nobody can follow the past.
        assert_eq!(client.ask("resources/subscribe", json!({"uri": uri})).unwrap_err()["code"], -32002);
    }

    desk.edit("third\n");
    let kept = CollectOptions { history: Some(1), ..CollectOptions::default() };
    block_on(desk.engine.collect(&desk.canvas, kept)).unwrap();
    let uri = format!("canvas://notes/document?revision={first}");
    let error = client.ask("resources/read", json!({"uri": uri})).unwrap_err();
    assert_eq!((&error["code"], &error["data"]["code"]), (&json!(-32002), &json!("REVISION_NOT_KEPT")));
    assert_eq!(client.read(LABELS[2].1), "# Notes\n\nfirst\n");
}

#[test]
fn versions_are_listed_and_completed() {
    let mut desk = Desk::new("# Notes\n");
    let first = desk.name(LABELS[0].0);
    let mut client = desk.client();
    let versions = |client: &mut Client| {
        let listed = client.ask("resources/list", json!({})).unwrap();
        let uris =
            listed["resources"].as_array().unwrap().iter().map(|one| one["uri"].as_str().unwrap().to_owned());
        uris.filter(|uri| uri.contains("/versions/")).collect::<Vec<_>>()
    };
    assert_eq!(versions(&mut client), [LABELS[0].1]);
    (0..30).for_each(|n| drop(desk.name(&format!("v{n}"))));
    let listed = versions(&mut client);
    assert_eq!((listed.len(), listed[0].as_str()), (20, "canvas://notes/versions/v29"));

    let second = desk.edit("# Notes\n\n- one\n");
    let templates = client.ask("resources/templates/list", json!({})).unwrap()["resourceTemplates"].take();
    let [revision, version] = ["canvas://{id}/document{?revision}", "canvas://{id}/versions/{label}"];
    for template in [revision, version] {
        assert!(
            templates.as_array().unwrap().iter().any(|one| one["uriTemplate"] == template),
            "{templates}"
        );
    }
    let mut complete = |template: &str, name: &str, value: &str, id: Option<&str>| {
        let context = id.map_or_else(|| json!({}), |id| json!({"arguments": {"id": id}}));
        let params = json!({
            "ref": {"type": "ref/resource", "uri": template}, "argument": {"name": name, "value": value},
            "context": context,
        });
        client.ask("completion/complete", params).unwrap()["completion"]["values"].take()
    };
    assert_eq!(complete(version, "label", "<", Some("notes")), json!([LABELS[0].0]));
    assert_eq!(complete(version, "label", "v2", Some("notes")).as_array().unwrap().len(), 11);
    assert_eq!(complete(version, "label", "", None), json!([]));
    assert_eq!(complete(version, "id", "no", None), json!(["notes"]));
    assert_eq!(complete(revision, "revision", "", Some("notes")), json!([second]));
    assert_eq!(complete(revision, "revision", &first, Some("notes")), json!([]));
}

/// A read of the past tells a model of no change, and is no base of a patch.
#[test]
fn a_model_that_reads_the_past_has_not_seen_the_present() {
    let mut desk = Desk::new("# Notes\n\nfirst\n");
    let first = desk.name("sent");
    let mut client = desk.client();
    client.read("canvas://notes/document");
    client.done("canvas_outline", json!({}));
    let second = desk.edit("# Notes\n\nsecond\n");
    client.read("canvas://notes/versions/sent");
    let lines = json!({"start_line": 1, "end_line": 9, "revision_id": first, "lease_id": "none"});
    let read = client.call("canvas_read_lines", lines);
    assert_eq!(read["structuredContent"]["past_lines"], json!(["1: # Notes", "2: ", "3: first"]));
    assert_eq!(read["structuredContent"]["revision_id"], json!(second));
    // The change comes beside the first reply after it.
    assert!(read["content"][1]["text"].as_str().unwrap().contains("+second"), "{read}");
    let listed = client.done("canvas_history", json!({"versions": true}));
    assert_eq!(listed["changes"][0]["revision_id"], json!(second));
    assert_eq!(listed["versions"], json!([{"label": "sent", "revision_id": first}]));
    let lease = client.check_out();
    let patch = json!({"lease_id": lease, "patch": "@@\n-first\n+1\n", "base_revision_id": first});
    assert_eq!(client.refused("canvas_apply_patch", patch), "PATCH_REJECTED");
}

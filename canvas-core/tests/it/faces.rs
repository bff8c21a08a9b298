//! A canvas with a face that the library may have been built without: the same tests with the features `board`, `surface`
//! and `recipe` and without them. Canvases are those of `fixtures/v1`.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use canvas_core::document::Edit;
use canvas_core::history::{ChangeNumber, ClearHistory, EntryKind, Redo, Step, Undo, UndoScope};
use canvas_core::lease::{Timestamp, Turn};
use canvas_core::store::{Commit, Committed, Head, MemoryStore, Store as _, TreePath};
use canvas_core::testing::block_on;
use canvas_core::turn::SendMessage;
use canvas_core::{
    Author, Blob, BlobId, CallId, CanvasId, CodedError as _, CollectOptions, Command, ConversationId, Engine,
    EngineError, Face, OpKey, Policy, Resolution, Role,
};
use serde_json::{Value, json};

/// What takes a board's change back, or lists its blobs, is answered.
const OF_BOARDS: &str = if cfg!(feature = "board") { "OK" } else { "FACE_NOT_SUPPORTED" };

/// The same of a surface.
const OF_SURFACES: &str = if cfg!(feature = "surface") { "OK" } else { "FACE_NOT_SUPPORTED" };

/// The same of a recipe.
const OF_RECIPES: &str = if cfg!(feature = "recipe") { "OK" } else { "FACE_NOT_SUPPORTED" };

const ONE: NonZeroU32 = NonZeroU32::MIN;
const USER: Author = Author::User;

#[expect(clippy::disallowed_methods, reason = "a test reads its fixtures")]
fn fixture(name: &str) -> Value {
    let file = format!("{}/tests/fixtures/v1/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}

/// A stored canvas in a store of its own.
struct Canvas {
    engine: Engine<MemoryStore>,
    id: CanvasId,
    at: Timestamp,
    calls: u32,
    /// The blobs that it had at first.
    blobs: Vec<Blob>,
}

impl Canvas {
    /// Opens `plan-4` or the like.
    fn open(case: &str) -> Self {
        let canvas = case.split_once('-').unwrap().0;
        let blobs: BTreeMap<BlobId, String> =
            serde_json::from_value(fixture(&format!("{canvas}.blobs"))).unwrap();
        Self::of(canvas, &fixture(&format!("{case}.head")), blobs.into_values().map(Blob::text).collect())
    }

    fn of(canvas: &str, head: &Value, blobs: Vec<Blob>) -> Self {
        let (id, at) = (CanvasId::new(canvas).unwrap(), Timestamp::from_millis(1_800_000_000_000));
        let store = MemoryStore::new(move || at);
        let head = Arc::new(Head::from_json(&id, head.to_string().as_bytes()).unwrap());
        let commit = Commit { expected: None, head, blobs: blobs.clone(), not_after: None };
        assert!(matches!(block_on(store.commit(commit)), Ok(Committed::Done { .. })));
        Self { engine: Engine::new(store, Policy::default()), id, at, calls: 0, blobs }
    }

    fn head(&self) -> Arc<Head> {
        block_on(self.engine.store().load(&self.id)).unwrap().unwrap().head
    }

    /// All that the head says of faces other than the document, and of the board's blobs.
    fn of_faces(&self) -> Value {
        let head: Value = serde_json::from_slice(&self.head().to_json()).unwrap();
        let paths = ["board.json", "descriptor.json", "spec.json", "state/latest.json", "assets"];
        let tree = |name: &str| paths.map(|path| head[name][path].clone());
        json!([
            tree("draft"),
            tree("committed"),
            head["faces"]["board"],
            head["faces"]["surface"],
            head["user_revision"]
        ])
    }

    fn file(&self, path: &str) -> Option<String> {
        let id = self.head().draft().get(&TreePath::new(path).unwrap())?;
        let blob = block_on(self.engine.store().blob(&self.id, id)).unwrap().unwrap();
        Some(blob.as_text().unwrap().to_owned())
    }

    fn text(&self) -> String {
        block_on(self.engine.snapshot(&self.id, self.at)).unwrap().text().to_owned()
    }

    /// `OK`, or the code of the refusal, which says what to build.
    fn call<C: Command>(&mut self, command: C) -> &'static str {
        self.calls += 1;
        let operation = key("user", 0, &format!("new-{}", self.calls));
        match block_on(self.engine.call(&self.id, &operation, command, self.at)).unwrap().result {
            Ok(_) => "OK",
            Err(refusal) => {
                assert!(!refusal.is_retryable());
                refusal.code()
            }
        }
    }

    fn undo(&mut self, what: UndoScope) -> &'static str {
        self.call(Undo { by: USER, what })
    }

    fn blobs_in_use(&self) -> Result<Vec<BlobId>, &'static str> {
        block_on(self.engine.blobs_in_use(&self.id, self.at)).map_err(|e| {
            assert!(!e.is_retryable(), "{e}");
            e.code()
        })
    }

    fn has_all_its_blobs(&self) {
        for blob in &self.blobs {
            let now = block_on(self.engine.store().blob(&self.id, blob.id())).unwrap();
            assert_eq!(now.as_ref().and_then(Blob::as_text), blob.as_text());
        }
    }
}

fn key(who: &str, turn: u64, call: &str) -> OpKey {
    let turn = Turn::new(turn).unwrap();
    OpKey {
        conversation: ConversationId::new(who).unwrap(),
        turn,
        call: CallId::new(call).unwrap(),
        person: None,
    }
}

#[test]
fn a_document_beside_a_board_is_edited_undone_promoted_and_played_back() {
    let mut canvas = Canvas::open("plan-4");
    let (text, faces) = (canvas.text(), canvas.of_faces());
    assert_eq!(canvas.call(Edit::overwrite("# New\n")), "OK");
    assert_eq!(canvas.call(SendMessage), "OK");
    let head = canvas.head();
    assert_eq!(head.committed(), Some(head.draft()), "the board is promoted with the document");
    assert_eq!(canvas.of_faces()[1], faces[0]);
    assert_eq!((canvas.undo(UndoScope::Steps(ONE)), canvas.text()), ("OK", text));
    assert_eq!((canvas.call(Redo { by: USER, steps: ONE }), canvas.text().as_str()), ("OK", "# New\n"));
    let replay = block_on(canvas.engine.replay(&canvas.id, canvas.at)).unwrap();
    assert_eq!(replay.tree, canvas.head().draft().hash());
    // A change of the document is undone from under those of the board.
    assert_eq!(canvas.undo(UndoScope::Steps(ONE)), "OK");
    assert_eq!(canvas.undo(UndoScope::Change(ChangeNumber::new(38))), "OK");
    let after = canvas.of_faces();
    assert_eq!([&after[0], &after[2], &after[3], &after[4]], [&faces[0], &faces[2], &faces[3], &faces[4]]);
    canvas.has_all_its_blobs();
}

/// Each takes a change of the board back, alone or with others; the last does one again.
#[test]
fn a_change_of_the_board_is_undone_only_where_there_are_boards() {
    let steps = |steps| UndoScope::Steps(NonZeroU32::new(steps).unwrap());
    let change = |number| UndoScope::Change(ChangeNumber::new(number));
    let of = |author| UndoScope::Author { author, since: None };
    let undos = [
        ("plan-4", steps(1)),
        ("plan-4", steps(3)),
        ("plan-4", UndoScope::To(ChangeNumber::new(38))),
        ("plan-4", change(40)),
        ("wall-2", steps(1)),
        ("wall-1", of(Role::User)),
    ];
    for (case, what) in undos {
        let mut canvas = Canvas::open(case);
        let before =
            (canvas.text(), canvas.head().draft().hash(), canvas.head().journal().clone(), canvas.of_faces());
        assert_eq!(canvas.undo(what.clone()), OF_BOARDS, "{what:?} in {case}");
        if OF_BOARDS != "OK" {
            let head = canvas.head();
            assert_eq!(
                before,
                (canvas.text(), head.draft().hash(), head.journal().clone(), canvas.of_faces())
            );
        }
        canvas.has_all_its_blobs();
    }
    let mut canvas = Canvas::open("wall-1");
    assert_eq!(canvas.call(Redo { by: USER, steps: ONE }), OF_BOARDS);
    canvas.has_all_its_blobs();
}

#[test]
fn what_a_canvas_needs_is_listed_only_where_all_its_faces_are_supported() {
    for case in ["plan-2", "plan-4", "wall-1"] {
        let canvas = Canvas::open(case);
        let (head, used) = (canvas.head(), canvas.blobs_in_use());
        let has_board = head.draft().get(&TreePath::board()).is_some();
        assert_eq!(used.clone().err(), Some(OF_BOARDS).filter(|code| has_board && *code != "OK"), "{case}");
        if let Ok(used) = used {
            assert!(head.blobs().all(|blob| used.contains(&blob)));
        }
    }
}

/// Every entry is read, with its face, and written as it was, number for number and space for space.
/// Canvases of the first version are exported, and imported with the same head, or need a feature.
#[test]
fn a_stored_canvas_is_moved_if_the_build_has_its_faces() {
    for (case, of_faces) in
        [("plan-4", OF_BOARDS), ("wall-2", OF_BOARDS), ("held-3", "OK"), ("gone-2", "OK"), ("never-1", "OK")]
    {
        let canvas = Canvas::open(case);
        let at = canvas.at;
        let copy = Engine::new(MemoryStore::new(move || at), Policy::default());
        let moved = block_on(async {
            let mut export = canvas.engine.export(&canvas.id).await.map_err(|e| e.code())?;
            let mut import = copy.import(&canvas.id).await.map_err(|e| e.code())?;
            while let Some(piece) = export.next().await {
                import = import.push(&piece.map_err(|e| e.code())?).await.map_err(|e| e.code())?;
            }
            import.finish().await.map_err(|e| e.code())
        });
        assert_eq!(moved.map_or_else(|code| code, |_| "OK"), of_faces, "{case}");
        if of_faces == "OK" {
            let copied = block_on(copy.store().load(&canvas.id)).unwrap().unwrap().head;
            assert_eq!(copied, canvas.head(), "{case}");
        }
    }
}

#[test]
fn entries_are_written_as_they_were_read() {
    for (case, entries, of_boards) in [("plan-4", 40, 11), ("wall-2", 21, 21)] {
        let canvas = Canvas::open(case);
        let history = block_on(canvas.engine.history(&canvas.id, None, 99, canvas.at)).unwrap();
        let boards = history.iter().filter(|entry| entry.step.face() == Face::Board).count();
        assert_eq!((history.len(), boards), (entries, of_boards), "{case}");
        for entry in &history {
            let written = BlobId::of(serde_json::to_string(entry).unwrap().as_bytes());
            assert!(canvas.blobs.iter().any(|blob| blob.id() == written), "entry {} of {case}", entry.number);
            assert_eq!(entry.step.inverse().is_some(), entry.step.face().is_supported());
        }
    }
}

/// Stored answers of board commands are repeated as they are.
#[test]
fn answers_to_commands_of_a_board_are_kept() {
    let expected = fixture("expected");
    let case = expected.as_array().unwrap().iter().find(|case| case["name"] == "plan-4").unwrap();
    let canvas = Canvas::open("plan-4");
    let mut reported = 0;
    for retry in case["retries"].as_array().unwrap() {
        let (call, answer) = (&retry[0], &retry[1]);
        if call["do"] == "board" {
            let operation = key(
                call["who"].as_str().unwrap(),
                call["turn"].as_u64().unwrap(),
                call["call"].as_str().unwrap(),
            );
            let became = block_on(canvas.engine.resolve(&canvas.id, &operation, canvas.at)).unwrap();
            let Resolution::Done(stored) = became else { panic!("{became:?}") };
            assert_eq!(serde_json::from_str::<Value>(stored.json()).unwrap(), *answer);
            reported += 1;
        }
    }
    assert!(reported > 5, "{reported} commands");
}

/// A person's change of a surface, and then an effect elsewhere in its state.
fn with_surface() -> Canvas {
    let Canvas { blobs, .. } = Canvas::open("held-2");
    let mut head = fixture("held-2.head");
    let mut blobs: Vec<_> = blobs;
    let mut put = |text: String| {
        blobs.push(Blob::text(text));
        blobs.last().unwrap().id()
    };
    let (logo, spec) = (put("a logo".into()), put("{}".into()));
    let assets = json!({"assets/logo.svg": {"blob": logo, "bytes": 6, "mediaType": "image/svg+xml"}});
    let files = [
        ("descriptor.json", put(r#"{"title":"t"}"#.into())),
        ("spec.json", spec),
        ("state/latest.json", put(r#"{"a":2,"log":[0.5]}"#.into())),
        ("assets", put(assets.to_string())),
    ];
    for (path, blob) in files {
        head["draft"][path] = json!(blob);
    }
    let last = head["journal"]["last"].as_str().unwrap().to_owned();
    let entry = |number: u64, kind: &str, step: &str, previous: &str| {
        let (before, after) = (number, number + 1);
        format!(
            r#"{{"number":{number},"change":{number},"kind":"{kind}","actor":"user","author":"user","operation":{{"conversation":"u","turn":0,"call":"s{number}"}},"at":1,"summary":"s","revision_before":{before},"revision_after":{after},"step":{step},"previous":"{previous}"}}"#
        )
    };
    let step = format!(
        r#"{{"face":"surface","state":[{{"path":"/a","before":1.5,"after":2}}],"files":[{{"file":"spec","after":"{spec}"}}]}}"#
    );
    let edit = put(entry(24, "edit", &step, &last));
    let step = r#"{"face":"surface","state":[{"path":"/log","before":null,"after":[0.5]}]}"#;
    let effect = put(entry(25, "effect", step, &edit.to_string()));
    (head["journal"]["last"], head["journal"]["undo"]) = (json!(effect), json!(edit));
    (head["journal"]["entries"], head["journal"]["touched"]) = (json!(25), json!({"/log": 25}));
    (head["revision"], head["faces"]["surface"]) = (json!(26), json!(26));
    Canvas::of("held", &head, blobs)
}

/// Without the feature it stays as it is; with it, it is undone below what an effect has left.
#[test]
fn a_surface_is_kept_whole_or_undone() {
    let mut canvas = with_surface();
    let (faces, slot) = (canvas.of_faces(), |canvas: &Canvas| {
        serde_json::from_slice::<Value>(&canvas.head().to_json()).unwrap()["journal"].clone()
    });
    let logo = BlobId::of(b"a logo");
    assert_eq!(
        canvas.blobs_in_use().map(|blobs| blobs.contains(&logo)).map_or_else(|code| code, |_| "OK"),
        OF_SURFACES
    );
    assert!(canvas.blobs_in_use().is_ok_and(|blobs| blobs.contains(&logo)) == (OF_SURFACES == "OK"));
    let history = block_on(canvas.engine.history(&canvas.id, None, 2, canvas.at)).unwrap();
    for entry in &history {
        assert_eq!(entry.step.face(), Face::Surface);
        assert_eq!(matches!(entry.step, Step::Unsupported { .. }), OF_SURFACES != "OK");
        let written = BlobId::of(serde_json::to_string(entry).unwrap().as_bytes());
        assert!(canvas.blobs.iter().any(|blob| blob.id() == written), "entry {}", entry.number);
    }
    assert_eq!(history[0].kind, EntryKind::Effect);
    assert_eq!(canvas.undo(UndoScope::Steps(ONE)), OF_SURFACES);
    if OF_SURFACES == "OK" {
        assert_eq!(canvas.file("state/latest.json").as_deref(), Some(r#"{"a":1.5,"log":[0.5]}"#));
        assert_eq!(canvas.file("spec.json"), None);
        assert_eq!(canvas.call(Redo { by: USER, steps: ONE }), "OK");
    }
    assert_eq!(canvas.of_faces()[0], faces[0]);
    block_on(canvas.engine.replay(&canvas.id, canvas.at)).unwrap();
    // The document beside it.
    assert_eq!(canvas.call(Edit::overwrite("# New\n")), "OK");
    assert_eq!(canvas.undo(UndoScope::Steps(ONE)), "OK");
    assert_eq!(canvas.undo(UndoScope::Change(ChangeNumber::new(23))), "OK");
    assert_eq!(canvas.of_faces()[0], faces[0]);
    canvas.has_all_its_blobs();
    // What effects have touched is kept as long as there is a history.
    assert_eq!(slot(&canvas)["touched"], json!({"/log": 25}));
    assert_eq!(canvas.call(ClearHistory), "OK");
    assert_eq!(slot(&canvas)["touched"], Value::Null);
}

/// A person's recipe on a canvas with a surface, and then a replay that has changed data and state.
fn with_recipe() -> Canvas {
    let Canvas { mut blobs, engine, id, .. } = with_surface();
    let head = block_on(engine.store().load(&id)).unwrap().unwrap().head;
    let mut head: Value = serde_json::from_slice(&head.to_json()).unwrap();
    let mut put = |text: String| {
        blobs.push(Blob::text(text));
        blobs.last().unwrap().id()
    };
    let recipe = put(json!({
        "version": 1, "catalogue": 1, "steps": [{"id": "s", "tool": "t"}],
        "mappings": [{"step": "s", "component": "c"}, {"step": "s", "state": "/log"}],
    })
    .to_string());
    let data = put("[7]".into());
    let entry_of = format!(r#"{{"status":"ready","data":{{"blob":"{data}","bytes":3,"as_of":5}}}}"#);
    head["draft"]["recipe.json"] = json!(recipe);
    head["draft"]["data.json"] = json!(put(format!(r#"{{"c":{entry_of}}}"#)));
    head["draft"]["state/latest.json"] = json!(put(r#"{"a":2,"log":[7]}"#.into()));
    let entry = |number: u64, kind: &str, steps: &str, previous: &Value| {
        let (before, after) = (number, number + 1);
        format!(
            r#"{{"number":{number},"change":{number},"kind":"{kind}","actor":"user","author":"user","operation":{{"conversation":"u","turn":0,"call":"r{number}"}},"at":1,"summary":"s","revision_before":{before},"revision_after":{after},{steps},"previous":{previous}}}"#
        )
    };
    let step = format!(r#""step":{{"face":"recipe","after":"{recipe}"}}"#);
    let below = format!(r#","below":{{"entry":{}}}}}"#, head["journal"]["undo"]);
    let mut text = entry(26, "edit", &step, &head["journal"]["last"]);
    text.replace_range(text.len() - 1.., &below);
    let edit = put(text);
    let data_step = format!(r#"{{"face":"data","components":[{{"component":"c","after":{entry_of}}}]}}"#);
    let state_step = r#"{"face":"surface","state":[{"path":"/log","before":[0.5],"after":[7]}]}"#;
    let steps = format!(r#""step":{data_step},"also":{state_step}"#);
    let effect = put(entry(27, "effect", &steps, &json!(edit)));
    (head["journal"]["last"], head["journal"]["undo"]) = (json!(effect), json!(edit));
    (head["journal"]["entries"], head["journal"]["touched"]) = (json!(27), json!({"/log": 27}));
    (head["revision"], head["faces"]["surface"]) = (json!(28), json!(28));
    (head["faces"]["recipe"], head["faces"]["data"]) = (json!(27), json!(28));
    Canvas::of("held", &head, blobs)
}

/// Without the feature recipe and data stay as they are, and the state that a replay has changed is played back all the same.
#[test]
fn a_recipe_is_kept_whole_or_undone() {
    let mut canvas = with_recipe();
    let files = |canvas: &Canvas| ["recipe.json", "data.json"].map(|path| canvas.file(path));
    let before = files(&canvas);
    let faces = serde_json::from_slice::<Value>(&canvas.head().to_json()).unwrap()["faces"].clone();
    assert_eq!((&faces["recipe"], &faces["data"]), (&json!(27), &json!(28)));
    let data = BlobId::of(b"[7]");
    let used = canvas.blobs_in_use();
    assert_eq!(used.as_ref().map_or_else(|code| *code, |_| "OK"), OF_RECIPES);
    assert!(used.is_ok_and(|blobs| blobs.contains(&data)) == (OF_RECIPES == "OK"));
    let history = block_on(canvas.engine.history(&canvas.id, None, 2, canvas.at)).unwrap();
    for (entry, face) in history.iter().zip([Face::Data, Face::Recipe]) {
        assert_eq!((entry.step.face(), !entry.also.is_empty()), (face, face == Face::Data));
        assert_eq!(matches!(entry.step, Step::Unsupported { .. }), OF_RECIPES != "OK");
        let written = BlobId::of(serde_json::to_string(entry).unwrap().as_bytes());
        assert!(canvas.blobs.iter().any(|blob| blob.id() == written), "entry {}", entry.number);
    }
    block_on(canvas.engine.replay(&canvas.id, canvas.at)).unwrap();
    assert_eq!(canvas.undo(UndoScope::Steps(ONE)), OF_RECIPES);
    if OF_RECIPES == "OK" {
        assert_eq!(files(&canvas), [None, before[1].clone()]);
        assert_eq!(canvas.call(Redo { by: USER, steps: ONE }), "OK");
    }
    assert_eq!(files(&canvas), before);
    block_on(canvas.engine.replay(&canvas.id, canvas.at)).unwrap();
    assert_eq!(canvas.call(Edit::overwrite("# New\n")), "OK");
    assert_eq!(canvas.undo(UndoScope::Steps(ONE)), "OK");
    assert_eq!(files(&canvas), before);
    canvas.has_all_its_blobs();
}

#[cfg(feature = "recipe")]
#[test]
fn a_recipe_and_its_data_are_read() {
    let canvas = with_recipe();
    let (recipe, _) = block_on(canvas.engine.recipe(&canvas.id, canvas.at)).unwrap();
    assert_eq!(recipe.unwrap().recipe().unwrap().steps().len(), 1);
    let (data, _) = block_on(canvas.engine.data(&canvas.id, canvas.at)).unwrap();
    assert_eq!(
        serde_json::to_value(data).unwrap(),
        json!({"c": {"status": "ready", "data": [7], "asOf": 5}})
    );
}

/// A head whose recipe is not the one that the journal leads to.
#[cfg(feature = "recipe")]
#[test]
fn a_recipe_that_no_entry_has_recorded_is_not_undone() {
    let canvas = with_recipe();
    let mut head: Value = serde_json::from_slice(&canvas.head().to_json()).unwrap();
    head["draft"]["recipe.json"] = head["draft"]["data.json"].clone();
    let mut canvas = Canvas::of("held", &head, canvas.blobs);
    assert_eq!(canvas.undo(UndoScope::Steps(ONE)), "HISTORY_DAMAGED");
    let replayed = block_on(canvas.engine.replay(&canvas.id, canvas.at));
    assert_eq!(replayed.unwrap_err().code(), "CANVAS_DAMAGED");
}

/// A head lists later faces only where the canvas has had them, so that older libraries read the others.
#[test]
fn heads_without_a_recipe_are_what_they_were() {
    let faces = serde_json::from_slice::<Value>(&Canvas::open("plan-4").head().to_json()).unwrap();
    let names: Vec<_> = faces["faces"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(names, ["board", "document", "surface"]);
}

#[cfg(feature = "board")]
#[test]
fn a_board_is_read() {
    let canvas = Canvas::open("plan-4");
    let (board, _) = block_on(canvas.engine.board(&canvas.id, canvas.at)).unwrap();
    let workspace = board.unwrap().workspace(|_| canvas_core::board::DataLoadingState::default());
    assert_eq!(workspace.canvas.components.len(), 3);
}

/// Without a face nobody can say what it needs, so nothing is dropped, and the history is not cut.
#[test]
fn what_is_not_understood_is_not_collected() {
    for (mut canvas, expected) in
        [(Canvas::open("wall-2"), OF_BOARDS), (with_surface(), OF_SURFACES), (with_recipe(), OF_RECIPES)]
    {
        let head = canvas.head();
        let collection =
            CollectOptions { history: Some(2), older_than: Duration::ZERO, ..CollectOptions::default() };
        canvas.engine = Engine::new(
            canvas.engine.store().clone(),
            Policy { min_blob_age: Duration::ZERO, ..Policy::default() },
        );
        let collected = block_on(canvas.engine.collect(&canvas.id, collection));
        assert_eq!(collected.as_ref().map_or_else(EngineError::code, |_| "OK"), expected);
        if let Ok(dropped) = collected {
            assert!(dropped.blobs > 0);
            assert_eq!(canvas.undo(UndoScope::Steps(ONE)), "OK");
        } else {
            assert_eq!(canvas.head(), head);
            let erased = block_on(canvas.engine.erase(&canvas.id, &key("host", 0, "erase"), canvas.at));
            assert_eq!((erased.unwrap_err().code(), canvas.head()), (expected, head));
            canvas.has_all_its_blobs();
        }
    }
}

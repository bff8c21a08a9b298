//! A canvas with a face that the library may have been built without: the same tests with the feature `board` and without
//! it. Canvases are those of `fixtures/v1`.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use canvas_core::lease::{Timestamp, Turn};
use canvas_core::{
    Actor, Author, Blob, BlobId, CallId, CanvasId, ChangeNumber, Collection, Command, Commit, Committed,
    ConversationId, Edit, Engine, EngineError, Face, Head, MemoryStore, OpKey, Policy, Redo, Refused as _,
    Resolution, SendMessage, Step, Store as _, TreePath, Undo, UndoScope, block_on,
};
use serde_json::{Value, json};

/// What takes a board's change back, or lists its blobs, is answered.
const OF_BOARDS: &str = if cfg!(feature = "board") { "OK" } else { "FACE_NOT_SUPPORTED" };

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
        let tree = |name: &str| ["board.json", "surface.json"].map(|path| head[name][path].clone());
        json!([
            tree("draft"),
            tree("committed"),
            head["faces"]["board"],
            head["faces"]["surface"],
            head["user_revision"]
        ])
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
                assert!(!refusal.retryable());
                assert!(
                    refusal.code() != "FACE_NOT_SUPPORTED" || refusal.to_string().contains("the feature `")
                );
                refusal.code()
            }
        }
    }

    fn undo(&mut self, what: UndoScope) -> &'static str {
        self.call(Undo { by: USER, what })
    }

    fn blobs_in_use(&self) -> Result<Vec<BlobId>, &'static str> {
        block_on(self.engine.blobs_in_use(&self.id, self.at)).map_err(|e| {
            assert!(!e.retryable() && e.to_string().contains("the feature `"), "{e}");
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
    OpKey { conversation: ConversationId::new(who).unwrap(), turn, call: CallId::new(call).unwrap() }
}

#[test]
fn a_document_beside_a_board_is_edited_undone_promoted_and_played_back() {
    let mut canvas = Canvas::open("plan-4");
    let (text, faces) = (canvas.text(), canvas.of_faces());
    assert_eq!(canvas.call(Edit::replace("# New\n")), "OK");
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
        ("wall-1", of(Actor::User)),
    ];
    for (case, what) in undos {
        let mut canvas = Canvas::open(case);
        let before =
            (canvas.text(), canvas.head().draft().hash(), canvas.head().journal().clone(), canvas.of_faces());
        assert_eq!(canvas.undo(what), OF_BOARDS, "{what:?} in {case}");
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

/// A face that comes with a later version is left alone like one that was left out.
#[test]
fn a_face_that_is_not_there_yet_stays() {
    let json = r#"{"face":"surface","before":null,"later": [1.0, 1e400]}"#;
    let zeros = "0".repeat(64);
    let entry = format!(
        r#"{{"number":24,"change":24,"kind":"edit","actor":"user","author":"user","operation":{{"conversation":"u","turn":0,"call":"s"}},"at":1,"summary":"s","revision_before":24,"revision_after":25,"step":{json},"previous":"{zeros}"}}"#
    );
    let surface = Blob::text("a surface".into());
    let Canvas { blobs, .. } = Canvas::open("held-2");
    let mut head = fixture("held-2.head");
    let last = head["journal"]["last"].as_str().unwrap().to_owned();
    let entry = Blob::text(entry.replace(&zeros, &last));
    (head["journal"]["last"], head["journal"]["undo"]) = (json!(entry.id()), json!(entry.id()));
    (head["journal"]["entries"], head["revision"], head["faces"]["surface"]) =
        (json!(24), json!(25), json!(25));
    head["draft"]["surface.json"] = json!(surface.id());
    let text = entry.as_text().unwrap().to_owned();
    let mut canvas = Canvas::of("held", &head, blobs.into_iter().chain([entry, surface]).collect());

    let faces = canvas.of_faces();
    assert_eq!(canvas.undo(UndoScope::Steps(ONE)), "FACE_NOT_SUPPORTED");
    assert_eq!(canvas.blobs_in_use(), Err("FACE_NOT_SUPPORTED"));
    let history = block_on(canvas.engine.history(&canvas.id, None, 1, canvas.at)).unwrap();
    assert_eq!(history[0].step, Step::Unsupported { face: Face::Surface, json: json.into() });
    assert_eq!(serde_json::to_string(&history[0]).unwrap(), text);
    assert_eq!(canvas.call(Edit::replace("# New\n")), "OK");
    assert_eq!(canvas.undo(UndoScope::Steps(ONE)), "OK");
    assert_eq!(canvas.undo(UndoScope::Change(ChangeNumber::new(23))), "OK");
    assert_eq!(canvas.of_faces(), faces);
    canvas.has_all_its_blobs();
}

#[cfg(feature = "board")]
#[test]
fn a_board_is_read() {
    let canvas = Canvas::open("plan-4");
    let (board, _) = block_on(canvas.engine.board(&canvas.id, canvas.at)).unwrap();
    let workspace = board.unwrap().workspace(|_| canvas_core::board::DataLoadingState::default());
    assert_eq!(workspace.canvas.components.len(), 3);
}

/// Without the board nobody can say what it needs, so nothing is dropped, and the history is not cut.
#[test]
fn what_is_not_understood_is_not_collected() {
    let mut canvas = Canvas::open("wall-2");
    let extra = canvas.blobs.len();
    let head = canvas.head();
    let collection = Collection { history: Some(2), older_than: Duration::ZERO };
    canvas.engine = Engine::new(
        canvas.engine.store().clone(),
        Policy { min_blob_age: Duration::ZERO, ..Policy::default() },
    );
    let collected = block_on(canvas.engine.collect(&canvas.id, collection));
    let code = collected.as_ref().map_or_else(EngineError::code, |_| "OK");
    assert_eq!(code, OF_BOARDS);
    if code == "OK" {
        assert!(collected.unwrap().blobs > 0 && extra > 0);
        assert_eq!(canvas.undo(UndoScope::Steps(ONE)), "OK");
    } else {
        assert_eq!(canvas.head(), head);
        canvas.has_all_its_blobs();
    }
}

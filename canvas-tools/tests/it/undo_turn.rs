//! A model undoes its own turn, and a message tells it what the person selected.

use canvas_core::document::Edit;
use canvas_core::lease::Timestamp;
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::turn::{SetWorkMode, WorkMode};
use canvas_core::{CanvasId, Engine, OpKey, PersonId, Policy};
use canvas_tools::{
    DocumentTools, Session, ToolCall, ToolReply, Tools, UNDO_TURN, UndoTurnTools, UserSelection,
};
use serde_json::{Value, json};

const NOW: Timestamp = Timestamp::from_millis(1_000);
const TEXT: &str = "# Plan\n\n- a\n- b\n\n## Later\n\n- c\n- d\n";

struct World {
    engine: Engine<MemoryStore>,
    tools: Tools<MemoryStore>,
    canvas: CanvasId,
    calls: u32,
}

impl World {
    fn new() -> Self {
        let engine = Engine::new(MemoryStore::new(|| NOW), Policy::default());
        let tools = Tools::new(DocumentTools::default()).unwrap().with(UndoTurnTools).unwrap();
        let canvas = CanvasId::new("plan").unwrap();
        let key = OpKey::host("create".parse().unwrap());
        block_on(engine.create(&canvas, TEXT, &key, NOW)).unwrap();
        let mode = SetWorkMode { mode: WorkMode::Collaborative };
        block_on(engine.call(&canvas, &OpKey::host("mode".parse().unwrap()), mode, NOW))
            .unwrap()
            .result
            .unwrap();
        Self { engine, tools, canvas, calls: 0 }
    }

    fn session(&self) -> Session {
        let chat = "chat".parse().unwrap();
        block_on(Session::open(&self.engine, self.canvas.clone(), chat, NOW)).unwrap()
    }

    fn call(&mut self, session: &mut Session, name: &str, arguments: Value) -> ToolReply {
        self.calls += 1;
        let call = ToolCall { id: format!("call-{}", self.calls), name: name.to_owned(), arguments };
        block_on(self.tools.call(&self.engine, session, &call, NOW))
    }

    fn message(&mut self, session: &mut Session, selection: Option<UserSelection>) -> Option<String> {
        self.calls += 1;
        let id = format!("message-{}", self.calls).parse().unwrap();
        block_on(session.begin_turn_with(&self.engine, id, selection, NOW)).unwrap().hidden_message
    }

    fn edit(&mut self, text: &str) {
        self.calls += 1;
        let call = format!("edit-{}", self.calls).parse().unwrap();
        let key = OpKey::person(PersonId::new("anna").unwrap(), call);
        block_on(self.engine.call(&self.canvas, &key, Edit::overwrite(text), NOW)).unwrap().result.unwrap();
    }

    fn text(&self) -> String {
        block_on(self.engine.snapshot(&self.canvas, NOW)).unwrap().text().to_owned()
    }
}

#[test]
fn a_model_undoes_the_changes_of_its_own_turn_alone() {
    let mut world = World::new();
    let mut session = world.session();
    let patch = |from: &str, to: &str| json!({"patch": format!("@@\n-- {from}\n+- {to}\n")});
    world.message(&mut session, None);
    assert!(world.call(&mut session, "canvas_apply_patch", patch("a", "first turn")).is_ok());
    world.message(&mut session, None);
    assert_eq!(world.call(&mut session, UNDO_TURN, json!({})).code(), Some("NOTHING_TO_UNDO"));
    for (from, to) in [("b", "B"), ("c", "C")] {
        assert!(world.call(&mut session, "canvas_apply_patch", patch(from, to)).is_ok());
    }
    world.edit(&world.text().replace("- d", "- D"));
    let reply = world.call(&mut session, UNDO_TURN, json!({}));
    assert_eq!(reply.body()["undone"].as_array().map(Vec::len), Some(2), "{:?}", reply.body());
    assert_eq!(world.text(), TEXT.replace("- a", "- first turn").replace("- d", "- D"));
    // The undo shows no text, so the model reads before it goes on.
    assert!(world.call(&mut session, "canvas_read_all", json!({})).is_ok());
    assert!(world.call(&mut session, "canvas_apply_patch", patch("b", "bee")).is_ok());
    world.edit(&world.text().replace("- bee", "- bees"));
    let before = world.text();
    assert_eq!(world.call(&mut session, UNDO_TURN, json!({})).code(), Some("HISTORY_CONFLICT"));
    assert_eq!(world.text(), before);
    assert_eq!(world.call(&mut session, UNDO_TURN, json!({"turn": 1})).code(), Some("INVALID_ARGUMENTS"));
}

#[test]
fn a_message_tells_the_lines_that_the_person_selected() {
    let mut world = World::new();
    let mut session = world.session();
    let base = block_on(world.engine.snapshot(&world.canvas, NOW)).unwrap().revision_id();
    let select = |start_line, end_line| Some(UserSelection { start_line, end_line, base_revision_id: base });
    let line = |message: Option<String>| {
        message.and_then(|text| {
            text.lines().last().filter(|line| line.starts_with("Selection")).map(str::to_owned)
        })
    };
    let said = |lines: &str, place: &str| {
        Some(format!("Selection (do not display to user). The user selected {lines}, in {place}."))
    };
    let (plan, later) = (r#"{"section":["Plan"]}"#, r#"{"section":["Plan","Later"]}"#);
    for (start, end, expected) in [
        (3, 3, said("line 3", plan)),
        (8, 9, said("lines 8-9", later)),
        (4, 8, said("lines 4-8", plan)),
        (0, 1, None),
        (4, 3, None),
        (9, 10, None),
    ] {
        assert_eq!(line(world.message(&mut session, select(start, end))), expected, "{start}-{end}");
    }
    // Others have changed the text since the page showed it.
    world.edit(&format!("Intro.\n\n{TEXT}").replace("- c\n", "- c\n- between\n"));
    assert_eq!(line(world.message(&mut session, select(8, 9))), said("lines 10-12", later));
    assert_eq!(line(world.message(&mut session, select(3, 3))), said("line 5", plan));
    world.edit("# Plan\n\n- b\n");
    assert_eq!(line(world.message(&mut session, select(8, 9))), None);
    // A long document is stored in chunks.
    let long = format!("# Plan\n\n{}\n- last\n", "word ".repeat(20_000));
    world.edit(&long);
    let base_revision_id = block_on(world.engine.snapshot(&world.canvas, NOW)).unwrap().revision_id();
    let last = UserSelection { start_line: 4, end_line: 4, base_revision_id };
    assert_eq!(line(world.message(&mut session, Some(last))), said("line 4", plan));
    world.edit(&long.replace("# Plan\n", "# Plan\n\nNew.\n"));
    assert_eq!(line(world.message(&mut session, Some(last))), said("line 6", plan));
    let unknown = "r9-01234567".parse().unwrap();
    let lost = UserSelection { start_line: 1, end_line: 1, base_revision_id: unknown };
    assert_eq!(line(world.message(&mut session, Some(lost))), None);
}

//! Dialects in a conversation: lease, base and receipts come from the session.

use canvas_core::document::Edit;
use canvas_core::lease::{CheckOut, Timestamp};
use canvas_core::rollout::Rollout;
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::turn::Cancel;
use canvas_core::{CallId, CanvasId, Command, ConversationId, Engine, OpKey, Policy};
use canvas_tools::native::{Dialect, FAMILIES, ModelFamily};
use canvas_tools::{NativeTools, Session, ToolCall, ToolReply, Tools};
use serde_json::{Value, json};

const NOW: Timestamp = Timestamp::from_millis(1_000);

struct World {
    engine: Engine<MemoryStore>,
    session: Session,
    tools: Tools<MemoryStore>,
    calls: u32,
}

impl World {
    fn new(dialect: Dialect, text: &str) -> Self {
        Self::with(dialect, text, Policy::default())
    }

    fn with(dialect: Dialect, text: &str, policy: Policy) -> Self {
        let engine = Engine::new(MemoryStore::new(|| NOW), policy);
        let (canvas, chat) = (CanvasId::new("plan").unwrap(), ConversationId::new("chat").unwrap());
        let key = OpKey::of(chat.clone(), CallId::new("create").unwrap());
        block_on(engine.create(&canvas, text, &key, NOW)).unwrap();
        let session = block_on(Session::open(&engine, canvas, chat, NOW)).unwrap();
        let tools = Tools::new(NativeTools::new(dialect)).unwrap();
        Self { engine, session, tools, calls: 0 }
    }

    fn call_as(&mut self, id: &str, arguments: Value) -> ToolReply {
        let name =
            self.tools.specs(&self.engine).first().map_or_else(|| "edit".into(), |spec| spec.name.clone());
        let call = ToolCall { id: id.into(), name, arguments };
        self.session = crate::restored(&self.session);
        let reply = block_on(self.tools.call(&self.engine, &mut self.session, &call, NOW));
        crate::recorded::judge(&call.name, &reply);
        reply
    }

    fn call(&mut self, arguments: Value) -> ToolReply {
        self.calls += 1;
        self.call_as(&format!("call-{}", self.calls), arguments)
    }

    /// A command of somebody else, or of the user.
    fn other<C: Command>(&mut self, command: C) -> Result<C::Done, C::Refusal> {
        self.calls += 1;
        let call = CallId::new(&format!("other-{}", self.calls)).unwrap();
        let conversation = ConversationId::new("other").unwrap();
        let operation = OpKey { conversation, turn: self.session.turn, call, person: None };
        block_on(self.engine.call(&self.session.canvas, &operation, command, NOW)).unwrap().result
    }

    fn user_writes(&mut self, text: &str) {
        self.other(Edit { markdown: text.into(), base: None }).unwrap();
    }

    fn text(&self) -> String {
        block_on(self.engine.snapshot(&self.session.canvas, NOW)).unwrap().text().to_owned()
    }
}

fn edit(old: &str, new: &str) -> Value {
    json!({"file_path": "document.md", "old_string": old, "new_string": new})
}

fn reason(reply: &ToolReply) -> Option<&str> {
    reply
        .body()
        .pointer("/error/reason")
        .or_else(|| reply.body().pointer("/error/code"))
        .and_then(Value::as_str)
}

#[test]
fn an_edit_needs_no_lease_of_its_own() {
    let mut world = World::new(Dialect::Edit, "- a\n- b\n");
    let reply = world.call(edit("a", "x"));
    assert_eq!(NativeTools::text_of(&reply), "edited document.md (1 replacement(s))");
    assert_eq!(reply.body()["spans"], json!([{"start_line": 1, "end_line": 1}]));
    assert!(world.call(edit("b", "y\n- z")).is_ok());
    assert_eq!(world.text(), "- x\n- y\n- z\n");
    // It is given back.
    assert!(world.other(CheckOut).is_ok());
}

#[test]
fn a_retry_is_answered_from_the_receipt() {
    let mut world = World::new(Dialect::Edit, "a\na\n");
    let insert = json!({"file_path": "document.md", "old_string": "a\na", "new_string": "a\na\na\na"});
    let first = world.call_as("1", insert.clone());
    let again = world.call_as("1", insert);
    assert_eq!((first.revision_id(), again.is_ok()), (again.revision_id(), true));
    assert_eq!(NativeTools::text_of(&again), "edited document.md");
    assert_eq!(world.text(), "a\na\na\na\n");
    assert_eq!(world.call_as("1", edit("a\na\na\na", "b")).code(), Some("CALL_ID_REUSED"));
}

#[test]
fn what_the_user_changed_is_shown_first() {
    for (dialect, call) in [
        (Dialect::Edit, edit("b", "c")),
        (
            Dialect::TextEditor,
            json!({"command": "insert", "path": "document.md", "insert_line": 1, "insert_text": "x"}),
        ),
        (Dialect::ApplyPatch, json!({"type": "update_file", "path": "document.md", "diff": "@@\n-b\n+c\n"})),
        // What it asks for is not there any more, and that is not what the model hears.
        (Dialect::Edit, edit("a\nb", "c")),
    ] {
        let mut world = World::new(dialect, "a\nb\n");
        world.user_writes("new\na!\nb\n");
        let refused = world.call(call.clone());
        assert_eq!(reason(&refused), Some("STALE_BASE"), "{dialect}");
        let words = NativeTools::text_of(&refused);
        assert!(words.contains("+new"), "{words}");
        assert_eq!(world.text(), "new\na!\nb\n");
        // It has been shown the changes.
        let again = world.call(call);
        assert_ne!(reason(&again), Some("STALE_BASE"));
    }
}

#[test]
fn a_view_counts_as_seen() {
    let mut world = World::new(Dialect::TextEditor, "a\n");
    world.user_writes("b\n");
    let seen = world.call(json!({"command": "view", "path": "document.md"}));
    assert_eq!(
        NativeTools::text_of(&seen),
        "Here's the content of document.md with line numbers:\n     1\tb\n"
    );
    let done =
        world.call(json!({"command": "str_replace", "path": "document.md", "old_str": "b", "new_str": "c"}));
    assert!(done.is_ok(), "{}", done.body());
    // More than one call shows is asked for in parts.
    world.user_writes(&"long line\n".repeat(100_000));
    let refused = world.call(json!({"command": "view", "path": "document.md"}));
    assert_eq!(refused.body()["error"]["place"], "/view_range");
    let part = world.call(json!({"command": "view", "path": "document.md", "view_range": [100_000, -1]}));
    assert!(NativeTools::text_of(&part).ends_with("\n100000\tlong line\n"), "{}", part.body());
}

#[test]
fn refusals_change_nothing() {
    let mut world = World::new(Dialect::Edit, "a\na\n");
    for (call, expected) in [
        (edit("a", "b"), "AMBIGUOUS"),
        (edit("c", "b"), "NOT_FOUND"),
        (json!({"file_path": "x.md", "old_string": "a", "new_string": "b"}), "FILE_NOT_FOUND"),
        (json!("{}"), "INVALID_ARGUMENTS"),
    ] {
        let reply = world.call(call);
        assert_eq!((reason(&reply), world.text().as_str()), (Some(expected), "a\na\n"));
    }
    // Somebody else has the lease.
    world.other(CheckOut).unwrap();
    assert_eq!(world.call(edit("a\na", "b")).code(), Some("LOCK_NOT_AVAILABLE"));
    // The user has ended the turn.
    world.other(Cancel).unwrap();
    assert_eq!(world.call(edit("a\na", "b")).code(), Some("LOCK_NOT_AVAILABLE"));
    assert_eq!(world.text(), "a\na\n");
}

/// The second miss in a row shows the lines, whatever the model made of the first.
#[test]
fn a_second_miss_shows_the_lines_around() {
    let text: String = (1..=40).map(|i| format!("line {i}\n")).collect();
    let mut world = World::new(Dialect::Edit, &text);
    let shown = |reply: &ToolReply| reply.body()["error"]["region"].as_str().map(str::to_owned);
    assert_eq!(shown(&world.call(edit("line 19\nline 20!\n", "x"))), None);
    let again = world.call(edit("line 19\nline 20?\n", "x"));
    let around: String = (10..=30).map(|i| format!("{i:>6}\tline {i}\n")).collect();
    assert_eq!(shown(&again), Some(around));
    assert!(NativeTools::text_of(&again).ends_with("    30\tline 30\n"));
    // Each of several places, in less detail.
    let places = shown(&world.call(edit("line 3", "x"))).unwrap();
    assert!(places.starts_with("     1\tline 1\n") && places.ends_with("    35\tline 35\n"), "{places}");
    assert!(!places.contains("line 10"));
    // What is wrong with the form is no miss, and an edit ends the row.
    assert_eq!(shown(&world.call(json!({}))), None);
    assert!(world.call(edit("line 20\n", "x\n")).is_ok());
    assert_eq!(shown(&world.call(edit("line 20\n", "x\n"))), None);
}

/// What is shown again stays small, of a document of any shape.
#[test]
fn the_lines_around_are_few() {
    for text in [
        "x\n".repeat(5_000),
        "y".repeat(100_000),
        "z".repeat(3_000) + "\n" + &"w".repeat(90_000),
        ("v".repeat(1_000) + "\n").repeat(40),
    ] {
        let mut world = World::new(Dialect::Edit, &text);
        assert!(!world.call(edit("nowhere", "a")).is_ok());
        let reply = world.call(edit("nowhere", "a"));
        let region = reply.body()["error"]["region"].as_str().unwrap();
        assert!((1..10_000).contains(&region.len()), "{}", region.len());
    }
}

#[test]
fn the_rollout_closes_it() {
    let policy = Policy { rollout: Rollout::ReadOnly, ..Policy::default() };
    let mut world = World::with(Dialect::Edit, "a\n", policy);
    assert!(world.tools.specs(&world.engine).is_empty());
    assert_eq!(world.call(edit("a", "b")).code(), Some("TOOL_DISABLED"));
}

/// Every dialect makes the same revision of the same change, and declares a tool that has a plain object at its root.
#[test]
fn dialects_agree() {
    let (before, after) = ("# A\n- x\n# B\n- x\n", "# A\n- x\n# B\n- y\n");
    let mut ids = Vec::new();
    for dialect in Dialect::ALL {
        let mut world = World::new(dialect, before);
        let specs = world.tools.specs(&world.engine);
        assert_eq!(specs[0].parameters["type"], "object", "{dialect}");
        let calls =
            canvas_tools::native::render_native(before, after, dialect, "document.md", &Default::default());
        for call in calls.unwrap() {
            let reply = world.call(call);
            assert!(reply.is_ok(), "{}", reply.body());
            ids.push(reply.revision_id().map(str::to_owned));
        }
        assert_eq!(world.text(), after, "{dialect}");
    }
    ids.dedup();
    assert_eq!(ids.len(), 1);
    assert_eq!(Dialect::ALL.map(|dialect| Dialect::from_code(dialect.code())), Dialect::ALL.map(Some));
    assert_eq!(Dialect::from_code("diff"), None);
}

/// A family brings its dialect's tool and prompt; one without brings the addressed tools.
#[test]
fn a_family_suggests_tools_and_prompt() {
    let engine = World::new(Dialect::Edit, "a\n").engine;
    for (model, tool, said) in [
        ("claude-opus-4-6", "str_replace_based_edit_tool", "Insert at a line"),
        ("openai/gpt-5.6-codex", "apply_patch", "into one patch"),
        ("GPT-4.1-mini", "apply_patch", "into one patch"),
        ("gpt-4o", "canvas_check_out", "canvas_apply_patch"),
        ("google/gemini-3-pro", "replace", "once escaped"),
        ("Qwen3-Coder", "search_replace", "never shorten"),
    ] {
        let family = ModelFamily::of(FAMILIES, model).expect(model);
        let tools: Tools<MemoryStore> = Tools::try_from(vec![family.toolset("plan.md")]).unwrap();
        let (specs, prompt) = (tools.specs(&engine), tools.system_prompt(&engine));
        assert_eq!(specs[0].name, tool, "{model}");
        assert!(prompt.contains(said), "{model}: {prompt}");
        assert!(prompt.starts_with("You edit a shared Markdown "), "{model}: {prompt}");
        // A dialect's prompt names its document, and is no longer than two of ours.
        assert_eq!(prompt.contains("plan.md"), family.dialect.is_some(), "{model}");
        assert!(family.dialect.is_none() || prompt.len() < 700, "{model}: {}", prompt.len());
    }
    assert_eq!(ModelFamily::of(FAMILIES, "llama-5"), None);
    let own = [ModelFamily { prefix: "llama", dialect: Some(Dialect::Edit), prompt: "Be brief." }];
    let tools: Tools<MemoryStore> =
        Tools::try_from(vec![ModelFamily::of(&own, "llama-5").unwrap().toolset("plan.md")]).unwrap();
    assert!(tools.system_prompt(&engine).contains("Be brief."));
}

/// As a patch does: what stands there now, with one line before and after it.
#[test]
fn a_success_shows_the_changed_lines() {
    let mut world = World::new(Dialect::Edit, "a\nb\nc\nd\n");
    let reply = world.call(edit("b\n", "B\nBB\n"));
    assert!(reply.is_ok(), "{}", reply.body());
    assert_eq!(reply.body()["lines"], json!(["1: a", "2: B", "3: BB", "4: c"]));
    let shown: Vec<_> = reply.shown_lines().iter().map(|lines| (lines.start, lines.end)).collect();
    assert_eq!(shown, [(1, 4)]);
    let reply = world.call(edit("B\nBB\n", ""));
    assert_eq!(reply.body()["lines"], json!(["1: a", "2: c"]));
}

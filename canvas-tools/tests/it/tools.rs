//! Joining toolsets: one list, one prompt, one way of a call to its toolset.

use canvas_core::lease::Timestamp;
use canvas_core::rollout::Rollout;
use canvas_core::store::{MemoryStore, Store};
use canvas_core::testing::block_on;
use canvas_core::{CallId, CanvasId, ConversationId, Engine, OpKey, Policy};
use canvas_tools::{
    DirectiveTools, DocumentTools, Session, ToolCall, ToolContext, ToolError, ToolFuture, ToolReply,
    ToolSpec, Tools, ToolsError, Toolset,
};
use serde_json::{Value, json};

use crate::recorded;

const NOW: Timestamp = Timestamp::from_millis(1_000);

/// A host's own toolset of one tool, which answers with its arguments.
#[derive(Debug)]
struct Echo(&'static str);

impl<S: Store> Toolset<S> for Echo {
    fn names(&self) -> Vec<&str> {
        vec![self.0]
    }

    fn specs(&self, _: &Engine<S>) -> Vec<ToolSpec> {
        vec![ToolSpec {
            name: self.0.into(),
            description: String::new(),
            parameters: json!({"type": "object"}),
        }]
    }

    fn task(&self) -> &'static str {
        "hear yourself"
    }

    fn prompt(&self, specs: &[ToolSpec]) -> Vec<String> {
        vec![format!("There are {} echoes.", specs.len())]
    }

    fn call<'a>(&'a self, context: ToolContext<'a, S>, call: &'a ToolCall) -> ToolFuture<'a> {
        Box::pin(async move {
            if call.arguments.is_null() {
                return Err(ToolError::argument("/said", format!("say something, {}", context.id)));
            }
            Ok(ToolReply::new(json!({"ok": true, "echo": call.arguments})))
        })
    }
}

struct World {
    engine: Engine<MemoryStore>,
    session: Session,
}

impl World {
    fn new(rollout: Rollout) -> Self {
        let policy = Policy { rollout, ..Policy::default() };
        let engine = Engine::new(MemoryStore::new(|| NOW), policy);
        let (canvas, chat) = (CanvasId::new("c").unwrap(), ConversationId::new("chat").unwrap());
        let key = OpKey::of(chat.clone(), CallId::new("create").unwrap());
        block_on(engine.create(&canvas, "a\n", &key, NOW)).unwrap();
        let session = block_on(Session::open(&engine, canvas, chat, NOW)).unwrap();
        Self { engine, session }
    }

    fn call(&mut self, tools: &Tools<MemoryStore>, id: &str, name: &str, arguments: Value) -> ToolReply {
        let call = ToolCall { id: id.into(), name: name.into(), arguments };
        let reply = block_on(tools.call(&self.engine, &mut self.session, &call, NOW));
        recorded::judge(name, &reply);
        reply
    }
}

fn three() -> Tools<MemoryStore> {
    let directives = DirectiveTools { use_patch_edits: false };
    let document = Tools::new(DocumentTools::default()).unwrap();
    document.with(directives).unwrap().with(Echo("echo")).unwrap()
}

#[test]
fn a_call_reaches_the_toolset_that_has_its_name() {
    let (tools, mut world) = (three(), World::new(Rollout::LeaseEnforced));
    let lease = world.call(&tools, "1", "canvas_check_out", json!({}));
    assert!(lease.lease_id().is_some(), "{}", lease.body());
    let shown = world.call(&tools, "2", "document_snapshot", json!({}));
    assert_eq!(shown.body()["text"], "a\n");
    assert_eq!(world.call(&tools, "3", "echo", json!({"x": 1})).body()["echo"], json!({"x": 1}));
    // A failure of any toolset has the canvas's revision and epoch.
    let failed = world.call(&tools, "4", "echo", Value::Null);
    let error = json!({"code": "INVALID_ARGUMENTS", "place": "/said", "message": "say something, 4", "retryable": false});
    let revision = shown.revision_id().unwrap();
    let expected = json!({"ok": false, "error": error, "revision_id": revision, "canvas_epoch": 0});
    assert_eq!(failed.body(), &expected);
}

#[test]
fn an_unknown_tool_is_answered_with_the_tools_there_are() {
    let tools = three();
    let mut world = World::new(Rollout::ReadOnly);
    for id in ["1", "2"] {
        let reply = world.call(&tools, id, "diff_builder", json!({}));
        assert_eq!(reply.code(), Some("UNKNOWN_TOOL"));
        let message = reply.body()["error"]["message"].as_str().unwrap();
        let listed = " canvas_grep, canvas_read_lines, canvas_read_all, document_snapshot, echo";
        assert!(message.contains("\"diff_builder\"") && message.ends_with(listed), "{message}");
    }
    let long = world.call(&tools, "3", &"x".repeat(1_000), json!({}));
    assert!(long.body()["error"]["message"].as_str().unwrap().len() < 300, "{}", long.body());
    // A tool that is closed is not unknown.
    assert_eq!(world.call(&tools, "4", "canvas_apply_patch", json!({})).code(), Some("TOOL_DISABLED"));
    let off = Tools::new(DocumentTools::default()).unwrap();
    assert_eq!(World::new(Rollout::Off).call(&off, "1", "x", json!({})).code(), Some("TOOL_DISABLED"));
}

#[test]
fn lists_and_prompts_are_joined_in_order() {
    let (tools, world) = (three(), World::new(Rollout::ReadOnly));
    let names: Vec<String> = tools.specs(&world.engine).into_iter().map(|spec| spec.name).collect();
    assert_eq!(names, ["canvas_grep", "canvas_read_lines", "canvas_read_all", "document_snapshot", "echo"]);
    let prompt = tools.system_prompt(&world.engine);
    assert!(prompt.starts_with("You edit a shared Markdown canvas through tools."), "{prompt}");
    assert!(
        prompt.contains("Tools: canvas_grep, canvas_read_lines, canvas_read_all, document_snapshot, echo.")
    );
    let lines: Vec<&str> = prompt.lines().collect();
    assert!(
        lines[lines.len() - 2] == "There are 1 echoes." && lines[lines.len() - 1].contains("Canvas update")
    );

    // A toolset of which nothing is open does not speak.
    let off = World::new(Rollout::Off);
    assert!(tools.system_prompt(&off.engine).starts_with("You hear yourself through tools."));
    assert_eq!(Tools::new(DocumentTools::ALL).unwrap().system_prompt(&off.engine), "");
}

#[test]
fn names_must_be_valid_and_unique() {
    type Joined = Result<Tools<MemoryStore>, ToolsError>;
    let join = |names: &[&'static str]| -> Joined {
        Tools::try_from(
            names
                .iter()
                .map(|&name| Box::new(Echo(name)) as Box<dyn Toolset<MemoryStore>>)
                .collect::<Vec<_>>(),
        )
    };
    let longest: &'static str = Box::leak("x".repeat(64).into_boxed_str());
    let too_long: &'static str = Box::leak("x".repeat(65).into_boxed_str());
    for (names, expected) in [
        (&["a", "b", "gsv__Canvas", "x-y", longest][..], None),
        (&[], None),
        (&["a", "b", "a"], Some("DUPLICATE_TOOL")),
        (&[""], Some("INVALID_TOOL_NAME")),
        (&[too_long], Some("INVALID_TOOL_NAME")),
        (&["a.b"], Some("INVALID_TOOL_NAME")),
        (&["é"], Some("INVALID_TOOL_NAME")),
    ] {
        assert_eq!(join(names).as_ref().err().map(canvas_core::CodedError::code), expected, "{names:?}");
    }
    let clash: Joined = Tools::new(Echo("canvas_grep")).unwrap().with(DocumentTools::default());
    assert_eq!(clash.unwrap_err(), ToolsError::DuplicateTool { name: "canvas_grep".into() });
}

//! Every refusal says the next legal call: each code and reason that a document tool can answer is provoked, and then
//! its message is taken at its word until a call succeeds.
//!
//! `rows` provokes, `codes` knows what there is to provoke, `faults` is a store that fails.

mod codes;
mod faults;
mod rows;

use canvas_core::Policy;
use canvas_core::text::build;
use canvas_tools::ToolReply;
use serde_json::{Value, json};

use super::world::{World, failure, message};

/// What the message of a refusal leads to.
enum Then {
    /// It names these tools, which are called in this order, and then the model can write.
    Tools(&'static [&'static str]),
    /// It says which arguments to change: this call succeeds, with the lease for `LEASE`, the hash that the refusal showed
    /// for `HASH`, and the revision for `BASE`.
    Correct(&'static str, Value),
    /// It says to stop, and rightly: this call is refused as well.
    Stop(&'static str, Value),
}

/// A refusal, and the state of the canvas after it.
struct Scene {
    world: World,
    lease: String,
    reply: ToolReply,
}

/// Checks a refusal: its code, what its message names, and where that leads. Gives its label.
#[track_caller]
fn check(scene: Scene, then: Then) -> String {
    let Scene { world, mut lease, reply } = scene;
    let label = label(&reply);
    names_only_what_there_is(&world, &reply);
    let named = named(&reply);
    match then {
        Then::Tools(expected) => {
            assert_eq!(named, expected, "{label}: {}", message(&reply));
            follow(&world, &mut lease, &reply, 0);
            writes(&world, &lease);
        }
        Then::Correct(tool, arguments) => {
            // Other tools may be named on the way; none must be called.
            assert!(!is_stop(&reply) && instructs(&reply), "{label}: {}", message(&reply));
            let corrected = world.tool(tool, filled(&arguments, &lease, &reply));
            assert!(corrected.is_ok(), "{label}: {} -> {}", message(&reply), corrected.body());
        }
        Then::Stop(tool, arguments) => {
            assert!(named.is_empty() && is_stop(&reply), "{label}: {}", message(&reply));
            let tried = world.tool(tool, filled(&arguments, &lease, &reply));
            assert!(!tried.is_ok(), "{label}: {tool} goes on: {}", tried.body());
        }
    }
    label
}

fn filled(arguments: &Value, lease: &str, reply: &ToolReply) -> Value {
    let hash = reply.body()["error"]["lines"]["range_hash"].as_str().unwrap_or("nothing was shown");
    let text = arguments.to_string().replace("LEASE", lease).replace("HASH", hash);
    let text = text.replace("BASE", reply.revision_id().unwrap_or("nothing was named"));
    serde_json::from_str(&text).unwrap()
}

/// Calls what the message names. What is refused on the way names the next step itself, and not for ever.
#[track_caller]
fn follow(world: &World, lease: &mut String, reply: &ToolReply, depth: usize) {
    assert!(depth < 3, "it goes in circles: {}", reply.body());
    if let Some(seconds) = reply.body()["error"]["retry_in_s"].as_u64() {
        world.wait(seconds * 1_000);
    }
    for tool in named(reply) {
        let arguments = match tool.as_str() {
            "canvas_check_out" => json!({}),
            "canvas_read_lines" => json!({"lease_id": lease, "start_line": 1, "end_line": 9}),
            "canvas_grep" => json!({"lease_id": lease, "query": "a"}),
            "canvas_apply_patch" => {
                let patch = reply.body()["error"]["rebased_patch"].as_str().expect("it is offered");
                let base = &reply.body()["revision_id"];
                json!({"lease_id": lease, "patch": patch, "base_revision_id": base})
            }
            _ => json!({"lease_id": lease}),
        };
        let next = world.tool(&tool, arguments);
        if let Some(id) = next.lease_id() {
            *lease = id.to_owned();
        }
        if !next.is_ok() {
            assert!(!named(&next).is_empty(), "{} -> {}", reply.body(), next.body());
            follow(world, lease, &next, depth + 1);
        }
    }
}

/// A model that has come so far can do its work.
#[track_caller]
fn writes(world: &World, lease: &str) {
    let read = world.under(lease, "canvas_read_all");
    let text = read.body()["text"].as_str().unwrap_or_else(|| panic!("{}", read.body()));
    let patched = world.patch(lease, &build(text, &format!("{text}written\n"), 3));
    assert!(patched.is_ok(), "{}", patched.body());
}

/// The tools that the message says to call next, in their order.
fn named(reply: &ToolReply) -> Vec<String> {
    let next = message(reply).rsplit_once("Next: ").map_or("", |(_, next)| next);
    tools_in(next)
}

fn tools_in(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with("canvas_")).map(str::to_owned).collect()
}

fn is_stop(reply: &ToolReply) -> bool {
    [
        "wait for the next user message",
        "ask the user",
        "stop and tell the user",
        "answer without",
        "in your answer",
    ]
    .iter()
    .any(|stop| message(reply).contains(stop))
}

/// Says what to do in so many words. That it is the right thing is seen by doing it.
fn instructs(reply: &ToolReply) -> bool {
    let words = message(reply).to_lowercase();
    let verbs = [
        "pass", "give", "send", "correct", "take", "call", "use", "shorten", "repeat", "add", "begin",
        "join", "write", "put", "look", "leave", "shift",
    ];
    words.split(|c: char| !c.is_alphanumeric()).any(|word| verbs.contains(&word))
}

/// No message names a tool that the model does not have.
#[track_caller]
fn names_only_what_there_is(world: &World, reply: &ToolReply) {
    let tools = world.toolset.list(&Policy::default());
    for named in tools_in(message(reply)) {
        assert!(tools.iter().any(|tool| tool.name == named), "there is no {named}: {}", message(reply));
    }
}

/// Code and reason: `PATCH_REJECTED/AMBIGUOUS`.
fn label(reply: &ToolReply) -> String {
    let failure = failure(reply);
    failure.split(" at ").next().unwrap_or_default().to_owned()
}

#[test]
fn every_refusal_leads_on() {
    let mut provoked = rows::check_all();
    provoked.extend(faults::check_all());
    codes::are_all_provoked(&provoked);
    #[cfg(feature = "schema")]
    codes::are_those_of_the_schemas(&provoked);
}

/// The canvas is open, but not to a turn that is over, which only its check-out notices. So it takes a call more.
#[test]
fn a_late_call_of_a_turn_that_is_over_is_stopped_by_its_second_step() {
    let mut world = World::new("a\n");
    let (lease, late) = (world.check_out(), world.session.clone());
    world.message();
    let first = world.run(&late, "late-1", "canvas_read_all", json!({"lease_id": lease}));
    assert_eq!((label(&first).as_str(), named(&first)[0].as_str()), ("STALE_EPOCH", "canvas_check_out"));
    let second = world.run(&late, "late-2", "canvas_check_out", json!({}));
    assert_eq!(label(&second), "LOCK_NOT_AVAILABLE/USER_ACTIVE");
    assert!(named(&second).is_empty() && is_stop(&second));
}

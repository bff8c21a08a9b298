//! Refused calls of a model that edited for a day, each with the right next call: made of what the model had sent, what it had
//! read, and the refusal alone. Every one then succeeds, in one round.
//!
//! Texts and calls of the trial lie in `repair/refusals.jsonl` of `CANVAS_DATA`, where they were kept; the others are small
//! cases of the same mistake.

mod cases;
mod drawn;
mod model;

use canvas_core::Policy;
use serde_json::{Value, json};

use self::cases::{Case, of_the_trial, small};
use self::model::next_call;
use crate::document_tools::world::{World, failure, message};

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
struct Call {
    tool: &'static str,
    arguments: Value,
}

/// What becomes of a mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    /// The refusal led to a call that did what was meant.
    Mended,
    /// The refusal said that nothing is left to do, and rightly.
    NothingToDo,
    /// It is no mistake any more.
    Accepted,
}

#[track_caller]
fn play(case: &Case) -> Ended {
    let name = case.name;
    let mut world = World::with(&case.text, Policy::default());
    world.toolset = canvas_tools::DocumentTools::ALL;
    let lease = world.check_out();
    assert!(world.under(&lease, "canvas_read_all").is_ok());
    let lease = (case.before)(&mut world, lease);
    let mut arguments = case.arguments.clone();
    if case.tool != "canvas_check_out" {
        arguments["lease_id"] = json!(lease);
    }
    if arguments["base_revision_id"] == "FIRST" {
        arguments["base_revision_id"] = json!(first_revision(&case.text));
    }
    let call = Call { tool: case.tool, arguments };
    let before = world.text();
    let reply = world.tool(call.tool, call.arguments.clone());
    if reply.is_ok() {
        assert_eq!(world.text(), case.wanted, "{name} was accepted: {}", reply.body());
        return Ended::Accepted;
    }
    assert_eq!(failure(&reply), case.refused, "{name}: {}", reply.body());
    assert_eq!(world.text(), before, "{name}: a refusal changes nothing");
    let looks = ["canvas_read_lines", "canvas_grep"].iter().any(|look| message(&reply).contains(look));
    assert!(!looks, "{name} need not look: {}", message(&reply));
    let Some(next) = next_call(&call, reply.body(), &case.mind) else {
        assert_eq!(world.text(), case.wanted, "{name}: {}", reply.body());
        return Ended::NothingToDo;
    };
    let done = world.tool(next.tool, next.arguments.clone());
    assert!(done.is_ok(), "{name}: {}\n -> {next:?}\n -> {}", reply.body(), done.body());
    assert_eq!(world.text(), case.wanted, "{name}: {}\n -> {next:?}", reply.body());
    Ended::Mended
}

fn first_revision(text: &str) -> String {
    let first = canvas_core::Revision::new(1).unwrap();
    canvas_core::RevisionId::new(first, canvas_core::BlobId::of(text.as_bytes())).to_string()
}

#[test]
#[expect(clippy::print_stdout, reason = "it makes a table")]
fn every_refusal_is_mended_in_one_round() {
    let mut cases = small();
    let kept = of_the_trial();
    let is_whole = kept.is_some();
    match kept {
        Some(kept) => cases.extend(kept),
        None => println!("SKIPPED: refusals whose text was kept (not in CANVAS_DATA)"),
    }
    let names: std::collections::BTreeSet<_> = cases.iter().map(|case| case.name).collect();
    assert_eq!(names.len(), cases.len());
    let ended: Vec<_> = cases.iter().map(|case| (case.name, play(case))).collect();
    for (name, ended) in &ended {
        println!("{name:>5} {ended:?}");
    }
    // The rest was mended.
    let of = |which: Ended| {
        let names = ended.iter().filter(|(_, ended)| *ended == which).map(|(name, _)| *name);
        names.collect::<std::collections::BTreeSet<_>>()
    };
    if is_whole {
        assert_eq!(
            of(Ended::Accepted),
            ["M16"].into(),
            "a blank line between added ones needs no + any more"
        );
        assert_eq!((of(Ended::NothingToDo).len(), of(Ended::Mended).len()), (3, 38));
    }
}

#[test]
fn all_42_are_there() {
    match of_the_trial() {
        Some(kept) => assert_eq!((small().len(), kept.len()), (27, 15)),
        None => assert_eq!(small().len(), 27),
    }
}

//! Places that no model may change.

use canvas_core::CodedError as _;
use canvas_core::document::{
    ApplyEdits, ApplyPatch, EditStructure, HostEdit, ProtectedPlaces, ProtectedSet, RangeHash, ReplaceLines,
    Replacement, SetProtected,
};
use canvas_core::history::{Undo, UndoScope};
use canvas_core::proposal::{Propose, ProposedChange, Proposing};
use canvas_core::testing::block_on;
use canvas_core::text::{Address, Delta, Part, Query, SectionPath, StructureEdit};
use canvas_core::{Author, OpKey, PersonId, Policy, rollout::Rollout};
use serde_json::json;
use std::num::NonZeroU32;

use crate::document::any::{Command, Outcome, code, dynamic};
use crate::document::world::World;

const TEXT: &str = "# Plan\n\nfree\n\n# Terms\n\nNet 30.\n";
const PROTECTED: &str = "PATCH_REJECTED/PROTECTED";

fn section(title: &str) -> Address {
    Address::Section { path: vec![title.into()], ordinal: None, part: None }
}

/// A canvas on which models need no lease, and its terms are protected.
fn world() -> World {
    let world = World::with(TEXT, Policy { rollout: Rollout::Write, ..Policy::default() });
    let set = protect(&world, vec![section("Terms")]);
    assert_eq!(set, ProtectedSet { changed: true, unresolved: Vec::new() });
    world
}

fn protect(world: &World, places: Vec<Address>) -> ProtectedSet {
    let command = SetProtected { places: ProtectedPlaces::new(places).unwrap() };
    let Outcome::ProtectedSet(set) = world.ask("host", dynamic(command)) else { panic!("it is set") };
    set
}

fn patch(old: &str, new: &str) -> ApplyPatch {
    let patch = format!("@@\n-{old}\n{new}");
    ApplyPatch { lease: None, patch, base: None, scope: None, shown: None }
}

/// The same change by every way in which a model changes a document.
fn ways(world: &World, (line, old): (usize, &str), new: &str) -> Vec<(&'static str, Command)> {
    let after = world.text().replace(old, new);
    let delta = Delta::between(&world.text(), &after);
    let revision = world.snapshot().revision_id();
    let whole = format!("{old}\n");
    let replacement =
        Replacement { start: line, end: line, expect: RangeHash::of(&whole), text: format!("{new}\n") };
    let all = StructureEdit::ReplaceAll {
        query: Query::literal(old).unwrap(),
        with: new.into(),
        count: canvas_core::text::MatchCount::Matches(1),
    };
    let structure = |by| EditStructure { by, edit: all.clone(), base: None, scope: None };
    let edits = ApplyEdits {
        made_on: revision,
        delta: delta.clone(),
        repairs: Vec::new(),
        request: ApplyEdits::request("edit", &json!(new)),
    };
    let host = HostEdit { base: revision.into(), delta, summary: "by hand".into(), request: None };
    let lines = ReplaceLines {
        lease: None,
        replacements: vec![replacement],
        base: Some(revision.into()),
        shown: None,
    };
    vec![
        ("patch", dynamic(patch(old, &format!("+{new}\n")))),
        ("lines", dynamic(lines)),
        ("structure", dynamic(structure(Author::Assistant { lease: None }))),
        ("structure of the host", dynamic(structure(Author::Host))),
        ("edits", dynamic(edits)),
        ("host", dynamic(host)),
    ]
}

#[test]
fn no_way_of_a_model_leads_into_a_protected_place() {
    for (place, change, expected) in [
        ((7, "Net 30."), "Net 90.", PROTECTED),
        ((5, "# Terms"), "# Notes", PROTECTED),
        ((3, "free"), "other", "OK"),
    ] {
        for index in 0..6 {
            let world = world();
            let (way, command) = ways(&world, place, change).swap_remove(index);
            assert_eq!(code(&world.ask("main", command)), expected, "{way}: {change}");
            assert_eq!(world.text() == TEXT, expected == PROTECTED, "{way}: {change}");
        }
    }
}

#[test]
fn nothing_is_added_moved_or_doubled() {
    let section = |title: &str| SectionPath { path: vec![title.into()], ordinal: None };
    let world = world();
    let main = |command: Command| code(&world.ask("main", command));
    assert_eq!(main(dynamic(patch("Net 30.", " Net 30.\n+More.\n"))), "PATCH_REJECTED/NOT_FOUND");
    let below = ApplyPatch { patch: "@@\n Net 30.\n+More.\n".into(), ..patch("", "") };
    assert_eq!(main(dynamic(below)), PROTECTED);
    // A second section of this path would leave the address without a place, and the next patch free.
    let twice = ApplyPatch { patch: "@@\n free\n+\n+# Terms\n".into(), ..patch("", "") };
    assert_eq!(main(dynamic(twice)), PROTECTED);
    let structure = |edit| {
        dynamic(EditStructure { by: Author::Assistant { lease: None }, edit, base: None, scope: None })
    };
    let shift = StructureEdit::Shift { section: section("Terms"), by: 1 };
    assert_eq!(main(structure(shift)), PROTECTED);
    let rename = StructureEdit::Rename { section: section("Plan"), title: "Terms".into(), links: false };
    assert_eq!(main(structure(rename)), PROTECTED);
    assert_eq!(world.text(), TEXT);
}

#[test]
fn a_model_neither_proposes_nor_takes_back_a_protected_place() {
    let world = World::with(TEXT, Policy { rollout: Rollout::Write, ..Policy::default() });
    let change = patch("Net 30.", "+Net 60.\n");
    assert_eq!(code(&world.ask("main", dynamic(change.clone()))), "OK");
    protect(&world, vec![section("Terms")]);
    let undo = |by| dynamic(Undo { by, what: UndoScope::Steps(NonZeroU32::MIN) });
    assert_eq!(code(&world.ask("main", undo(Author::Assistant { lease: None }))), PROTECTED);
    assert_eq!(code(&world.ask("main", undo(Author::Host))), PROTECTED);
    let proposing = Proposing(ApplyPatch { patch: "@@\n-Net 60.\n+Net 90.\n".into(), ..change });
    let operation = world.fresh("main", undo(Author::Host)).operation;
    let answered = block_on(world.engine.call(&world.canvas, &operation, proposing, world.now())).unwrap();
    assert_eq!(answered.result.unwrap_err().reason(), Some("PROTECTED"));
    // A person does, and may change every place.
    assert_eq!(code(&world.ask("user", undo(Author::User))), "OK");
    assert_eq!(world.text(), TEXT);
    assert_eq!(code(&world.edit("# Terms\n\nNone.\n")), "OK");
}

/// A place that a proposal renamed has another address in the proposed text.
#[test]
fn a_proposal_is_checked_as_a_whole() {
    let world = World::with(TEXT, Policy { rollout: Rollout::Write, ..Policy::default() });
    let propose = |old: &str, new: &str| {
        let operation = world.fresh("main", dynamic(patch("a", "+b\n"))).operation;
        let proposing = Proposing(patch(old, new));
        let answered =
            block_on(world.engine.call(&world.canvas, &operation, proposing, world.now())).unwrap();
        answered.result.map(|_| ()).map_err(|refusal| refusal.reason().unwrap_or_else(|| refusal.code()))
    };
    assert_eq!(propose("# Terms", "+# Notes\n"), Ok(()));
    protect(&world, vec![section("Terms")]);
    assert_eq!(propose("Net 30.", "+Net 90.\n"), Err("PROTECTED"));
    assert_eq!(propose("free", "+other\n"), Err("PROTECTED"), "as long as it renames the place");
    assert_eq!(propose("# Notes", "+# Terms\n"), Ok(()));
    assert_eq!(propose("free", "+other\n"), Ok(()));
    // The host may propose in the name of a conversation, or of a person.
    let propose = |key: OpKey| {
        let change = ProposedChange::Text(TEXT.replace("Net 30.", "Net 90."));
        let command = Propose { change, reason: None };
        let answered = block_on(world.engine.call(&world.canvas, &key, command, world.now())).unwrap();
        answered.result.map(|_| ()).map_err(|refusal| refusal.reason().unwrap_or_else(|| refusal.code()))
    };
    let conversation = world.fresh("main", dynamic(patch("a", "+b\n"))).operation;
    assert_eq!(propose(conversation), Err("PROTECTED"));
    assert_eq!(propose(OpKey::person(PersonId::default(), "p".parse().unwrap())), Ok(()));
}

#[test]
fn the_list_is_kept_until_it_is_set_anew_or_the_canvas_is_deleted() {
    let world = world();
    assert_eq!(world.head().protected().addresses(), [section("Terms")]);
    let json = serde_json::to_value(&*world.head()).unwrap();
    assert_eq!((&json["format"], &json["protected"]), (&json!(3), &json!([{"section": ["Terms"]}])));
    assert_eq!(serde_json::from_value::<canvas_core::store::Head>(json).unwrap(), *world.head());
    assert!(!protect(&world, vec![section("Terms")]).changed);

    let missing = vec![section("Nowhere"), Address::Part(Part::Table(table())), section("Terms")];
    let set = protect(&world, missing.clone());
    assert_eq!((set.changed, set.unresolved), (true, missing[..2].to_vec()));
    let gone = protect(&world, Vec::new());
    assert_eq!((gone.changed, world.head().protected().is_empty()), (true, true));
    let main = |old: &str, new: &str| code(&world.ask("main", dynamic(patch(old, new))));
    assert_eq!(main("Net 30.", "+Net 90.\n"), "OK");

    protect(&world, vec![section("Terms")]);
    world.delete("delete").unwrap();
    assert!(world.head().protected().is_empty());
}

fn table() -> canvas_core::text::TablePart {
    canvas_core::text::TablePart { table: 1, row: None, column: None }
}

#[test]
fn only_places_of_the_structure_are_protected() {
    let long = "x".repeat(1_000);
    for (places, is_allowed) in [
        (vec![], true),
        (vec![section("A"); 64], true),
        (vec![section("A"); 65], false),
        (vec![section(&long); 17], false),
        (vec![Address::FrontMatter, Address::Key("k".into())], true),
        (vec![section("A"), Address::Lines { start: 1, end: 1 }], false),
        (vec![Address::Hit { query: Query::literal("a").unwrap(), ordinal: None }], false),
    ] {
        let made = ProtectedPlaces::new(places.clone());
        assert_eq!(made.is_ok(), is_allowed, "{} places", places.len());
        assert!(made.err().is_none_or(|error| error.code() == "INVALID_PROTECTION"));
        // The same list is refused from a stored head.
        assert_eq!(serde_json::from_value::<ProtectedPlaces>(json!(places)).is_ok(), is_allowed);
    }
}

//! Edits of the structure, by a model under its lease, by a person, by the host, and in a proposal.

use canvas_core::document::{ApplyPatch, Edit, EditStructure};
use canvas_core::history::{Undo, UndoScope};
use canvas_core::proposal::Proposing;
use canvas_core::testing::block_on;
use canvas_core::text::{Address, ItemChange, SectionPath, StructureEdit};
use canvas_core::turn::Cancel;
use canvas_core::{Author, CallId, OpKey, Role};
use std::num::NonZeroU32;

use crate::document::any::{Command, Outcome, code, dynamic};
use crate::document::world::World;

const TEXT: &str = "# A\n\n- [ ] one\n- [ ] two\n\n# B\n\nb\n";

fn check(item: usize) -> StructureEdit {
    StructureEdit::Item { section: None, item: vec![item], change: ItemChange::Check(true) }
}

fn rename(title: &str, to: &str) -> StructureEdit {
    let section = SectionPath { path: vec![title.into()], ordinal: None };
    StructureEdit::Rename { section, title: to.into(), links: true }
}

fn edit(by: Author, edit: StructureEdit) -> EditStructure {
    EditStructure { by, edit, base: None, scope: None }
}

fn command(by: Author, what: StructureEdit) -> Command {
    dynamic(edit(by, what))
}

#[test]
fn a_model_edits_under_its_lease() {
    let world = World::new(TEXT);
    let by = |lease| Author::Assistant { lease };
    assert_eq!(code(&world.ask("model", command(by(None), check(1)))), "LOCK_NOT_OWNED");
    let lease = Some(world.check_out("model"));
    let call = world.fresh("model", command(by(lease), check(1)));
    let Outcome::Applied(applied) = world.run(&call).outcome else { panic!("it is applied") };
    assert_eq!((applied.spans.len(), applied.spans[0].start_line, applied.spans[0].end_line), (1, 3, 3));
    assert!(applied.expires_at.is_some() && applied.retaken.is_none());
    assert!(world.text().starts_with("# A\n\n- [x] one\n"));
    assert!(world.run(&call).replayed);

    for (what, expected) in [
        (check(1), "NO_EFFECT"),
        (check(3), "ADDRESS_NOT_FOUND"),
        (rename("C", "D"), "ADDRESS_NOT_FOUND"),
        (rename("A", ""), "VALUE_INVALID"),
    ] {
        assert_eq!(code(&world.ask("model", command(by(lease), what))), expected);
    }
    // A scope holds an edit in bounds, as it does a patch.
    let section = |title: &str| Address::Section { path: vec![title.into()], ordinal: None, part: None };
    let within =
        |title: &str| dynamic(EditStructure { scope: Some(section(title)), ..edit(by(lease), check(2)) });
    assert_eq!(code(&world.ask("model", within("B"))), "PATCH_REJECTED/OUT_OF_SCOPE");
    assert_eq!(code(&world.ask("model", within("A"))), "OK");
    assert_eq!(world.text(), TEXT.replace("[ ]", "[x]"));

    let entries = block_on(world.engine.history(&world.canvas, None, 1, world.now())).unwrap();
    assert_eq!(entries[0].author, Role::Assistant);
    let undo = Undo { by: Author::User, what: UndoScope::Steps(NonZeroU32::new(2).unwrap()) };
    assert_eq!(code(&world.ask("user", undo)), "OK");
    assert_eq!(world.text(), TEXT);
}

#[test]
fn a_model_must_know_the_document() {
    let world = World::new(TEXT);
    let lease = Some(world.check_out("model"));
    let known = world.snapshot().revision_id();
    world.ask(
        "model",
        ApplyPatch { lease, patch: "@@\n-b\n+c\n".into(), base: None, scope: None, shown: None },
    );
    let by = Author::Assistant { lease };
    let based = |base: canvas_core::RevisionId| {
        dynamic(EditStructure { base: Some(base.into()), ..edit(by, check(1)) })
    };
    assert_eq!(code(&world.ask("model", based(known))), "PATCH_REJECTED/STALE_BASE");
    assert_eq!(code(&world.ask("model", based(world.snapshot().revision_id()))), "OK");
}

#[test]
fn a_person_edits_at_once_and_ends_the_lease() {
    let world = World::new(TEXT);
    let lease = world.check_out("model");
    assert_eq!(code(&world.ask("user", EditStructure::by_user(check(2)))), "OK");
    let patch =
        ApplyPatch { lease: Some(lease), patch: "@@\n-b\n+c\n".into(), base: None, scope: None, shown: None };
    assert_eq!(code(&world.ask("model", patch)), "STALE_EPOCH");
    // The edit was made for an older text, in which the second item was another.
    let base = world.snapshot().revision_id();
    world.ask("user", Edit::overwrite(world.text().replace("- [ ] one\n", "- [ ] new\n- [ ] one\n")));
    let late = EditStructure { base: Some(base.into()), ..EditStructure::by_user(check(1)) };
    assert_eq!(code(&world.ask("user", late)), "OK");
    assert!(world.text().contains("- [ ] new\n- [x] one\n- [x] two\n"), "{}", world.text());
    // Somebody else changed the same line.
    let base = world.snapshot().revision_id();
    world.ask("user", Edit::overwrite(world.text().replace("# B", "# C")));
    let late = EditStructure { base: Some(base.into()), ..EditStructure::by_user(rename("B", "D")) };
    assert_eq!(code(&world.ask("user", late)), "PATCH_REJECTED/STALE_BASE");
    assert!(world.text().contains("# C\n"));
}

#[test]
fn the_host_edits_while_nobody_holds_the_lease() {
    let world = World::new(TEXT);
    let lease = world.check_out("model");
    let call = || command(Author::Host, check(1));
    assert_eq!(code(&world.ask("model", call())), "LOCK_NOT_AVAILABLE/HELD");
    world.ask("model", canvas_core::lease::CheckIn { lease: Some(lease) });
    let late = world.fresh("model", call());
    assert_eq!(code(&world.ask("model", call())), "OK");
    world.ask("user", Cancel);
    let late = crate::document::any::Call {
        operation: OpKey { call: CallId::new("late").unwrap(), ..late.operation },
        ..late
    };
    assert_eq!(code(&world.run(&late).outcome), "LOCK_NOT_AVAILABLE/USER_ACTIVE");
}

#[test]
fn an_edit_becomes_parts_of_a_proposal() {
    let world = World::new(TEXT);
    let proposing = Proposing(edit(Author::Assistant { lease: None }, check(1)));
    let operation = world.fresh("model", command(Author::Host, check(1))).operation;
    let answered = block_on(world.engine.call(&world.canvas, &operation, proposing, world.now())).unwrap();
    let applied = answered.result.unwrap();
    assert_eq!(applied.proposed.unwrap().parts.len(), 1);
    assert_eq!(world.text(), TEXT, "it waits");
}

//! Proposals of several owners on one canvas.

use std::collections::{BTreeMap, BTreeSet};

use canvas_core::document::{ApplyPatch, Edit, Look, Shown};
use canvas_core::history::{ChangesOf, ClearHistory, EntryKind};
use canvas_core::proposal::{
    DecideParts, OpenProposals, Owner, PartChoice, PartId, PartState, PartsDecided, Propose, ProposedChange,
    Proposing, Reworded, Withdraw,
};
use canvas_core::testing::block_on;
use canvas_core::turn::{EndTurn, SendMessage};
use canvas_core::{CallId, CodedError as _, CollectOptions, Command, Face, OpKey, Policy};
use proptest::prelude::*;
use serde_json::Value;

use super::any::code;
use super::party::{Party, conversation, last, person};

/// A party with proposals.
struct Desk {
    party: Party,
    calls: u32,
}

impl Desk {
    fn new(markdown: &str) -> Self {
        Self { party: Party::with(markdown, Policy::default()), calls: 0 }
    }

    fn call<C: Command>(
        &mut self,
        operation: impl FnOnce(CallId) -> OpKey,
        command: C,
    ) -> Result<C::Done, String> {
        self.calls += 1;
        let operation = operation(CallId::new(&format!("desk {}", self.calls)).unwrap());
        let world = &self.party.world;
        let answered = block_on(world.engine.call(&world.canvas, &operation, command, world.now())).unwrap();
        answered.result.map_err(|refusal| {
            let reason = refusal.reason().map(|reason| format!("/{reason}"));
            format!("{}{}", refusal.code(), reason.unwrap_or_default())
        })
    }

    fn by<C: Command>(&mut self, who: &str, command: C) -> Result<C::Done, String> {
        self.call(|call| OpKey::person(person(who), call), command)
    }

    /// Runs a command of a model, in its running turn.
    fn ask<C: Command>(&mut self, who: &str, command: C) -> Result<C::Done, String> {
        let who = conversation(who);
        let turn = self.party.world.head().lock_of(&who).turn();
        self.call(|call| OpKey { turn, ..OpKey::of(who, call) }, command)
    }

    fn propose(&mut self, who: &str, text: &str) -> Vec<u64> {
        let change = ProposedChange::Text(text.to_owned());
        numbers(&self.by(who, Propose { change, reason: None }).unwrap().parts)
    }

    /// Proposes by a model, which looks at its text first.
    fn suggest(&mut self, who: &str, text: &str) -> Vec<u64> {
        let look = Look { shown: Shown { lines: 1_000, bytes: 1 << 20 } };
        self.ask(who, Proposing(look)).unwrap();
        let patch = canvas_core::text::build(&self.proposed(who), text, 3);
        if patch.is_empty() {
            return Vec::new();
        }
        let apply = ApplyPatch { lease: None, patch, base: None, scope: None, shown: None };
        numbers(&self.ask(who, Proposing(apply)).unwrap().proposed.unwrap().parts)
    }

    fn open(&self) -> OpenProposals {
        let world = &self.party.world;
        block_on(world.engine.proposals(&world.canvas, world.now())).unwrap().0
    }

    /// Returns the proposed text of an owner.
    fn proposed(&self, who: &str) -> String {
        let text = self.open().text(Some(&owner(who)));
        text.map_or_else(|| self.party.world.text(), |text| text.markdown)
    }

    fn text(&self) -> String {
        self.party.world.text()
    }

    /// Returns each part with its state, lines, and text before and after.
    fn parts(&self) -> BTreeMap<u64, (PartState, usize, usize, String, String)> {
        let all = self.open().list().into_iter().flat_map(|proposal| proposal.parts);
        all.map(|part| {
            let view = part.view;
            // Lines that somebody else changed have no place of their own.
            let (start, end) = match view.state {
                PartState::Pending => (view.start_line, view.end_line),
                PartState::Stale => (0, 0),
            };
            (view.id.get(), (view.state, start, end, view.before, view.after))
        })
        .collect()
    }

    fn states(&self) -> String {
        let open = self.open().list();
        let parts = open.iter().flat_map(|proposal| &proposal.parts).map(|part| {
            format!("{}{}", part.view.id, if part.view.state == PartState::Stale { "!" } else { "" })
        });
        parts.collect::<Vec<_>>().join(" ")
    }

    fn decide(&mut self, accept: &[u64], reject: &[u64]) -> Result<PartsDecided, String> {
        self.by("bert", DecideParts::of(only(accept), only(reject)))
    }
}

fn owner(who: &str) -> Owner {
    match who {
        "one" | "two" => Owner::Conversation(conversation(who)),
        who => Owner::Person(person(who)),
    }
}

fn numbers(ids: &[PartId]) -> Vec<u64> {
    ids.iter().map(|id| id.get()).collect()
}

fn only(parts: &[u64]) -> PartChoice {
    PartChoice::Only(parts.iter().copied().map(PartId::new).collect())
}

const TEXT: &str = "# T\n\nbuy milk on Monday\n\ncall home\n\nwrite\n";

#[test]
fn a_model_proposes_and_a_person_decides() {
    let mut desk = Desk::new(TEXT);
    desk.ask("one", SendMessage).unwrap();
    let id = desk.party.world.snapshot().revision_id();
    let wanted = TEXT
        .replace("milk", "oat milk")
        .replace("write\n", "write\n\nsleep\n")
        .replace("call home", "call mum");
    assert_eq!(desk.suggest("one", &wanted), [1, 2, 3]);
    assert_eq!((desk.text(), desk.proposed("one")), (TEXT.to_owned(), wanted.clone()));
    assert_eq!(desk.party.world.snapshot().revision_id(), id);
    assert_eq!(desk.party.world.head().journal().entries, 0);

    // A person types around the parts, in the same line as well.
    desk.party.replace("anna", "Monday", "Tuesday");
    assert_eq!(desk.states(), "p1 p2 p3");
    let part = desk.open().list().remove(0).parts.remove(0).view;
    assert_eq!(
        (part.start_line, part.end_line, &*part.before, &*part.after),
        (3, 3, "buy milk on Tuesday\n", "buy oat milk on Tuesday\n")
    );
    // A part whose word is retyped is stale, and pending again after the undo of just that.
    desk.party.replace("anna", "home", "Bob");
    assert_eq!(desk.states(), "p1 p2! p3");
    assert_eq!(code(&desk.party.undo("anna", last("anna", 1))), "OK");
    assert_eq!(desk.states(), "p1 p2 p3");

    let decided = desk.decide(&[1], &[2]).unwrap();
    assert_eq!((numbers(&decided.accepted), numbers(&decided.rejected)), (vec![1], vec![2]));
    assert_eq!(desk.text(), "# T\n\nbuy oat milk on Tuesday\n\ncall home\n\nwrite\n");
    let entry =
        block_on(desk.party.world.engine.history(&desk.party.world.canvas, None, 1, desk.party.world.now()));
    let entry = entry.unwrap().remove(0);
    assert_eq!(entry.summary, "accepted 1 part and rejected 1");
    assert_eq!(entry.made_by(), OpKey::person(person("bert"), "x".parse().unwrap()).actor());
    assert!(
        matches!(entry.written_by(), Some(canvas_core::Actor::Conversation { conversation, .. }) if conversation.as_str() == "one")
    );

    // The decision is one change. Its undo brings the parts back, and redo takes them again.
    assert_eq!(code(&desk.party.undo("bert", last("bert", 1))), "OK");
    assert_eq!(
        (desk.states(), desk.proposed("one")),
        ("p1 p2 p3".into(), wanted.replace("Monday", "Tuesday"))
    );
    assert_eq!(code(&desk.party.redo("bert")), "OK");
    assert_eq!(desk.states(), "p3");
    assert_eq!(desk.text(), "# T\n\nbuy oat milk on Tuesday\n\ncall home\n\nwrite\n");

    // The model proposes again what was rejected.
    let text = desk.proposed("one").replace("call home", "call mum");
    assert_eq!(desk.suggest("one", &text), [4]);
    let again = desk.open().list().remove(0).parts;
    assert!(again[0].rejected_before.is_some() && again[1].rejected_before.is_none(), "{again:?}");
    desk.party.replay();
}

#[test]
fn rejections_alone_are_undone_too() {
    let mut desk = Desk::new(TEXT);
    assert_eq!(desk.propose("anna", &TEXT.replace("home", "mum").replace("milk", "tea")), [1, 2]);
    let id = desk.party.world.snapshot().revision_id();
    let mut reject = DecideParts::reject([PartId::new(1)]);
    reject.note = Some("no tea".into());
    assert_eq!(desk.by("bert", reject).unwrap().revision, id);
    assert_eq!((desk.states(), desk.text()), ("p2".into(), TEXT.to_owned()));
    // Somebody else changes the document before the undo.
    desk.party.replace("anna", "# T\n", "# T\n\nabove\n");
    assert_eq!(code(&desk.party.undo("bert", last("bert", 1))), "OK");
    assert_eq!(desk.states(), "p1 p2");
    let text = TEXT.replace("home", "mum").replace("milk", "tea").replace("# T\n", "# T\n\nabove\n");
    assert_eq!(desk.proposed("anna"), text);
    assert!(desk.open().list()[0].parts.iter().all(|part| part.rejected_before.is_none()));
    assert_eq!(code(&desk.party.redo("bert")), "OK");
    assert_eq!(desk.states(), "p2");
    desk.party.replay();
}

#[test]
fn an_accepted_part_comes_back_from_under_later_changes() {
    let mut desk = Desk::new(TEXT);
    desk.propose("anna", &TEXT.replace("home", "mum").replace("milk", "tea"));
    desk.decide(&[1, 2], &[]).unwrap();
    desk.party.replace("anna", "# T\n", "# T\n\nabove\n");
    assert_eq!(code(&desk.party.undo("bert", last("bert", 1))), "OK");
    assert_eq!(desk.states(), "p1 p2");
    assert_eq!(desk.text(), TEXT.replace("# T\n", "# T\n\nabove\n"));
    let wanted = TEXT.replace("home", "mum").replace("milk", "tea").replace("# T\n", "# T\n\nabove\n");
    assert_eq!(desk.proposed("anna"), wanted);
    assert_eq!(code(&desk.party.redo("bert")), "OK");
    assert_eq!((desk.states(), desk.text()), (String::new(), wanted));
    // Undo by the conversation's or the person's name selects the author of the parts.
    assert_eq!(code(&desk.party.undo("carl", ChangesOf::Person(person("bert")))), "OK");
    assert_eq!(desk.states(), "p1 p2");
    desk.party.replay();
}

#[test]
fn parts_of_two_owners_may_overlap() {
    let mut desk = Desk::new(TEXT);
    desk.propose("anna", &TEXT.replace("home", "mum"));
    desk.ask("one", SendMessage).unwrap();
    desk.suggest("one", &TEXT.replace("home", "Bob").replace("milk", "tea"));
    let all = desk.open().text(None).unwrap();
    assert_eq!(all.markdown, TEXT.replace("home", "mum").replace("milk", "tea"));
    assert_eq!(numbers(&all.left_out), [3]);
    let markup = desk.open().critic_markup(None).unwrap();
    assert_eq!(markup, "# T\n\nbuy {~~milk~>tea~~} on Monday\n\ncall {~~home~>mum~~}\n\nwrite\n");
    assert_eq!(desk.decide(&[1, 3], &[]).unwrap_err(), "PART_STALE");
    assert_eq!((desk.states(), desk.text()), ("p1 p2 p3".into(), TEXT.to_owned()));
    let decided = desk.by("bert", DecideParts::of(PartChoice::All, only(&[]))).unwrap();
    assert_eq!((numbers(&decided.accepted), numbers(&decided.stale)), (vec![1, 2], vec![3]));
    assert_eq!((desk.text(), desk.states()), (all.markdown, "p3!".into()));
    // One change for each owner.
    let kinds =
        block_on(desk.party.world.engine.history(&desk.party.world.canvas, None, 9, desk.party.world.now()));
    assert_eq!(kinds.unwrap().iter().map(|entry| entry.kind).collect::<Vec<_>>(), [EntryKind::Edit; 2]);
    assert_eq!(code(&desk.party.undo("bert", last("bert", 2))), "OK");
    // An owner that comes back goes to the end.
    assert_eq!((desk.states(), desk.text()), ("p2 p3 p1".into(), TEXT.to_owned()));
}

#[test]
fn decisions_are_refused_with_a_code() {
    let mut desk = Desk::new(TEXT);
    desk.propose("anna", &TEXT.replace("home", "mum").replace("milk", "tea"));
    desk.party.replace("bert", "milk", "beer");
    assert_eq!(desk.states(), "p1! p2");
    let before = desk.parts();
    let seen = |part, after: &str| DecideParts {
        seen: [(PartId::new(part), after.to_owned())].into(),
        ..DecideParts::accept([PartId::new(part)])
    };
    let long = Some("x".repeat(257));
    for (decision, expected) in [
        (DecideParts::accept([PartId::new(9)]), "PART_NOT_FOUND"),
        (DecideParts::reject([PartId::new(9)]), "PART_NOT_FOUND"),
        (DecideParts::accept([PartId::new(1)]), "PART_STALE"),
        (DecideParts::of(only(&[2]), only(&[2])), "INVALID_ARGUMENTS"),
        (seen(2, "call dad\n"), "PART_CHANGED"),
        (DecideParts { note: long, ..DecideParts::reject([PartId::new(2)]) }, "NOTE_TOO_LONG"),
        (
            DecideParts {
                edit: Some(Reworded { part: PartId::new(1), after: String::new() }),
                ..DecideParts::accept([])
            },
            "PART_STALE",
        ),
    ] {
        assert_eq!(desk.by("bert", decision.clone()).unwrap_err(), expected, "{decision:?}");
    }
    desk.ask("one", SendMessage).unwrap();
    assert_eq!(desk.ask("one", DecideParts::accept([PartId::new(2)])).unwrap_err(), "DECISION_BY_MODEL");
    let withdraw = Withdraw { owner: owner("anna"), parts: None };
    assert_eq!(desk.ask("one", withdraw.clone()).unwrap_err(), "DECISION_BY_MODEL");
    let other = Withdraw { owner: owner("bert"), parts: None };
    assert_eq!(desk.by("anna", other).unwrap_err(), "PROPOSAL_NOT_FOUND");
    let reason = Some("x".repeat(513));
    let change = ProposedChange::Text(String::new());
    assert_eq!(desk.by("anna", Propose { change, reason }).unwrap_err(), "REASON_TOO_LONG");
    assert_eq!(desk.parts(), before);

    assert!(desk.by("bert", seen(2, "call mum\n")).is_ok());
    assert_eq!(numbers(&desk.by("anna", withdraw).unwrap().parts), [1]);
    assert_eq!(desk.states(), "");
    // Decisions by nobody on nothing change nothing.
    let entries = desk.party.world.head().journal().entries;
    assert_eq!(desk.by("bert", DecideParts::of(PartChoice::All, only(&[]))).unwrap().accepted, []);
    assert_eq!(desk.party.world.head().journal().entries, entries);
}

#[test]
fn a_person_accepts_with_their_own_wording() {
    let mut desk = Desk::new(TEXT);
    desk.propose("anna", &TEXT.replace("home", "mum").replace("milk", "tea"));
    let edit = Some(Reworded { part: PartId::new(2), after: "call dad".into() });
    let decided = desk.by("bert", DecideParts { edit, ..DecideParts::accept([]) }).unwrap();
    assert_eq!(numbers(&decided.accepted), [2]);
    assert_eq!((desk.text(), desk.states()), (TEXT.replace("home", "dad"), "p1".into()));
    desk.party.replace("carl", "# T\n", "# T\n\nabove\n");
    assert_eq!(code(&desk.party.undo("bert", last("bert", 1))), "OK");
    assert_eq!(desk.states(), "p1 p2");
    assert_eq!(desk.parts()[&2].4, "call mum\n");
}

#[test]
fn a_proposal_is_the_text_that_its_model_works_on() {
    let mut desk = Desk::new(TEXT);
    desk.ask("one", SendMessage).unwrap();
    desk.ask("two", SendMessage).unwrap_or_else(|code| panic!("{code}"));
    let apply = |old: &str, new: &str| {
        let patch = format!("@@\n-{old}\n+{new}\n");
        Proposing(ApplyPatch { lease: None, patch, base: None, scope: None, shown: None })
    };
    // The first message brought the whole document.
    desk.ask("one", apply("call home", "call mum")).unwrap();
    // The next patch is of the proposed text, and joins the part.
    assert_eq!(
        numbers(&desk.ask("one", apply("call mum", "call dad")).unwrap().proposed.unwrap().parts),
        [1]
    );
    assert_eq!(desk.ask("one", apply("call mum", "call Bob")).unwrap_err(), "PATCH_REJECTED/NOT_FOUND");
    // Another owner's part does not count, and a person's edit does.
    desk.ask("two", apply("write", "read")).unwrap();
    desk.ask("one", apply("call dad", "call Bob")).unwrap();
    desk.party.replace("anna", "milk", "tea");
    assert_eq!(desk.ask("one", apply("call Bob", "call Eve")).unwrap_err(), "PATCH_REJECTED/STALE_BASE");
    // The refusal showed the change.
    desk.ask("one", apply("call Bob", "call Eve")).unwrap();
    assert_eq!(desk.text(), TEXT.replace("milk", "tea"));
    // An accepted part changes nothing for its owner.
    let accepted = desk.decide(&[1], &[]).unwrap();
    assert_eq!(numbers(&accepted.accepted), [1]);
    desk.ask("one", apply("# T", "# U")).unwrap();
    // A rejected one does.
    desk.decide(&[], &[3]).unwrap();
    assert_eq!(desk.ask("one", apply("# U", "# V")).unwrap_err(), "PATCH_REJECTED/STALE_BASE");
    assert_eq!(
        desk.ask("one", apply("# T", "# V")).map(|done| numbers(&done.proposed.unwrap().parts)),
        Ok(vec![4])
    );
    // The message in a proposal brings the changes of the proposed text, and the end of the turn promotes the document.
    let began = desk.ask("one", Proposing(SendMessage)).unwrap();
    desk.ask("one", Proposing(EndTurn { start: began.start })).unwrap();
    let head = desk.party.world.head();
    assert_eq!(head.committed(), Some(head.draft()));
    assert!(head.draft().iter().all(|(path, _)| path.as_str() == "document.md"));
    assert!(head.face_revision(Face::Proposals) > head.face_revision(Face::Document));
    // Without the proposal, its conversation knows another text than the document.
    let direct =
        ApplyPatch { lease: None, patch: "@@\n-# T\n+# W\n".into(), base: None, scope: None, shown: None };
    assert!(desk.ask("one", direct).is_err());
}

#[test]
fn proposals_have_limits() {
    let lines = |word: &str| (0..600).map(|line| format!("{word} {line}\n\n")).collect::<String>();
    let mut desk = Desk::new(&lines("line"));
    let text = |text: String| Propose { change: ProposedChange::Text(text), reason: None };
    assert_eq!(desk.by("anna", text(lines("word"))).unwrap_err(), "TOO_MANY_PARTS");
    desk.ask("one", SendMessage).unwrap();
    let patch = canvas_core::text::build(&lines("line"), &lines("word"), 0);
    let apply = ApplyPatch { lease: None, patch, base: None, scope: None, shown: None };
    assert_eq!(desk.ask("one", Proposing(apply)).unwrap_err(), "TOO_MANY_PARTS");
    let large = format!("{}{}\n", lines("line"), "x".repeat(4 << 20));
    assert_eq!(desk.by("anna", text(large)).unwrap_err(), "PROPOSALS_TOO_LARGE");
    let huge = "x".repeat(17 << 20);
    assert_eq!(desk.by("anna", text(huge)).unwrap_err(), "DOCUMENT_TOO_LARGE");
    for owner in 0..32 {
        let line = format!("line {owner} by {owner}\n");
        let changed = lines("line").replacen(&format!("line {owner}\n"), &line, 1);
        desk.by(&format!("p{owner}"), text(changed)).unwrap();
    }
    let one_more = || text(lines("line").replacen("line 99\n", "line 99, too\n", 1));
    assert_eq!(desk.by("anna", one_more()).unwrap_err(), "TOO_MANY_PROPOSALS");
    assert_eq!(desk.open().list().len(), 32);
    desk.by("bert", DecideParts::reject([PartId::new(7)])).unwrap();
    assert_eq!(numbers(&desk.by("anna", one_more()).unwrap().parts), [33]);
    assert_eq!(desk.text(), lines("line"));
}

/// What is stored for a proposal is there after a restart, and an erase takes the old texts out of stale parts.
#[test]
fn erased_texts_are_not_in_proposals() {
    let mut desk = Desk::new("# T\n\nthe word is secret1\n\nkeep\n");
    desk.propose("anna", "# T\n\nthe old word is secret1\n\nkeep this\n");
    desk.party.edit("bert", "# T\n\nnothing\n\nkeep\n");
    assert_eq!(desk.states(), "p1! p2");
    let world = &desk.party.world;
    let key = OpKey::host("erase".parse().unwrap());
    block_on(world.engine.erase(&world.canvas, &key, world.now())).unwrap();
    desk.party.world = desk.party.world.peer();
    assert_eq!((desk.states(), desk.proposed("anna")), ("p2".into(), "# T\n\nnothing\n\nkeep this\n".into()));
}

/// A change that only moves parts is a move in the head, until there are 64. Nothing that cuts the history loses one.
#[test]
fn a_change_that_moves_parts_does_not_store_them() {
    let text = "# Plan\n\n- one\n- two\n\nThe end.\n";
    let mut desk = Desk::new(text);
    desk.propose("anna", "# Plan\n\n- one\n- the second\n\nThe end.\n");
    let stored = |desk: &Desk| {
        let head: Value = serde_json::from_slice(&desk.party.world.head().to_json()).unwrap();
        (head["proposals"].as_str().unwrap().to_owned(), head["moves"]["changes"].as_u64().unwrap_or(0))
    };
    let title = |desk: &Desk, number: u64| desk.text().replacen("# Plan", &format!("# Plan {number}"), 1);
    let is_right = |desk: &Desk| desk.proposed("anna") == desk.text().replace("two", "the second");
    let (first, _) = stored(&desk);
    for number in 1..64 {
        let text = title(&desk, number);
        desk.party.edit("bert", &text);
        assert_eq!(stored(&desk), (first.clone(), number));
        assert!(is_right(&desk), "{number}");
    }
    let text = title(&desk, 64);
    desk.party.edit("bert", &text);
    let (second, moves) = stored(&desk);
    assert!(second != first && moves == 0 && is_right(&desk));

    // The moves are in the head, so that the history may go.
    let text = title(&desk, 65);
    desk.party.edit("bert", &text);
    desk.by("bert", ClearHistory).unwrap();
    assert!(stored(&desk) == (second, 1) && is_right(&desk));
    let world = &desk.party.world;
    let key = OpKey::host("erase".parse().unwrap());
    block_on(world.engine.erase(&world.canvas, &key, world.now())).unwrap();
    let kept = CollectOptions { history: Some(0), ..CollectOptions::default() };
    block_on(world.engine.collect(&world.canvas, kept)).unwrap();
    desk.party.world = desk.party.world.peer();
    assert!(stored(&desk).1 == 1 && is_right(&desk));

    // A change of a part is stored with it.
    let text = desk.text().replace("- two", "- TWO");
    desk.party.edit("bert", &text);
    assert_eq!((desk.states(), stored(&desk).1), ("p1!".into(), 0));
}

/// A base names a text that the document or the proposal had.
#[test]
fn ids_of_earlier_proposed_texts_are_stale() {
    let mut desk = Desk::new(TEXT);
    desk.ask("one", SendMessage).unwrap();
    let apply = |old: &str, new: &str, base| {
        let patch = format!("@@\n-{old}\n+{new}\n");
        ApplyPatch { lease: None, patch, base, scope: None, shown: None }
    };
    let first = desk.ask("one", Proposing(apply("call home", "call mum", None))).unwrap().revision;
    let second = desk.ask("one", Proposing(apply("write", "read", None))).unwrap().revision;
    desk.by("bert", DecideParts::of(only(&[]), PartChoice::All)).unwrap();
    for id in [first, second] {
        let late = apply("buy milk on Monday", "buy tea", Some(id.into()));
        assert_eq!(desk.ask("one", Proposing(late)).unwrap_err(), "PATCH_REJECTED/STALE_BASE", "{id}");
    }
    // The person's edit gives the document the revision of the proposal that comes next.
    desk.party.replace("anna", "milk", "tea");
    desk.ask("one", SendMessage).unwrap();
    let third = desk.suggest("one", &desk.text().replace("write", "sing"));
    assert_eq!(third, [3]);
    let seen = desk.open();
    desk.by("bert", DecideParts::reject([PartId::new(3)])).unwrap();
    assert_eq!(seen.revision_id(), desk.open().revision_id());
    let late = apply("buy tea on Monday", "buy beer", None);
    assert_eq!(desk.ask("one", Proposing(late)).unwrap_err(), "PATCH_REJECTED/STALE_BASE");
}

/// What a random actor does.
#[derive(Debug, Clone)]
enum Act {
    /// A person or a conversation proposes other lines.
    Propose(usize, Vec<Change>),
    /// A person types.
    Edit(usize, Vec<Change>),
    Accept(prop::sample::Index, prop::sample::Index),
    AcceptAll,
    Reject(prop::sample::Index),
    Withdraw(usize),
    Undo(usize),
    Redo(usize),
    Restart,
}

#[derive(Debug, Clone)]
enum Change {
    Insert(prop::sample::Index),
    Remove(prop::sample::Index),
    Word(prop::sample::Index, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        2 => at().prop_map(Change::Insert),
        1 => at().prop_map(Change::Remove),
        4 => (at(), 0..4_usize).prop_map(|(at, word)| Change::Word(at, word)),
    ]
}

fn act() -> impl Strategy<Value = Act> {
    let at = any::<prop::sample::Index>;
    let changes = || prop::collection::vec(change(), 1..4);
    prop_oneof![
        5 => (0..3_usize, changes()).prop_map(|(who, changes)| Act::Propose(who, changes)),
        4 => (0..2_usize, changes()).prop_map(|(who, changes)| Act::Edit(who, changes)),
        4 => (at(), at()).prop_map(|(one, other)| Act::Accept(one, other)),
        1 => Just(Act::AcceptAll),
        2 => at().prop_map(Act::Reject),
        1 => (0..3_usize).prop_map(Act::Withdraw),
        3 => (0..2_usize).prop_map(Act::Undo),
        2 => (0..2_usize).prop_map(Act::Redo),
        1 => Just(Act::Restart),
    ]
}

fn changed(text: &str, changes: &[Change], written: &mut usize) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    for change in changes {
        *written += 1;
        match change {
            Change::Insert(at) => {
                lines.insert(at.index(lines.len() + 1), format!("line{written} of some words\n"))
            }
            Change::Remove(at) if !lines.is_empty() => drop(lines.remove(at.index(lines.len()))),
            Change::Word(at, word) if !lines.is_empty() => {
                let at = at.index(lines.len());
                let line = &mut lines[at];
                let mut words: Vec<String> = line.trim_end().split(' ').map(str::to_owned).collect();
                let word = word % words.len();
                words[word] = format!("word{written}");
                *line = words.join(" ") + "\n";
            }
            Change::Remove(_) | Change::Word(..) => {}
        }
    }
    lines.concat()
}

const OWNERS: [&str; 3] = ["anna", "one", "two"];
const PEOPLE: [&str; 2] = ["anna", "bert"];

proptest! {
    /// No part is applied twice, lost, or guessed into place. Decisions are undone and redone exactly.
    #[test]
    fn parts_are_neither_lost_nor_misplaced(acts in prop::collection::vec(act(), 1..24)) {
        let mut desk = Desk::new("a1 b1 c1 d1\na2 b2 c2 d2\na3 b3 c3 d3\na4 b4 c4 d4\n");
        desk.ask("one", SendMessage).unwrap();
        desk.ask("two", SendMessage).unwrap();
        let mut written = 0;
        for act in acts {
            let (text, parts) = (desk.text(), desk.parts());
            let ids = || parts.keys().copied().collect::<BTreeSet<u64>>();
            let pending = || parts.iter().filter(|(_, part)| part.0 == PartState::Pending).map(|(id, _)| *id);
            match act {
                Act::Propose(who, changes) => {
                    let wanted = changed(&desk.proposed(OWNERS[who]), &changes, &mut written);
                    let made = match OWNERS[who] {
                        "anna" => desk.propose("anna", &wanted),
                        name => {
                            desk.ask(name, SendMessage).unwrap();
                            desk.suggest(name, &wanted)
                        }
                    };
                    prop_assert_eq!(desk.proposed(OWNERS[who]), wanted);
                    prop_assert_eq!(desk.text(), text);
                    prop_assert!(made.iter().all(|id| desk.parts().contains_key(id)));
                }
                Act::Edit(who, changes) => {
                    let wanted = changed(&text, &changes, &mut written);
                    prop_assert_eq!(code(&desk.party.by(PEOPLE[who], Edit::overwrite(&*wanted))), "OK");
                    prop_assert_eq!(desk.text(), wanted);
                    prop_assert_eq!(desk.parts().keys().copied().collect::<BTreeSet<u64>>(), ids());
                }
                Act::Accept(one, other) => {
                    let pending: Vec<u64> = pending().collect();
                    if pending.is_empty() {
                        continue;
                    }
                    let chosen: BTreeSet<u64> = [one, other].map(|at| pending[at.index(pending.len())]).into();
                    let chosen: Vec<u64> = chosen.into_iter().collect();
                    let lines = |text: &str, count: usize| text.split_inclusive('\n').take(count).map(str::len).sum::<usize>();
                    let entries = desk.party.world.head().journal().entries;
                    match desk.decide(&chosen, &[]) {
                        Ok(decided) => {
                            prop_assert_eq!(numbers(&decided.accepted).into_iter().collect::<BTreeSet<_>>(), chosen.iter().copied().collect());
                            if let [id] = chosen[..] {
                                let (_, start, end, before, after) = &parts[&id];
                                let mut wanted = text.clone();
                                let range = lines(&text, start - 1)..lines(&text, *end);
                                prop_assert_eq!(&text[range.clone()], before);
                                wanted.replace_range(range, after);
                                prop_assert_eq!(desk.text(), wanted);
                            }
                            let after = (desk.text(), desk.parts());
                            prop_assert!(chosen.iter().all(|id| !after.1.contains_key(id)));
                            prop_assert_eq!(after.1.len() + chosen.len(), parts.len());
                            // One change for each owner.
                            let made = u32::try_from(desk.party.world.head().journal().entries - entries).unwrap();
                            prop_assert_eq!(code(&desk.party.undo("bert", last("bert", made))), "OK");
                            prop_assert_eq!(desk.text(), text);
                            if made == 1 {
                                prop_assert_eq!(desk.parts(), parts);
                            } else {
                                // Both may have touched a third part, which then stays stale.
                                let back = desk.parts();
                                prop_assert!(chosen.iter().all(|id| back[id] == parts[id]), "{back:?} {parts:?}");
                                prop_assert_eq!(back.len(), parts.len());
                            }
                            prop_assert_eq!(code(&desk.party.redo("bert")), "OK");
                            prop_assert_eq!((desk.text(), desk.parts()), after);
                        }
                        Err(code) => {
                            prop_assert_eq!(code, "PART_STALE");
                            prop_assert_eq!((desk.text(), desk.parts()), (text, parts));
                        }
                    }
                }
                Act::AcceptAll => {
                    let wanted = desk.open().text(None).unwrap();
                    let decided = desk.by("bert", DecideParts::of(PartChoice::All, only(&[]))).unwrap();
                    prop_assert_eq!(desk.text(), wanted.markdown);
                    let left: BTreeSet<u64> = numbers(&wanted.left_out).into_iter().collect();
                    prop_assert_eq!(numbers(&decided.stale).into_iter().collect::<BTreeSet<_>>(), left);
                    prop_assert!(desk.parts().values().all(|part| part.0 == PartState::Stale));
                }
                Act::Reject(at) => {
                    let all: Vec<u64> = parts.keys().copied().collect();
                    if all.is_empty() {
                        continue;
                    }
                    let id = all[at.index(all.len())];
                    desk.decide(&[], &[id]).unwrap();
                    prop_assert_eq!(desk.text(), &*text);
                    let after = desk.parts();
                    prop_assert!(!after.contains_key(&id) && after.len() + 1 == parts.len());
                    prop_assert_eq!(code(&desk.party.undo("bert", last("bert", 1))), "OK");
                    prop_assert_eq!((desk.text(), desk.parts()), (text, parts));
                    prop_assert_eq!(code(&desk.party.redo("bert")), "OK");
                    prop_assert_eq!(desk.parts(), after);
                }
                Act::Withdraw(who) => {
                    let withdraw = Withdraw { owner: owner(OWNERS[who]), parts: None };
                    let is_there = desk.open().of(&owner(OWNERS[who])).is_some();
                    prop_assert_eq!(desk.by("anna", withdraw).is_ok(), is_there);
                    prop_assert_eq!(desk.text(), text);
                }
                Act::Undo(who) => {
                    let undone = desk.party.undo(PEOPLE[who], last(PEOPLE[who], 1));
                    if code(&undone) == "OK" {
                        let after = desk.parts();
                        prop_assert!(ids().iter().all(|id| after.contains_key(id)), "{parts:?} {after:?}");
                    } else {
                        prop_assert_eq!((desk.text(), desk.parts()), (text, parts));
                    }
                }
                Act::Redo(who) => {
                    let redone = desk.party.redo(PEOPLE[who]);
                    if code(&redone) != "OK" {
                        prop_assert_eq!((desk.text(), desk.parts()), (text, parts));
                    }
                }
                Act::Restart => {
                    let peer = desk.party.world.peer();
                    desk.party.world = peer;
                    prop_assert_eq!((desk.text(), desk.parts()), (text, parts));
                }
            }
        }
        desk.party.replay();
    }
}

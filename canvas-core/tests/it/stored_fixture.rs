//! Canvases as version 0.1.0 stored them, in `fixtures/v1`: they are opened, walked and gone on with, and every answer is
//! what that version gave.
//!
//! A case is a canvas at one moment: `NAME.head.json` has the bytes of its head, `CANVAS.blobs.json` all blobs that
//! the canvas still needed at its last moment, `expected.json` what that version answered. These files are never
//! written again.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use canvas_core::board::{CreateBoard, RunBoardCommand, Workspace};
use canvas_core::document::{ApplyPatch, Edit, HostEdit, Read, ReplaceLines, Replacement};
use canvas_core::history::{ClearHistory, Entry, Redo, Undo, UndoScope};
use canvas_core::lease::{CheckIn, CheckOut, LeaseId, Renew, Timestamp, Turn};
use canvas_core::store::{Commit, Committed, Head, MemoryStore, Store as _, Tree, TreePath};
use canvas_core::testing::block_on;
use canvas_core::turn::{Cancel, EndTurn, Forget, SendMessage, TakeControl};
use canvas_core::{
    Author, Blob, BlobId, CallId, CanvasId, CodedError as _, ConversationId, Engine, Face, OpKey, PersonId,
    Policy, RevisionId,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::document::any::{Call, Command, dynamic};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/v1");

/// A canvas as it was stored, and its clock.
#[derive(Clone)]
struct Stored {
    canvas: CanvasId,
    at: Timestamp,
    head: Vec<u8>,
    blobs: Vec<Blob>,
}

/// A case of `expected.json`.
#[derive(Deserialize)]
struct Case {
    name: String,
    canvas: String,
    at: Timestamp,
    expected: Value,
    /// Calls of before, and what they were answered.
    #[serde(default)]
    retries: Vec<(Value, Value)>,
}

#[expect(clippy::disallowed_methods, reason = "a test reads its fixtures")]
fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(format!("{FIXTURES}/{name}")).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn read<T: DeserializeOwned>(name: &str) -> T {
    serde_json::from_slice(&bytes(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn cases() -> Vec<(Case, Stored)> {
    let cases: Vec<Case> = read("expected.json");
    let stored = |case: &Case| {
        let head = bytes(&format!("{}.head.json", case.name));
        let blobs: BTreeMap<BlobId, String> = read(&format!("{}.blobs.json", case.canvas));
        let blobs = blobs.into_iter().map(|(id, text)| {
            let blob = Blob::text(text);
            assert_eq!(blob.id(), id, "blobs are named by the hash of their bytes");
            blob
        });
        Stored { canvas: CanvasId::new(&case.canvas).unwrap(), at: case.at, head, blobs: blobs.collect() }
    };
    cases.into_iter().map(|case| (stored(&case), case)).map(|(stored, case)| (case, stored)).collect()
}

/// What a call was answered, and its JSON as a receipt keeps it.
struct Answer {
    code: &'static str,
    json: Value,
    replayed: bool,
}

/// An engine on a store that has nothing but a stored canvas. Its clock does not move.
struct Opened {
    engine: Engine<MemoryStore>,
    canvas: CanvasId,
    at: Timestamp,
}

impl Opened {
    fn new(stored: &Stored) -> Self {
        let at = stored.at;
        let store = MemoryStore::new(move || at);
        let head = Arc::new(Head::from_json(&stored.canvas, &stored.head).unwrap());
        let commit = Commit { expected: None, head, blobs: stored.blobs.clone(), not_after: None };
        assert!(matches!(block_on(store.commit(commit)), Ok(Committed::Done { .. })));
        Self { engine: Engine::new(store, Policy::default()), canvas: stored.canvas.clone(), at }
    }

    fn head(&self) -> Arc<Head> {
        block_on(self.engine.store().load(&self.canvas)).unwrap().unwrap().head
    }

    fn blob_text(&self, id: BlobId) -> String {
        let blob = block_on(self.engine.store().blob(&self.canvas, id)).unwrap();
        blob.expect("the fixture has it").as_text().unwrap().to_owned()
    }

    fn document(&self, tree: &Tree) -> String {
        self.blob_text(tree.get(&TreePath::document()).unwrap())
    }

    fn board(&self) -> Option<Workspace> {
        let (board, _) = block_on(self.engine.board(&self.canvas, self.at)).unwrap();
        board.map(|board| board.workspace(|_| Default::default()))
    }

    fn call(&self, step: &Value) -> Answer {
        let answered = call(step).run(&self.engine, &self.canvas, self.at).unwrap();
        let code = answered.outcome.refusal().map_or("OK", |refusal| refusal.code());
        let json = serde_json::from_str(answered.stored.json()).unwrap();
        Answer { code, json, replayed: answered.replayed }
    }

    /// Hashes of the text and of the board's JSON.
    fn hashes(&self) -> Value {
        let snapshot = block_on(self.engine.snapshot(&self.canvas, self.at)).unwrap();
        let hash = |text: &str| BlobId::of(text.as_bytes()).to_string()[..12].to_owned();
        json!([hash(snapshot.text()), self.board().map(|board| hash(&json!(board).to_string()))])
    }

    fn replay(&self) -> Value {
        let replay = block_on(self.engine.replay(&self.canvas, self.at)).unwrap();
        json!([replay.entries, replay.first, replay.tree])
    }

    /// What the user's undo, or redo, leads to, step by step, until there is no more.
    fn walk(&self, way: &str) -> Vec<Value> {
        let mut seen = Vec::new();
        loop {
            let name = format!("{way}-{}", seen.len());
            let step = json!({"who": "user", "turn": 0, "call": name, "do": way, "steps": 1});
            match self.call(&step).code {
                "OK" => seen.push(self.hashes()),
                code => {
                    assert_eq!(code, "HISTORY_EMPTY");
                    return seen;
                }
            }
        }
    }
}

/// The call that a step of the story makes.
fn call(step: &Value) -> Call {
    let text = |name: &str| step[name].as_str().unwrap_or_else(|| panic!("{name} of {step}")).to_owned();
    let turn = Turn::new(step["turn"].as_u64().unwrap()).unwrap();
    let conversation = ConversationId::new(&text("who")).unwrap();
    let operation = OpKey { conversation, turn, call: CallId::new(&text("call")).unwrap(), person: None };
    Call { operation, command: command(step) }
}

fn command(step: &Value) -> Command {
    fn field<T: DeserializeOwned>(step: &Value, name: &str) -> T {
        serde_json::from_value(step[name].clone()).unwrap_or_else(|e| panic!("{name} of {step}: {e}"))
    }
    let lease: Option<LeaseId> = step["lease"].as_str().map(|id| id.parse().unwrap());
    let by = if step["who"] == "user" { Author::User } else { Author::Assistant { lease } };
    match step["do"].as_str().unwrap() {
        "check_out" => dynamic(CheckOut),
        "renew" => dynamic(Renew { lease }),
        "check_in" => dynamic(CheckIn { lease }),
        "read" => dynamic(Read::new(lease)),
        "apply" => dynamic(ApplyPatch {
            lease,
            patch: field(step, "patch"),
            base: field(step, "base"),
            scope: None,
            shown: None,
        }),
        "replace" => {
            let (start, end, expect) = (field(step, "start"), field(step, "end"), field(step, "expect"));
            let replacement = Replacement { start, end, expect, text: field(step, "text") };
            dynamic(ReplaceLines {
                lease,
                replacements: vec![replacement],
                base: field(step, "base"),
                shown: None,
            })
        }
        "amend" => {
            let (base, delta) = (field(step, "base"), field(step, "delta"));
            dynamic(HostEdit { base, delta, summary: field(step, "summary"), request: None })
        }
        "edit" => dynamic(Edit::overwrite(field::<String>(step, "markdown"))),
        "message" => dynamic(SendMessage),
        "forget" => dynamic(Forget),
        "cancel" => dynamic(Cancel),
        "take_control" => dynamic(TakeControl),
        "end_turn" => dynamic(EndTurn { start: field(step, "start") }),
        "undo" if step["to"].is_u64() => dynamic(Undo { by, what: UndoScope::To(field(step, "to")) }),
        "undo" if step["change"].is_u64() => {
            dynamic(Undo { by, what: UndoScope::Change(field(step, "change")) })
        }
        "undo" if step["author"].is_string() => {
            let (author, since) = (field(step, "author"), field(step, "since"));
            dynamic(Undo { by, what: UndoScope::Author { author, since } })
        }
        "undo" => dynamic(Undo { by, what: UndoScope::Steps(field(step, "steps")) }),
        "redo" => dynamic(Redo { by, steps: field::<NonZeroU32>(step, "steps") }),
        "clear_history" => dynamic(ClearHistory),
        "create_board" => dynamic(CreateBoard { workspace: field(step, "workspace") }),
        "board" => dynamic(RunBoardCommand {
            by,
            command: field(step, "command"),
            base: field(step, "base"),
            grid: None,
        }),
        other => panic!("{other}"),
    }
}

fn entry(entry: &Entry) -> Value {
    json!({
        "number": entry.number, "change": entry.change, "kind": entry.kind, "actor": entry.actor, "author": entry.author,
        "reverts": entry.reverts, "by": entry.operation.conversation, "at": entry.at, "summary": entry.summary,
        "revision": entry.revision_after,
    })
}

/// Everything that a stored canvas answers.
fn observe(stored: &Stored) -> Value {
    let opened = Opened::new(stored);
    let (head, at) = (opened.head(), stored.at);
    let lock = head.lock();
    let lock = json!({
        "epoch": lock.epoch(), "fence": lock.fence(), "turn": lock.turn(),
        "holder": lock.lease().map(|lease| (lease.holder.as_str(), lease.expires_at)),
    });
    if head.is_deleted() {
        let missing = block_on(opened.engine.snapshot(&stored.canvas, at)).unwrap_err();
        return json!({"missing": missing.code(), "revision": head.revision_id(), "lock": lock});
    }
    let snapshot = block_on(opened.engine.snapshot(&stored.canvas, at)).unwrap();
    let stacks = block_on(opened.engine.stacks(&stored.canvas, None, usize::MAX, at)).unwrap();
    let numbers = |entries: &[Entry]| entries.iter().map(|entry| entry.number).collect::<Vec<_>>();
    let history = block_on(opened.engine.history(&stored.canvas, None, usize::MAX, at)).unwrap();
    let board = opened.board();
    let faces = [Face::Document, Face::Board].map(|face| head.face_revision(face));
    let (hashes, replay) = (opened.hashes(), opened.replay());

    let told = |who: &str| {
        let step = json!({"who": who, "turn": 0, "call": "told", "do": "message"});
        Opened::new(stored).call(&step).json
    };
    let mut told: BTreeMap<&str, Value> = ["anna", "bert", "carl"].map(|who| (who, told(who))).into();
    let undone = opened.walk("undo");
    // The stack leaves out what was undone from under later changes, while undo of these brings it back.
    let reverted: Vec<_> =
        stacks.undo.iter().filter_map(|entry| entry.reverts.as_ref()).flat_map(|of| &of.changes).collect();
    let reverted: Vec<_> =
        history.iter().filter(|entry| reverted.contains(&&entry.change)).map(|entry| entry.number).collect();
    assert!(undone.len() >= stacks.undo.len());
    let redone = opened.walk("redo");
    let after = opened.replay();
    assert_eq!(
        after[0].as_u64(),
        replay[0].as_u64().map(|entries| entries + (undone.len() + redone.len()) as u64)
    );
    // Earlier versions named a document by the canvas's revision, which is still an id of it.
    let named = RevisionId::new(head.revision(), snapshot.document.id());
    for whole in
        told.values_mut().filter_map(|told| told.get_mut("changes")).filter(|c| c["whole"].is_string())
    {
        assert_eq!(whole["to"], json!(snapshot.revision_id()));
        whole["to"] = json!(named);
    }
    json!({
        "text": snapshot.text(), "revision": named, "lock": lock, "faces": faces, "hashes": hashes,
        "artefact": head.committed().map(|tree| opened.document(tree)),
        "history": history.iter().map(entry).collect::<Vec<_>>(),
        "undo": numbers(&stacks.undo), "reverted": reverted, "redo": numbers(&stacks.redo),
        "board": board, "replay": replay, "told": told, "undone": undone, "redone": redone,
    })
}

#[test]
fn what_was_stored_before_answers_as_it_did() {
    for (case, stored) in cases() {
        let observed = observe(&stored);
        let (observed, expected) = (observed.as_object().unwrap(), case.expected.as_object().unwrap());
        for (name, expected) in expected {
            let mut expected = expected.clone();
            if let ("undo", Some(numbers)) = (name.as_str(), expected.as_array_mut()) {
                let reverted = observed["reverted"].as_array().unwrap();
                numbers.retain(|number| !reverted.contains(number));
            }
            assert_eq!(observed.get(name), Some(&expected), "{name} of {}", case.name);
        }
    }
}

/// A call that was answered before is not done again. Where its digest is made in another way than before, it is
/// refused.
#[test]
fn a_call_from_before_gets_its_answer_from_before() {
    let mut retried = 0;
    for (case, stored) in cases() {
        for (step, answer) in &case.retries {
            let opened = Opened::new(&stored);
            let revision = opened.head().revision();
            let again = opened.call(step);
            // The digests of these were made of other bytes, so a retry is refused rather than done again.
            if matches!(step["do"].as_str(), Some("undo" | "redo" | "board")) {
                assert_eq!(again.code, "CALL_ID_REUSED", "{step} in {}", case.name);
            } else {
                assert_eq!((&again.json, again.replayed), (answer, true), "{step} in {}", case.name);
            }
            assert_eq!(opened.head().revision(), revision, "{step} in {}", case.name);
            retried += 1;
        }
    }
    assert!(retried > 100, "{retried} calls");
}

/// One commit raises the format, and the history of before is still undone.
#[test]
fn a_canvas_from_before_gets_format_3_from_the_first_named_person() {
    let format = |opened: &Opened| {
        let head: Value = serde_json::from_slice(&opened.head().to_json()).unwrap();
        head["format"].as_u64().unwrap()
    };
    let mut raised = 0;
    for (case, stored) in cases() {
        let opened = Opened::new(&stored);
        let (was, before) = (format(&opened), opened.head());
        if before.is_deleted() {
            continue;
        }
        let (hashes, text) = (opened.hashes(), opened.document(before.draft()));
        let operation = OpKey::person(PersonId::new("p-17").unwrap(), CallId::new("first").unwrap());
        let edit = dynamic(Edit::overwrite(format!("{text}One more line.\n")));
        let edited = Call { operation, command: edit };
        let answered = edited.run(&opened.engine, &opened.canvas, opened.at).unwrap();
        assert!(answered.outcome.refusal().is_none(), "{}", case.name);
        assert_eq!((was < 3, format(&opened)), (true, 3), "{}", case.name);
        raised += 1;
        let undone = opened.walk("undo");
        let expected: Vec<_> =
            std::iter::once(hashes).chain(case.expected["undone"].as_array().unwrap().clone()).collect();
        assert_eq!(undone, expected, "{}", case.name);
        assert_eq!(opened.walk("redo").len(), undone.len(), "{}", case.name);
        assert_eq!(opened.document(opened.head().draft()), format!("{text}One more line.\n"));
        assert!(edited.run(&opened.engine, &opened.canvas, opened.at).unwrap().replayed);
    }
    assert!(raised > 5, "{raised} canvases");
}

#[test]
fn a_lease_from_before_is_still_held() {
    let (_, stored) = cases().into_iter().find(|(case, _)| case.name == "held-2").unwrap();
    let opened = Opened::new(&stored);
    let (lease, patch) = ("lease-2-9", "@@\n-Row 25 of a longer text, which has 50 words.\n+25.\n");
    let apply = json!({"who": "emil", "turn": 5, "call": "new", "do": "apply", "lease": lease, "patch": patch, "base": null});
    let refused = |who: &str, call: &str| {
        let step = json!({"who": who, "turn": 5, "call": call, "do": "check_out"});
        opened.call(&step).code
    };
    assert_eq!(refused("bert", "out"), "LOCK_NOT_AVAILABLE");
    assert_eq!(opened.call(&apply).code, "OK");
    let retry = opened.call(&apply);
    assert_eq!((retry.code, retry.replayed), ("OK", true));
    assert_eq!(opened.walk("undo").len(), 21);
}

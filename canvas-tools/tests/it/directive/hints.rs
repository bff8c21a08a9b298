//! Every failure of a directive says what to do next: each code and reason is provoked, and then the message is taken at
//! its word until the edit is made.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::policy_with;
use canvas_core::document::HostEditRefusal;
use canvas_core::lease::{CheckOut, Timestamp};
use canvas_core::refusal::NotAvailable;
use canvas_core::store::{Commit, Head, Store as _};
use canvas_core::testing::block_on;
use canvas_core::text::{AddressError, ApplyOptions, Limits, Reason, apply};
use canvas_core::turn::Cancel;
use canvas_core::{CallId, CanvasId, CodedError as _, EngineError, Policy};
use canvas_tools::directive::{DirectiveError, DirectiveFault, FailureKind, Fingerprint};
use canvas_tools::{DirectiveTools, Session, ToolReply};
use serde_json::{Value, json};

use super::world::{World, of_json};

const TEXT: &str = "a\nb\nc\n";

/// What the message of a failure leads to.
enum Then {
    /// It says what to change: this call succeeds.
    Correct(&'static str, Value),
    /// It names `document_snapshot`, and this directive succeeds with the version, for `VERSION`, that it shows.
    Snapshot(Value),
    /// The same directive succeeds when the time has come that the failure tells.
    Wait,
    /// It says to stop, and the same directive goes on failing.
    Stop,
}

#[track_caller]
fn check(world: &World, id: &str, tool: &str, arguments: &Value, then: Then) -> String {
    check_with(true, world, id, tool, arguments, then)
}

#[track_caller]
fn check_with(
    use_patch_edits: bool,
    world: &World,
    id: &str,
    tool: &str,
    arguments: &Value,
    then: Then,
) -> String {
    let ask = |world: &World, id: &str, tool: &str, arguments: &Value| {
        let version = world.version();
        let text = arguments.to_string().replace("VERSION", &version);
        let arguments = serde_json::from_str(&text).unwrap();
        world.call(use_patch_edits, id, tool, arguments)
    };
    let failed = ask(world, id, tool, arguments);
    let error = &failed.body()["error"];
    let message = error["message"].as_str().unwrap_or_else(|| panic!("{}", failed.body()));
    // Those who have these tools have no others.
    let tools = DirectiveTools { use_patch_edits }.list(&Policy::default());
    for word in message.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        let is_tool = ["document_snapshot", "document_edit", "diff_builder"].contains(&word);
        assert!(!is_tool || tools.iter().any(|tool| tool.name == word), "there is no {word}: {message}");
        assert!(!word.starts_with("canvas_"), "there is no {word}: {message}");
    }
    let fresh = || world.fresh_id();
    let stops = ["wait for the next user message", "ask the user", "stop and tell the user"]
        .iter()
        .any(|stop| message.contains(stop));
    assert_eq!(matches!(then, Then::Stop), stops, "{message}");
    let succeeds = |reply: &ToolReply| assert!(reply.is_ok(), "{message} -> {}", reply.body());
    match then {
        Then::Correct(tool, arguments) => {
            assert!(!message.contains("take a fresh document_snapshot"), "{message}");
            let text = arguments.to_string();
            let rebased = error["rebased_patch"].as_str().map(|patch| json!(patch).to_string());
            let text = rebased.map_or_else(|| text.clone(), |patch| text.replace("\"REBASED\"", &patch));
            succeeds(&ask(world, &fresh(), tool, &serde_json::from_str(&text).unwrap()));
        }
        Then::Snapshot(directive) => {
            assert!(message.contains("document_snapshot"), "{message}");
            let shown = ask(world, &fresh(), "document_snapshot", &json!({}));
            succeeds(&shown);
            assert_eq!(shown.body()["document_version"], world.version());
            succeeds(&ask(world, &fresh(), "document_edit", &directive));
        }
        Then::Wait => {
            assert_eq!(error["retryable"], true, "{message}");
            world.wait(error["retry_in_s"].as_u64().expect("it tells how long") * 1_000);
            succeeds(&ask(world, &fresh(), tool, arguments));
        }
        Then::Stop => {
            assert!(!ask(world, &fresh(), tool, arguments).is_ok(), "{message}");
        }
    }
    of_json(error).split(" at ").next().unwrap_or_default().to_owned()
}

/// A diff for the document as it is.
fn patch(diff: &str) -> Value {
    json!({"action": "patch", "diff": diff, "document_version": "VERSION"})
}

fn replace(range: Value) -> Value {
    json!({"action": "replace", "content": "x", "target_range": range})
}

fn with(mut directive: Value, field: &str, value: Value) -> Value {
    directive[field] = value;
    directive
}

fn without(mut directive: Value, field: &str) -> Value {
    directive.as_object_mut().unwrap().remove(field);
    directive
}

/// What is wrong with the directive itself, beside the one that is right.
fn malformed() -> Vec<(&'static str, Value, Value)> {
    let (at, diff) = (replace(json!([0, 1])), patch("@@\n-a\n+x\n"));
    let long = "x".repeat(5 << 20);
    vec![
        ("INVALID_DIRECTIVE/NOT_AN_OBJECT", json!("replace"), at.clone()),
        ("INVALID_DIRECTIVE/UNKNOWN_FIELD", with(at.clone(), "where", json!(1)), at.clone()),
        ("INVALID_DIRECTIVE/UNKNOWN_FIELD", replace(json!({"start": 0, "end": 1, "x": 1})), at.clone()),
        ("INVALID_DIRECTIVE/FORBIDDEN_FIELD", with(diff.clone(), "content", json!("x")), diff.clone()),
        ("INVALID_DIRECTIVE/FORBIDDEN_FIELD", with(at.clone(), "diff", json!("@@")), at.clone()),
        (
            "INVALID_DIRECTIVE/FORBIDDEN_FIELD",
            with(at.clone(), "target", json!({"lines": [1, 1]})),
            at.clone(),
        ),
        ("INVALID_DIRECTIVE/MISSING_FIELD", without(at.clone(), "action"), at.clone()),
        ("INVALID_DIRECTIVE/MISSING_FIELD", without(at.clone(), "content"), at.clone()),
        ("INVALID_DIRECTIVE/MISSING_FIELD", without(diff.clone(), "document_version"), diff.clone()),
        ("INVALID_DIRECTIVE/EMPTY_FIELD", with(diff.clone(), "diff", json!(" ")), diff.clone()),
        (
            "INVALID_DIRECTIVE/EMPTY_FIELD",
            json!({"action": "insert", "content": "", "target_range": [0, 0]}),
            json!({"action": "insert", "content": "x", "target_range": [0, 0]}),
        ),
        ("INVALID_DIRECTIVE/BAD_VALUE", with(at.clone(), "action", json!("delete")), at.clone()),
        ("INVALID_DIRECTIVE/BAD_RANGE", replace(json!([1, 0])), at.clone()),
        ("INVALID_DIRECTIVE/BAD_RANGE", with(at.clone(), "action", json!("insert")), at.clone()),
        (
            "INVALID_DIRECTIVE/BAD_VERSION",
            with(diff.clone(), "document_version", json!("latest")),
            diff.clone(),
        ),
        (
            "INVALID_DIRECTIVE/VERSIONS_DIFFER",
            with(diff.clone(), "version", json!("r9-00000000")),
            diff.clone(),
        ),
        ("INVALID_DIRECTIVE/TOO_LARGE", with(at.clone(), "content", json!(long)), at),
        ("PATCH_REJECTED/NO_HUNKS", patch("-a\n+x\n"), diff.clone()),
        ("PATCH_REJECTED/BAD_LINE", patch("@@\n-a\n+x\nb\n+y\n"), patch("@@\n-a\n+x\n b\n+y\n")),
        ("PATCH_REJECTED/UNEXPECTED_TEXT", patch("Here:\n@@\n-a\n+x\n"), diff.clone()),
        ("PATCH_REJECTED/MULTI_FILE", patch("@@\n-a\n+x\n--- a/g\n+++ b/g\n@@\n-b\n+y\n"), diff.clone()),
        ("PATCH_REJECTED/TRUNCATED", patch("@@\n-a\n+x\n@@\n"), diff.clone()),
        ("PATCH_REJECTED/ESCAPED_NEWLINES", patch(r"@@\n-a\n+x\n"), diff.clone()),
        ("PATCH_REJECTED/MISORDERED", patch("@@\n-c\n+y\n@@\n-a\n+x\n"), patch("REBASED")),
        ("PATCH_REJECTED/OVERLAP", patch("@@\n a\n-b\n@@\n-b\n c\n"), patch("@@\n a\n-b\n c\n")),
        ("PATCH_REJECTED/NO_ANCHOR", patch("@@\n+x\n"), patch("@@\n c\n+x\n")),
        ("PATCH_REJECTED/NO_EFFECT", patch("@@\n-a\n+a\n"), diff),
    ]
}

#[test]
fn every_failure_leads_on() {
    let mut provoked = BTreeSet::new();
    let mut expect = |label: &str, got: String| {
        assert_eq!(got, label);
        provoked.insert(got);
    };
    for (label, wrong, right) in malformed() {
        let world = World::new(TEXT);
        expect(label, check(&world, "k", "document_edit", &wrong, Then::Correct("document_edit", right)));
    }
    let (at, diff) = (replace(json!([0, 1])), patch("@@\n-a\n+x\n"));
    let edit = |world: &World, directive: &Value, then| check(world, "k", "document_edit", directive, then);

    let world = World::new(TEXT);
    let off =
        check_with(false, &world, "k", "document_edit", &diff, Then::Correct("document_edit", at.clone()));
    expect("PATCH_EDITS_OFF", off);

    let after = || Then::Snapshot(replace(json!([2, 3])));
    expect("INVALID_RANGE", edit(&World::new(TEXT), &replace(json!([6, 7])), after()));
    let target = |lines: Value| json!({"action": "replace", "content": "x", "target": {"lines": lines}});
    let right = Then::Correct("document_edit", target(json!([3, 3])));
    expect("ADDRESS_NOT_FOUND", edit(&World::new(TEXT), &target(json!([4, 4])), right));
    let other = with(at.clone(), "selection_fingerprint", json!(Fingerprint::of("b")));
    expect("FINGERPRINT_MISMATCH", edit(&World::new(TEXT), &other, after()));
    let old = with(diff.clone(), "document_version", json!(World::new(TEXT).version()));
    let world = World::new(TEXT);
    world.edit("a\nb\nuser\n");
    expect("STALE_VERSION", edit(&world, &old, Then::Snapshot(diff.clone())));
    let nowhere = patch("@@\n-nowhere\n+x\n");
    expect("PATCH_REJECTED/NOT_FOUND", edit(&World::new(TEXT), &nowhere, Then::Snapshot(diff.clone())));
    let twice = Then::Correct("document_edit", patch("@@\n b\n-a\n"));
    let ambiguous = edit(&World::new("a\nb\na\n"), &patch("@@\n-a\n"), twice);
    expect("PATCH_REJECTED/AMBIGUOUS", ambiguous);
    let small = policy_with(|policy| policy.document.patch = Limits { hunks: 1, ..Limits::default() });
    let two = patch("@@\n-a\n+x\n@@\n-c\n+y\n");
    let correct = || Then::Correct("document_edit", diff.clone());
    expect("PATCH_REJECTED/TOO_LARGE", edit(&World::with(TEXT, small), &two, correct()));
    let short = policy_with(|policy| policy.document.bytes = 8);
    let much = patch("@@\n a\n+much\n");
    expect("DOCUMENT_TOO_LARGE", edit(&World::with(TEXT, short), &much, correct()));

    let world = World::new(TEXT);
    world.model(CheckOut);
    expect("LOCK_NOT_AVAILABLE/HELD", edit(&world, &diff, Then::Wait));
    let world = World::new(TEXT);
    world.user(Cancel);
    expect("LOCK_NOT_AVAILABLE/USER_ACTIVE", edit(&world, &diff, Then::Stop));
    let world = World::new(TEXT);
    world.direct_as("k", &at).unwrap();
    let elsewhere = replace(json!([2, 3]));
    let again = Then::Correct("document_edit", elsewhere.clone());
    expect("CALL_ID_REUSED", edit(&world, &elsewhere, again));
    let world = World::new(TEXT);
    let operation = world.session.operation(CallId::new("k").unwrap());
    block_on(world.engine.resolve(&world.session.canvas, &operation, world.now())).unwrap();
    expect("CALL_ABANDONED", edit(&world, &diff, correct()));
    let world = World::new(TEXT);
    use_up_revisions(&world);
    expect("REVISION_EXHAUSTED", edit(&world, &at, Then::Stop));
    let mut world = World::new(TEXT);
    world.session = Session { canvas: CanvasId::new("none").unwrap(), ..world.session };
    expect("CANVAS_NOT_FOUND", gone(&world));

    let snapshot = || Then::Correct("document_snapshot", json!({"selection": [0, 1]}));
    for (label, tool, wrong, right) in [
        ("INVALID_RANGE", "document_snapshot", json!({"offset": 9}), snapshot()),
        ("INVALID_RANGE", "document_snapshot", json!({"selection": [0, 9]}), snapshot()),
        ("INVALID_ARGUMENTS", "document_snapshot", json!({"selection": [1, 0]}), snapshot()),
        ("INVALID_ARGUMENTS", "document_snapshot", json!({"offset": "1"}), snapshot()),
        ("UNKNOWN_TOOL", "undo", json!({}), snapshot()),
        (
            "INVALID_ARGUMENTS/NO_EFFECT",
            "diff_builder",
            json!({"original": "a\n", "updated": "a\n"}),
            Then::Correct("diff_builder", json!({"original": "a\n", "updated": "x\n"})),
        ),
    ] {
        expect(label, check(&World::new(TEXT), "k", tool, &wrong, right));
    }
    let all = all();
    let missing: Vec<_> = all.difference(&provoked).collect();
    assert!(missing.is_empty(), "nothing provokes {missing:?}: add a row");
    // The rest are codes of tools and refusals, which the table of the document tools keeps complete.
    assert!(provoked.len() > all.len(), "{provoked:?}");
}

/// A canvas that is not there goes on not being there, so what is left is to tell.
fn gone(world: &World) -> String {
    let failed = world.call(true, "k", "document_edit", replace(json!([0, 1])));
    let error = &failed.body()["error"];
    assert!(error["message"].as_str().unwrap().ends_with("Next: stop and tell the user."), "{error}");
    of_json(error)
}

fn use_up_revisions(world: &World) {
    let (store, canvas) = (world.engine.store(), &world.session.canvas);
    let loaded = block_on(store.load(canvas)).unwrap().unwrap();
    let mut json: Value = serde_json::from_slice(&loaded.head.to_json()).unwrap();
    json["revision"] = json!((1_u64 << 53) - 1);
    let head = Arc::new(Head::from_json(canvas, json.to_string().as_bytes()).unwrap());
    let commit = Commit { expected: Some(loaded.version), head, blobs: Vec::new(), not_after: None };
    block_on(store.commit(commit)).unwrap();
    world.engine.forget(canvas);
}

/// What a directive can fail with by itself. A new variant fails to compile here.
fn all() -> BTreeSet<String> {
    let print = Fingerprint::of("");
    let text = String::new();
    let canvas = CanvasId::new("c").unwrap();
    let kinds: [FailureKind; 8] = [
        DirectiveError::PatchOff.into(),
        DirectiveError::OutOfText { start: 0, end: 1, chars: 0 }.into(),
        DirectiveError::Address(AddressError::NoPreamble).into(),
        DirectiveError::ChangedThere { expected: print.clone(), actual: print, text }.into(),
        DirectiveError::PatchRejected(apply("a\n", "", &ApplyOptions::default()).unwrap_err()).into(),
        FailureKind::Stale { changes: None },
        HostEditRefusal::from(NotAvailable::Held { until: Timestamp::MAX, own: None }).into(),
        EngineError::NotFound { canvas }.into(),
    ];
    let mut all: BTreeSet<String> =
        DirectiveFault::ALL.iter().map(|fault| format!("INVALID_DIRECTIVE/{}", fault.code())).collect();
    for kind in kinds {
        all.insert(match kind {
            FailureKind::Directive(DirectiveError::Invalid { .. }) => panic!("these are the faults"),
            kind => label(kind.code(), kind.reason()),
        });
    }
    // As for the document tools, five reasons are hints in anchored mode. Nothing is said of what directives were shown.
    let strict =
        ["OUTDATED", "BAD_HEADER", "COUNT_MISMATCH", "START_MISMATCH", "EOF_MARKER", "CONTEXT_MISMATCH"];
    let anchored = Reason::ALL.iter().map(|reason| reason.code()).filter(|code| !strict.contains(code));
    all.extend(anchored.map(|code| label("PATCH_REJECTED", Some(code))));
    all
}

fn label(code: &str, reason: Option<&str>) -> String {
    reason.map_or_else(|| code.to_owned(), |reason| format!("{code}/{reason}"))
}

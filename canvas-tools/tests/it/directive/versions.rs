//! The handshake by versions: an edit is made for one document, and for no other.

use crate::policy_with;
use canvas_core::CodedError as _;
use canvas_core::lease::{CheckIn, CheckOut};
use canvas_core::turn::Cancel;
use canvas_tools::directive::{Advice, FailureKind};
use serde_json::{Value, json};

use super::world::{World, code};

fn patch(version: &str) -> Value {
    json!({"action": "patch", "diff": "@@\n-b\n+B\n", "document_version": version})
}

#[test]
fn a_stale_version_is_refused_with_what_it_missed() {
    let world = World::new("a\nb\nc\n");
    world.edit("a\nb\nc\n\n");
    world.edit("a\nb\nc\n");
    // Versions before and after it have entries too.
    let old = world.version();
    world.edit("a\nb\nC\n");
    world.edit("A\nb\nC\n");
    let failure = world.direct(&patch(&old)).unwrap_err();
    assert_eq!((failure.code(), failure.advice()), ("STALE_VERSION", Advice::Resync));
    assert_eq!(failure.status(), format!("failed: stale patch vs {}", world.version()));
    assert!(failure.chat_text().contains(&format!("made for {old}, document has {}", world.version())));
    let FailureKind::Stale { changes: Some(changes) } = &failure.kind else { panic!("{failure:?}") };
    assert_eq!(changes.diff.as_deref(), Some("@@ -1,3 +1,3 @@\n-a\n+A\n b\n-c\n+C\n"));
    // With a fresh version the very same diff fits.
    assert_eq!(code(&world.direct(&patch(&world.version()))), "OK");
    assert_eq!(world.text(), "A\nB\nC\n");

    // By offsets the version is free; where it is given, it counts.
    let insert = json!({"action": "insert", "content": "x", "target_range": [0, 0]});
    assert_eq!(code(&world.direct(&insert)), "OK");
    for action in ["insert", "replace", "annotate"] {
        let with = json!({"action": action, "content": "x", "target_range": [0, 0], "version": old});
        assert_eq!(code(&world.direct(&with)), "STALE_VERSION", "{action}");
    }
}

#[test]
fn a_version_that_never_was_is_stale_and_has_no_diff() {
    let world = World::new("a\nb\n");
    let version = world.version();
    let (number, digits) = version.split_once('-').unwrap();
    world.edit("a\nb\nc\n");
    let future = format!("r9-{digits}");
    let forged = format!("{number}-00000000");
    let now = world.version().replace(|c: char| c.is_ascii_hexdigit() && !c.is_ascii_digit(), "0");
    for version in [&future, &forged, &now] {
        let failure = world.direct(&patch(version)).unwrap_err();
        assert!(matches!(failure.kind, FailureKind::Stale { changes: None }), "{version}: {failure:?}");
    }
}

#[test]
fn undo_and_back_is_another_version() {
    let world = World::new("a\nb\n");
    let old = world.version();
    world.edit("x\n");
    world.edit("a\nb\n");
    let failure = world.direct(&patch(&old)).unwrap_err();
    let FailureKind::Stale { changes: Some(changes) } = &failure.kind else { panic!("{failure:?}") };
    assert_eq!(changes.diff.as_deref(), Some(""), "the number decides, the text is the same");
}

#[test]
fn a_directive_waits_for_the_lease_and_for_the_user() {
    let world = World::new("a\nb\n");
    let version = world.version();
    let lease = world.model(CheckOut).lease;
    let failure = world.direct(&patch(&version)).unwrap_err();
    assert_eq!((failure.code(), failure.reason()), ("LOCK_NOT_AVAILABLE", Some("HELD")));
    assert_eq!(
        (failure.is_retryable(), failure.advice(), failure.is_conflict()),
        (true, Advice::Wait, false)
    );
    let note = json!({"action": "annotate", "content": "x", "target_range": [0, 0]});
    assert_eq!(code(&world.direct(&note)), "OK", "an annotation is in nobody's way");
    world.model(CheckIn { lease: Some(lease) });
    assert_eq!(code(&world.direct(&patch(&version))), "OK");
    world.user(Cancel);
    let insert = json!({"action": "insert", "content": "x", "target_range": [0, 0]});
    assert_eq!(code(&world.direct(&insert)), "LOCK_NOT_AVAILABLE/USER_ACTIVE");
}

#[test]
fn the_documents_limit_holds() {
    let policy = policy_with(|policy| policy.document.bytes = 10);
    let world = World::with("a\nb\n", policy);
    let insert = json!({"action": "insert", "content": "1234567", "target_range": [0, 0]});
    assert_eq!(code(&world.direct(&insert)), "DOCUMENT_TOO_LARGE");
}

//! The integration tests of `canvas-tools`, one module a subject.

#[cfg(feature = "board")]
mod board_tools;
mod directive;
mod document_tools;
#[cfg(feature = "surface")]
mod host_tools;
mod native;
#[cfg(feature = "recipe")]
mod recipe;
mod recorded;
mod repair;
#[cfg(feature = "surface")]
mod surface;
mod tools;
mod undo_turn;

/// The session as a server reads it after a restart. The calls of most tests run on one, so whatever they hold of a session
/// they hold of a restored one.
fn restored(session: &canvas_tools::Session) -> canvas_tools::Session {
    let restored = serde_json::from_str(&serde_json::to_string(session).unwrap()).unwrap();
    assert_eq!(&restored, session);
    restored
}

/// Returns the default policy with a change.
fn policy_with(change: impl FnOnce(&mut canvas_core::Policy)) -> canvas_core::Policy {
    let mut policy = canvas_core::Policy::default();
    change(&mut policy);
    policy
}

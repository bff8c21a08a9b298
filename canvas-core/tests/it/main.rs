//! The integration tests of `canvas-core`, one module a subject.

#[cfg(feature = "board")]
mod board;
mod document;
mod engine_faults;
#[cfg(feature = "recipe")]
mod export;
mod faces;
mod notify;
mod queue;
#[cfg(feature = "recipe")]
mod recipe;
#[cfg(feature = "recipe")]
mod restore;
#[cfg(feature = "board")]
mod stored_fixture;
#[cfg(feature = "surface")]
mod surface;
#[cfg(feature = "surface")]
mod surface_actions;
#[cfg(feature = "surface")]
mod surface_commands;
mod watch;

/// Returns the default policy with a change.
fn policy_with(change: impl FnOnce(&mut canvas_core::Policy)) -> canvas_core::Policy {
    let mut policy = canvas_core::Policy::default();
    change(&mut policy);
    policy
}

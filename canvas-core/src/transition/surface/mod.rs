//! Commands on surfaces.
//!
//! * These commands take no lease. A session acts in the running turn, and sees the surfaces of its agent only. A
//!   client acts at any time. Like any face, a new surface leaves no entry in the journal, but its later changes do.
//! * If an action could be refused for several reasons, the first of these applies: rollout, receipt, claim, turn,
//!   surface, revision, input, action, policy, values, confirmation, room for a claim.
//! * A read-only action is planned, called and saved, without an earlier commit. An action that only changes the state
//!   takes effect immediately, as its author's change. Any other action leaves a claim, which is committed together
//!   with its receipt before any caller gets the order to run it.
//! * The caller that gets the response to the begin runs the action. A retry never does, from any source. There is one
//!   exception. If the fate of the begin's own commit was unknown, and the claim contains exactly its event and runner,
//!   then the begin returns the order after all.
//! * A claim ends once. It ends by its runner, by any caller after its deadline, or with the canvas. The end leaves one
//!   record and a second receipt of the begin, from which retries are answered. After the deadline, by the store's
//!   clock, a result is dropped. If that clock falls back to before the start, the deadline counts as passed.
//! * A result is saved if its place still has the value from the time of the plan, regardless of other changes,
//!   including changes of the spec. The save is an effect. Claims and records do not bump the revision, and neither
//!   does a save without a change.
//! * A confirmation is valid for 5 minutes by the time of its plan, and only for that plan, because the values contain
//!   the same time. Sessions and jobs cannot confirm. An action that leaves a claim uses the confirmation up, so that
//!   only a retry of the same call can use it again. An action that may be repeated does not use it up.

mod access;
pub(crate) mod begin;
pub(crate) mod create;
pub(crate) mod ended;
mod files;
pub(crate) mod finish;
pub(crate) mod patch;
pub(crate) mod plan;
pub(crate) mod request;
mod undo;
pub(crate) mod upsert;

#[cfg(test)]
mod tests;

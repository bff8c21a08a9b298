//! Commands on surfaces.
//!
//! * No command takes a lease. A session acts in the turn that runs, and sees the surfaces of its agent only; a client acts at
//!   any time. A surface that is made leaves no entry in the journal, like any face; what changes it later does.
//! * Of several refusals of an action the first in this order is given: rollout, receipt, claim, turn, surface, revision,
//!   input, action, policy, values, confirmation, room for a claim.
//! * What only reads is planned, called and saved; nothing is committed before. What changes the state alone is done at once,
//!   and is its author's change. All else leaves a claim that is committed with its receipt before anybody is told to run it.
//! * Whoever gets the answer of the begin runs it; a retry never does, wherever it comes from. Only where the begin's own
//!   commit was of unknown fate, and its very event and runner are in the claim, is it told to run after all.
//! * A claim ends once: by its runner, by whoever comes after its deadline, or with the canvas. That leaves one record, and a
//!   second receipt of the begin, which retries are answered from. After the deadline, by the store's clock, a result is
//!   dropped; where that clock falls back behind the start, the deadline counts as passed.
//! * A result is saved where its place has what it had at the plan, whatever else has changed, the spec too. It is an effect.
//!   Claims and records bump no revision, nor does a save that changes nothing.
//! * A confirmation holds for 5 minutes by the time of its plan, and for that plan only: the same time goes into the values.
//!   Sessions and jobs confirm nothing. What leaves a claim uses it up, so that only a retry of the same call is answered by
//!   it; what may be done twice does not.

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

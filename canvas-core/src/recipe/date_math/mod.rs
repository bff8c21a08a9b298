//! Time expressions: `now-30d/d`, `2026-01-31||+1M`.
//!
//! ```text
//! expr   = anchor *8step
//! anchor = "now" / date "||"          RFC 3339, or YYYY-MM-DD: its first instant in the zone
//! step   = ("+" / "-") uint unit / "/" unit
//! unit   = s / m / h / d / w / M / Q / y
//! ```
//!
//! * Steps are taken from left to right. Numbers go to 1,000,000.
//! * `s`, `m`, `h` move the instant. `d`, `w`, `M`, `Q`, `y` move the calendar of the zone and keep the time of day; a
//!   day that the month does not have becomes its last one. A step by 0 changes nothing.
//! * A time that the clocks skip is later by as much as they are put forward. Of one that they show twice, the earlier
//!   instant is taken.
//! * `/u` is the latest instant, not after this one, at which the clocks show the beginning of the unit; where they
//!   skip it, the instant of the skip. A day begins at its first instant, a week on Monday, and so on. Nothing rounds up.
//! * After each step, the year in UTC and in the zone is one of 1 to 9999.

pub(crate) mod eval;
pub(crate) mod expr;
pub(crate) mod parameter;
mod parse;
mod reach;
#[cfg(test)]
mod tests;

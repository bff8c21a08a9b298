//! Time expressions, such as `now-30d/d` and `2026-01-31||+1M`.
//!
//! ```text
//! expr   = anchor *8step
//! anchor = "now" / date "||"          RFC 3339, or YYYY-MM-DD: its first instant in the zone
//! step   = ("+" / "-") uint unit / "/" unit
//! unit   = s / m / h / d / w / M / Q / y
//! ```
//!
//! * Steps apply from left to right. Numbers go to 1,000,000.
//! * `s`, `m` and `h` move the instant. `d`, `w`, `M`, `Q` and `y` move the calendar of the zone and keep the time of
//!   day. If the month lacks the day, its last day is used. A step by 0 has no effect.
//! * If the clocks skip a time, the time moves forward by the length of the gap. If they show a time twice, the earlier
//!   instant is used.
//! * `/u` is the latest instant, not after this one, at which the clocks show the beginning of the unit. If they skip
//!   the beginning, it is the instant of the skip. A day begins at its first instant, a week on Monday, and so on. It
//!   never rounds up.
//! * After each step, the year must be from 1 to 9999 in UTC and in the zone.

pub(crate) mod eval;
pub(crate) mod expr;
pub(crate) mod parameter;
mod parse;
mod reach;
#[cfg(test)]
mod tests;

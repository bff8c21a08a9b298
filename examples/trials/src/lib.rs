//! Trials through several crates are in `tests`. The code of the README is compiled and run here. The code of
//! UPGRADING-0.2.md is compiled.

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../../UPGRADING-0.2.md")]
struct Upgrading;

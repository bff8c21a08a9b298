//! Trials through several crates are in `tests`. Here is the code of the README, which is compiled and run with them.

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

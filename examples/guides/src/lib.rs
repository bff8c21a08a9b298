//! The guides as documentation, so that their code is compiled and run: `cargo test -p canvas-guides`.
//!
//! Code that is too long for a page is in `examples/guides/examples`, and is run by `tests`.

pub mod page;
pub mod scripted;

#[doc = include_str!("../tool-loop.md")]
pub mod tool_loop {}

#[doc = include_str!("../live-updates.md")]
pub mod live_updates {}

#[doc = include_str!("../several-people.md")]
pub mod several_people {}

#[doc = include_str!("../sqlite.md")]
pub mod sqlite {}

#[doc = include_str!("../postgres.md")]
pub mod postgres {}

#[doc = include_str!("../component-types.md")]
pub mod component_types {}

#[doc = include_str!("../directives.md")]
pub mod directives {}

#[doc = include_str!("../structure.md")]
pub mod structure {}

#[doc = include_str!("../testing.md")]
pub mod testing {}

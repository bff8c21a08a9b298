//! An engine on a store that fails, is overtaken, and is shared with another engine.

#[path = "../document/any.rs"]
#[expect(dead_code, reason = "each test target uses its part")]
mod any;
mod faults;
mod overtaken;
mod race;
mod resolve;
#[path = "../document/world.rs"]
#[expect(dead_code, reason = "each test target uses its part of the world")]
mod world;

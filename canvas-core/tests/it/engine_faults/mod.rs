//! An engine on a store that fails, is overtaken, and is shared with another engine.

mod faults;
mod overtaken;
mod race;
mod resolve;

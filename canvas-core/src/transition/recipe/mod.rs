//! Commands on recipes.
//!
//! * These commands take no lease. A model records a recipe in its own turn.
//! * A recipe is recorded with the current contracts of its tools, and with the data that it made. The recipe is its
//!   author's change. The data are an effect, with a separate entry and revision.
//! * A replay ends in one effect on the current head. It contains data and state together, with one entry and one
//!   revision. The effect is dropped if the canvas has another recipe by then.
//! * If a canvas has a board, the components are those on the board. Removed components keep their data until another
//!   recipe is recorded. Without a board, the host chooses the ids.
//! * A command without changes leaves neither an entry nor a receipt, because the same replay has the same result
//!   again.

mod files;
pub(crate) mod finish;
pub(crate) mod record;

//! Commands on recipes.
//!
//! * No command takes a lease. A model records in its own turn.
//! * A recipe is recorded with the contracts that its tools have then, and with the data that it has made. The recipe is its
//!   author's change, the data are an effect: they have an entry and a revision of their own.
//! * A replay ends in one effect, on whatever head it lands: of data and state together, with one entry and one revision. It
//!   is dropped where the canvas has another recipe by then.
//! * Where a canvas has a board, the components are those of the board. Those that are gone keep what they had, until another
//!   recipe is recorded. Without a board the ids are the host's.
//! * What changes nothing leaves neither an entry nor a receipt: the same replay again comes to the same.

mod files;
pub(crate) mod finish;
pub(crate) mod record;

//! Commands on proposals, and what every other change of the document does to their parts.

pub(crate) mod decide;
pub(super) mod follow;
pub(super) mod in_proposal;
pub(crate) mod propose;
pub(crate) mod proposing;
pub(crate) mod withdraw;

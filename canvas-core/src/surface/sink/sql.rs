//! SQL, whose text never contains values. They are passed in separate arguments.

use crate::surface::sink::part::{Forbidden, Placed};

/// Refuses the first placeholder.
pub(super) fn judge(items: &[Placed]) -> Result<(), Forbidden> {
    items.iter().find(|placed| placed.is_value()).map_or(Ok(()), |placed| {
        Err(Forbidden::new(
            placed.at,
            "the text of SQL may have no value: write a bind parameter, such as ? or $1, and give the value in an argument of its own",
        ))
    })
}

//! Operations on the data of a response, which are themselves data. Catalogue 1 has filter, sort, limit, select and
//! aggregate.
//!
//! * An operation takes a list of rows and returns one.
//! * A path that does not exist in a row reads as null.
//! * There is one order over all values, which is null < false < true < numbers < texts < lists < objects. Numbers
//!   compare by exact value, so that 1 equals 1.0, and 2^53 + 1 is greater than 2^53. Texts compare by code points,
//!   lists item by item, and objects as lists of their members in the order of names. Every operation treats values as
//!   equal if they are equal in this order.
//! * `filter` keeps the rows whose value has the given relation to another one, which may be a time expression.
//! * `sort` keeps the order of rows that are equal by every key, even if it is descending.
//! * `aggregate` makes a row for each group, in the order of their first rows. Without `by`, it makes exactly one row.
//!   `count` counts rows. `sum`, `min`, `max` and `avg` skip null. Without values, the sum is 0 and the others are
//!   null. `first`, `last` and `distinct` do not skip null. `min` and `max` return the first of equal values.
//! * Whole numbers are added exactly, and a sum that does not fit into 64 bits is refused. From the first number that
//!   has a fraction or is a double beyond 2^53, numbers are added as doubles, in the order of the rows. `avg` is the
//!   sum as a double, divided by the number of values.
//!
//! The golden file `catalogue_1.json` fixes all of this. A change of any result there requires a new catalogue.

mod aggregate;
mod copy;
mod limits;
pub(crate) mod operations;
mod order;
mod parse;
mod rows;
mod sum;
#[cfg(test)]
mod tests;
mod typed;

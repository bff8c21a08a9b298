//! Operations on the data of a response, as data: filter, sort, limit, select, aggregate. Catalogue 1.
//!
//! * An operation takes a list, its rows, and gives one.
//! * What is not at a path reads as null.
//! * One order over all values: null < false < true < numbers < texts < lists < objects. Numbers compare by value,
//!   exactly: 1 is 1.0, and 2^53 + 1 is more than 2^53. Texts compare by code points, lists item by item, objects as
//!   lists of their members in the order of the names. Values that are equal in it are equal to every operation.
//! * `filter` keeps the rows whose value compares so with the given one, which may be a time expression.
//! * `sort` keeps the order of rows that are equal by every key, also where it is descending.
//! * `aggregate` makes a row of each group, in the order in which the groups appear; without `by`, one row in any case.
//!   `count` counts rows. `sum`, `min`, `max` and `avg` skip null; of nothing the sum is 0, the others are null.
//!   `first`, `last` and `distinct` do not skip it. `min` and `max` give the first of equal values.
//! * Whole numbers are added exactly, and a sum that no 64 bits hold is refused. From the first number on that has a
//!   fraction or is a double beyond 2^53, numbers are added as doubles, in the order of the rows. `avg` is the sum, as a
//!   double, divided by the number of values.
//!
//! The golden file `catalogue_1.json` pins all of it: what changes a result there is another catalogue.

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

//! Names in a recipe.

use crate::model::id::name;

name! {
    /// Names a step of a recipe, such as `orders`.
    StepId
}

name! {
    /// Names one replay of a recipe.
    RunId
}

//! The types of the packages for other languages, written from the schemas and from the table of error codes.

mod codes;
mod python;
mod shape;

use std::path::PathBuf;

use super::pages::root;

/// Returns each module with its path.
pub(crate) fn all() -> Vec<(PathBuf, String)> {
    let types = shape::types();
    let package = root().join("examples/bindings/python/python/canvas_engine");
    vec![
        (package.join("types.py"), python::types(&types)),
        (package.join("_codes.py"), python::codes(&codes::all())),
    ]
}

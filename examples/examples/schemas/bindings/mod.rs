//! The types of the packages for other languages, written from the schemas and from the table of error codes.

mod codes;
mod python;
mod shape;
mod typescript;

use std::path::PathBuf;

use super::pages::root;

/// Returns each module with its path.
pub(crate) fn all() -> Vec<(PathBuf, String)> {
    let (types, codes) = (shape::types(), codes::all());
    let python = root().join("examples/bindings/python/python/canvas_engine");
    let web = root().join("examples/bindings/web/js");
    vec![
        (python.join("types.py"), python::types(&types)),
        (python.join("_codes.py"), python::codes(&codes)),
        (web.join("types.d.ts"), typescript::types(&types)),
        (web.join("codes.d.ts"), typescript::codes(&codes)),
    ]
}

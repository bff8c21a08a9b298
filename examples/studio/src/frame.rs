//! What surfaces show in frames: their assets, and our script in front of each page of theirs.

use axum::http::StatusCode;
use canvas_core::CanvasId;
use canvas_tools::surface::SurfaceError;

use crate::clock;
use crate::files;
use crate::host::Host;

/// Where assets begin.
pub(crate) const ASSETS: &str = "/f/";

/// Our script, as pages of surfaces load it.
const SCRIPT: &str = "<script src=\"/gsv.js\"></script>";

/// A file, by the path of a request as it came: percent-encoding is decoded once, by the engine.
pub(crate) async fn file(host: &Host, path: &str) -> Result<(String, Vec<u8>), (StatusCode, String)> {
    if path == "/gsv.js" {
        let (media_type, bytes) = files::script();
        return Ok((media_type.to_owned(), bytes));
    }
    let missing = || (StatusCode::NOT_FOUND, "there is no such file: look at the surface's assets".to_owned());
    let (canvas, path) = path.strip_prefix(ASSETS).and_then(|path| path.split_once('/')).ok_or_else(missing)?;
    let canvas = CanvasId::new(canvas).map_err(|_| missing())?;
    let file = host.door.file(&host.engine, &canvas, path, clock::now()).await.map_err(|error| refusal(&error))?;
    if file.media_type.starts_with("text/html") {
        return Ok((file.media_type, with_script(&file.content)));
    }
    Ok((file.media_type, file.content))
}

fn refusal(error: &SurfaceError) -> (StatusCode, String) {
    let status = match error.code() {
        "STORE_UNAVAILABLE" | "STORE_INDETERMINATE" => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::NOT_FOUND,
    };
    (status, error.to_string())
}

/// Puts the script behind the doctype, so that it runs before any other one and the page keeps its mode.
fn with_script(page: &[u8]) -> Vec<u8> {
    let start = page.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
    let is_doctype = page.get(start..start + 9).is_some_and(|start| start.eq_ignore_ascii_case(b"<!doctype"));
    let end = if is_doctype {
        page.iter().position(|byte| *byte == b'>').map_or(page.len(), |end| end + 1)
    } else {
        0
    };
    [&page[..end], SCRIPT.as_bytes(), &page[end..]].concat()
}

#[cfg(test)]
mod tests {
    use super::{SCRIPT, with_script};

    #[test]
    fn the_script_comes_first_and_a_doctype_stays_in_front() {
        for (page, before) in [("<!doctype html>\n<p>", "<!doctype html>"), (" <!DOCTYPE html><p>", " <!DOCTYPE html>"), ("<p>", ""), ("", "")] {
            let with = String::from_utf8(with_script(page.as_bytes())).unwrap();
            assert_eq!(with, format!("{before}{SCRIPT}{}", &page[before.len()..]));
        }
    }
}

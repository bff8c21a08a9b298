//! What surfaces show in frames: their assets, and our script in front of each page of theirs.

use axum::http::StatusCode;
use canvas_core::surface::Assets;
use canvas_core::{BlobId, CanvasId, CodedError as _};
use canvas_tools::surface::SurfaceError;
use serde_json::{Value, json};

use crate::clock;
use crate::files;
use crate::host::Host;

/// Where assets begin.
const ASSETS: &str = "/f/";

/// Our script, as pages of surfaces load it.
const SCRIPT: &str = "<script src=\"/gsv.js\"></script>";

/// No policy keeps a page from calling others by WebRTC, so scripts find none. All of them come from here, those of frames
/// within the frame too.
const NO_CALLS: &str = "for(const n of[\"RTCPeerConnection\",\"webkitRTCPeerConnection\",\"RTCDataChannel\"])\
                        Reflect.deleteProperty(globalThis,n);";

/// What a browser is sent: a media type and bytes.
pub(crate) type File = (String, Vec<u8>);

/// Where the page of a surface is, and a name of its assets as they are: another one where any of them is.
pub(crate) fn place(canvas: &CanvasId, entry: &str, assets: &Assets) -> Value {
    let names = assets.iter().map(|(path, asset)| format!("{path} {}\n", asset.blob));
    let version = BlobId::of(names.collect::<String>().as_bytes());
    let path = format!("{ASSETS}{}/{}", encoded(canvas.as_str(), false), encoded(entry, true));
    json!({"path": path, "version": version})
}

/// A file, by the path of a request as it came: percent-encoding is decoded once.
pub(crate) async fn file(host: &Host, path: &str) -> Result<File, (StatusCode, String)> {
    if path == "/gsv.js" {
        let (media_type, bytes) = files::script();
        return Ok((media_type.to_owned(), bytes));
    }
    let missing =
        || (StatusCode::NOT_FOUND, "there is no such file: look at the surface's assets".to_owned());
    let (canvas, path) =
        path.strip_prefix(ASSETS).and_then(|path| path.split_once('/')).ok_or_else(missing)?;
    let canvas = decoded(canvas).and_then(|canvas| CanvasId::new(&canvas).ok()).ok_or_else(missing)?;
    let file =
        host.door.file(&host.engine, &canvas, path, clock::now()).await.map_err(|error| refusal(&error))?;
    let content = match file.media_type.as_str() {
        html if html.starts_with("text/html") => with_script(&file.content),
        script if script.contains("javascript") || script.contains("ecmascript") => {
            without_calls(&file.content)
        }
        _ => file.content,
    };
    Ok((file.media_type, content))
}

fn refusal(error: &SurfaceError) -> (StatusCode, String) {
    let status = if error.code().starts_with("STORE_") {
        StatusCode::SERVICE_UNAVAILABLE
    } else {
        StatusCode::NOT_FOUND
    };
    (status, error.to_string())
}

/// Puts our script behind the doctype, so that it runs before any other one and the page keeps its mode.
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

/// Puts the line in front that takes the calls away. A script that is strict stays so.
fn without_calls(script: &[u8]) -> Vec<u8> {
    let code = script.trim_ascii_start();
    let is_strict = code.starts_with(b"\"use strict\"") || code.starts_with(b"'use strict'");
    let strict = if is_strict { "\"use strict\";" } else { "" };
    [strict.as_bytes(), NO_CALLS.as_bytes(), b"\n", script].concat()
}

/// Text as it stands in a path; with its slashes where it has several parts.
fn encoded(text: &str, has_parts: bool) -> String {
    let mut path = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => path.push(byte.into()),
            b'/' if has_parts => path.push('/'),
            byte => path.push_str(&format!("%{byte:02X}")),
        }
    }
    path
}

/// A part of a path as text; `None` where it is none.
fn decoded(part: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = part.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'%' {
            bytes.push(*byte);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        let digits = std::str::from_utf8(digits)
            .ok()
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::{NO_CALLS, SCRIPT, decoded, encoded, with_script, without_calls};

    #[test]
    fn the_script_comes_first_and_a_doctype_stays_in_front() {
        for (page, before) in [
            ("<!doctype html>\n<p>", "<!doctype html>"),
            (" <!DOCTYPE html><p>", " <!DOCTYPE html>"),
            ("<!doctype", "<!doctype"),
            ("<p>", ""),
            ("", ""),
        ] {
            let with = String::from_utf8(with_script(page.as_bytes())).unwrap();
            assert_eq!(with, format!("{before}{SCRIPT}{}", &page[before.len()..]));
        }
    }

    #[test]
    fn a_script_that_is_strict_stays_so() {
        for (script, before) in [
            ("a()", ""),
            (" 'use strict'; a()", "\"use strict\";"),
            ("\"use strict\"\na()", "\"use strict\";"),
            ("", ""),
        ] {
            let with = String::from_utf8(without_calls(script.as_bytes())).unwrap();
            assert_eq!(with, format!("{before}{NO_CALLS}\n{script}"));
        }
    }

    #[test]
    fn names_come_back_from_paths() {
        for (name, path) in [("studio", "studio"), ("a b/ä%", "a%20b%2F%C3%A4%25"), ("..", "..")] {
            assert_eq!((encoded(name, false).as_str(), decoded(path).as_deref()), (path, Some(name)));
        }
        for path in ["%", "%2", "%+1", "%zz", "%ff"] {
            assert_eq!(decoded(path), None, "{path}");
        }
    }
}

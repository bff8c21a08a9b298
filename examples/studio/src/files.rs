//! The files of the page. They are part of the program; a folder named by `CANVAS_STUDIO_WEB` takes their place, for work on them.

use std::{env, fs};

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// Path, media type and bytes.
type File = (&'static str, &'static str, &'static [u8]);

macro_rules! files {
    ($($path:literal $media_type:ident),* $(,)?) => {
        [$(($path, $media_type, include_bytes!(concat!("../web/", $path)))),*]
    };
}

static FILES: &[File] = &files![
    "index.html" HTML,
    "style.css" CSS,
    "document.css" CSS,
    "chat.css" CSS,
    "board.css" CSS,
    "surface.css" CSS,
    "people.css" CSS,
    "main.js" JS,
    "connection.js" JS,
    "ui.js" JS,
    "dialog.js" JS,
    "text.js" JS,
    "draft.js" JS,
    "marks.js" JS,
    "theme.js" JS,
    "history.js" JS,
    "past.js" JS,
    "people.js" JS,
    "person.js" JS,
    "versions.js" JS,
    "view.js" JS,
    "kept.js" JS,
    "port.js" JS,
    "document.js" JS,
    "markdown.js" JS,
    "in-place.js" JS,
    "chat.js" JS,
    "bodies.js" JS,
    "board.js" JS,
    "carry.js" JS,
    "components.js" JS,
    "form.js" JS,
    "place.js" JS,
    "views.js" JS,
    "proposals.js" JS,
    "surface.js" JS,
    "icon.svg" SVG,
];

static SCRIPT: File = ("frame/gsv.js", JS, include_bytes!("../web/frame/gsv.js"));

/// A file of the page, by the path of a request.
pub(crate) fn page(path: &str) -> Option<(&'static str, Vec<u8>)> {
    let path = match path.strip_prefix('/')? {
        "" => "index.html",
        "favicon.ico" => "icon.svg",
        path => path,
    };
    FILES.iter().find(|file| file.0 == path).map(read)
}

/// The script of frames.
pub(crate) fn script() -> (&'static str, Vec<u8>) {
    read(&SCRIPT)
}

fn read((path, media_type, bytes): &File) -> (&'static str, Vec<u8>) {
    let folder = env::var_os("CANVAS_STUDIO_WEB");
    let other = folder.and_then(|folder| fs::read(std::path::Path::new(&folder).join(path)).ok());
    (media_type, other.unwrap_or_else(|| bytes.to_vec()))
}

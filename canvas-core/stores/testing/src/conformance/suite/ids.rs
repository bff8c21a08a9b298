//! Ids may be any text of 1 to 512 bytes, and different ids are different canvases.

use canvas_core::BlobId;
use canvas_core::store::Store;

use super::{CanvasId, PASSED, Verdict, blob, canvas, commit, done, row, same};
use crate::conformance::harness::Harness;

/// Creates a canvas for each name, then checks that each has its own head and document.
async fn each_has_its_own<S: Store>(store: &S, names: &[&str]) -> Verdict {
    for name in names {
        let made = done(store, commit(&canvas(name), None, &format!("{name}\n"))).await;
        made.map_err(|e| format!("{name:?}: {e}"))?;
    }
    for name in names {
        let loaded = row(store, &canvas(name)).await?;
        same("the canvas of a row", loaded.head.canvas().as_str(), name)?;
        let text = format!("{name}\n").into_bytes();
        let found = blob(store, &canvas(name), BlobId::of(&text)).await?;
        same(&format!("the document of {name:?}"), found, Some(text))?;
    }
    PASSED
}

pub(crate) async fn any_id<H: Harness>(_: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    let long = "x".repeat(512);
    let names = [
        "../../etc",
        "a/b",
        "/",
        ".",
        "a'; drop table canvas; --",
        "ü ∀ 🦀",
        "\u{0}\n\t",
        "%2e%2e",
        "%00",
        "{\"$ne\":null}",
        "\u{202e}\u{feff}",
        "con",
        "A",
        "a",
        &long,
    ];
    each_has_its_own(store, &names).await
}

pub(crate) async fn alike_ids<H: Harness>(_: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    let long = "x".repeat(511);
    let (longer, other) = (format!("{long}y"), format!("{long}z"));
    let names = [
        // Letters in different cases.
        "a",
        "A",
        "ß",
        "ss",
        "ẞ",
        "İ",
        "i",
        "ı",
        "I",
        // Different code points that look alike: composed and decomposed, ligature, wide, invisible.
        "é",
        "e\u{301}",
        "ﬁ",
        "fi",
        "Ａ",
        "a\u{200b}",
        "\u{feff}a",
        // Spaces, NUL and characters after it.
        "a ",
        " a",
        "a\t",
        "a\u{0}",
        "a\u{0}b",
        "a\u{0}c",
        "\u{0}",
        "\u{0}\u{0}",
        // Paths and their escapes.
        "a/b",
        "a//b",
        "a/./b",
        "a%2Fb",
        "a%2fb",
        "a\\b",
        "a+b",
        "a b",
        "a%20b",
        "..",
        "...",
        // Numbers, patterns, quotes.
        "1",
        "01",
        "1.0",
        "%",
        "_",
        "*",
        "\"a\"",
        "'a'",
        "null",
        // Long ids with a common prefix.
        &long,
        &longer,
        &other,
    ];
    each_has_its_own(store, &names).await
}

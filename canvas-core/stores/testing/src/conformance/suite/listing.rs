//! Lists are complete, in byte order, and split into pages.

use canvas_core::store::Store;
use canvas_core::{CanvasId, CodedError as _};

use super::server::Server;
use super::{PASSED, Verdict, canvas, commit, done, same};
use crate::conformance::harness::Harness;

async fn list<S: Store>(store: &S, after: Option<&str>, limit: usize) -> Result<Vec<String>, String> {
    let after = after.map(canvas);
    let ids = store.list(after.as_ref(), limit).await;
    let ids = ids.map_err(|e| format!("a list of {limit} after {after:?} failed: {}", e.message()))?;
    Ok(ids.into_iter().map(String::from).collect())
}

async fn make<S: Store>(store: &S, names: &[&str]) -> Result<(), String> {
    for name in names {
        done(store, commit(&canvas(name), None, "x\n")).await.map_err(|e| format!("{name:?}: {e}"))?;
    }
    Ok(())
}

/// Reads the whole list in pages of this size.
async fn pages<S: Store>(store: &S, size: usize) -> Result<Vec<String>, String> {
    let mut all: Vec<String> = Vec::new();
    // Bounds a list that does not end, which is a violation too.
    for _ in 0..100 {
        let page = list(store, all.last().map(String::as_str), size).await?;
        if page.len() > size {
            return Err(format!("a page of {size} has {}", page.len()));
        }
        if page.is_empty() {
            return Ok(all);
        }
        all.extend(page);
    }
    Err(format!("pages of {size} do not end, the last is {:?}", all.last()))
}

pub(crate) async fn listed<H: Harness>(_: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    make(store, &["b", "a", "d", "c"]).await?;
    same("the list", list(store, None, 10).await?, ["a", "b", "c", "d"].map(String::from).to_vec())?;
    same("its first page", list(store, None, 2).await?, ["a", "b"].map(String::from).to_vec())?;
    same("its second page", list(store, Some("b"), 2).await?, ["c", "d"].map(String::from).to_vec())?;
    PASSED
}

pub(crate) async fn list_pages<H: Harness>(_: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    let names = ["d", "b", "f", "h", "j"];
    make(store, &names).await?;
    let mut sorted = names.map(String::from);
    sorted.sort();
    for size in 1..=6 {
        same(&format!("the list in pages of {size}"), pages(store, size).await?, sorted.to_vec())?;
    }
    let cases: [(Option<&str>, usize, &[&str]); 7] = [
        (None, 0, &[]),
        (Some("d"), 0, &[]),
        // After ids that do not exist.
        (Some("c"), 2, &["d", "f"]),
        (Some("a"), 1, &["b"]),
        (Some("j"), 5, &[]),
        (Some("zz"), 5, &[]),
        (Some("f"), usize::MAX, &["h", "j"]),
    ];
    for (after, limit, expected) in cases {
        let expected: Vec<String> = expected.iter().map(|name| (*name).to_owned()).collect();
        same(&format!("the list after {after:?}, {limit} long"), list(store, after, limit).await?, expected)?;
    }
    PASSED
}

pub(crate) async fn list_bytes<H: Harness>(_: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    // Collations sort upper and lower case together and é next to e, and UTF-16 sorts the crab before U+FFFD.
    let names = [
        "b", "B", "a", "A", "é", "e\u{301}", "e", "z", "_", "-", "a b", "a\u{0}", "a\u{0}b", "aa", "10", "9",
        "\u{FFFD}", "🦀", "ab", "á",
    ];
    make(store, &names).await?;
    let mut sorted = names.map(String::from);
    sorted.sort();
    same("the list", list(store, None, 100).await?, sorted.to_vec())?;
    for size in [1, 3] {
        same(&format!("the list in pages of {size}"), pages(store, size).await?, sorted.to_vec())?;
    }
    PASSED
}

pub(crate) async fn list_tombstones<H: Harness>(harness: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    make(store, &["b", "d"]).await?;
    let mut server = Server::new(harness, store, "one").await?;
    server.create("text\n").await?;
    server.delete().await?;
    let id: &CanvasId = server.canvas();
    let mut expected = ["b", "d", id.as_str(), "elsewhere"].map(String::from);
    expected.sort();
    same("the list after a deletion", list(store, None, 10).await?, expected.to_vec())?;
    PASSED
}

//! How many bytes the edit of one line puts into a store: head, document, journal and receipts, whatever the engine hands
//! over in its commit.

use canvas_core::document::Edit;
use canvas_core::lease::Timestamp;
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::{CallId, CanvasId, ConversationId, Engine, OpKey, Policy};

use crate::counted::Counted;
use crate::inputs::document;

/// The stable name in table and JSON.
pub const WORK: &str = "bytes-edit";

/// Bytes of the documents.
pub const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

const NOW: Timestamp = Timestamp::from_millis(1_000);

/// Edits of which the median counts.
const EDITS: usize = 51;

/// Bytes that one change puts into a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The work's name.
    pub work: &'static str,
    /// Bytes of the document.
    pub size: usize,
    /// The subject's name.
    pub subject: &'static str,
    /// Of half of the edits no more.
    pub bytes: u64,
    /// Of no edit more.
    pub most: u64,
}

/// Counts edits of lines all over a document of `size` bytes, beside what Git's object of the same text has before it is
/// compressed: a header and the text.
pub fn written(size: usize) -> [Written; 2] {
    let mut seen = edits(size);
    seen.sort_unstable();
    let row = |subject, bytes, most| Written { work: WORK, size, subject, bytes, most };
    let object = (format!("blob {size}\0").len() + size) as u64;
    [row("canvas", seen[EDITS / 2], seen[EDITS - 1]), row("git blob", object, object)]
}

fn key(call: &str) -> OpKey {
    let conversation = ConversationId::new("user").expect("short");
    OpKey::of(conversation, CallId::new(call).expect("short"))
}

/// What each edit has put.
fn edits(size: usize) -> Vec<u64> {
    let engine = Engine::new(Counted::new(MemoryStore::new(|| NOW)), Policy::default());
    let canvas = CanvasId::new("bench").expect("short");
    let mut text = document(size);
    let made = block_on(engine.create(&canvas, &text, &key("create"), NOW)).expect("it is new");
    let mut revision = made.revision;
    let put = |number: usize| {
        let place = text.floor_char_boundary(size / EDITS * number);
        let line = text[place..].find('\n').map_or(0, |at| place + at + 1);
        let end = text[line..].find('\n').map_or(text.len(), |at| line + at);
        text.replace_range(line..end, &format!("Edit {number} has said what this line says."));
        let before = engine.store().put();
        let edit = Edit::on(revision, text.clone());
        let answered = block_on(engine.call(&canvas, &key(&format!("edit-{number}")), edit, NOW));
        revision = answered.expect("the store is there").result.expect("it is on the newest").revision;
        let after = engine.store().put();
        assert_eq!(after.commits, before.commits + 1, "an edit is a commit");
        after.bytes - before.bytes
    };
    (0..EDITS).map(put).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_edit_puts_is_counted_whole() {
        let [canvas, git] = written(10_000);
        // A text that is below the threshold of chunks is put whole, with a head and an entry of the journal.
        assert!((10_000..20_000).contains(&canvas.bytes), "{canvas:?}");
        assert!(canvas.bytes <= canvas.most);
        assert_eq!(git.bytes, 10_000 + "blob 10000\0".len() as u64);
    }
}

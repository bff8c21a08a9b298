//! Outlines of documents, computed when needed and updated by edits.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use canvas_patch::{LiveOutline, TextEdit};

use crate::model::blob::Blob;

/// Number of later texts after which an unused outline is dropped, because it is then probably no longer needed.
const MAX_AGE: usize = 32;

/// The outline of one text, computed when it is first needed.
///
/// Copies of a canvas share it. If the outline of an earlier text exists, it is updated at the cost of the edits since.
/// It is moved here unless the earlier text is still being read.
#[derive(Debug)]
pub(crate) struct DocumentOutline {
    text: Arc<String>,
    live: OnceLock<LiveOutline>,
    /// An earlier text with its outline, taken when this outline is computed.
    earlier: Mutex<Option<Earlier>>,
}

#[derive(Debug, Clone)]
struct Earlier {
    /// An outline that is already computed.
    outline: Arc<DocumentOutline>,
    /// Edits from the earlier text to this one; empty if they are not known.
    edits: Vec<TextEdit>,
    age: usize,
}

impl DocumentOutline {
    pub(crate) fn new(document: &Blob) -> Self {
        Self::with(document, None)
    }

    /// Returns the outline of a later document. `edits` lead from this document to that one. They only make the update
    /// faster and may be empty.
    pub(crate) fn followed_by(self: &Arc<Self>, document: &Blob, edits: &[TextEdit]) -> Arc<Self> {
        if self.live.get().is_some() {
            let outline = Arc::clone(self);
            return Self::with(document, Some(Earlier { outline, edits: edits.to_vec(), age: 1 })).into();
        }
        // Cloned for readers of this text, because the decision here may never be committed.
        let earlier = self.earlier.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let earlier = earlier.filter(|earlier| earlier.age < MAX_AGE);
        let age = earlier.as_ref().map_or(0, |earlier| earlier.age + 1);
        Self::with(document, earlier.map(|earlier| Earlier { edits: Vec::new(), age, ..earlier })).into()
    }

    fn with(document: &Blob, earlier: Option<Earlier>) -> Self {
        let text = document.shared_text();
        Self { text, live: OnceLock::new(), earlier: Mutex::new(earlier) }
    }

    pub(crate) fn live(&self) -> &LiveOutline {
        self.live.get_or_init(|| {
            let earlier = self.earlier.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some(Earlier { outline, edits, .. }) = earlier else { return self.scan() };
            let live = match Arc::try_unwrap(outline) {
                Ok(owned) => owned.live.into_inner(),
                Err(shared) => shared.live.get().cloned(),
            };
            let Some(mut live) = live else { return self.scan() };
            live.edit(Arc::clone(&self.text), &edits);
            live
        })
    }

    /// Returns the approximate memory in addition to the text: the outline if it is computed, and an earlier text with
    /// its outline.
    pub(crate) fn approximate_bytes(&self) -> usize {
        let own = |outline: &Self| outline.live.get().map_or(0, LiveOutline::approximate_bytes);
        let earlier = self.earlier.lock().unwrap_or_else(PoisonError::into_inner);
        own(self) + earlier.as_ref().map_or(0, |Earlier { outline, .. }| outline.text.len() + own(outline))
    }

    fn scan(&self) -> LiveOutline {
        LiveOutline::new(Arc::clone(&self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_that_nobody_asks_for_is_dropped() {
        let document = |n: usize| Blob::text(format!("# {n}\n"));
        let first = Arc::new(DocumentOutline::new(&document(0)));
        let has_earlier = |outline: &DocumentOutline| outline.earlier.lock().expect("whole").is_some();
        assert!(!has_earlier(&first.followed_by(&document(1), &[])), "there was none to keep");
        first.live();
        let mut last = Arc::clone(&first);
        for n in 1..=MAX_AGE {
            last = last.followed_by(&document(n), &[]);
            assert!(has_earlier(&last), "{n}");
        }
        assert!(!has_earlier(&last.followed_by(&document(0), &[])));
        assert_eq!(last.live().outline().sections()[0].title, MAX_AGE.to_string());
        assert!(!has_earlier(&last));
        assert_eq!(Arc::strong_count(&first), 1);
    }
}

//! Sentences that wait for the next reply.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use crate::log;

/// Notices that wait. Of more the oldest go.
const WAITING: usize = 8;

/// Sentences that wait for the next reply, and the faults that were said.
#[derive(Debug, Default)]
pub(crate) struct Notices(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    sentences: Vec<String>,
    /// By what they are of: a canvas or a folder.
    faults: BTreeMap<String, BTreeSet<String>>,
}

impl Notices {
    pub(crate) fn add(&self, sentence: String) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.sentences.push(sentence);
        if waiting.sentences.len() > WAITING {
            waiting.sentences.remove(0);
        }
    }

    /// Says a fault of a canvas or a folder, unless it was said since that was well.
    pub(crate) fn fault(&self, of: &str, sentence: String) {
        {
            let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if !waiting.faults.entry(of.to_owned()).or_default().insert(sentence.clone()) {
                return;
            }
        }
        log::line(&sentence);
        self.add(sentence);
    }

    pub(crate) fn is_well(&self, of: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).faults.remove(of);
    }

    /// The text that waits, once.
    pub(crate) fn take(&self) -> Option<String> {
        let sentences = std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner).sentences);
        (!sentences.is_empty()).then(|| sentences.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::Notices;

    #[test]
    fn each_fault_is_said_once_until_it_was_well() {
        let notices = Notices::default();
        let round = || {
            for (of, sentence) in [("a", "gone"), ("b", "no text"), ("a", "the draft is kept")] {
                notices.fault(of, format!("{of}: {sentence}"));
            }
            notices.take()
        };
        assert_eq!(round().as_deref(), Some("a: gone\nb: no text\na: the draft is kept"));
        assert_eq!(round(), None);
        notices.is_well("b");
        assert_eq!(round().as_deref(), Some("b: no text"));
    }
}

//! Sentences that wait for the next reply.

use std::sync::{Mutex, PoisonError};

use crate::log;

/// Notices that wait. Of more the oldest go.
const WAITING: usize = 8;

/// Sentences that wait for the next reply, and the fault that was said last.
#[derive(Debug, Default)]
pub(crate) struct Notices(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    sentences: Vec<String>,
    fault: Option<String>,
}

impl Notices {
    pub(crate) fn add(&self, sentence: String) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.sentences.push(sentence);
        if waiting.sentences.len() > WAITING {
            waiting.sentences.remove(0);
        }
    }

    /// Says a fault, unless it is the one that was said last.
    pub(crate) fn fault(&self, sentence: String) {
        {
            let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if waiting.fault.as_ref() == Some(&sentence) {
                return;
            }
            waiting.fault = Some(sentence.clone());
        }
        log::line(&sentence);
        self.add(sentence);
    }

    pub(crate) fn is_well(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).fault = None;
    }

    /// The text that waits, once.
    pub(crate) fn take(&self) -> Option<String> {
        let sentences = std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner).sentences);
        (!sentences.is_empty()).then(|| sentences.join("\n"))
    }
}

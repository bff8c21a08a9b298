//! What an engine remembers of canvases between calls.

use std::collections::HashMap;

use super::run::Known;
use crate::model::id::CanvasId;

/// Canvases whose heads are kept in memory.
const CACHED: usize = 1024;

/// Rows as they were last seen, with what is needed to tell older news from newer.
#[derive(Debug, Default)]
pub(super) struct Cache {
    canvases: HashMap<CanvasId, Cached>,
    /// Counts uses, to find what was not used for long.
    uses: u64,
    /// Counts questions to the store, to find what was asked before what.
    questions: u64,
    /// When a canvas was forgotten last: what was asked before may be older than the news.
    forgot: u64,
}

#[derive(Debug, Clone)]
struct Cached {
    row: Known,
    learnt: Learnt,
    used: u64,
}

/// Between which questions to the store a row was learnt.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Learnt {
    /// The question that it answers.
    pub(super) asked: u64,
    /// From when on it is at least as new as any load: the question of a load, the answer of a commit.
    pub(super) settled: u64,
}

impl Cache {
    /// Counts a question to the store before it is asked.
    pub(super) fn ticket(&mut self) -> u64 {
        self.questions += 1;
        self.questions
    }

    /// The row.
    pub(super) fn get(&self, canvas: &CanvasId) -> Option<(Known, Learnt)> {
        self.canvases.get(canvas).map(|cached| (cached.row.clone(), cached.learnt))
    }

    pub(super) fn remember(&mut self, canvas: &CanvasId, row: Known, learnt: Learnt) {
        self.uses += 1;
        let used = self.uses;
        // What somebody else has asked later, or been told since, is newer.
        let newer = self.canvases.get(canvas).is_some_and(|cached| cached.learnt.settled > learnt.settled);
        if !newer && learnt.asked >= self.forgot {
            self.canvases.insert(canvas.clone(), Cached { row, learnt, used });
        }
        if self.canvases.len() > CACHED {
            // Half at once, so that the search for the oldest is paid rarely.
            let limit = used - (CACHED / 2) as u64;
            self.canvases.retain(|_, cached| cached.used > limit);
        }
    }

    pub(super) fn forget(&mut self, canvas: &CanvasId) {
        self.canvases.remove(canvas);
        self.forgot = self.ticket();
    }
}

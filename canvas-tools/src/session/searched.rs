//! The searches of a conversation, whose matches the model may replace.

use std::collections::VecDeque;

use canvas_core::RevisionId;
use serde::{Deserialize, Serialize};

/// The last eight different searches of a conversation.
///
/// If they are lost, the model has to search again before it replaces all matches.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Searched {
    /// Oldest first.
    searches: VecDeque<Searching>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Searching {
    revision: RevisionId,
    query: String,
    regex: bool,
}

impl Searched {
    const SEARCHES: usize = 8;

    pub(crate) fn add(&mut self, revision: RevisionId, query: &str, regex: bool) {
        self.searches.retain(|one| (one.revision, one.query.as_str(), one.regex) != (revision, query, regex));
        if self.searches.len() == Self::SEARCHES {
            self.searches.pop_front();
        }
        self.searches.push_back(Searching { revision, query: query.to_owned(), regex });
    }

    /// Whether the text at a revision was searched for this query.
    pub(crate) fn has(&self, revision: RevisionId, query: &str, regex: bool) -> bool {
        self.searches.iter().any(|one| one.revision == revision && one.query == query && one.regex == regex)
    }
}

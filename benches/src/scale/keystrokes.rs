//! A recorded session of a person who types, from `traces` in `CANVAS_DATA`.

use std::fs::File;
use std::path::PathBuf;

use flate2::read::GzDecoder;
use serde::Deserialize;

/// A text that grows by recorded keystrokes.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Session {
    start_content: String,
    end_content: String,
    txns: Vec<Transaction>,
}

#[derive(Debug, Deserialize)]
struct Transaction {
    patches: Vec<Keystroke>,
}

/// A place in characters, the number of characters deleted there, and the inserted text.
#[derive(Debug, Deserialize)]
struct Keystroke(usize, usize, String);

impl Session {
    /// Returns the session; `None` if the folder does not have it.
    pub(super) fn load() -> Option<Self> {
        let data =
            std::env::var_os("CANVAS_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
        let file = File::open(data.join("traces/sveltecomponent.json.gz")).ok()?;
        Some(serde_json::from_reader(GzDecoder::new(file)).expect("a trace is JSON of this form"))
    }

    pub(super) fn start(&self) -> &str {
        &self.start_content
    }

    /// Returns the text after each of the first keystrokes.
    pub(super) fn texts(&self, keystrokes: usize) -> impl Iterator<Item = String> {
        let all = self.txns.iter().flat_map(|txn| &txn.patches);
        all.take(keystrokes).scan(self.start_content.clone(), |text, Keystroke(at, deleted, inserted)| {
            let byte = |text: &str, at| text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte);
            let (start, end) = (byte(text, *at), byte(text, at + deleted));
            text.replace_range(start..end, inserted);
            Some(text.clone())
        })
    }

    /// Whether a text is the last one of the whole session.
    pub(super) fn ends_with(&self, text: &str) -> bool {
        self.end_content == text
    }

    /// Returns the number of keystrokes.
    pub(super) fn len(&self) -> usize {
        self.txns.iter().map(|txn| txn.patches.len()).sum()
    }
}

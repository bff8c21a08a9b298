//! A model that does as its hidden messages say, and knows nothing else.

use canvas_core::text::{ApplyOptions, Mode, apply};
use canvas_tools::{HIDDEN_HEADER, SNAPSHOT_HEADER};

/// What a chat's model knows of the document: nothing but what was in its history. `None` where that was lost.
#[derive(Debug, Clone)]
pub(super) struct Reader(pub(super) Option<String>);

impl Reader {
    /// Does what a message says, and tells what kind it was. Only what lies between its fences is looked at.
    pub(super) fn read(&mut self, message: &str) -> Result<&'static str, String> {
        let malformed = || format!("malformed: {message:?}");
        let (header, fenced) = message.split_once('\n').ok_or_else(malformed)?;
        let (opening, rest) = fenced.split_once('\n').ok_or_else(malformed)?;
        let fence = &opening[..opening.len() - opening.trim_start_matches('`').len()];
        let content = rest.strip_suffix(fence).filter(|_| fence.len() >= 3).ok_or_else(malformed)?;
        if content.split(['\n', '\r']).any(|line| line.trim_start().starts_with(fence)) {
            return Err(format!("a line of the content closes the fence: {message:?}"));
        }
        match (header, &opening[fence.len()..]) {
            (HIDDEN_HEADER, "diff") => {
                let known = self.0.as_deref().ok_or("a diff for who knows nothing")?;
                let options = ApplyOptions { mode: Mode::Strict, ..ApplyOptions::default() };
                let after =
                    apply(known, content, &options).map_err(|e| format!("{known:?} {message:?}: {e}"));
                self.0 = Some(after?.into_text());
                Ok(if fence.len() > 3 { "diff in a longer fence" } else { "diff" })
            }
            (SNAPSHOT_HEADER, "markdown") => {
                self.0 = Some(content.to_owned());
                Ok("snapshot")
            }
            (SNAPSHOT_HEADER, "markdown no-final-newline") => {
                self.0 = Some(content.strip_suffix('\n').ok_or_else(malformed)?.to_owned());
                Ok("snapshot without a final newline")
            }
            _ => Err(malformed()),
        }
    }
}

//! The checks at the end, and the table of who wrote which revision.

use std::io::Write;

use super::protocol::{CanvasState, Refused, Written};
use super::script::EXPECTED_TEXT;
use super::{SCRIPTS, StoryResult};

/// All that is known at the end of the story.
pub(super) struct FinalState {
    /// The canvas as it was created.
    pub(super) first: CanvasState,
    /// The canvas as each of the two servers reads it.
    pub(super) shown: [CanvasState; 2],
    /// The canvas as a third connection reads it.
    pub(super) stored: CanvasState,
    /// Each revision with its server, in the order of the story.
    pub(super) written: Vec<(&'static str, Written)>,
    /// The refused writes of models, each with its server.
    pub(super) refused: Vec<(&'static str, Refused)>,
}

impl FinalState {
    pub(super) fn show_and_check(&self, out: &mut impl Write) -> StoryResult {
        let Self { first, stored, .. } = self;
        writeln!(out, "  {:<13}  epoch  written by", "revision")?;
        writeln!(out, "  {:<13}  {:>5}  the host", first.revision.to_string(), first.epoch)?;
        for (server, Written { revision, epoch, who, what }) in &self.written {
            writeln!(out, "  {:<13}  {epoch:>5}  {who} at {server}: {what}", revision.to_string())?;
        }
        for (server, Refused { code, epoch, what }) in &self.refused {
            writeln!(out, "  {:<13}  {epoch:>5}  model at {server}: {what} ({code})", "refused")?;
        }
        writeln!(out)?;
        for line in stored.text.lines() {
            writeln!(out, "  | {line}")?;
        }
        writeln!(out)?;
        let checks = self.checks();
        for (holds, check) in &checks {
            writeln!(out, "  {} {check}", if *holds { "ok   " } else { "WRONG" })?;
        }
        let wrong = checks.iter().filter(|(holds, _)| !holds).count();
        if wrong == 0 { Ok(()) } else { Err(format!("{wrong} of {} checks failed", checks.len()).into()) }
    }

    fn checks(&self) -> [(bool, String); 4] {
        let Self { first, shown, stored, written, refused } = self;
        let numbers: Vec<u64> =
            written.iter().map(|(_, written)| written.revision.revision().get()).collect();
        let unbroken = (first.revision.revision().get() + 1..).zip(&numbers).all(|(due, is)| due == *is);
        let last = written.last().map(|(_, written)| written.revision);
        let epochs: Vec<_> = written.iter().map(|(_, written)| written.epoch).collect();
        let late = refused.iter().map(|(server, refused)| (*server, refused.code.as_str()));
        [
            (
                shown.iter().all(|shown| shown == stored),
                format!("both servers show {} in epoch {}, and the same text", stored.revision, stored.epoch),
            ),
            (
                stored.text == EXPECTED_TEXT,
                "the text has every line that was acknowledged, and no other".into(),
            ),
            (
                unbroken && last == Some(stored.revision) && epochs.is_sorted(),
                "each revision has one author, and no write follows under an older epoch".into(),
            ),
            (
                late.eq([(SCRIPTS[0].name, "STALE_EPOCH")]),
                "the late write of server one was refused with STALE_EPOCH, and nothing else was".into(),
            ),
        ]
    }
}

//! What must hold at the end, and the table of who wrote what.

use std::io::Write;

use super::script::ENDING;
use super::words::{Refused, Stands, Wrote};
use super::{PARTS, Told};

/// All that is known at the end.
pub(super) struct Ending {
    /// The canvas as it was made.
    pub(super) first: Stands,
    /// What the two servers show.
    pub(super) shown: [Stands; 2],
    /// What a third connection reads.
    pub(super) stored: Stands,
    /// By which server, in the order of the story.
    pub(super) wrote: Vec<(&'static str, Wrote)>,
    /// Writes of models that were refused.
    pub(super) refused: Vec<(&'static str, Refused)>,
}

impl Ending {
    pub(super) fn show_and_check(&self, out: &mut impl Write) -> Told {
        let Self { first, stored, .. } = self;
        writeln!(out, "  {:<13}  epoch  written by", "revision")?;
        writeln!(out, "  {:<13}  {:>5}  the stage", first.revision.to_string(), first.epoch)?;
        for (server, Wrote { revision, epoch, who, what }) in &self.wrote {
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
        for (holds, promise) in &checks {
            writeln!(out, "  {} {promise}", if *holds { "ok   " } else { "WRONG" })?;
        }
        let wrong = checks.iter().filter(|(holds, _)| !holds).count();
        if wrong == 0 {
            Ok(())
        } else {
            Err(format!("{wrong} of {} promises are broken", checks.len()).into())
        }
    }

    fn checks(&self) -> [(bool, String); 4] {
        let Self { first, shown, stored, wrote, refused } = self;
        let numbers: Vec<u64> = wrote.iter().map(|(_, wrote)| wrote.revision.revision().get()).collect();
        let unbroken = (first.revision.revision().get() + 1..).zip(&numbers).all(|(due, is)| due == *is);
        let last = wrote.last().map(|(_, wrote)| wrote.revision);
        let epochs: Vec<_> = wrote.iter().map(|(_, wrote)| wrote.epoch).collect();
        let late = refused.iter().map(|(server, refused)| (*server, refused.code.as_str()));
        [
            (
                shown.iter().all(|shown| shown == stored),
                format!("both servers show {} in epoch {}, and the same text", stored.revision, stored.epoch),
            ),
            (stored.text == ENDING, "the text has every line that was acknowledged, and no other".into()),
            (
                unbroken && last == Some(stored.revision) && epochs.is_sorted(),
                "each revision has one author, and no write follows under an older epoch".into(),
            ),
            (
                late.eq([(PARTS[0].name, "STALE_EPOCH")]),
                "the late write of server one was refused with STALE_EPOCH, and nothing else was".into(),
            ),
        ]
    }
}

//! The last refused patch of a conversation, of which only the faulty hunks need to be resent.

use std::num::NonZeroUsize;

use canvas_core::BlobId;
use canvas_core::document::ApplyPatch;
use canvas_core::text::{ApplyError, Reason};
use serde::{Deserialize, Serialize};

/// The last refused patch of a conversation, at most as large as a patch may be.
///
/// If it is lost, the model has to send the whole patch again.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RefusedPatch {
    kept: Option<Kept>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Kept {
    id: String,
    command: ApplyPatch,
    /// The patch's faulty hunks, counted from 1.
    faults: Vec<usize>,
}

/// The reason why hunks cannot be put into a refused patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResendError {
    /// No patch is kept under this id.
    Lost,
    /// A hunk number is beyond the number of hunks in the refused patch.
    NoSuchHunk { hunks: usize },
    /// The hunk numbers are not strictly increasing.
    Unordered,
    /// The new patch does not have as many hunks as the call names.
    OtherCount { hunks: usize },
}

impl RefusedPatch {
    /// Keeps a refused patch if each of its faults belongs to a single hunk.
    pub(crate) fn keep(&mut self, command: &ApplyPatch, error: &ApplyError) {
        let mut faults: Vec<usize> = error.conflicts().iter().map(|conflict| conflict.hunk).collect();
        faults.dedup();
        let is_of_hunks = error.conflicts().iter().all(|conflict| {
            conflict.hunk > 0
                && matches!(
                    conflict.reason,
                    Reason::NotFound
                        | Reason::Ambiguous
                        | Reason::NoAnchor
                        | Reason::NoEffect
                        | Reason::BadLine
                        | Reason::Overlap
                )
        });
        let hunks = hunks(&command.patch);
        // Lines before the first hunk may open a code fence that ends after the last hunk.
        let is_bare = hunks.first().is_some_and(|first| command.patch.starts_with(first));
        // With a single hunk, resending it would save nothing.
        if !is_of_hunks || !is_bare || hunks.len() < 2 || error.suggestion().is_some() {
            self.kept = None;
            return;
        }
        let hash = BlobId::of(command.patch.as_bytes()).to_string();
        let id = format!("patch-{}", &hash[hash.len() - 8..]);
        self.kept = Some(Kept { id, command: command.clone(), faults });
    }

    /// Returns the id of the kept patch and its faulty hunks.
    pub(crate) fn resendable(&self) -> Option<(&str, &[usize])> {
        self.kept.as_ref().map(|kept| (&*kept.id, &*kept.faults))
    }

    /// Returns the refused patch, with the hunks of the given numbers, counted from 1, replaced by those of `call`. If
    /// the call does not name a base or scope, the base or scope of the refused patch applies.
    pub(crate) fn with_hunks(
        &self,
        id: &str,
        numbers: &[NonZeroUsize],
        call: ApplyPatch,
    ) -> Result<ApplyPatch, ResendError> {
        let kept = self.kept.as_ref().filter(|kept| kept.id == id).ok_or(ResendError::Lost)?;
        let (old, new) = (hunks(&kept.command.patch), hunks(&call.patch));
        if numbers.iter().any(|number| number.get() > old.len()) {
            return Err(ResendError::NoSuchHunk { hunks: old.len() });
        }
        if numbers.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(ResendError::Unordered);
        }
        let is_whole = new.iter().map(|hunk| hunk.len()).sum::<usize>() == call.patch.len();
        if new.len() != numbers.len() || new.is_empty() || !is_whole {
            return Err(ResendError::OtherCount { hunks: new.len() });
        }
        let (mut patch, mut new) = (String::new(), numbers.iter().zip(new).peekable());
        for (number, old) in (1..).zip(old) {
            let hunk = new.next_if(|(replaced, _)| replaced.get() == number).map_or(old, |(_, hunk)| hunk);
            patch.push_str(hunk);
            if !hunk.ends_with('\n') {
                patch.push('\n');
            }
        }
        let ApplyPatch { base, scope, .. } = kept.command.clone();
        Ok(ApplyPatch { patch, base: call.base.or(base), scope: call.scope.or(scope), ..call })
    }
}

/// Splits a patch into its hunks, each from its `@@` line to the next.
fn hunks(patch: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = Vec::new();
    let mut at = 0;
    for line in patch.split_inclusive('\n') {
        if line.starts_with("@@") {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([patch.len()]);
    starts.iter().zip(ends).map(|(&start, end)| &patch[start..end]).collect()
}

//! The result of a native call, which is an edit or a refusal in the dialect's words.

use std::fmt;

use canvas_core::CodedError;
use canvas_core::text::{
    ApplyError, ApplyOptions, CodePoints, Conflict, Delta, Difference, Limits, Mismatch, Mode, Reason,
    Repair, apply, near_miss, truncate,
};
use serde::Serialize;
use serde_json::Value;

use super::options::NativeOptions;
use super::reason::NativeReason;
use crate::reply::ToolError;

/// The result of a native call that changes or only reads the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeEdit {
    /// Resulting text.
    pub text: String,
    /// Change from the base to `text`. Empty for a call that only reads.
    pub delta: Delta,
    /// Repairs of line terminators and syntax, never of content.
    pub repairs: Vec<Repair>,
    /// The dialect's own message for success.
    pub message: String,
}

/// One place at which a native call does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NativeConflict {
    /// Hunk, block or old text, from 1, or 0 for the call as a whole.
    pub hunk: usize,
    /// Reason as a stable code.
    #[serde(serialize_with = "as_code")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub reason: NativeReason,
    /// Line of the patch, from 1, that shows the fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch_line: Option<usize>,
    /// First line of the document that differs, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Difference of that line.
    #[serde(flatten)]
    pub mismatch: Option<Mismatch>,
    /// Lines of the document at which the old text begins, from 1 and at most [`Conflict::CANDIDATES`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<usize>,
}

fn as_code<S: serde::Serializer>(reason: &NativeReason, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(reason.code())
}

impl NativeConflict {
    pub(super) fn new(hunk: usize, reason: NativeReason) -> Self {
        Self { hunk, reason, patch_line: None, line: None, mismatch: None, candidates: Vec::new() }
    }

    pub(super) fn of_patch(hunk: usize, reason: Reason) -> Self {
        Self::new(hunk, NativeReason::Patch(reason))
    }

    pub(super) fn at_patch_line(self, line: usize) -> Self {
        Self { patch_line: Some(line), ..self }
    }

    /// Builds a conflict from places that are lines counted from 0.
    pub(super) fn ambiguous(hunk: usize, lines: &[usize]) -> Self {
        let candidates = lines.iter().take(Conflict::CANDIDATES).map(|line| line + 1).collect();
        Self { candidates, ..Self::of_patch(hunk, Reason::Ambiguous) }
    }

    /// Builds the conflicts for lines that do not occur, each with its hunk and the nearest place. One search covers
    /// all of them.
    pub(super) fn missing(text: &str, wanted: &[(usize, Vec<&str>)], limits: &Limits) -> Vec<Self> {
        let mut probe = String::new();
        for (_, lines) in wanted {
            probe.push_str("@@\n");
            probe.extend(lines.iter().flat_map(|line| ["-", line, "\n"]));
        }
        let options = ApplyOptions { mode: Mode::Anchored, limits: *limits, ..ApplyOptions::default() };
        // `apply` refuses lines that do not occur contiguously, and names the nearest place.
        let refused = apply(text, &probe, &options).err();
        let near = refused.iter().flat_map(ApplyError::conflicts);
        let mut near = near.filter(|conflict| conflict.reason == Reason::NotFound).peekable();
        (1..)
            .zip(wanted)
            .map(|(number, (hunk, _))| {
                while near.next_if(|conflict| conflict.hunk < number).is_some() {}
                // If no lines are shown nearby, only a difference other than in content counts as similar.
                let is_like = |near: &&Conflict| {
                    let difference = near.mismatch.as_ref().map(|mismatch| mismatch.difference);
                    !near.nearby.is_empty()
                        || difference.is_some_and(|difference| difference != Difference::Content)
                };
                let near = near.next_if(|conflict| conflict.hunk == number).filter(is_like);
                Self {
                    line: near.and_then(|near| near.line),
                    mismatch: near.and_then(|near| near.mismatch.clone()),
                    ..Self::of_patch(*hunk, Reason::NotFound)
                }
            })
            .collect()
    }

    /// Builds the conflict for text that does not occur, with the most similar place. The text need not be whole lines.
    pub(super) fn missing_text(text: &str, wanted: &str, limits: &Limits) -> Self {
        if let Some((line, mismatch)) = near_miss(text, wanted) {
            let (line, mismatch) = (Some(line), Some(mismatch));
            return Self { line, mismatch, ..Self::of_patch(1, Reason::NotFound) };
        }
        let found = Self::missing(text, &[(1, wanted.lines().collect())], limits).pop();
        found.unwrap_or_else(|| Self::of_patch(1, Reason::NotFound))
    }

    /// Returns one sentence on what the author of the call can do next.
    fn advice(&self) -> &'static str {
        match self.reason {
            NativeReason::Patch(Reason::NotFound) if self.line.is_none() && self.candidates.is_empty() => {
                "no text of the document is like it: find the place first, and copy the old text from there"
            }
            NativeReason::Patch(Reason::NotFound) if self.is_above() => {
                "the lines stand above the text that @@ names: put a line above them after @@, or leave it out"
            }
            reason => reason.advice(),
        }
    }

    /// Whether the lines occur, but not below their anchors.
    fn is_above(&self) -> bool {
        self.line.is_some() && self.mismatch.is_none() && self.candidates.is_empty()
    }

    /// Returns the document lines of this conflict, counted from 1.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> + '_ {
        self.line.into_iter().chain(self.candidates.iter().copied())
    }

    /// Fills in the nearest places of lines that do not occur.
    pub(super) fn locate(conflicts: &mut [Self], text: &str, wanted: &[(usize, Vec<&str>)], limits: &Limits) {
        let found = Self::missing(text, wanted, limits);
        for conflict in conflicts {
            let Ok(near) = found.binary_search_by_key(&conflict.hunk, |near| near.hunk) else { continue };
            conflict.line = found[near].line;
            conflict.mismatch.clone_from(&found[near].mismatch);
        }
    }
}

impl From<&Conflict> for NativeConflict {
    fn from(conflict: &Conflict) -> Self {
        Self {
            hunk: conflict.hunk,
            reason: NativeReason::Patch(conflict.reason),
            patch_line: Some(conflict.patch_line),
            line: conflict.line,
            mismatch: conflict.mismatch.clone(),
            candidates: conflict.candidates.clone(),
        }
    }
}

/// A refused native call, which leaves the text unchanged. It displays the dialect's own sentence, then the reason with
/// advice, then lines of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeError {
    sentence: String,
    /// Never empty.
    conflicts: Vec<NativeConflict>,
    /// Document lines that the conflicts name, each as shown to a model.
    shown: Vec<String>,
}

impl CodedError for NativeError {
    fn code(&self) -> &'static str {
        "PATCH_REJECTED"
    }

    /// Returns the reason of the first conflict.
    fn reason(&self) -> Option<&'static str> {
        Some(self.conflicts[0].reason.code())
    }
}

/// Number of document lines after which a refusal does not show further conflicts.
const SHOWN: usize = 9;
/// Maximum number of places shown per conflict.
const PLACES: usize = 3;

impl NativeError {
    pub(super) fn new(sentence: impl Into<String>, conflict: NativeConflict) -> Self {
        Self { sentence: sentence.into(), conflicts: vec![conflict], shown: Vec::new() }
    }

    pub(super) fn of(sentence: impl Into<String>, reason: NativeReason) -> Self {
        Self::new(sentence, NativeConflict::new(0, reason))
    }

    /// Builds an error from at least one conflict, with the document lines that they name.
    pub(super) fn at(sentence: impl Into<String>, conflicts: Vec<NativeConflict>, text: &str) -> Self {
        let mut lines: Vec<usize> = Vec::new();
        for conflict in &conflicts {
            // The neighbouring lines tell places with equal text apart.
            let places = conflict.line.into_iter().chain(conflict.candidates.iter().copied()).take(PLACES);
            let near = places.flat_map(|line| [line.saturating_sub(1), line, line + 1]);
            lines.extend(near.filter(|line| *line > 0));
            if lines.len() >= SHOWN {
                break;
            }
        }
        lines.sort_unstable();
        lines.dedup();
        let mut wanted = lines.iter().peekable();
        let mut shown = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let Some(next) = wanted.peek() else { break };
            if **next == number {
                wanted.next();
                // Of a long line, only the part that differs is shown.
                let differing = conflicts.iter().filter(|conflict| conflict.line == Some(number));
                let differing =
                    differing.filter_map(|conflict| conflict.mismatch.as_ref()?.actual.as_deref()).next();
                let start = truncate(line, 200);
                let part = differing.filter(|_| start.len() < line.len()).unwrap_or(&start);
                shown.push(format!("L{number}: {part}"));
            }
        }
        Self { sentence: sentence.into(), conflicts, shown }
    }

    /// Changes hunk numbers from the order of application to the order in which the hunks were sent.
    pub(super) fn renumber(&mut self, order: &[usize]) {
        for conflict in &mut self.conflicts {
            if let Some(sent) = conflict.hunk.checked_sub(1).and_then(|i| order.get(i)) {
                conflict.hunk = sent + 1;
            }
        }
    }

    /// Returns all conflicts, of which there is at least one.
    pub fn conflicts(&self) -> &[NativeConflict] {
        &self.conflicts
    }

    /// Returns the dialect's own sentence.
    pub fn sentence(&self) -> &str {
        &self.sentence
    }
}

impl fmt::Display for NativeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = &self.conflicts[0];
        write!(f, "{}\n{}: {}", self.sentence, first.reason.code(), first.advice())?;
        for conflict in self.conflicts.iter().take(SHOWN) {
            let Some(mismatch) = &conflict.mismatch else { continue };
            write!(f, "\nexpected \"{}\", ", mismatch.expected)?;
            match (&mismatch.actual, conflict.line) {
                (Some(actual), Some(line)) => {
                    write!(f, "line {line} has \"{actual}\"")?;
                    if mismatch.column > 1 {
                        write!(f, ", from column {} on", mismatch.column)?;
                    }
                }
                _ => f.write_str("the document has ended")?,
            }
            match (&mismatch.code_points, mismatch.difference.hint()) {
                (Some(CodePoints { expected, actual }), _) => {
                    write!(f, " (you sent {expected}, the document has {actual})")?;
                }
                (None, Some(hint)) => write!(f, " ({hint})")?,
                (None, None) => {}
            }
        }
        for line in &self.shown {
            write!(f, "\n{line}")?;
        }
        Ok(())
    }
}

impl std::error::Error for NativeError {}

impl From<ToolError> for NativeError {
    fn from(error: ToolError) -> Self {
        let place = error.place().filter(|place| !place.is_empty());
        let place = place.map_or_else(String::new, |place| format!("{place}: "));
        Self::of(format!("Error: {place}{error}"), NativeReason::InvalidArguments)
    }
}

/// The text that a call is read against.
#[derive(Debug, Clone, Copy)]
pub(super) struct Document<'a> {
    pub(super) text: &'a str,
    pub(super) options: &'a NativeOptions<'a>,
}

impl Document<'_> {
    /// Refuses a text or a call beyond the limits.
    pub(super) fn check_size(&self, call: &Value) -> Result<(), NativeError> {
        let limits = &self.options.limits;
        let bytes = |value: &Value| value.as_str().map_or(0, str::len);
        let sent: usize = call.as_object().map_or(0, |fields| fields.values().map(bytes).sum());
        if self.text.len() > limits.text_bytes || sent > limits.patch_bytes {
            return Err(NativeError::of(
                "Error: The edit is too large.",
                NativeReason::Patch(Reason::TooLarge),
            ));
        }
        Ok(())
    }

    pub(super) fn is_own(&self, path: &str) -> bool {
        bare(path) == bare(self.options.path)
    }

    /// Applies a change, unless the text would exceed the limits.
    pub(super) fn edit(
        &self,
        delta: Delta,
        repairs: Vec<Repair>,
        message: String,
    ) -> Result<NativeEdit, NativeError> {
        let removed: usize = delta.edits().iter().map(|one| one.old.len()).sum();
        let added = delta.len_bytes() - removed;
        if self.text.len() - removed + added > self.options.limits.text_bytes {
            let sentence = "Error: The document would become too large.";
            return Err(NativeError::of(sentence, NativeReason::Patch(Reason::TooLarge)));
        }
        let text = delta.apply(self.text).expect("the edits are located in this text");
        Ok(NativeEdit { text, delta, repairs, message })
    }

    /// Replaces all of the text, if the options allow this.
    pub(super) fn replace_whole(
        &self,
        after: &str,
        message: String,
        exists: impl FnOnce() -> String,
    ) -> Result<NativeEdit, NativeError> {
        if !self.text.is_empty() && !self.options.whole_replace {
            return Err(NativeError::of(exists(), NativeReason::AlreadyExists));
        }
        if after == self.text {
            let sentence = "No changes to apply. The document already has this text.";
            return Err(NativeError::of(sentence, NativeReason::Patch(Reason::NoEffect)));
        }
        self.edit(Delta::between(self.text, after), Vec::new(), message)
    }
}

fn bare(path: &str) -> &str {
    let path = path.trim();
    let mut bare = path;
    while let Some(rest) = bare.strip_prefix("./").or_else(|| bare.strip_prefix('/')) {
        bare = rest;
    }
    bare
}

/// Converts a refusal of `apply_blocks`.
pub(super) fn of_apply_error(sentence: String, error: &ApplyError, text: &str) -> NativeError {
    NativeError::at(sentence, error.conflicts().iter().map(NativeConflict::from).collect(), text)
}

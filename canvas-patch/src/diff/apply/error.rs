//! The error of a refused patch, with every conflict and, if there is one, a suggestion.

use std::fmt;

use crate::diff::conflict::{Conflict, ParseError, Reason};

/// Error returned when a patch is refused. The text is unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApplyError {
    /// Never empty.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "at_least_one"))]
    conflicts: Vec<Conflict>,
    #[cfg_attr(
        feature = "serde",
        serde(default, rename = "remedy", skip_serializing_if = "Option::is_none")
    )]
    suggestion: Option<Suggestion>,
}

/// An alternative to writing a refused patch again. It is not applied.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Suggestion {
    /// The same change, as a patch that [`Mode::Strict`](crate::Mode::Strict) accepts for this text. Each pre-image of
    /// the refused patch occurs at exactly one place, and the new hunks are in the order of these places. It was tried
    /// before it was offered, and is at most twice as long as the patch, plus 64 bytes a hunk and 1 KiB.
    Rebased(String),
    /// The text already contains the change. Applying the inverse patch and then the patch gives this text.
    ///
    /// Offered only if each hunk adds a line. In anchored mode each post-image must also occur at one place only, and
    /// either have two lines that are not blank or be where the header states.
    AlreadyApplied,
}

impl Suggestion {
    /// Returns advice for the author of the patch, in lower case and without a full stop.
    pub const fn advice(&self) -> &'static str {
        match self {
            Self::Rebased(_) => {
                "the same change fits at other lines: look at the rebased patch, and send it if it still does what you mean"
            }
            Self::AlreadyApplied => {
                "the document already reads as this patch would leave it: send no patch, or another change"
            }
        }
    }
}

// The reasons are in the conflicts.
impl ApplyError {
    /// The stable error code, which all refused patches share.
    pub const CODE: &'static str = "PATCH_REJECTED";

    /// Returns the stable error code.
    pub const fn code(&self) -> &'static str {
        Self::CODE
    }
}

impl ApplyError {
    /// `conflicts` must not be empty.
    pub(crate) fn new(conflicts: Vec<Conflict>, suggestion: Option<Suggestion>) -> Self {
        Self { conflicts, suggestion }
    }

    /// Returns every conflict found, in the order of the hunks. The list is never empty.
    pub fn conflicts(&self) -> &[Conflict] {
        &self.conflicts
    }

    pub(crate) fn conflicts_mut(&mut self) -> &mut [Conflict] {
        &mut self.conflicts
    }

    /// Returns an alternative to writing the patch again, if one is known.
    ///
    /// ```
    /// use canvas_patch::{ApplyOptions, Suggestion, apply};
    ///
    /// let patch = "@@ -1,2 +1,2 @@\n # Plan\n-- buy milk\n+- buy bread\n";
    /// let moved = apply("Draft\n# Plan\n- buy milk\n", patch, &ApplyOptions::default()).unwrap_err();
    /// let rebased = "@@ -2,2 +2,2 @@\n # Plan\n-- buy milk\n+- buy bread\n";
    /// assert_eq!(moved.suggestion(), Some(&Suggestion::Rebased(rebased.into())));
    ///
    /// let done = apply("# Plan\n- buy bread\n", patch, &ApplyOptions::default()).unwrap_err();
    /// assert_eq!(done.suggestion(), Some(&Suggestion::AlreadyApplied));
    /// ```
    pub fn suggestion(&self) -> Option<&Suggestion> {
        self.suggestion.as_ref()
    }

    /// Returns the same error without its suggestion, for a reply that has no room for it.
    #[must_use]
    pub fn without_suggestion(self) -> Self {
        Self { suggestion: None, ..self }
    }

    /// Returns the reason of the first conflict.
    pub fn reason(&self) -> Reason {
        self.conflicts[0].reason
    }
}

impl From<ParseError> for ApplyError {
    fn from(fault: ParseError) -> Self {
        Self::new(vec![fault.into()], None)
    }
}

/// Prints the fault of each hunk and the advice, for at most 10 conflicts. The alternate form, `{:#}`, quotes no line
/// and gives each advice only once.
impl fmt::Display for ApplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The suggestion comes first, because it may settle the matter.
        if let Some(suggestion) = &self.suggestion {
            write!(f, "{}; ", suggestion.advice())?;
        }
        if f.alternate() {
            let mut advices: Vec<&str> = Vec::new();
            for (i, conflict) in self.conflicts.iter().take(10).enumerate() {
                write!(f, "{}{conflict:#}", if i == 0 { "" } else { "; " })?;
                if !advices.contains(&conflict.advice()) {
                    advices.push(conflict.advice());
                }
            }
            // If the patch is applied already, there is nothing to correct.
            let is_done = self.suggestion == Some(Suggestion::AlreadyApplied);
            if !is_done {
                write!(f, "; {}", advices.join("; "))?;
            }
        } else {
            for (i, conflict) in self.conflicts.iter().take(10).enumerate() {
                write!(f, "{}{conflict}", if i == 0 { "" } else { "; " })?;
            }
        }
        match self.conflicts.len().checked_sub(10) {
            None | Some(0) => Ok(()),
            Some(1) => f.write_str("; and 1 more conflict"),
            Some(more) => write!(f, "; and {more} more conflicts"),
        }
    }
}

impl std::error::Error for ApplyError {}

#[cfg(feature = "serde")]
fn at_least_one<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Conflict>, D::Error> {
    let conflicts: Vec<Conflict> = serde::Deserialize::deserialize(deserializer)?;
    if conflicts.is_empty() {
        return Err(serde::de::Error::invalid_length(0, &"at least one conflict"));
    }
    Ok(conflicts)
}

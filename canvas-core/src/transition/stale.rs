//! Texts that changed after the revision that a patch or an edit was made for.

use canvas_patch::{ApplyError, DiffExcerpt};
use serde::{Deserialize, Serialize};

use crate::document::changes::Changes;
use crate::history::number::ChangeNumber;
use crate::model::error::CodedError;
use crate::model::revision::{Base, RevisionId};

/// The changes of the document since the base of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[error("{}", self.explain())]
pub struct StaleBase {
    /// The base that the call named; `None` if the call relied on the text that the conversation saw last.
    pub base: Option<Base>,
    /// The changes since the base, if it is still known. They have no diff if it is too large, if `near` shows the
    /// relevant part, or if no change matters.
    pub changes: Option<Changes>,
    /// The changes near the patch, if others are left out. The excerpt does not count as having shown the document, so
    /// the next patch must name its base, or the conversation must read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<DiffExcerpt>,
    /// The same patch for the current document, if it still fits exactly and its author is shown the changes around it.
    /// It was not applied, so its author must send it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rebased: Option<String>,
    /// Set if the unchanged patch fits the current document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fits: Option<Fits>,
    /// Whether the current document already is the result of the patch.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub already_applied: bool,
    /// Whether the canvas never had a revision of that id.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
    /// Whether the conversation knows the current document, although it named an older base.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub up_to_date: bool,
}

/// The fit of a patch for an older text in the current document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Fits {
    /// The lines near its hunks are unchanged.
    Untouched,
    /// Lines near its hunks changed.
    Touched,
}

impl CodedError for StaleBase {
    fn code(&self) -> &'static str {
        ApplyError::CODE
    }

    fn reason(&self) -> Option<&'static str> {
        Some("STALE_BASE")
    }
}

impl StaleBase {
    /// Creates a refusal that only names the base.
    pub const fn of(base: Option<Base>) -> Self {
        Self {
            base,
            changes: None,
            near: None,
            rebased: None,
            fits: None,
            already_applied: false,
            unknown: false,
            up_to_date: false,
        }
    }

    /// Whether this shows the changes to its reader, either all of them or those near the patch.
    pub fn shows_changes(&self) -> bool {
        self.near.is_some() || self.changes.as_ref().is_some_and(Changes::is_shown)
    }

    fn explain(&self) -> String {
        const CHANGED: &str = "the document has changed since the revision that this patch was written for";
        if self.already_applied {
            return format!(
                "{CHANGED} and already reads as this patch would leave it: send no patch, or another change"
            );
        }
        if self.fits == Some(Fits::Untouched) {
            return format!(
                "{CHANGED}, elsewhere alone: send the same patch with the current revision as its base"
            );
        }
        match self.base {
            Some(base) if self.unknown => {
                return format!("this canvas never had revision {base}: name one that a reply has given");
            }
            _ => {}
        }
        if !self.shows_changes() {
            let why =
                if self.changes.is_some() { "is too much to be shown" } else { "is not known any more" };
            return format!(
                "{CHANGED}, and what has changed {why}: read the document and write the patch again"
            );
        }
        let next = match (self.fits, &self.rebased) {
            (Some(_), _) => {
                "send the same patch with the current revision as its base, if it still says what you mean"
            }
            (None, Some(_)) => {
                "send the rebased patch with the current revision as its base, if it still says what you mean"
            }
            (None, None) => "write the patch again, with the current revision as its base",
        };
        match &self.near {
            Some(near) if near.diff.is_empty() => format!("{CHANGED}, but not near it: {next}"),
            _ => format!("{CHANGED}: look at the changes and {next}"),
        }
    }
}

/// A user's edit with an older document as its base, and with changes that do not fit the current one. It was not
/// stored. The document has the later changes, and this value has the user's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[error("{}", self.explain())]
#[serde(tag = "refusal", rename = "stale_edit")]
pub struct StaleEdit {
    /// The base that the user's edit names.
    pub base: Base,
    /// The document's current revision.
    pub current: RevisionId,
    /// The reason that the changes do not fit.
    pub cause: StaleCause,
    /// The changes since the base, if its text is known. The diff is left out if it has more bytes than
    /// [`SyncLimits::refusal_diff_bytes`](crate::policy::SyncLimits::refusal_diff_bytes).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Changes>,
    /// The complete text that the user sent.
    pub markdown: String,
}

/// The reason that a user's changes do not fit the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum StaleCause {
    /// A later change touches the same place.
    Conflict {
        /// Number of the first such change.
        with: ChangeNumber,
    },
    /// The canvas never had such a revision. It is in the future, or belongs to another canvas.
    UnknownBase,
    /// The journal does not go back to the base, because it is switched off, was cleared, or keeps fewer entries.
    OutOfReach,
}

impl StaleEdit {
    fn explain(&self) -> String {
        let Self { base, current, cause, .. } = self;
        match cause {
            StaleCause::Conflict { with } => format!(
                "change {with} touches the same lines as this edit of revision {base}: join both texts and send the result \
                 with {current} as its base"
            ),
            StaleCause::UnknownBase => format!(
                "this canvas has had no revision {base}: load the document, put the edit into it and send it with {current} \
                 as its base"
            ),
            StaleCause::OutOfReach => format!(
                "the history does not go back to revision {base}: compare the text with the document and send the result \
                 with {current} as its base"
            ),
        }
    }
}

//! One part of a pending change.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use crate::diff::edit::TextEdit;
use crate::diff::parts::moves::Steps;
use crate::diff::parts::words::{after_within, lines_of};
use crate::text::lines;

/// Names a part. Each canvas counts its parts, so a lower number is an older part. As text, it is `p` and the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "String", into = "String"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "String"))]
pub struct PartId(u64);

impl PartId {
    /// Creates the id of the part with this number.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Returns the number of the part.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for PartId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p{}", self.0)
    }
}

/// Error returned if a text is not the id of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartIdError;

impl PartIdError {
    /// Returns the stable error code.
    pub const fn code(&self) -> &'static str {
        "INVALID_ARGUMENTS"
    }
}

impl fmt::Display for PartIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the id of a part is p and a number: take one from the list of proposals")
    }
}

impl std::error::Error for PartIdError {}

impl FromStr for PartId {
    type Err = PartIdError;

    fn from_str(text: &str) -> Result<Self, PartIdError> {
        let number = text.strip_prefix('p').and_then(|number| number.parse().ok()).ok_or(PartIdError)?;
        // A number has one form.
        if Self(number).to_string() == text { Ok(Self(number)) } else { Err(PartIdError) }
    }
}

impl TryFrom<String> for PartId {
    type Error = PartIdError;

    fn try_from(text: String) -> Result<Self, PartIdError> {
        text.parse()
    }
}

impl From<PartId> for String {
    fn from(id: PartId) -> Self {
        id.to_string()
    }
}

/// A hunk of a pending change, with edits of whole words inside.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PendingPart {
    pub(super) id: PartId,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(super) reason: Option<String>,
    /// In order, and apart from one another. Places are in the document, or in the lines of a stale part.
    pub(super) edits: Vec<TextEdit>,
    /// `None` if the part is pending.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(super) stale: Option<Stale>,
}

/// The place of a part that another change touched.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Stale {
    /// The lines of the part before that change, to which its edits apply.
    pub(super) own: String,
    /// Whether these lines were the end of the document.
    pub(super) is_end: bool,
    /// The bytes between the first line that the change touched and those of the part.
    pub(super) offset: usize,
    /// The bytes of all lines that the change touched here, before it.
    pub(super) len: usize,
    /// The place of these lines in the newest document.
    pub(super) at: Range<usize>,
    /// The number of that change. `None` if a later change touched the place too, so that the part stays stale.
    pub(super) cause: Option<u64>,
}

impl Stale {
    fn moved(&self, steps: &Steps) -> Range<usize> {
        let start = steps.moved(self.at.start);
        start..steps.moved(self.at.end).max(start)
    }
}

/// Whether a part can be accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum PartState {
    /// The part waits for a decision.
    Pending,
    /// Another change touched the words of the part, so it is left out of the proposed text.
    Stale,
}

/// The content of a part, for people who decide.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PartView {
    /// Id of the part.
    pub id: PartId,
    /// Whether the part can be accepted.
    pub state: PartState,
    /// First line of the document that the part replaces, counted from 1.
    pub start_line: usize,
    /// Last line that it replaces. An insertion ends before it starts.
    pub end_line: usize,
    /// The replaced lines, with their ends.
    pub before: String,
    /// The lines in their place, with their ends.
    pub after: String,
    /// The reason that the owner gave.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub reason: Option<String>,
}

impl PendingPart {
    /// Returns the id of the part.
    pub fn id(&self) -> PartId {
        self.id
    }

    /// Returns the reason that the owner gave.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// Returns whether the part can be accepted.
    pub fn state(&self) -> PartState {
        if self.stale.is_none() { PartState::Pending } else { PartState::Stale }
    }

    /// Returns the edits of the document that the part makes, which is an empty list for a stale part.
    pub fn edits(&self) -> &[TextEdit] {
        if self.stale.is_none() { &self.edits } else { &[] }
    }

    /// Whether the other part is this one, perhaps moved. Both replace the same words.
    pub fn is_moved(&self, other: &Self) -> bool {
        let words = |part: &Self| {
            part.edits
                .iter()
                .map(|edit| (&edit.old, &edit.new))
                .eq(other.edits.iter().map(|edit| (&edit.old, &edit.new)))
        };
        self.id == other.id && self.state() == other.state() && words(self)
    }

    pub(super) fn shift(&mut self, steps: &Steps) {
        match &mut self.stale {
            Some(stale) => stale.at = stale.moved(steps),
            None => self.edits.iter_mut().for_each(|edit| edit.at = steps.moved(edit.at)),
        }
    }

    /// Whether [`PendingPart::shift`] makes this part the other one.
    pub(super) fn is_shifted(&self, steps: &Steps, other: &Self) -> bool {
        let place = |at: usize| if self.stale.is_some() { at } else { steps.moved(at) };
        let is_edit = |(one, other): (&TextEdit, &TextEdit)| {
            place(one.at) == other.at && one.old == other.old && one.new == other.new
        };
        let is_place = match (&self.stale, &other.stale) {
            (None, None) => true,
            (Some(one), Some(other)) => *other == Stale { at: one.moved(steps), ..one.clone() },
            _ => false,
        };
        let is_same =
            self.id == other.id && self.reason == other.reason && self.edits.len() == other.edits.len();
        is_same && is_place && self.edits.iter().zip(&other.edits).all(is_edit)
    }

    /// Returns the part as a stale one whose document is not known, at the start of any document.
    #[must_use]
    pub fn without_document(self) -> Self {
        if self.stale.is_some() {
            return self;
        }
        let mut own = String::new();
        let mut edits = self.edits;
        for edit in &mut edits {
            edit.at = own.len();
            own += &edit.old;
        }
        let stale = Stale { is_end: true, offset: 0, len: own.len(), at: 0..0, cause: None, own };
        Self { id: self.id, reason: self.reason, edits, stale: Some(stale) }
    }

    /// Returns the number of bytes of text that the part holds.
    pub fn len_bytes(&self) -> usize {
        let edits: usize = self.edits.iter().map(|edit| edit.old.len() + edit.new.len()).sum();
        let own = self.stale.as_ref().map_or(0, |stale| stale.own.len());
        edits + own + self.reason.as_ref().map_or(0, String::len)
    }

    /// Returns the lines of the text that hold the edits, as bytes.
    pub(super) fn lines(&self, text: &str) -> Range<usize> {
        let of = |edit: Option<&TextEdit>| edit.map_or(0..0, |edit| lines_of(text, edit));
        of(self.edits.first()).start..of(self.edits.last()).end
    }

    /// Returns the content of the part in a document. Takes time in proportion to the text before it, to count the lines;
    /// [`part_views`] counts them once for many parts.
    pub fn view(&self, document: &str) -> PartView {
        let placed = self.placed(document);
        let line = 1 + lines::newlines_in(&document.as_bytes()[..placed.0.start.min(document.len())]);
        self.viewed(document, placed, line)
    }

    fn viewed(
        &self,
        document: &str,
        (place, before, after): (Range<usize>, String, String),
        start_line: usize,
    ) -> PartView {
        let end_line = start_line + lines::count(document.get(place).unwrap_or_default()) - 1;
        let (id, state, reason) = (self.id, self.state(), self.reason.clone());
        PartView { id, state, start_line, end_line, before, after, reason }
    }

    /// Returns the lines that the part replaces in a document, and the lines in their place, each with their ends.
    pub fn replacement(&self, document: &str) -> (String, String) {
        let (_, before, after) = self.placed(document);
        (before, after)
    }

    /// Returns the place of the part as bytes, and its lines before and after.
    fn placed(&self, document: &str) -> (Range<usize>, String, String) {
        let (text, base) = match &self.stale {
            None => (document.into(), 0),
            // Where the lines end the document, an edit without a final newline is one of whole lines.
            Some(Stale { own, is_end: true, at, .. }) => (Cow::Borrowed(own.as_str()), at.start),
            Some(Stale { own, at, .. }) => (format!("{own}\n").into(), at.start),
        };
        let lines = self.lines(&text);
        let after = after_within(&text, &self.edits, lines.clone());
        let before = text[lines.clone()].to_owned();
        let place = match &self.stale {
            None => lines,
            Some(stale) => base..stale.at.end,
        };
        (place, before, after)
    }
}

/// Returns the contents of parts in a document, by their lines and then by id. Takes time in proportion to the document
/// and to the parts.
pub fn part_views<'p>(parts: impl IntoIterator<Item = &'p PendingPart>, document: &str) -> Vec<PartView> {
    let mut placed: Vec<_> = parts.into_iter().map(|part| (part, part.placed(document))).collect();
    placed.sort_by_key(|(_, (place, ..))| place.start);
    let (mut line, mut at) = (1, 0);
    let view = |(part, placed): (&PendingPart, (Range<usize>, String, String))| {
        let start = placed.0.start.min(document.len());
        line += lines::newlines_in(&document.as_bytes()[at..start]);
        at = start;
        part.viewed(document, placed, line)
    };
    let mut views: Vec<_> = placed.into_iter().map(view).collect();
    views.sort_by_key(|view| (view.start_line, view.end_line, view.id));
    views
}

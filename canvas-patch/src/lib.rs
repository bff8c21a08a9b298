//! Applies unified diffs to text, strictly or anchored by content, and finds places in Markdown by address.
//!
//! [`apply`] applies all hunks of a patch, or does not change the text. In [`Mode::Strict`], everything must be exact.
//! [`Mode::Anchored`] is made for diffs that language models write. In this mode, counts, line numbers and line
//! terminators are hints, but the content of every hunk must occur in the text exactly, at one place. Neither mode
//! tolerates differences in white space or Unicode, or accepts a line because it is similar. A patch without effect is
//! an error. Errors list the conflicts of all hunks, with advice for the author of the patch.
//!
//! ```
//! use canvas_patch::{ApplyOptions, Mode, Reason, apply};
//!
//! let text = "# Plan\n\n- buy milk\n- call home\n";
//! let anchored = ApplyOptions { mode: Mode::Anchored, ..ApplyOptions::default() };
//!
//! // The header is wrong, the content is not.
//! let applied = apply(text, "@@ -7,9 +7,9 @@\n - buy milk\n-- call home\n+- write home\n", &anchored)?;
//! assert_eq!(applied.text(), "# Plan\n\n- buy milk\n- write home\n");
//!
//! // A misquoted line is refused, with its place and the text found there.
//! let refused = apply(text, "@@\n - buy milk\n-- call Home\n+- write home\n", &anchored).unwrap_err();
//! assert_eq!(refused.reason(), Reason::NotFound);
//! assert_eq!((refused.conflicts()[0].line, refused.conflicts()[0].candidates.len()), (Some(4), 0));
//! # Ok::<(), canvas_patch::ApplyError>(())
//! ```
//!
//! # Making and inverting patches
//!
//! [`build`] makes a patch and tries it with the strict applier. [`build_unique`] widens the context until anchored
//! mode can place every hunk by its content, as far as the text allows. [`Applied::inverse`] is the patch that undoes
//! the change, and [`Applied::delta`] is the change as a value that you can transform to fit after later changes.
//!
//! ```
//! use canvas_patch::{ApplyOptions, Delta, apply, build};
//!
//! let (before, after) = ("- a\n- b\n", "- a\n- c\n");
//! let patch = build(before, after, 3);
//! let applied = apply(before, &patch, &ApplyOptions::default())?;
//! assert_eq!(apply(after, &applied.inverse(), &ApplyOptions::default())?.text(), before);
//!
//! // Somebody else added a line since. Our change is undone, and theirs stays.
//! let later = Delta::between(after, "# List\n- a\n- c\n");
//! let back = applied.delta().inverse().transform(&later)?;
//! assert_eq!(back.apply("# List\n- a\n- c\n")?, "# List\n- a\n- b\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Finding places
//!
//! [`outline`] lists headings, [`resolve`] finds the lines of an [`Address`], and [`grep`] finds text in linear time.
//! [`LiveOutline`] keeps headings and addresses current from edit to edit.
//!
//! ```
//! use canvas_patch::{Address, LiveOutline, Part};
//!
//! let text = "# Plan\n\n- buy\n  - milk\n  - bread\n";
//! let milk = Address::Section { path: vec!["Plan".into()], ordinal: None, part: Some(Part::Item(vec![1, 1])) };
//! let mut live = LiveOutline::new(text.to_owned());
//! assert_eq!(live.resolve(&milk)?.lines.start, 4);
//! live.edit(format!("Soon:\n\n{text}"), &[]);
//! assert_eq!(live.resolve(&milk)?.lines.start, 6);
//! # Ok::<(), canvas_patch::AddressError>(())
//! ```
//!
//! # Editing the structure
//!
//! [`edit_structure`] moves, renames, sets and checks the text at an [`Address`], so that nobody has to repeat it.
//!
//! ```
//! use canvas_patch::{Column, StructureEdit, TableChange, edit_structure};
//!
//! let text = "| Item | Price |\n|------|------:|\n| Milk |     1 |\n";
//! let change = TableChange::Set { row: 1, column: Column::Header("Price".into()), value: "12".into() };
//! let edited = edit_structure(text, &StructureEdit::Table { section: None, table: 1, change })?;
//! assert_eq!(edited.text, "| Item | Price |\n|------|------:|\n| Milk |    12 |\n");
//! # Ok::<(), canvas_patch::StructureError>(())
//! ```
//!
//! # Keeping an edit in bounds
//!
//! [`LiveOutline::check_edit`] refuses an edit that reaches out of its section, or that changes the meaning of lines
//! that it does not touch.
//!
//! ```
//! use canvas_patch::{ApplyOptions, EditPolicy, LiveOutline, Mode, apply};
//!
//! let text = "# A\n\none\n\n# B\n\ntwo\n";
//! let anchored = ApplyOptions { mode: Mode::Anchored, ..ApplyOptions::default() };
//! let applied = apply(text, "@@\n one\n+```\n", &anchored)?;
//! let careful = EditPolicy { refuse_side_effects: true, ..EditPolicy::default() };
//! let live = LiveOutline::new(text.to_owned());
//! let refused = live.check_edit(applied.text(), applied.delta().edits(), &careful).unwrap_err();
//! assert_eq!(refused.code(), "UNCLOSED_FENCE");
//! # Ok::<(), canvas_patch::ApplyError>(())
//! ```
//!
//! # Keeping a long text
//!
//! [`Chunks`] cuts a text at places that its content chooses, so that an edit changes only a few of its chunks.
//!
//! # Limits
//!
//! * A patch is for one text. Files, renames, modes and binary patches are out of scope.
//! * Lines end in LF. A CR before the LF belongs to the terminator, but a lone CR is content.
//! * Sizes are bounded by [`Limits`], and time is linear in text and patch.
//!
//! # Modules
//!
//! All modules but `strategies` (feature `proptest`) are private, and their items are exported here. `text` defines
//! lines, searches them and cuts chunks. `diff` reads, applies, builds and inverts patches. `markdown` handles
//! headings, addresses, edits of the structure, the effects of an edit on it, merges by words, and redlines. Imports go one way. `text` imports
//! neither of the others, `diff` does not import `markdown`, and `markdown` uses few things of `diff`: the edits of a
//! [`Delta`], the places of an [`ApplyError`], two changes woven into one, and [`Parts`].

mod coded;
mod diff;
mod markdown;
#[cfg(any(test, feature = "proptest"))]
pub mod strategies;
mod text;

pub use diff::alike::CodePoints;
pub use diff::apply::blocks::{Block, BlockLine, apply_blocks, find_lines};
pub use diff::apply::error::{ApplyError, Suggestion};
pub use diff::apply::excerpt::DiffExcerpt;
pub use diff::apply::{Applied, apply};
pub use diff::build::{BuildOptions, Built, build, build_unique, build_with_delta};
pub use diff::conflict::{Conflict, ExceededLimit, Place, QuotedLine, Reason};
pub use diff::delta::{Delta, DeltaConflict, DeltaMismatch, DeltaOrder, Rebase};
pub use diff::edit::{Summary, TextEdit};
pub use diff::explain::inside::near_miss;
pub use diff::mismatch::{Difference, Mismatch};
pub use diff::options::{ApplyOptions, EarlierText, Mode, StatedLines};
pub use diff::parts::{
    Anchor, Moves, PartId, PartIdError, PartState, PartView, Parts, PendingPart, part_views,
};
pub use diff::patch::{Repair, RepairKind};
pub use diff::position::{Offset, Position, PositionError, PositionMap};
pub use diff::words::{WordChange, word_changes};
pub use markdown::address::{Address, AddressError, Candidate, Column, Part, Resolved, TablePart, resolve};
pub use markdown::edit::{
    Destination, Edited, ItemChange, MatchCount, SectionPath, StructureEdit, StructureError, TableChange,
    ValueFault, edit_structure,
};
pub use markdown::effects::{Effect, EffectCode, effects};
pub use markdown::front_matter::YamlValue;
pub use markdown::merge::{MergeCause, MergeConflict, Merged, MergedLine, merge_words};
pub use markdown::outline::{Container, ContainerKind, LineRange, LiveOutline, Outline, Section, outline};
pub use markdown::redline::{RedlineSpan, SpanKind, critic_markup, redline, redline_html};
pub use markdown::structure::{ChangedHeading, EditPolicy, EditPolicyError, StructureChange};
#[doc(hidden)]
pub use text::boundary::floor_char_boundary;
pub use text::chunk::{Chunks, EditedChunks};
pub use text::grep::{Grep, GrepError, GrepLimits, Match, Query, grep, matches};
pub use text::limits::{Limits, truncate};
pub use text::span::Span;

/// The example of the README, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

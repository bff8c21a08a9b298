//! Strict and anchored unified diffs for text, with conflicts that say what to do next, and addresses for Markdown.
//!
//! [`apply`] takes all hunks of a patch or none. In [`Mode::Strict`] everything must be exact. In [`Mode::Anchored`],
//! made for diffs that language models write, counts, line numbers and line terminators are hints; the content of
//! every hunk must occur in the text exactly, at one place. There is no tolerance for white space, Unicode or
//! similarity, and no patch that changes nothing succeeds.
//!
//! ```
//! use canvas_patch::{Mode, Options, Reason, apply};
//!
//! let text = "# Plan\n\n- buy milk\n- call home\n";
//! let anchored = Options { mode: Mode::Anchored, ..Options::default() };
//!
//! // The header is wrong, the content is not.
//! let applied = apply(text, "@@ -7,9 +7,9 @@\n - buy milk\n-- call home\n+- write home\n", &anchored)?;
//! assert_eq!(applied.text(), "# Plan\n\n- buy milk\n- write home\n");
//!
//! // A misquoted line is refused, with its place and what is there.
//! let refused = apply(text, "@@\n - buy milk\n-- call Home\n+- write home\n", &anchored).unwrap_err();
//! assert_eq!(refused.reason(), Reason::NotFound);
//! assert_eq!((refused.conflicts()[0].line, refused.conflicts()[0].candidates.len()), (Some(4), 0));
//! # Ok::<(), canvas_patch::ApplyError>(())
//! ```
//!
//! # Making and inverting patches
//!
//! [`build`] makes a patch that the strict applier has tried; [`build_unique`] widens its context until
//! anchored mode can place every hunk by content alone. [`Applied::inverse`] is a patch that leads back,
//! [`Applied::delta`] the change as a value that can be transformed to fit after later ones.
//!
//! ```
//! use canvas_patch::{Delta, Options, apply, build};
//!
//! let (before, after) = ("- a\n- b\n", "- a\n- c\n");
//! let patch = build(before, after, 3);
//! let applied = apply(before, &patch, &Options::default())?;
//! assert_eq!(apply(after, &applied.inverse(), &Options::default())?.text(), before);
//!
//! // Somebody else has added a line since. Our change goes, theirs stays.
//! let later = Delta::between(after, "# List\n- a\n- c\n");
//! let back = applied.delta().inverse().transform(&later)?;
//! assert_eq!(back.apply("# List\n- a\n- c\n")?, "# List\n- a\n- b\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Finding places
//!
//! [`outline`] lists headings, [`resolve`] leads from an [`Address`] to lines, [`grep`] finds text in linear time.
//! [`LiveOutline`] keeps all of that right from edit to edit.
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
//! # Keeping an edit in bounds
//!
//! [`LiveOutline::check_edit`] refuses an edit that reaches out of its section, or that changes what it does not touch.
//!
//! ```
//! use canvas_patch::{EditPolicy, LiveOutline, Mode, Options, apply};
//!
//! let text = "# A\n\none\n\n# B\n\ntwo\n";
//! let anchored = Options { mode: Mode::Anchored, ..Options::default() };
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
//! [`Chunks`] cuts a text where its content says, so that an edit changes few of its chunks.
//!
//! # Limits
//!
//! * One text at a time: no files, renames, modes or binary patches.
//! * Lines end in LF; a CR before it belongs to the terminator. A lone CR is content.
//! * Sizes are bounded by [`Limits`], and time is linear in text and patch.
//!
//! # Modules
//!
//! All private but `strategies` (feature `proptest`), their items exported here. `text` says what a line is, searches
//! lines and cuts chunks; `diff` reads, applies, builds and inverts patches; `markdown` knows headings, addresses and what an edit does to
//! them. Imports go one way: `text` knows neither of the others, `diff` knows no Markdown, and of `diff` the module
//! `markdown` knows the edits of a [`Delta`] and the places of an [`ApplyError`].

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
pub use diff::build::{BuildOptions, Built, build, build_unique};
pub use diff::conflict::{Conflict, ExceededLimit, Place, QuotedLine, Reason};
pub use diff::delta::{Delta, DeltaConflict, DeltaMismatch, DeltaOrder, Rebase};
pub use diff::edit::{Summary, TextEdit};
pub use diff::explain::inside::near_miss;
pub use diff::mismatch::{Difference, Mismatch};
pub use diff::options::{EarlierText, Mode, Options, StatedLines};
pub use diff::patch::{Repair, RepairKind};
pub use diff::words::{WordChange, word_changes};
pub use markdown::address::{Address, AddressError, Candidate, Part, Resolved, resolve};
pub use markdown::outline::{Container, ContainerKind, LineRange, LiveOutline, Outline, Section, outline};
pub use markdown::structure::{EditPolicy, EditPolicyError, Heading, StructureChange};
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

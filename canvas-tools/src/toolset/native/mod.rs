//! Native dialects: the forms of edits that models were trained on, as edits located in the base.
//!
//! A dialect is a pure translation of a call. Its content must be in the text exactly, at one place, or the call is refused
//! with the places; nothing is matched by likeness, and of several matches the first never wins. Applying is the business
//! of `canvas-patch`: blocks of whole lines for the forms made of lines, a `Delta` for those that reach inside lines.
//!
//! `string` replaces text inside lines, for `text_editor` and `string_edit`; `v4a` reads and places the hunks of
//! `apply_patch` and `codex`, `envelope` what is around them; `search_replace` reads marked blocks. `outcome` is what all of
//! them end with, `render` the way back from a change to calls.

mod apply;
mod apply_patch;
mod codex;
pub(super) mod declare;
mod dialect;
mod envelope;
mod family;
mod fields;
mod options;
mod outcome;
mod reason;
mod region;
mod render;
mod search_replace;
mod stream;
mod string;
mod string_edit;
mod text_editor;
mod tool;
mod v4a;

pub use self::apply::apply_native;
pub use self::declare::CODEX_GRAMMAR;
pub use self::dialect::Dialect;
pub use self::family::{FAMILIES, ModelFamily};
pub use self::options::NativeOptions;
pub use self::outcome::{NativeConflict, NativeEdit, NativeError};
pub use self::reason::NativeReason;
pub use self::render::{RenderError, RenderOptions, render_native};
pub use self::stream::DiffStream;
pub use self::tool::NativeTools;

#[cfg(feature = "schema")]
pub(crate) use fields::reply_schema;

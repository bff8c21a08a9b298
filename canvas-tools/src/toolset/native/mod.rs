//! Native dialects, the edit formats that models were trained on, translated into edits located in the base.
//!
//! A dialect is a pure translation of a call. The quoted content must occur in the text exactly and at one place,
//! otherwise the call is refused with the places. There is no fuzzy matching, and the first of several matches never
//! wins. `canvas-patch` applies the result: blocks of whole lines for the line-based formats, and a `Delta` for those
//! that edit inside lines.
//!
//! `string` replaces text inside lines, for `text_editor` and `string_edit`. `v4a` parses and places the hunks of
//! `apply_patch` and `codex`, and `envelope` reads the text around them. `search_replace` parses marked blocks.
//! `outcome` has the common result, and `render` converts a change back into calls.

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

//! What a language model may do to a canvas: checked tool calls, replies, prompt and context messages.

mod call;
mod prompt;
mod reply;
mod session;
mod spec;
mod sync;
mod toolset;

pub use call::ToolCall;
pub use prompt::system_prompt;
pub use reply::ToolReply;
pub use session::{Session, SessionError, TurnBegan, TurnEnded};
pub use spec::ToolSpec;
pub use sync::{HIDDEN_HEADER, hidden_message};
pub use toolset::document::{call_document_tool, document_tools};

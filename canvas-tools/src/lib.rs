//! What a language model may do to a canvas: checked tool calls, replies, prompt and context messages.

mod call;
mod reply;
mod spec;

pub use call::ToolCall;
pub use reply::ToolReply;
pub use spec::ToolSpec;

//! What a language model may do to a canvas: checked tool calls, replies, prompt and context messages.

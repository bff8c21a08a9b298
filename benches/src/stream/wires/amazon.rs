//! Bedrock Converse. The field `p` fills its chunks up.

use super::{Script, Section};

pub(super) const CONVERSE: Script = Script {
    opening: || vec![("messageStart", "{\"p\":\"abcdefghijkl\",\"role\":\"assistant\"}".to_owned())],
    sections: &[Section::Thinking, Section::Text, Section::Call],
    begin: |section, at| match section {
        Section::Call => vec![(
            "contentBlockStart",
            format!(
                "{{\"contentBlockIndex\":{at},\"p\":\"abcdefghijkl\",\"start\":{{\"toolUse\":{{\"name\":\
                 \"canvas_apply_patch\",\"toolUseId\":\"tooluse_kq6Sm1uWo0IYxXvFDHZ7uF\"}}}}}}"
            ),
        )],
        Section::Thinking | Section::Text => Vec::new(),
    },
    delta: |section, at, word| {
        let delta = match section {
            Section::Thinking => format!("{{\"reasoningContent\":{{\"text\":{word}}}}}"),
            Section::Text => format!("{{\"text\":{word}}}"),
            Section::Call => format!("{{\"toolUse\":{{\"input\":{word}}}}}"),
        };
        let json = format!("{{\"contentBlockIndex\":{at},\"delta\":{delta},\"p\":\"abcdefghijkl\"}}");
        ("contentBlockDelta", json)
    },
    end: |_, at, _| {
        vec![("contentBlockStop", format!("{{\"contentBlockIndex\":{at},\"p\":\"abcdefghijkl\"}}"))]
    },
    last: |_| {
        let metadata = "{\"metrics\":{\"latencyMs\":2034},\"p\":\"abcdefghijkl\",\"usage\":{\"inputTokens\":505,\
                        \"outputTokens\":112,\"totalTokens\":617}}";
        vec![
            ("messageStop", "{\"p\":\"abcdefghijkl\",\"stopReason\":\"tool_use\"}".to_owned()),
            ("metadata", metadata.to_owned()),
        ]
    },
    whole_call: "",
};

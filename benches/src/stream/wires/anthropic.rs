//! Anthropic Messages.

use super::{Script, Section};

pub(super) const MESSAGES: Script = Script {
    opening: || {
        let start = "{\"type\":\"message_start\",\"message\":{\"model\":\"claude-opus-4-7\",\"id\":\
                     \"msg_01XFDUDYJgAACzvnptvVoYEL\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[],\
                     \"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":773,\
                     \"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0,\"output_tokens\":8}}}";
        vec![("message_start", start.to_owned()), ("ping", "{\"type\": \"ping\"}".to_owned())]
    },
    sections: &[Section::Thinking, Section::Text, Section::Call],
    begin: |section, at| {
        let block = match section {
            Section::Thinking => "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}",
            Section::Text => "{\"type\":\"text\",\"text\":\"\"}",
            Section::Call => {
                "{\"type\":\"tool_use\",\"id\":\"toolu_01T1x1fJ34qAmk2tNTrN7Up6\",\"name\":\"canvas_apply_patch\",\
                 \"input\":{}}"
            }
        };
        let json = format!("{{\"type\":\"content_block_start\",\"index\":{at},\"content_block\":{block}}}");
        vec![("content_block_start", json)]
    },
    delta: |section, at, word| {
        let delta = match section {
            Section::Thinking => format!("{{\"type\":\"thinking_delta\",\"thinking\":{word}}}"),
            Section::Text => format!("{{\"type\":\"text_delta\",\"text\":{word}}}"),
            Section::Call => format!("{{\"type\":\"input_json_delta\",\"partial_json\":{word}}}"),
        };
        let json = format!("{{\"type\":\"content_block_delta\",\"index\":{at},\"delta\":{delta}}}");
        ("content_block_delta", json)
    },
    end: |section, at, _| {
        let signature = format!(
            "{{\"type\":\"content_block_delta\",\"index\":{at},\"delta\":{{\"type\":\"signature_delta\",\"signature\":\
             \"{}\"}}}}",
            "EqQBCgIYAhIM1gbcDa9GJwZA2b3h".repeat(8)
        );
        let stop = format!("{{\"type\":\"content_block_stop\",\"index\":{at}}}");
        let signature = (section == Section::Thinking).then_some(("content_block_delta", signature));
        signature.into_iter().chain([("content_block_stop", stop)]).collect()
    },
    last: |_| {
        let delta = "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\",\"stop_sequence\":null},\
                     \"usage\":{\"output_tokens\":112}}";
        vec![("message_delta", delta.to_owned()), ("message_stop", "{\"type\":\"message_stop\"}".to_owned())]
    },
    whole_call: "",
};

//! Ollama's own route. Its calls come whole.

use super::google::PATCH;
use super::{Payload, Script, Section};

pub(super) const CHAT: Script = Script {
    opening: Vec::new,
    sections: &[Section::Thinking, Section::Text],
    begin: |_, _| Vec::new(),
    delta: |section, _, word| match section {
        Section::Thinking => line(&format!("\"content\":\"\",\"thinking\":{word}"), "false"),
        Section::Text | Section::Call => line(&format!("\"content\":{word}"), "false"),
    },
    end: |_, _, _| Vec::new(),
    last: |_| {
        let call = format!(
            "\"content\":\"\",\"tool_calls\":[{{\"function\":{{\"name\":\"canvas_apply_patch\",\"arguments\":{PATCH}}}}}]"
        );
        let done = "true,\"done_reason\":\"stop\",\"total_duration\":3912340917,\"load_duration\":61334292,\
                    \"prompt_eval_count\":505,\"prompt_eval_duration\":218000,\"eval_count\":112";
        vec![line(&call, "false"), line("\"content\":\"\"", done)]
    },
    whole_call: PATCH,
};

fn line(fields: &str, done: &str) -> Payload {
    let json = format!(
        "{{\"model\":\"qwen3:4b\",\"created_at\":\"2026-08-17T08:22:52.061545Z\",\"message\":{{\"role\":\"assistant\",\
         {fields}}},\"done\":{done}}}"
    );
    ("", json)
}

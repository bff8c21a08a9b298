//! Gemini's `generateContent` and Interactions.

use super::{DONE, Payload, Script, Section};

/// Its calls come whole.
pub(super) const GENERATE_CONTENT: Script = Script {
    opening: Vec::new,
    sections: &[Section::Thinking, Section::Text],
    begin: |_, _| Vec::new(),
    delta: |section, _, word| {
        let thought = if section == Section::Thinking { ",\"thought\":true" } else { "" };
        generated(&format!("{{\"text\":{word}{thought}}}"), "")
    },
    end: |_, _, _| Vec::new(),
    last: |_| {
        let call = format!(
            "{{\"functionCall\":{{\"name\":\"canvas_apply_patch\",\"args\":{PATCH}}},\"thoughtSignature\":\"{}\"}}",
            "EpYSCpMSCAISjhIBDDnWx".repeat(20)
        );
        vec![generated(&call, ""), generated("{\"text\":\"\"}", ",\"finishReason\":\"STOP\"")]
    },
    whole_call: PATCH,
};

pub(super) const PATCH: &str = "{\"patch\":\"@@\\n - one\\n-- two\\n+- three\\n\"}";

fn generated(part: &str, finish: &str) -> Payload {
    let json = format!(
        "{{\"candidates\": [{{\"content\": {{\"parts\": [{part}],\"role\": \"model\"}}{finish},\"index\": 0}}],\
         \"usageMetadata\": {{\"promptTokenCount\": 120,\"candidatesTokenCount\": 13,\"totalTokenCount\": 476,\
         \"promptTokensDetails\": [{{\"modality\": \"TEXT\",\"tokenCount\": 120}}],\"thoughtsTokenCount\": 343,\
         \"serviceTier\": \"standard\"}},\"modelVersion\": \"gemini-3-flash-preview\",\"responseId\": \
         \"Q9AUaZzxKYuHz7IPl6rSoQk\"}}"
    );
    ("", json)
}

pub(super) const INTERACTIONS: Script = Script {
    opening: || {
        let created = "{\"event_type\":\"interaction.created\",\"interaction\":{\"id\":\"v1_ChdQOUFVYVp6eEtZdUh6\",\
                       \"status\":\"in_progress\",\"model\":\"gemini-3-flash-preview\"}}";
        vec![("interaction.created", created.to_owned())]
    },
    sections: &[Section::Thinking, Section::Text, Section::Call],
    begin: |section, at| {
        let step = match section {
            Section::Thinking => "{\"type\":\"thought\"}",
            Section::Text => "{\"type\":\"model_output\"}",
            Section::Call => {
                "{\"type\":\"function_call\",\"id\":\"call_966934\",\"name\":\"canvas_apply_patch\",\"arguments\":{}}"
            }
        };
        vec![("step.start", format!("{{\"event_type\":\"step.start\",\"index\":{at},\"step\":{step}}}"))]
    },
    delta: |section, at, word| {
        let delta = match section {
            Section::Thinking => {
                format!("{{\"type\":\"thought_summary\",\"content\":{{\"type\":\"text\",\"text\":{word}}}}}")
            }
            Section::Text => format!("{{\"type\":\"text\",\"text\":{word}}}"),
            Section::Call => format!("{{\"type\":\"arguments_delta\",\"arguments\":{word}}}"),
        };
        ("step.delta", format!("{{\"event_type\":\"step.delta\",\"index\":{at},\"delta\":{delta}}}"))
    },
    end: |_, at, _| vec![("step.stop", format!("{{\"event_type\":\"step.stop\",\"index\":{at}}}"))],
    last: |_| {
        let completed = "{\"event_type\":\"interaction.completed\",\"interaction\":{\"id\":\"v1_ChdQOUFVYVp6eEtZdUh6\",\
                         \"status\":\"requires_action\",\"usage\":{\"total_input_tokens\":120,\
                         \"total_output_tokens\":13,\"total_thought_tokens\":343,\"total_tokens\":476}}}";
        vec![("interaction.completed", completed.to_owned()), ("done", DONE.to_owned())]
    },
    whole_call: "",
};

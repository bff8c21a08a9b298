//! Chat Completions and Responses.

use super::{DONE, Payload, Script, Section};

pub(super) const CHAT: Script = Script {
    opening: || vec![chat("{\"role\":\"assistant\",\"content\":\"\",\"refusal\":null}", "null")],
    sections: &[Section::Text, Section::Call],
    begin: |section, _| match section {
        Section::Call => vec![chat(
            "{\"tool_calls\":[{\"index\":0,\"id\":\"call_kq6Sm1uWo0IYxXvFDHZ7uFtB\",\"type\":\"function\",\
             \"function\":{\"name\":\"canvas_apply_patch\",\"arguments\":\"\"}}]}",
            "null",
        )],
        Section::Text | Section::Thinking => Vec::new(),
    },
    delta: |section, _, word| chat(&chat_delta(section, word), "null"),
    end: |_, _, _| Vec::new(),
    last: |_| {
        let counted = "{\"id\":\"chatcmpl-CbLVOFKnfJ7JJbH0YvCzGgRyKc1PD\",\"object\":\"chat.completion.chunk\",\
                       \"created\":1762959990,\"model\":\"gpt-4.1-mini-2025-04-14\",\"choices\":[],\"usage\":\
                       {\"prompt_tokens\":505,\"completion_tokens\":112,\"total_tokens\":617}}";
        vec![chat("{}", "\"tool_calls\""), ("", counted.to_owned()), ("", DONE.to_owned())]
    },
    whole_call: "",
};

fn chat_delta(section: Section, word: &str) -> String {
    match section {
        Section::Text => format!("{{\"content\":{word}}}"),
        Section::Thinking => format!("{{\"content\":null,\"reasoning_content\":{word}}}"),
        Section::Call => {
            format!("{{\"tool_calls\":[{{\"index\":0,\"function\":{{\"arguments\":{word}}}}}]}}")
        }
    }
}

fn chat(delta: &str, finish: &str) -> Payload {
    let json = format!(
        "{{\"id\":\"chatcmpl-CbLVOFKnfJ7JJbH0YvCzGgRyKc1PD\",\"object\":\"chat.completion.chunk\",\
         \"created\":1762959990,\"model\":\"gpt-4.1-mini-2025-04-14\",\"service_tier\":\"default\",\
         \"system_fingerprint\":\"fp_4c2851f862\",\"choices\":[{{\"index\":0,\"delta\":{delta},\"logprobs\":null,\
         \"finish_reason\":{finish}}}],\"usage\":null,\"obfuscation\":\"Ks8TqY2fLxw\"}}"
    );
    ("", json)
}

pub(super) const CHAT_REASONING: Script = Script {
    opening: || {
        vec![reasoner("{\"role\":\"assistant\",\"content\":null,\"reasoning_content\":\"\"}", "null")]
    },
    sections: &[Section::Thinking, Section::Text, Section::Call],
    begin: |section, _| match section {
        Section::Call => vec![reasoner(
            "{\"tool_calls\":[{\"index\":0,\"id\":\"call_00_u7wXoQ3yDh8zvBHk5LtRwnqE\",\"type\":\"function\",\
             \"function\":{\"name\":\"canvas_apply_patch\",\"arguments\":\"\"}}]}",
            "null",
        )],
        Section::Text | Section::Thinking => Vec::new(),
    },
    delta: |section, _, word| reasoner(&chat_delta(section, word), "null"),
    end: |_, _, _| Vec::new(),
    last: |_| {
        vec![
            reasoner("{\"content\":\"\",\"reasoning_content\":null}", "\"tool_calls\""),
            ("", DONE.to_owned()),
        ]
    },
    whole_call: "",
};

fn reasoner(delta: &str, finish: &str) -> Payload {
    let json = format!(
        "{{\"id\":\"1f4d5a0e-7a8c-4c43-9f0e-0d8b3f2a6c71\",\"object\":\"chat.completion.chunk\",\
         \"created\":1762959990,\"model\":\"deepseek-v4-flash\",\"system_fingerprint\":\
         \"a26a7955944dc5c60445bff77fac9c8e\",\"choices\":[{{\"index\":0,\"delta\":{delta},\"logprobs\":null,\
         \"finish_reason\":{finish}}}],\"usage\":null}}"
    );
    ("", json)
}

pub(super) const RESPONSES: Script = Script {
    opening: || {
        let events = ["response.created", "response.in_progress"];
        events.map(|kind| response(kind, "in_progress", "", "null")).into()
    },
    sections: &[Section::Thinking, Section::Text, Section::Call],
    begin: |section, at| {
        let mut events =
            vec![item("response.output_item.added", at, &output(section, "\"\"", "in_progress"))];
        match section {
            Section::Thinking => events.push(event(
                "response.reasoning_summary_part.added",
                at,
                "\"summary_index\":0,\"part\":{\"type\":\"summary_text\",\"text\":\"\"}",
            )),
            Section::Text => events.push(event(
                "response.content_part.added",
                at,
                "\"content_index\":0,\"part\":{\"type\":\"output_text\",\"annotations\":[],\"logprobs\":[],\"text\":\"\"}",
            )),
            Section::Call => {}
        }
        events
    },
    delta: |section, at, word| match section {
        Section::Thinking => event(
            "response.reasoning_summary_text.delta",
            at,
            &format!("\"summary_index\":0,\"delta\":{word},\"obfuscation\":\"0Lf9XhvUwt2\""),
        ),
        Section::Text => event(
            "response.output_text.delta",
            at,
            &format!("\"content_index\":0,\"delta\":{word},\"logprobs\":[],\"obfuscation\":\"0Lf9XhvUwt2\""),
        ),
        Section::Call => event(
            "response.function_call_arguments.delta",
            at,
            &format!("\"delta\":{word},\"obfuscation\":\"0Lf9XhvUwt2\""),
        ),
    },
    end: |section, at, whole| {
        let done = match section {
            Section::Thinking => event(
                "response.reasoning_summary_text.done",
                at,
                &format!("\"summary_index\":0,\"text\":{whole}"),
            ),
            Section::Text => event(
                "response.output_text.done",
                at,
                &format!("\"content_index\":0,\"text\":{whole},\"logprobs\":[]"),
            ),
            Section::Call => event(
                "response.function_call_arguments.done",
                at,
                &format!("\"name\":\"canvas_apply_patch\",\"arguments\":{whole}"),
            ),
        };
        vec![done, item("response.output_item.done", at, &output(section, whole, "completed"))]
    },
    last: |parts| {
        let items: Vec<_> =
            parts.iter().map(|(section, whole)| output(*section, whole, "completed")).collect();
        let counted = "{\"input_tokens\":505,\"input_tokens_details\":{\"cached_tokens\":384},\"output_tokens\":112,\
                       \"output_tokens_details\":{\"reasoning_tokens\":20},\"total_tokens\":617}";
        vec![response("response.completed", "completed", &items.join(","), counted)]
    },
    whole_call: "",
};

fn event(kind: &'static str, at: usize, fields: &str) -> Payload {
    let json = format!(
        "{{\"type\":\"{kind}\",\"sequence_number\":417,\"item_id\":\
         \"msg_0a1cb55f9cbb6b7a00691f4b7e9fa48197a5b0\",\"output_index\":{at},{fields}}}"
    );
    (kind, json)
}

fn item(kind: &'static str, at: usize, item: &str) -> Payload {
    (kind, format!("{{\"type\":\"{kind}\",\"sequence_number\":417,\"output_index\":{at},\"item\":{item}}}"))
}

fn output(section: Section, whole: &str, status: &str) -> String {
    let is_begun = whole != "\"\"";
    match section {
        Section::Thinking if is_begun => format!(
            "{{\"id\":\"rs_0a1cb55f9cbb6b7a\",\"type\":\"reasoning\",\"summary\":[{{\"type\":\"summary_text\",\
             \"text\":{whole}}}]}}"
        ),
        Section::Thinking => {
            "{\"id\":\"rs_0a1cb55f9cbb6b7a\",\"type\":\"reasoning\",\"summary\":[]}".to_owned()
        }
        Section::Text => {
            let text =
                format!("{{\"type\":\"output_text\",\"annotations\":[],\"logprobs\":[],\"text\":{whole}}}");
            let content = if is_begun { text.as_str() } else { "" };
            format!(
                "{{\"id\":\"msg_0a1cb55f9cbb6b7a00691f4b7e9fa48197a5b0\",\"type\":\"message\",\"status\":\"{status}\",\
                 \"content\":[{content}],\"role\":\"assistant\"}}"
            )
        }
        Section::Call => format!(
            "{{\"id\":\"fc_0a1cb55f9cbb6b7a\",\"type\":\"function_call\",\"status\":\"{status}\",\"arguments\":{whole},\
             \"call_id\":\"call_kq6Sm1uWo0IYxXvFDHZ7uFtB\",\"name\":\"canvas_apply_patch\"}}"
        ),
    }
}

fn response(kind: &'static str, status: &str, output: &str, usage: &str) -> Payload {
    let json = format!(
        "{{\"type\":\"{kind}\",\"sequence_number\":0,\"response\":{{\"id\":\"resp_0a1cb55f9cbb6b7a\",\"object\":\
         \"response\",\"created_at\":1762959990,\"status\":\"{status}\",\"background\":false,\"error\":null,\
         \"incomplete_details\":null,\"instructions\":null,\"max_output_tokens\":null,\"model\":\
         \"gpt-5.1-2025-11-13\",\"output\":[{output}],\"parallel_tool_calls\":true,\"previous_response_id\":null,\
         \"reasoning\":{{\"effort\":\"low\",\"summary\":\"detailed\"}},\"service_tier\":\"default\",\"store\":false,\
         \"temperature\":1.0,\"text\":{{\"format\":{{\"type\":\"text\"}},\"verbosity\":\"medium\"}},\"tool_choice\":\
         \"auto\",\"tools\":[],\"top_p\":1.0,\"truncation\":\"disabled\",\"usage\":{usage},\"metadata\":{{}}}}}}"
    );
    (kind, json)
}

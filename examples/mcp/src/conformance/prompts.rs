//! Prompts of the suite.

use rmcp::model::{
    ContentBlock, ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult, Prompt,
    PromptArgument, PromptMessage, ResourceContents, Role,
};
use serde_json::Value;

use super::asking::{Asking, form, is_answer};
use super::plain::PNG;

const PROMPTS: [(&str, &[&str]); 5] = [
    ("test_simple_prompt", &[]),
    ("test_prompt_with_arguments", &["arg1", "arg2"]),
    ("test_prompt_with_embedded_resource", &["resourceUri"]),
    ("test_prompt_with_image", &[]),
    ("test_input_required_result_prompt", &[]),
];

/// The prompts as clients list them.
pub(crate) fn list() -> impl Iterator<Item = Prompt> {
    PROMPTS.into_iter().map(|(name, arguments)| {
        let arguments = arguments.iter().map(|name| PromptArgument::new(*name).with_required(true));
        let arguments: Vec<_> = arguments.collect();
        let arguments = (!arguments.is_empty()).then_some(arguments);
        Prompt::new(name, Some("A fixture of the conformance suite."), arguments)
    })
}

/// A prompt of this name; `None` where there is none.
pub(crate) fn get(
    asking: &Asking,
    params: &GetPromptRequestParams,
) -> Option<Result<GetPromptResponse, ErrorData>> {
    let argument = |name: &str| {
        let arguments = params.arguments.as_ref();
        arguments.and_then(|all| all.get(name)).and_then(Value::as_str).unwrap_or_default()
    };
    let text = |text: String| PromptMessage::new(Role::User, ContentBlock::text(text));
    let messages = match params.name.as_str() {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.".into())],
        "test_prompt_with_arguments" => vec![text(format!(
            "Prompt with arguments: arg1='{}', arg2='{}'",
            argument("arg1"),
            argument("arg2")
        ))],
        "test_prompt_with_embedded_resource" => {
            let contents =
                ResourceContents::text("Embedded resource content for testing.", argument("resourceUri"));
            let resource = ContentBlock::resource(contents.with_mime_type("text/plain"));
            vec![
                PromptMessage::new(Role::User, resource),
                text("Please process the embedded resource above.".into()),
            ]
        }
        "test_prompt_with_image" => vec![
            PromptMessage::new(Role::User, ContentBlock::image(PNG, "image/png")),
            text("Please analyze the image above.".into()),
        ],
        "test_input_required_result_prompt" => {
            let question = form("What context should the prompt use?", "context", "string");
            let answers = params.input_responses.as_ref();
            if !is_answer(answers, "user_context", &question) {
                return Some(asking.ask(vec![("user_context", question)], None).map(Into::into));
            }
            let context =
                answers.and_then(|all| all.get("user_context")).map(|one| &one["content"]["context"]);
            vec![text(format!("Use this context: {}", context.and_then(Value::as_str).unwrap_or_default()))]
        }
        _ => return None,
    };
    Some(Ok(GetPromptResult::new(messages).into()))
}

//! Tools that answer at once, or tell how far they are.

// The suite tries sampling and logging of the versions that have them.
#![expect(deprecated, reason = "2025-11-25 has what 2026-07-28 leaves out")]

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ContentBlock, CreateMessageRequestParams,
    ElicitRequestParams, ErrorData, LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam,
    ResourceContents,
};
use rmcp::service::RequestContext;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

pub(super) const NAMES: &[&str] = &[
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_tool_with_logging",
    "test_logging_tool",
    "test_error_handling",
    "test_tool_with_progress",
    "test_sampling",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_reconnection",
    "test_missing_capability",
    "test_custom_headers",
    "json_schema_2020_12_tool",
];

/// A picture of one red point.
pub(super) const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/// A sound without samples.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

type Answer = Result<CallToolResult, ErrorData>;

pub(super) async fn call(
    params: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Answer> {
    let text = |text: &str| Ok(CallToolResult::success(vec![ContentBlock::text(text)]));
    let argument = |name: &str| {
        let arguments = params.arguments.as_ref();
        arguments.and_then(|all| all.get(name)).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    Some(match &*params.name {
        "test_simple_text" => text("This is a simple text response for testing."),
        "test_image_content" => Ok(CallToolResult::success(vec![ContentBlock::image(PNG, "image/png")])),
        "test_audio_content" => Ok(CallToolResult::success(vec![ContentBlock::audio(WAV, "audio/wav")])),
        "test_embedded_resource" => Ok(CallToolResult::success(vec![ContentBlock::resource(
            ResourceContents::text("This is an embedded resource content.", "test://embedded-resource")
                .with_mime_type("text/plain"),
        )])),
        "test_multiple_content_types" => Ok(CallToolResult::success(vec![
            ContentBlock::text("Multiple content types test:"),
            ContentBlock::image(PNG, "image/png"),
            ContentBlock::resource(
                ResourceContents::text(
                    json!({"test": "data", "value": 123}).to_string(),
                    "test://mixed-content-resource",
                )
                .with_mime_type("application/json"),
            ),
        ])),
        "test_error_handling" => Ok(CallToolResult::error(vec![ContentBlock::text(
            "This tool intentionally returns an error for testing",
        )])),
        "test_tool_with_logging" | "test_logging_tool" => logging(context).await,
        "test_tool_with_progress" => progress(context).await,
        "test_reconnection" => text("Nothing was lost."),
        "test_custom_headers" => text(&format!("region: {}", argument("region"))),
        "json_schema_2020_12_tool" => text("The schema is as it was."),
        "test_missing_capability" => {
            let has = context.client_capabilities().is_some_and(|known| known.sampling.is_some());
            let needed = ClientCapabilities::builder().enable_sampling().build();
            if has {
                text("sampling is there")
            } else {
                Err(ErrorData::missing_required_client_capability(needed))
            }
        }
        "test_sampling" => sampling(context, &argument("prompt")).await,
        "test_elicitation" => {
            let schema = json!({
                "type": "object",
                "properties": {
                    "username": {"type": "string", "description": "User's response"},
                    "email": {"type": "string", "description": "User's email address"},
                },
                "required": ["username", "email"],
            });
            elicitation(context, &argument("message"), schema, "User response").await
        }
        "test_elicitation_sep1034_defaults" => {
            let schema = json!({"type": "object", "properties": {
                "name": {"type": "string", "default": "John Doe"},
                "age": {"type": "integer", "default": 30},
                "score": {"type": "number", "default": 95.5},
                "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
                "verified": {"type": "boolean", "default": true},
            }});
            elicitation(context, "Values with defaults", schema, "Elicitation completed").await
        }
        "test_elicitation_sep1330_enums" => {
            let titled = |a: &str, b: &str, c: &str| json!([{"const": "value1", "title": a}, {"const": "value2", "title": b}, {"const": "value3", "title": c}]);
            let options = json!(["option1", "option2", "option3"]);
            let schema = json!({"type": "object", "properties": {
                "untitledSingle": {"type": "string", "enum": options},
                "titledSingle": {"type": "string", "oneOf": titled("First Option", "Second Option", "Third Option")},
                "legacyEnum": {
                    "type": "string", "enum": ["opt1", "opt2", "opt3"],
                    "enumNames": ["Option One", "Option Two", "Option Three"],
                },
                "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
                "titledMulti": {
                    "type": "array", "items": {"anyOf": titled("First Choice", "Second Choice", "Third Choice")},
                },
            }});
            elicitation(context, "Choices", schema, "Elicitation completed").await
        }
        _ => return None,
    })
}

/// Logs at a level that the request asks for; before 2026-07-28 that of the session.
async fn logging(context: &RequestContext<RoleServer>) -> Answer {
    let modern = context.protocol_version().is_some_and(|version| version.as_str() >= "2026-07-28");
    let is_wanted = !modern || context.meta.log_level().is_some();
    for (number, line) in
        ["Tool execution started", "Tool processing data", "Tool execution completed"].into_iter().enumerate()
    {
        if number > 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        if is_wanted {
            let log = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(line));
            drop(context.peer.notify_logging_message(log).await);
        }
    }
    Ok(CallToolResult::success(vec![ContentBlock::text("The tool has run.")]))
}

async fn progress(context: &RequestContext<RoleServer>) -> Answer {
    let token = context.meta.get_progress_token();
    for step in [0.0, 50.0, 100.0] {
        if let Some(token) = &token {
            let told = ProgressNotificationParam::new(token.clone(), step).with_total(100.0);
            drop(context.peer.notify_progress(told).await);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(CallToolResult::success(vec![ContentBlock::text("The tool has run.")]))
}

async fn sampling(context: &RequestContext<RoleServer>, prompt: &str) -> Answer {
    let asked: CreateMessageRequestParams = parameters(json!({
        "messages": [{"role": "user", "content": {"type": "text", "text": prompt}}], "maxTokens": 100,
    }))?;
    let result = context.peer.create_message(asked).await;
    let result = result.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let text = json!(result)["content"]["text"].as_str().unwrap_or_default().to_owned();
    Ok(CallToolResult::success(vec![ContentBlock::text(format!("LLM response: {text}"))]))
}

async fn elicitation(
    context: &RequestContext<RoleServer>,
    message: &str,
    schema: Value,
    begin: &str,
) -> Answer {
    let asked: ElicitRequestParams =
        parameters(json!({"mode": "form", "message": message, "requestedSchema": schema}))?;
    let result = context.peer.create_elicitation(asked).await;
    let result = result.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let (action, content) = (json!(result.action), result.content.unwrap_or(Value::Null));
    let text = format!("{begin}: action={}, content={content}", action.as_str().unwrap_or_default());
    Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
}

/// Parameters that are written here as the protocol has them.
pub(super) fn parameters<T: DeserializeOwned>(json: Value) -> Result<T, ErrorData> {
    serde_json::from_value(json).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

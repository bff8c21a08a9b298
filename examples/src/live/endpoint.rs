//! Where each provider is reached, how it is given the key, and how a stream is asked for.

use canvas_providers::{Framing, Provider};
use serde_json::{Map, Value, json};

/// One provider's official host. Others that speak its dialect take the same paths.
#[derive(Debug)]
pub struct Endpoint {
    /// The name of the [`Provider`].
    provider: &'static str,
    /// The address, without a path.
    pub base_url: &'static str,
    /// Where whole answers come from, and streams; `{model}` stands for the model.
    paths: [&'static str; 2],
    /// The variable of the environment that has the key.
    pub key: Option<&'static str>,
    /// The header that has the key, and what stands before it there.
    pub(super) key_header: (&'static str, &'static str),
    /// Further headers.
    pub(super) headers: &'static [(&'static str, &'static str)],
    /// Whether the body says if the answer is to be a stream, beside the path.
    says_stream: bool,
    /// Whether the last event of a stream has the usage only where the body asks for it.
    asks_for_usage: bool,
}

const BEARER: (&str, &str) = ("authorization", "Bearer ");

static ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        provider: "anthropic",
        base_url: "https://api.anthropic.com",
        paths: ["/v1/messages"; 2],
        key: Some("ANTHROPIC_API_KEY"),
        key_header: ("x-api-key", ""),
        headers: &[("anthropic-version", "2023-06-01")],
        says_stream: true,
        asks_for_usage: false,
    },
    Endpoint {
        provider: "openai-chat",
        base_url: "https://api.openai.com",
        paths: ["/v1/chat/completions"; 2],
        key: Some("OPENAI_API_KEY"),
        key_header: BEARER,
        headers: &[],
        says_stream: true,
        asks_for_usage: true,
    },
    Endpoint {
        provider: "openai-responses",
        base_url: "https://api.openai.com",
        paths: ["/v1/responses"; 2],
        key: Some("OPENAI_API_KEY"),
        key_header: BEARER,
        headers: &[],
        says_stream: true,
        asks_for_usage: false,
    },
    Endpoint {
        provider: "gemini",
        base_url: "https://generativelanguage.googleapis.com",
        paths: [
            "/v1beta/models/{model}:generateContent",
            "/v1beta/models/{model}:streamGenerateContent?alt=sse",
        ],
        key: Some("GEMINI_API_KEY"),
        key_header: ("x-goog-api-key", ""),
        headers: &[],
        says_stream: false,
        asks_for_usage: false,
    },
    Endpoint {
        provider: "gemini-interactions",
        base_url: "https://generativelanguage.googleapis.com",
        paths: ["/v1beta/interactions"; 2],
        key: Some("GEMINI_API_KEY"),
        key_header: ("x-goog-api-key", ""),
        headers: &[],
        says_stream: true,
        asks_for_usage: false,
    },
    Endpoint {
        provider: "bedrock-converse",
        base_url: "https://bedrock-runtime.us-east-1.amazonaws.com",
        paths: ["/model/{model}/converse", "/model/{model}/converse-stream"],
        key: Some("AWS_BEARER_TOKEN_BEDROCK"),
        key_header: BEARER,
        headers: &[],
        says_stream: false,
        asks_for_usage: false,
    },
    Endpoint {
        provider: "ollama",
        base_url: "http://localhost:11434",
        paths: ["/api/chat"; 2],
        key: None,
        key_header: BEARER,
        headers: &[],
        says_stream: true,
        asks_for_usage: false,
    },
];

impl Endpoint {
    /// The official host of a provider; `None` where none is known.
    pub fn of(provider: Provider) -> Option<&'static Self> {
        ENDPOINTS.iter().find(|endpoint| endpoint.provider == provider.name())
    }

    /// Path and query of a request.
    pub fn path(&self, model: &str, streamed: bool) -> String {
        self.paths[usize::from(streamed)].replace("{model}", model)
    }

    /// The fields of the body that say how the answer is to come.
    pub(super) fn fields(&self, streamed: bool) -> Map<String, Value> {
        let mut fields = Map::new();
        if self.says_stream {
            fields.insert("stream".to_owned(), streamed.into());
        }
        if self.asks_for_usage && streamed {
            fields.insert("stream_options".to_owned(), json!({"include_usage": true}));
        }
        fields
    }
}

/// How a body of this type is framed; `None` for a whole answer.
pub(super) fn framing(content_type: &str) -> Option<Framing> {
    match content_type.split(';').next().unwrap_or_default().trim() {
        "text/event-stream" => Some(Framing::Sse),
        "application/x-ndjson" | "application/jsonl" => Some(Framing::JsonLines),
        "application/vnd.amazon.eventstream" => Some(Framing::EventStream),
        _ => None,
    }
}

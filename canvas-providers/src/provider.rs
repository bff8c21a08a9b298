//! The operations of every provider, behind one type.

use std::fmt;
use std::str::FromStr;

use canvas_tools::CodedError;
use canvas_tools::ToolSpec;
use serde_json::Value;

#[cfg(feature = "anthropic")]
use crate::anthropic::Anthropic;
#[cfg(feature = "bedrock")]
use crate::bedrock::Bedrock;
use crate::context::AnswerContext;
use crate::decoded::{DecodeError, Decoded, MAX_BODY_BYTES};
use crate::encoded::{EncodeError, EncodedRequest, EncodedTools, RequestOptions};
use crate::envelope::Issuer;
use crate::event::Event;
use crate::frames::Framing;
#[cfg(feature = "gemini")]
use crate::gemini::{Gemini, interactions::Interactions};
use crate::native::NativeTool;
#[cfg(feature = "ollama")]
use crate::ollama::Ollama;
#[cfg(feature = "openai")]
use crate::openai::{chat::Chat, responses::Responses};
use crate::stream::StreamDecoder;
use crate::wire::{Call, Wire as _};

/// A provider whose wire format this crate reads and writes. Without its feature, a provider's variant does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Provider {
    /// Anthropic Messages.
    #[cfg(feature = "anthropic")]
    Anthropic,
    /// OpenAI Responses.
    #[cfg(feature = "openai")]
    OpenAiResponses,
    /// OpenAI Chat Completions, and the hosts that speak it ([`ChatHost`](crate::ChatHost)).
    #[cfg(feature = "openai")]
    OpenAiChat,
    /// Ollama's own `/api/chat`.
    #[cfg(feature = "ollama")]
    Ollama,
    /// Gemini's `generateContent`.
    #[cfg(feature = "gemini")]
    Gemini,
    /// Gemini's Interactions API.
    #[cfg(feature = "gemini")]
    GeminiInteractions,
    /// Bedrock Converse.
    #[cfg(feature = "bedrock")]
    BedrockConverse,
}

/// Error returned when a name does not belong to a provider, or when the provider's feature is off.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no provider is called {name:?}; use one of Provider::ALL")]
pub struct UnknownProvider {
    /// The unknown name, verbatim.
    pub name: String,
}

impl CodedError for UnknownProvider {
    fn code(&self) -> &'static str {
        "UNKNOWN_PROVIDER"
    }
}

/// Evaluates an expression in which `$wire` is the provider's `Wire`. Providers are listed only in this macro, the enum
/// and `ALL`.
macro_rules! dispatch {
    ($provider:expr, $wire:ident => $run:expr) => {
        dispatch! {
            $provider, $wire => $run;
            "anthropic" Anthropic(Anthropic),
            "openai" OpenAiResponses(Responses),
            "openai" OpenAiChat(Chat),
            "ollama" Ollama(Ollama),
            "gemini" Gemini(Gemini),
            "gemini" GeminiInteractions(Interactions),
            "bedrock" BedrockConverse(Bedrock),
        }
    };
    ($provider:expr, $wire:ident => $run:expr; $($feature:literal $variant:ident($format:ident),)*) => {
        match $provider {
            $(
                #[cfg(feature = $feature)]
                Provider::$variant => {
                    type $wire = $format;
                    $run
                }
            )*
        }
    };
}

impl Provider {
    /// All providers of this build, in the order in which they were added to the crate.
    pub const ALL: &[Self] = &[
        #[cfg(feature = "anthropic")]
        Self::Anthropic,
        #[cfg(feature = "openai")]
        Self::OpenAiResponses,
        #[cfg(feature = "openai")]
        Self::OpenAiChat,
        #[cfg(feature = "ollama")]
        Self::Ollama,
        #[cfg(feature = "gemini")]
        Self::Gemini,
        #[cfg(feature = "gemini")]
        Self::GeminiInteractions,
        #[cfg(feature = "bedrock")]
        Self::BedrockConverse,
    ];

    /// Returns the name that hosts and envelopes use, such as `openai-chat`. [`FromStr`] reads it.
    pub fn name(self) -> &'static str {
        dispatch!(self, Format => Format::NAME)
    }

    /// Returns the issuer for this model at the provider's official host, without an account.
    pub fn issuer(self, model: impl Into<String>) -> Issuer {
        dispatch!(self, Format => Issuer::new(Format::HOST, model))
    }

    /// Returns the default framing of the provider's streams, used unless the request asks for another one.
    pub fn framing(self) -> Framing {
        dispatch!(self, Format => Format::FRAMING)
    }

    /// Decodes an answer that was not streamed.
    ///
    /// Calls get the tools' own names back, and each part is kept with its issuer. Pass the context of the
    /// [request](Self::request) that this body answers.
    ///
    /// ```
    /// # use canvas_tools::CodedError as _;
    /// # use canvas_providers::{Event, Provider, RequestOptions};
    /// # use serde_json::json;
    /// # let provider = Provider::Anthropic;
    /// # let issuer = provider.issuer("some-model");
    /// # let request = provider.request(&issuer, "", &[], &[Event::user("Hello")], &RequestOptions::default())?;
    /// let body = json!({"stop_reason": "end_turn", "content": [{"type": "text", "text": "Good day."}]});
    /// let answer = provider.decode(&body, &request.context)?;
    /// assert_eq!(answer.text(), "Good day.");
    ///
    /// // An error from the provider says whether a retry can help.
    /// let body = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    /// assert!(provider.decode(&body, &request.context).unwrap_err().is_retryable());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the body is an error of the provider, is not an answer of this provider, or exceeds a limit.
    pub fn decode(self, body: &Value, context: &AnswerContext) -> Result<Decoded, DecodeError> {
        dispatch!(self, Format => Format::decode(body, context))
    }

    /// Like [`decode`](Self::decode), but reads the raw bytes of the body.
    ///
    /// # Errors
    /// Like `decode`; also if the bytes are not JSON or exceed [`MAX_BODY_BYTES`].
    pub fn decode_slice(self, bytes: &[u8], context: &AnswerContext) -> Result<Decoded, DecodeError> {
        if bytes.len() > MAX_BODY_BYTES {
            let place = String::new();
            return Err(DecodeError::TooLarge { place, limit: MAX_BODY_BYTES, unit: "bytes" });
        }
        let body =
            serde_json::from_slice(bytes).map_err(|error| DecodeError::not_json(String::new(), &error))?;
        self.decode(&body, context)
    }

    /// Returns a decoder for a streamed answer, to be fed from the first byte on.
    ///
    /// ```
    /// # use canvas_providers::{Event, Provider, RequestOptions};
    /// # use serde_json::json;
    /// # let provider = Provider::Anthropic;
    /// # let issuer = provider.issuer("some-model");
    /// # let request = provider.request(&issuer, "", &[], &[Event::user("Hello")], &RequestOptions::default())?;
    /// use canvas_providers::StreamEvent;
    ///
    /// let bytes = concat!(
    ///     "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"content\":[]}}\n\n",
    ///     "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
    ///     "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Good day.\"}}\n\n",
    ///     "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
    ///     "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n",
    ///     "data: {\"type\":\"message_stop\"}\n\n",
    /// );
    /// let mut stream = provider.stream(request.context);
    /// let mut shown = String::new();
    /// // Pieces of any length, as they arrive from the network.
    /// for piece in bytes.as_bytes().chunks(7) {
    ///     stream.feed(piece, &mut |event| {
    ///         if let StreamEvent::Text { delta, .. } = event {
    ///             shown.push_str(delta);
    ///         }
    ///     });
    /// }
    /// assert_eq!((shown.as_str(), stream.finish().text().as_str()), ("Good day.", "Good day."));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stream(self, context: AnswerContext) -> StreamDecoder {
        self.stream_framed(self.framing(), context)
    }

    /// Like [`stream`](Self::stream), but in another framing, which the request asked for or a proxy applies.
    pub fn stream_framed(self, framing: Framing, context: AnswerContext) -> StreamDecoder {
        dispatch!(self, Format => StreamDecoder::new(Format::codec(context), framing))
    }

    /// Encodes tools in the provider's form. Their schemas are cut to the subset that the provider accepts, and the
    /// built-in tool is declared as such. Each cut is listed as a degradation, and the tools still check the arguments
    /// against the whole schema.
    pub fn tools(self, specs: &[ToolSpec], native: Option<NativeTool>) -> EncodedTools {
        dispatch!(self, Format => Format::tools(specs, native))
    }

    /// Builds a request that this issuer accepts, from any history. Parts made by the same issuer are sent back
    /// unchanged, and parts of another issuer are sent as text and calls.
    ///
    /// ```
    /// # use canvas_providers::{Event, Provider, RequestOptions};
    /// # use serde_json::json;
    /// # let provider = Provider::Anthropic;
    /// # let issuer = provider.issuer("some-model");
    /// # let request = provider.request(&issuer, "", &[], &[Event::user("Hello")], &RequestOptions::default())?;
    /// let options = RequestOptions { max_tokens: 1_000, ..RequestOptions::default() };
    /// let history = [Event::user("Tidy the list.")];
    /// let request = provider.request(&issuer, "You edit a canvas.", &[], &history, &options)?;
    /// assert_eq!(request.body["max_tokens"], 1_000);
    /// assert_eq!(request.body["messages"][0]["role"], "user");
    /// // Keep the context, which you need to decode the answer.
    /// let context = request.context;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If nothing in the history can be sent, or an option can never be valid.
    pub fn request(
        self,
        issuer: &Issuer,
        system: &str,
        specs: &[ToolSpec],
        events: &[Event],
        options: &RequestOptions,
    ) -> Result<EncodedRequest, EncodeError> {
        let call = Call { issuer, system, specs, events, options };
        dispatch!(self, Format => Format::request(&call))
    }

    /// Decodes an answer, encodes it again, and returns the parts that a later request would send back. They are
    /// unchanged except that empty texts are dropped, because no provider accepts them.
    ///
    /// # Errors
    /// Like [`decode`](Self::decode).
    pub fn replay(self, body: &Value) -> Result<Vec<Value>, DecodeError> {
        let context = AnswerContext::new(self.issuer(""));
        let decoded = self.decode(body, &context)?;
        dispatch!(self, Format => Ok(Format::replay(decoded.events, &context.issuer)))
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Provider {
    type Err = UnknownProvider;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.iter().find(|provider| provider.name() == name);
        found.copied().ok_or_else(|| UnknownProvider { name: name.to_owned() })
    }
}

//! The wire format of a provider, implemented in the provider's folder.

use canvas_tools::ToolSpec;
use serde_json::Value;

use crate::context::AnswerContext;
use crate::decoded::{DecodeError, Decoded};
use crate::encoded::{Degradations, EncodeError, EncodedRequest, EncodedTools, RequestOptions};
use crate::envelope::Issuer;
use crate::event::Event;
use crate::frames::Framing;
use crate::names::Mapper;
use crate::native::NativeTool;
use crate::stream_event::Codec;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) issuer: &'a Issuer,
    pub(crate) system: &'a str,
    pub(crate) specs: &'a [ToolSpec],
    pub(crate) events: &'a [Event],
    pub(crate) options: &'a RequestOptions,
}

/// A body, and the provider's built-in tool that it declares.
pub(crate) type RequestBody = (Value, Option<NativeTool>);

pub(crate) trait Wire {
    /// The provider's name, for hosts and in envelopes.
    const NAME: &'static str;
    /// The host name of the official endpoint.
    const HOST: &'static str;
    /// The default framing of streams.
    const FRAMING: Framing;

    type Stream: Codec + 'static;

    fn decode(body: &Value, context: &AnswerContext) -> Result<Decoded, DecodeError>;

    /// Returns the parts that the issuer made, as they are sent back.
    fn replay(events: Vec<Event>, issuer: &Issuer) -> Vec<Value>;

    /// Maps the names of tools to names that the provider accepts.
    fn names(call: &Call<'_>) -> Mapper;

    fn declared(call: &Call<'_>, names: &mut Mapper, degradations: &mut Degradations) -> Value;

    fn body(
        call: &Call<'_>,
        names: &mut Mapper,
        degradations: &mut Degradations,
    ) -> Result<RequestBody, EncodeError>;

    /// Returns a decoder for one streamed answer.
    fn codec(context: AnswerContext) -> Box<dyn Codec> {
        Box::new(Self::Stream::new(context))
    }

    /// See [`Provider::tools`](crate::Provider::tools).
    fn tools(specs: &[ToolSpec], native: Option<NativeTool>) -> EncodedTools {
        let (issuer, options) =
            (Issuer::new(Self::HOST, ""), RequestOptions { native, ..RequestOptions::default() });
        let call = Call { issuer: &issuer, system: "", specs, events: &[], options: &options };
        let (mut names, mut degradations) = (Self::names(&call), Degradations::default());
        let tools = Self::declared(&call, &mut names, &mut degradations);
        EncodedTools { tools, renames: names.renames(), degradations: degradations.0 }
    }

    /// See [`Provider::request`](crate::Provider::request).
    fn request(call: &Call<'_>) -> Result<EncodedRequest, EncodeError> {
        if call.options.max_tokens == 0 {
            return Err(EncodeError::BadOption { place: "/options/max_tokens", value: "0".to_owned() });
        }
        let (mut names, mut degradations) = (Self::names(call), Degradations::default());
        let (body, native) = Self::body(call, &mut names, &mut degradations)?;
        let context = AnswerContext { issuer: call.issuer.clone(), renames: names.renames(), native };
        Ok(EncodedRequest { body, context, degradations: degradations.0 })
    }
}

//! Parts of an answer, kept unchanged, and the issuer that may get them back.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The host, model and account that issued an answer. A sealed part, such as a signature or encrypted reasoning, is
/// bound to it.
///
/// Two answers have the same issuer only if all fields are equal. The same model at another host is another issuer,
/// because neither can open parts that the other sealed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Issuer {
    /// The host's name, such as `api.anthropic.com`.
    pub host: String,
    /// The model, as named in the request.
    pub model: String,
    /// The account, organisation or project, if parts are bound to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
}

impl Issuer {
    /// Creates an issuer whose parts are not bound to an account.
    pub fn new(host: impl Into<String>, model: impl Into<String>) -> Self {
        Self { host: host.into(), model: model.into(), account: None }
    }
}

/// An event in one provider's wire format, opaque to others.
///
/// A request to the same issuer sends the parts unchanged, whatever the event's body says. Every other issuer gets the
/// body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// Name of the [`Provider`](crate::Provider) whose wire format the parts are in.
    pub wire: String,
    /// The issuer that made the parts. `None` for parts that a host made for an event of the user, such as an image.
    /// Because they are not sealed, every issuer of that wire format gets them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuer: Option<Issuer>,
    /// The parts, unchanged as JSON; white space and the order of keys may differ.
    pub parts: Vec<Value>,
}

impl Envelope {
    /// Returns the parts for a request in this wire format to this issuer, or `None` if the issuer may not get them.
    ///
    /// If the envelope names no issuer, the model's parts are never sent.
    pub(crate) fn parts_for(&self, wire: &str, issuer: &Issuer, of_model: bool) -> Option<&[Value]> {
        let own = match &self.issuer {
            Some(made_by) => made_by == issuer,
            None => !of_model,
        };
        (own && self.wire == wire).then_some(&self.parts)
    }
}

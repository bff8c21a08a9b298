//! Parts of an answer, kept as they came, and who may get them back.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Who answers: what a sealed part, such as a signature or encrypted reasoning, is bound to.
///
/// Two answers have the same issuer only where all of it is equal. The same model behind another host is another issuer,
/// since it cannot open what the first one has sealed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Issuer {
    /// The host's name, such as `api.anthropic.com`.
    pub host: String,
    /// The model as the request names it.
    pub model: String,
    /// The account, organisation or project, where parts are bound to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
}

impl Issuer {
    /// An issuer whose parts are not bound to an account.
    pub fn new(host: impl Into<String>, model: impl Into<String>) -> Self {
        Self { host: host.into(), model: model.into(), account: None }
    }
}

/// An event in the form of one wire, opaque to others.
///
/// A request to its issuer sends the parts as they are, whatever the event's body says. Anybody else gets the body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// Name of the [`Provider`](crate::Provider) whose wire format it is.
    pub wire: String,
    /// Who made the parts. `None` for those that a host made for an event of the user, such as an image: they are sealed by
    /// nobody, so each issuer of that wire gets them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuer: Option<Issuer>,
    /// The parts as they came; as JSON, so white space and the order of keys may differ.
    pub parts: Vec<Value>,
}

impl Envelope {
    /// The parts, for a request in this wire format to this issuer; `None` where they are not its own.
    ///
    /// Parts of the model without an issuer go to nobody.
    pub(crate) fn parts_for(&self, wire: &str, issuer: &Issuer, of_model: bool) -> Option<&[Value]> {
        let own = match &self.issuer {
            Some(made_by) => made_by == issuer,
            None => !of_model,
        };
        (own && self.wire == wire).then_some(&self.parts)
    }
}

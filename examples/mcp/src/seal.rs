//! What a question carries until its answer comes back, sealed: nobody alters it, and it counts for one client and for a
//! while.

use std::time::Duration;

use canvas_core::lease::Timestamp;
use canvas_core::surface::Confirmation;
use canvas_core::{BlobId, CallId, CanvasId};
use rmcp::model::{RequestStateCodec, RequestStateError, SealOptions};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::names::random;

/// The key of a process. Another process cannot open what this one has sealed.
pub(crate) struct Seal(RequestStateCodec);

impl std::fmt::Debug for Seal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seal")
    }
}

/// What was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Question {
    /// The hash of the call's name and arguments: the answer counts for the same call.
    pub(crate) call: BlobId,
    /// What the person is shown.
    pub(crate) confirmation: Confirmation,
    /// The id under which the action runs, however often the answer is sent.
    pub(crate) id: CallId,
    /// Until when it can be answered, by the store's clock.
    pub(crate) expires_at: Timestamp,
}

/// What lets a page decide, once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Permit {
    /// The canvas that the page shows.
    pub(crate) canvas: CanvasId,
    /// The id under which the decision runs, however often it is sent.
    pub(crate) decision: CallId,
}

impl Permit {
    /// How long it can be used. A page asks for another one every few seconds.
    const LIFETIME: Duration = Duration::from_mins(10);
}

impl Seal {
    pub(crate) fn new() -> Result<Self, getrandom::Error> {
        let codec = RequestStateCodec::try_new(random::<32>()?).expect("the key is long enough");
        Ok(Self(codec))
    }

    pub(crate) fn close(&self, question: &Question, principal: &str) -> Result<String, RequestStateError> {
        self.close_for(question, principal, Confirmation::LIFETIME)
    }

    pub(crate) fn permit(&self, permit: &Permit, principal: &str) -> Result<String, RequestStateError> {
        self.close_for(permit, principal, Permit::LIFETIME)
    }

    fn close_for(
        &self,
        value: &impl Serialize,
        principal: &str,
        ttl: Duration,
    ) -> Result<String, RequestStateError> {
        self.0.seal_json_with(value, &SealOptions::new().associated_data(principal.as_bytes()).ttl(ttl))
    }

    pub(crate) fn open<T: DeserializeOwned>(
        &self,
        sealed: &str,
        principal: &str,
    ) -> Result<T, RequestStateError> {
        self.0.open_json_with(sealed, principal.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use canvas_core::surface::Confirmation;

    use super::*;

    fn question() -> Question {
        let digest = canvas_core::json::JsonHash::of(&serde_json::json!({})).unwrap();
        let at = Timestamp::from_millis(1_000);
        Question {
            call: BlobId::of(b"call"),
            confirmation: Confirmation { digest, planned_at: at },
            id: CallId::new("1").unwrap(),
            expires_at: at,
        }
    }

    #[test]
    fn what_was_sealed_opens_for_its_client_alone() {
        let seal = Seal::new().unwrap();
        let sealed = seal.close(&question(), "a").unwrap();
        assert_eq!(seal.open::<Question>(&sealed, "a").unwrap(), question());
        assert!(seal.open::<Permit>(&sealed, "a").is_err());
        assert!(seal.open::<Question>(&sealed, "b").is_err());
        assert!(Seal::new().unwrap().open::<Question>(&sealed, "a").is_err());
    }

    #[test]
    fn whatever_is_altered_does_not_open() {
        let seal = Seal::new().unwrap();
        let sealed = seal.close(&question(), "a").unwrap();
        for place in 0..sealed.len() {
            let mut altered = sealed.clone().into_bytes();
            altered[place] = if altered[place] == b'A' { b'B' } else { b'A' };
            let altered = String::from_utf8(altered).unwrap();
            // The last character of base64 may have bits that mean nothing.
            let opened = seal.open::<Question>(&altered, "a");
            assert!(opened.is_err() || opened.unwrap() == question(), "{place}");
        }
        for text in ["", ".", "rs1.", "nothing", &sealed[..sealed.len() / 2]] {
            assert!(seal.open::<Question>(text, "a").is_err(), "{text:?}");
        }
    }
}

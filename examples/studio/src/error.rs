//! What a request is refused with.

use canvas_core::store::StoreErrorKind;
use canvas_core::{CodedError as _, EngineError, Refused};
use canvas_tools::surface::SurfaceError;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The error of a request: code, message, whether to try again, and what else there is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Failure(pub(crate) Value);

pub(crate) type Answer = Result<Value, Failure>;

/// The code of a store that does not answer.
const UNAVAILABLE: &str = "STORE_UNAVAILABLE";

impl Failure {
    pub(crate) fn new(code: &str, message: &str) -> Self {
        Self(json!({"code": code, "message": message, "retryable": false}))
    }

    /// One that may pass.
    pub(crate) fn retryable(code: &str, message: &str) -> Self {
        Self(json!({"code": code, "message": message, "retryable": true}))
    }

    /// The parameters of a request.
    pub(crate) fn read<T: DeserializeOwned>(params: Value) -> Result<T, Self> {
        serde_path_to_error::deserialize(params).map_err(|error| {
            let place: String = error.path().iter().map(|segment| format!("/{segment}")).collect();
            let mut failure =
                Self::new("INVALID_ARGUMENTS", &format!("{}: correct the parameter", error.inner()));
            failure.0["place"] = place.into();
            failure
        })
    }

    /// What the rules of the canvas refuse.
    pub(crate) fn refused(refusal: &impl Refused) -> Self {
        let refusal = refusal.view();
        let mut error = json!({
            "code": refusal.code(), "message": refusal.to_string(), "retryable": refusal.is_retryable(),
        });
        if let Some(reason) = refusal.reason() {
            error["reason"] = reason.into();
        }
        Self(error)
    }
}

/// A store that does not answer has one code for pages, and a sentence for whoever sits before one; `cause` is its own code.
impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        let own = Self(
            json!({"code": error.code(), "message": error.message(), "retryable": error.is_retryable()}),
        );
        let EngineError::Store(fault) = &error else { return own };
        let sentence = match fault.kind {
            StoreErrorKind::Busy => {
                "Another program has locked the database. What you did is not stored yet: try again."
            }
            StoreErrorKind::Moved => {
                "The file of the database is no longer at its place. Nothing is stored until it is put back: put it back, \
                 then try again."
            }
            StoreErrorKind::Full => {
                "There is no room left on the disk. What you did is not stored: make room, then try again."
            }
            StoreErrorKind::Indeterminate
            | StoreErrorKind::Unavailable
            | StoreErrorKind::Denied
            | StoreErrorKind::Failed => {
                "The database cannot be reached. What you did may not be stored: try again."
            }
            _ => return own,
        };
        let mut failure = Self::retryable(UNAVAILABLE, sentence);
        failure.0["cause"] = error.code().into();
        failure
    }
}

/// Surfaces pass the faults of the store up by their codes.
impl From<SurfaceError> for Failure {
    fn from(error: SurfaceError) -> Self {
        let mut failure = Self(error.to_json());
        if error.code().starts_with("STORE_") && error.code() != "STORE_UNREADABLE" {
            failure.0["cause"] = error.code().into();
            failure.0["code"] = UNAVAILABLE.into();
            failure.0["retryable"] = true.into();
            failure.0["message"] =
                format!("The database does not answer ({error}). What you did may not be stored: try again.")
                    .into();
        }
        failure
    }
}

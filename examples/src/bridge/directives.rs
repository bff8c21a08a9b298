//! Directives, applied as the host: without a lease.

use canvas_core::{CodedError as _, OpKey};
use canvas_tools::directive::{Directive, DirectiveFailure};
use serde_json::Value;

use super::documents::Documents;
use super::request::{BridgeError, Request};

pub(super) async fn apply(documents: &mut Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let now = documents.now(request)?;
    let session = documents.session(request, now).await?;
    let directive = Directive::parse(&request.field::<Option<Value>>("directive")?.unwrap_or(Value::Null));
    let directive = directive.map_err(DirectiveFailure::from)?;
    let call = documents.call_id()?;
    let operation = OpKey { person: documents.person.clone(), ..session.operation(call) };
    Ok(session.apply_directive(documents.engine(), &operation, &directive, now).await?.to_json())
}

impl From<DirectiveFailure> for BridgeError {
    fn from(failure: DirectiveFailure) -> Self {
        let fields = failure.to_json();
        let error = Self::new(failure.code(), failure.message());
        let fields = fields.as_object().into_iter().flatten();
        fields.fold(error, |error, (name, value)| error.with(name, value.clone()))
    }
}

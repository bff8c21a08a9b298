//! Named versions: their list, their labels, and the way back to one.

use canvas_core::version::{NameVersion, NamedVersion, RemoveVersion, RenameVersion, Restore, VersionLabel};
use canvas_core::{CodedError as _, Face};
use serde_json::{Value, json};

use super::documents::{Documents, canvas};
use super::history::{At, past_error};
use super::proposals::ask;
use super::request::{BridgeError, Request};

pub(super) async fn create(documents: &mut Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let (label, note) = (label(request, "label")?, request.field("note")?);
    let of = match request.field::<Option<At>>("revision")? {
        Some(at) => Some(past(documents, request, &at).await?),
        None => None,
    };
    let version = ask(documents, request, NameVersion { label, note, of }).await?;
    Ok(json!({"version": row(&version)}))
}

pub(super) async fn list(documents: &Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let versions = documents.engine().versions(&canvas(request)?, documents.clock()).await?;
    Ok(json!({"versions": versions.iter().map(row).collect::<Vec<_>>()}))
}

pub(super) async fn remove(documents: &mut Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    ask(documents, request, RemoveVersion { label: label(request, "label")? }).await?;
    list(documents, request).await
}

pub(super) async fn rename(documents: &mut Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let (label, to) = (label(request, "label")?, label(request, "to")?);
    ask(documents, request, RenameVersion { label, to }).await?;
    list(documents, request).await
}

pub(super) async fn restore(documents: &mut Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let faces = request.field::<Option<Vec<Face>>>("faces")?.unwrap_or_else(|| vec![Face::Document]);
    let (at, canvas) = (point(request)?.point()?, canvas(request)?);
    let past = documents.engine().faces_at(&canvas, at, &faces, documents.clock()).await;
    let restored = ask(documents, request, Restore { faces: past.map_err(past_error)? }).await?;
    Ok(json!({"revision_id": restored.revision, "changed": restored.changed}))
}

/// Returns the revision or version that a request names.
pub(super) fn point(request: &Request<'_>) -> Result<At, BridgeError> {
    match (request.field::<Option<At>>("revision")?, request.field::<Option<&str>>("version")?) {
        (Some(at), None) => Ok(at),
        (None, Some(version)) => Ok(At::Version { version: version.to_owned() }),
        _ => Err(BridgeError::new("BAD_REQUEST", "send either revision or version".to_owned())),
    }
}

async fn past(
    documents: &Documents,
    request: &Request<'_>,
    at: &At,
) -> Result<canvas_core::history::PastDocument, BridgeError> {
    let past = documents.engine().document_at(&canvas(request)?, at.point()?, documents.clock()).await;
    past.map_err(past_error)
}

fn label(request: &Request<'_>, name: &str) -> Result<VersionLabel, BridgeError> {
    label_of(request.field::<&str>(name)?)
}

pub(super) fn label_of(label: &str) -> Result<VersionLabel, BridgeError> {
    VersionLabel::new(label).map_err(|error| BridgeError::new(error.code(), error.to_string()))
}

fn row(version: &NamedVersion) -> Value {
    let mut row = json!({
        "label": version.label,
        "revision": version.revision,
        "revision_id": version.revision_id,
        "at": version.at,
        "actor": version.actor,
    });
    if let Some(note) = &version.note {
        row["note"] = json!(note);
    }
    if version.is_erased() {
        row["erased"] = json!(true);
    }
    row
}

//! The schema of the tool's reply.

use canvas_core::Revision;
use canvas_core::surface::{ConfirmationPrompt, EventId, SurfaceCode, SurfaceFault};
use serde_json::Value;

use super::SURFACE_TOOL;
use crate::reply::schema::{ReplySchema, codes};
use crate::surface::{Listed, Patched, Shown, Upserted, Viewed};

/// What an error has beside what every error has. Each is left out where it does not apply.
#[derive(schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(
    dead_code,
    reason = "only its schema is used: `SurfaceError::to_json` writes the fields that it has"
)]
struct ErrorFields {
    /// The revision of the canvas, where another one was expected.
    revision: Revision,
    /// What a person is to confirm.
    confirmation: ConfirmationPrompt,
    /// The execution that the error is about.
    event_id: EventId,
    /// All that is wrong, where it has places.
    errors: Vec<SurfaceFault>,
}

/// The JSON Schema of the reply of the tool, if it has this name.
pub(crate) fn reply_schema(tool: &str) -> Option<Value> {
    use SurfaceCode::{
        InvalidPath, PatchFailed, PolicyWidening, RevisionConflict, SessionNotAllowed, SpecInvalid,
        StatePath, StateTooLarge, SurfaceNotFound, UnsupportedOp,
    };
    let own = [
        InvalidPath,
        PatchFailed,
        PolicyWidening,
        RevisionConflict,
        SessionNotAllowed,
        SpecInvalid,
        StatePath,
        StateTooLarge,
        SurfaceNotFound,
        UnsupportedOp,
    ];
    let own = own.map(SurfaceCode::code);
    if tool != SURFACE_TOOL {
        return None;
    }
    // In the order of the operations; open and close answer alike.
    let reply = ReplySchema::new()
        .success::<Upserted>()
        .success::<Shown<'_>>()
        .success::<Listed>()
        .without_revision()
        .success::<Viewed>()
        .success::<Patched<'_>>();
    Some(
        reply.failure::<ErrorFields>(
            &[&own, &["CANVAS_DELETED"], codes::WRITE, codes::CALL, codes::ENGINE],
            &[],
        ),
    )
}

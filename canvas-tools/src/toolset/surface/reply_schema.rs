//! The schema of the tool's reply.

use canvas_core::surface::SurfaceCode;
use serde_json::Value;

use super::SURFACE_TOOL;
use crate::reply::schema::{ReplySchema, codes};
use crate::surface::{Listed, Patched, Shown, SurfaceDetail, Upserted, Viewed};

/// Returns the JSON Schema of the tool's reply, if the tool has this name.
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
    Some(reply.failure::<SurfaceDetail>(
        &[&own, &["CANVAS_DELETED"], codes::WRITE, codes::CALL, codes::ENGINE],
        &[],
    ))
}

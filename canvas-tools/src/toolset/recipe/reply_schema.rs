//! The schemas of the tools' replies.

use canvas_core::recipe::RecipeCode;
use serde_json::Value;

use super::failure::RecipeDetail;
use super::{RECORD_RECIPE, REFRESH, RecordFields};
use crate::recipe::RefreshFields;
use crate::reply::schema::{ReplySchema, codes};

/// Returns the JSON Schema of the reply of the tool with this name.
pub(crate) fn reply_schema(tool: &str) -> Option<Value> {
    let reply = ReplySchema::new();
    let (reply, own): (_, &[&str]) = match tool {
        RECORD_RECIPE => (reply.success::<RecordFields<'_>>(), &["RECIPE_MISMATCH"]),
        REFRESH => {
            let own = &["NOT_IN_RECIPE", "RATE_LIMITED", "RECIPE_NOT_FOUND", "RECIPE_REPLACED"];
            (reply.success::<RefreshFields<'_>>(), own)
        }
        _ => return None,
    };
    let recipe = RecipeCode::ALL.map(RecipeCode::code);
    let conflict: &[&str] = &["REVISION_CONFLICT"];
    Some(
        reply.failure::<RecipeDetail>(
            &[own, &recipe, conflict, codes::WRITE, codes::CALL, codes::ENGINE],
            &[],
        ),
    )
}

//! The tools that edit the structure of the document, so that no text has to be retyped.

pub(super) mod arguments;
pub(super) mod check;
pub(super) mod failure;

use canvas_core::Answered;
use canvas_core::document::{Base, EditStructure, StructureRefusal};
use canvas_core::store::Store;
use canvas_core::{Author, Refusal, Refused as _};

use self::check::Search;
use super::answer;
use super::next::CallKind;
use super::remember;
use crate::reply::{ToolError, ToolReply};
use crate::toolset::context::ToolContext;

/// Makes an edit of the structure, and remembers the lines that the reply shows.
///
/// The matches of a search are replaced only if the conversation made that search. A retry gets its first answer all the
/// same, even if the session has been lost in between.
pub(super) async fn edit<S: Store>(
    context: &mut ToolContext<'_, S>,
    command: EditStructure,
    search: Option<Search>,
) -> Result<ToolReply, ToolError> {
    let lease = match command.by {
        Author::Assistant { lease } => lease,
        Author::User | Author::Host => None,
    };
    let base = search.as_ref().map(|search| Base::Id(search.revision));
    let command = EditStructure { base, ..command };
    if let Some(Search { revision, query, regex }) = &search
        && !context.session.document.searched.has(*revision, query, *regex)
    {
        let operation = context.session.operation(context.id.clone());
        let recalled = context.session.recall(context.engine, &operation, &command, context.now).await?;
        if recalled.0.is_none() {
            return Err(not_searched());
        }
    }
    let Answered { result, snapshot, replayed } = context.run_on_text(command.clone()).await?;
    let at = (&*context.session, &snapshot);
    let reply = answer::reply_with((lease, CallKind::Structure), &result, at, |failure| {
        if let Err(refusal) = &result
            && let Refusal::Structure(StructureRefusal::StructureRejected { error }) = refusal.view()
        {
            failure.place = Some(failure::place(&command.edit, error, &snapshot));
        }
    });
    // The lines of an older refusal may have changed since.
    if result.is_ok() || !replayed {
        remember(context.session, reply.shown_lines(), &snapshot);
    }
    Ok(reply)
}

fn not_searched() -> ToolError {
    let message = "this conversation has not searched this revision for exactly this: call canvas_grep with find as \
                   its query and the same regex, and pass the revision_id and total of its reply";
    ToolError::new("NOT_SEARCHED", message).at("/revision_id")
}

//! The next legal call after a failure of the tool of surfaces.

use std::fmt;

use canvas_core::CodedError as _;
use canvas_core::surface::SurfaceCode;

use super::names::SURFACE_TOOL;
use crate::hint::STOP;
use crate::surface::SurfaceError;

/// The next step of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    List,
    GetAndRepeat,
    /// Repeat with the policy that the surface has.
    GetAndNarrow,
    GetAndPatch,
    CorrectUpsert,
    CorrectPaths,
    OtherOperations,
    LessState,
    Stop,
}

/// Returns the next step after an error, or `None` if the error's own text says it.
pub(super) fn next(error: &SurfaceError) -> Option<Next> {
    if error.is_turn_over() {
        return Some(Next::Stop);
    }
    let code = SurfaceCode::ALL.into_iter().find(|code| code.code() == error.code())?;
    Some(match code {
        SurfaceCode::SurfaceNotFound => Next::List,
        SurfaceCode::RevisionConflict => Next::GetAndRepeat,
        SurfaceCode::SpecInvalid | SurfaceCode::TemplateInvalid | SurfaceCode::TemplateSinkForbidden => {
            Next::CorrectUpsert
        }
        SurfaceCode::PolicyWidening => Next::GetAndNarrow,
        SurfaceCode::PatchFailed | SurfaceCode::StatePath => Next::GetAndPatch,
        SurfaceCode::UnsupportedOp => Next::OtherOperations,
        SurfaceCode::StateTooLarge => Next::LessState,
        SurfaceCode::InvalidPath => Next::CorrectPaths,
        _ => return None,
    })
}

impl fmt::Display for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let get = format!("Next: call {SURFACE_TOOL} with operation get, and");
        match self {
            Self::List => {
                write!(f, "Next: call {SURFACE_TOOL} with operation list, and name one that it shows.")
            }
            Self::GetAndRepeat => write!(f, "{get} repeat with the revision that it shows."),
            Self::GetAndNarrow => write!(
                f,
                "{get} repeat with the toolPolicy and confirm that it shows; only the user may widen them."
            ),
            Self::GetAndPatch => write!(f, "{get} write the patch for the state that it shows."),
            Self::CorrectUpsert => f.write_str("Next: the same upsert, corrected at each place in errors."),
            Self::CorrectPaths => f.write_str("Next: the same upsert with paths like assets/index.html."),
            Self::OtherOperations => f.write_str("Next: the same patchState with add, replace and remove."),
            Self::LessState => f.write_str("Next: the same patchState with less in it."),
            Self::Stop => f.write_str(STOP),
        }
    }
}

//! Access checks for surfaces.

use std::sync::Arc;

use crate::model::author::Role;
use crate::model::face::Face;
use crate::model::op_key::OpKey;
use crate::model::revision::Revision;
use crate::surface::descriptor::StoredDescriptor;
use crate::surface::name::SurfaceActor;
use crate::surface::refusal::SurfaceRefusal;
use crate::transition::rollout::Access;
use crate::transition::step::{Stop, Transition};
use crate::transition::surface::files::Refused;

impl Transition<'_> {
    /// Returns the descriptor of the surface if the actor may see it. Clients may, and so may sessions of its agent or
    /// of an agent that the ceiling adds.
    pub(super) fn descriptor_for(&self, by: &SurfaceActor) -> Refused<Arc<StoredDescriptor>> {
        let descriptor = self.descriptor_now()?;
        let seen = descriptor.filter(|descriptor| self.view.types.ceiling.shows(by, &descriptor.agent_id));
        seen.ok_or_else(|| Stop::refused(SurfaceRefusal::SurfaceNotFound))
    }

    /// Accepts clients at any time, and sessions in the running turn. A canvas under creation has not had a turn yet.
    pub(super) fn check_actor(&self, by: &SurfaceActor, operation: &OpKey) -> Refused<()> {
        match by {
            SurfaceActor::SessionKey(_) if !self.view.is_being_made() => self.check_turn(operation),
            SurfaceActor::SessionKey(_) | SurfaceActor::ClientId(_) => Ok(()),
        }
    }

    /// Accepts a revision since which the surface has not changed, or no revision.
    pub(super) fn check_expected(&self, expected: Option<Revision>) -> Refused<()> {
        match expected {
            Some(expected) if !self.view.head.is_current(Face::Surface, expected) => {
                let current = self.view.head.revision;
                Err(Stop::refused(SurfaceRefusal::StaleSurface { expected, current }))
            }
            _ => Ok(()),
        }
    }
}

/// Returns the access that a model needs for a change, or `None` if the actor is not a model.
pub(super) const fn access_of(by: &SurfaceActor) -> Option<Access> {
    match by {
        SurfaceActor::SessionKey(_) => Some(Access::Write),
        SurfaceActor::ClientId(_) => None,
    }
}

/// Returns the author of the change for the journal.
pub(super) const fn author(by: &SurfaceActor) -> Role {
    match by {
        SurfaceActor::ClientId(_) => Role::User,
        SurfaceActor::SessionKey(_) => Role::Assistant,
    }
}

/// Formats an actor as a part of a digest.
pub(super) fn actor_text(by: &SurfaceActor) -> String {
    match by {
        SurfaceActor::ClientId(client) => format!("client {client}"),
        SurfaceActor::SessionKey(session) => format!("session {session}"),
    }
}

//! Who may do something with a surface.

use std::sync::Arc;

use crate::model::author::Actor;
use crate::model::face::Face;
use crate::model::id::OpKey;
use crate::model::revision::Revision;
use crate::surface::descriptor::StoredDescriptor;
use crate::surface::name::SurfaceActor;
use crate::surface::refusal::SurfaceRefusal;
use crate::transition::rollout::Access;
use crate::transition::step::{Stop, Transition};
use crate::transition::surface::files::Refused;

impl Transition<'_> {
    /// The descriptor of the surface, for who may see it: clients, and sessions of its agent or of one that the ceiling
    /// adds.
    pub(super) fn descriptor_for(&self, by: &SurfaceActor) -> Refused<Arc<StoredDescriptor>> {
        let descriptor = self.descriptor_now()?;
        let seen = descriptor.filter(|descriptor| self.view.types.ceiling.shows(by, &descriptor.agent_id));
        seen.ok_or_else(|| Stop::refused(SurfaceRefusal::SurfaceNotFound))
    }

    /// Passes clients at any time, and sessions in the turn that runs. A canvas that is being made has had no turn yet.
    pub(super) fn check_actor(&self, by: &SurfaceActor, operation: &OpKey) -> Refused<()> {
        match by {
            SurfaceActor::SessionKey(_) if !self.view.is_being_made() => self.check_turn(operation),
            SurfaceActor::SessionKey(_) | SurfaceActor::ClientId(_) => Ok(()),
        }
    }

    /// Passes who expects a revision since which the surface has not changed, or none.
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

/// What a model does by a change; `None` where it is not a model's.
pub(super) const fn access_of(by: &SurfaceActor) -> Option<Access> {
    match by {
        SurfaceActor::SessionKey(_) => Some(Access::Write),
        SurfaceActor::ClientId(_) => None,
    }
}

/// Whose change it is, in the journal.
pub(super) const fn author(by: &SurfaceActor) -> Actor {
    match by {
        SurfaceActor::ClientId(_) => Actor::User,
        SurfaceActor::SessionKey(_) => Actor::Assistant,
    }
}

/// An actor as a part of a digest.
pub(super) fn actor_text(by: &SurfaceActor) -> String {
    match by {
        SurfaceActor::ClientId(client) => format!("client {client}"),
        SurfaceActor::SessionKey(session) => format!("session {session}"),
    }
}

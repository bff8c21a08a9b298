//! Descriptors, with the owner, the title and the presentation of a surface.

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::id::CanvasId;
use crate::model::revision::Revision;
use crate::surface::asset::AssetPath;
use crate::surface::error::{SurfaceCode, SurfaceFault};
use crate::surface::name::{AgentId, SessionKey};
use crate::surface::spec::wire::SurfaceMode;

/// Description of a surface for clients.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    /// Canvas of the surface.
    pub canvas_id: CanvasId,
    /// Agent that owns the surface.
    pub agent_id: AgentId,
    /// Title for people.
    pub title: String,
    /// Session that receives the messages of actions.
    pub owner_session_key: SessionKey,
    /// Presentation mode.
    pub mode: SurfaceMode,
    /// Asset to show first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_asset: Option<AssetPath>,
    /// Creation time in milliseconds since 1970.
    #[schemars(with = "u64")]
    pub created_at: Timestamp,
    /// Time of the last change in milliseconds since 1970.
    #[schemars(with = "u64")]
    pub updated_at: Timestamp,
    /// Revision that last changed the surface.
    pub revision: Revision,
}

/// The stored part of a [`Descriptor`]. The rest follows from the head, so that a change of the state only writes the
/// state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredDescriptor {
    pub(crate) agent_id: AgentId,
    pub(crate) title: String,
    pub(crate) owner_session_key: SessionKey,
    pub(crate) mode: SurfaceMode,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) entry_asset: Option<AssetPath>,
    pub(crate) created_at: Timestamp,
}

impl StoredDescriptor {
    /// Maximum bytes of a title.
    pub(crate) const TITLE: usize = 1024;

    /// Reads a descriptor written by [`StoredDescriptor::to_json`].
    pub(crate) fn read(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("it has only named members")
    }

    /// Adds the parts that follow from the head.
    pub(crate) fn descriptor(
        &self,
        canvas: &CanvasId,
        updated_at: Timestamp,
        revision: Revision,
    ) -> Descriptor {
        let Self { agent_id, title, owner_session_key, mode, entry_asset, created_at } = self.clone();
        let canvas_id = canvas.clone();
        Descriptor {
            canvas_id,
            agent_id,
            title,
            owner_session_key,
            mode,
            entry_asset,
            created_at,
            updated_at,
            revision,
        }
    }
}

/// Checks the title of a request.
pub(crate) fn check_title(title: &str) -> Result<(), SurfaceFault> {
    let (bytes, limit) = (title.len(), StoredDescriptor::TITLE);
    if bytes <= limit {
        return Ok(());
    }
    let message = format!("the title has {bytes} bytes, the limit is {limit}: shorten it");
    Err(SurfaceFault::new("/title", SurfaceCode::SpecInvalid, message))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The names of the source document.
    #[test]
    fn descriptors_have_the_documented_names() {
        let stored = StoredDescriptor {
            agent_id: AgentId::new("main").unwrap(),
            title: "Deploy Cockpit".into(),
            owner_session_key: SessionKey::new("agent:main:main").unwrap(),
            mode: SurfaceMode::Html,
            entry_asset: Some(AssetPath::new("assets/index.html").unwrap()),
            created_at: Timestamp::from_millis(1_730_000_000_000),
        };
        assert_eq!(StoredDescriptor::read(&stored.to_json()), Some(stored.clone()));
        let (canvas, revision) = (CanvasId::new("deploy-prod").unwrap(), Revision::new(1).unwrap());
        let told = stored.descriptor(&canvas, Timestamp::from_millis(1_730_000_000_001), revision);
        let json = json!({
            "canvasId": "deploy-prod", "agentId": "main", "title": "Deploy Cockpit",
            "ownerSessionKey": "agent:main:main", "mode": "html", "entryAsset": "assets/index.html",
            "createdAt": 1_730_000_000_000_u64, "updatedAt": 1_730_000_000_001_u64, "revision": 1,
        });
        assert_eq!(serde_json::to_value(told).unwrap(), json);
    }
}

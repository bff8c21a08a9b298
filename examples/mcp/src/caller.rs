//! Who asks, as far as a request tells.

use rmcp::RoleServer;
use rmcp::model::ProtocolVersion;
use rmcp::service::RequestContext;

/// The extension by which clients show pages.
pub(crate) const UI: &str = "io.modelcontextprotocol/ui";

/// The media type of a page.
pub(crate) const PAGE: &str = "text/html;profile=mcp-app";

/// A client, by what its request or its handshake says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caller {
    /// What it calls itself.
    pub(crate) client: String,
    /// With its version: tells clients apart that have no lifecycle.
    pub(crate) principal: String,
    /// Whether it shows pages.
    pub(crate) has_pages: bool,
    /// Whether it asks people for the server. That is how a client attests that a person has answered.
    pub(crate) asks_people: bool,
    /// Whether a result may ask for input, which came with 2026-07-28.
    pub(crate) is_modern: bool,
}

impl Caller {
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Self {
        let info = context.client_info();
        let capabilities = context.client_capabilities().unwrap_or_default();
        let pages = capabilities.extensions.as_ref().and_then(|extensions| extensions.get(UI));
        // Without a list it shows all that there are.
        let has_pages = pages.is_some_and(|settings| match settings.get("mimeTypes") {
            Some(types) => types.as_array().is_some_and(|types| types.iter().any(|one| one == PAGE)),
            None => true,
        });
        let asks_people =
            capabilities.elicitation.is_some_and(|modes| modes.form.is_some() || modes.url.is_none());
        let version = context.protocol_version();
        let client = info.as_ref().map_or("client", |info| &info.name).to_owned();
        let number = info.as_ref().map_or("", |info| &info.version);
        Self {
            principal: format!("{client}\n{number}"),
            client,
            has_pages,
            asks_people,
            is_modern: version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28),
        }
    }
}

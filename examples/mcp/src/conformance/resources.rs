//! Resources of the suite.

use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use super::plain::PNG;

const TEMPLATE: &str = "test://template/{id}/data";

/// The resources as clients list them.
pub(crate) fn list() -> impl Iterator<Item = Resource> {
    let all = [
        ("test://static-text", "static-text", "text/plain"),
        ("test://static-binary", "static-binary", "image/png"),
        ("test://watched-resource", "watched-resource", "text/plain"),
    ];
    all.into_iter().map(|(uri, name, kind)| {
        Resource::new(uri, name).with_description("A fixture of the conformance suite.").with_mime_type(kind)
    })
}

/// The template.
pub(crate) fn template() -> ResourceTemplate {
    ResourceTemplate::new(TEMPLATE, "template").with_mime_type("application/json")
}

/// What a URI names; `None` where it is none of the suite.
pub(crate) fn read(uri: &str) -> Option<ResourceContents> {
    Some(match uri {
        "test://static-text" => {
            let text = "This is the content of the static text resource.";
            ResourceContents::text(text, uri).with_mime_type("text/plain")
        }
        "test://static-binary" => ResourceContents::blob(PNG, uri).with_mime_type("image/png"),
        "test://watched-resource" => {
            ResourceContents::text("Nothing happens.", uri).with_mime_type("text/plain")
        }
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let text = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            ResourceContents::text(text.to_string(), uri).with_mime_type("application/json")
        }
    })
}

/// Whether a URI can be subscribed to.
pub(crate) fn follows(uri: &str) -> bool {
    uri == "test://watched-resource"
}

//! What the model is offered.

use std::sync::Arc;
use std::time::Duration;

use canvas_core::store::BoxStore;
use canvas_tools::{
    BoardTools, DirectiveTools, DocumentTools, HostTools, RecipeTools, SurfaceTools, ToolSpec, Tools, Toolset,
};

use super::chat::Edits;
use crate::host::Host;

/// After so long a tool of the host is given up.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The tools of a turn.
pub(super) fn of(host: &Arc<Host>, edits: Edits) -> Tools<BoxStore> {
    let document: Box<dyn Toolset<BoxStore>> = match edits {
        Edits::Tools => Box::new(DocumentTools::default()),
        Edits::Patches => Box::new(DirectiveTools { use_patch_edits: true }),
        Edits::Legacy => Box::new(DirectiveTools { use_patch_edits: false }),
        Edits::Proposals => Box::new(DocumentTools::ALL),
    };
    let mut tools = vec![document];
    // A board and a surface do not wait for decisions.
    if edits != Edits::Proposals {
        tools.extend(of_other_faces(host));
    }
    tools.push(Box::new(HostTools {
        host: Arc::clone(&host.tool_host),
        specs: read_only(host),
        timeout: TIMEOUT,
    }));
    Tools::try_from(tools).expect("no two toolsets have a name in common")
}

fn of_other_faces(host: &Arc<Host>) -> [Box<dyn Toolset<BoxStore>>; 3] {
    [
        Box::new(BoardTools { show_canvas: true, request_action: true, ..BoardTools::default() }),
        Box::new(SurfaceTools::new(Arc::clone(&host.door))),
        Box::new(RecipeTools::new(Arc::clone(&host.tool_host), Arc::clone(&host.refresher))),
    ]
}

/// The tools of the host that change nothing: others run as actions of a surface, which a person confirms.
fn read_only(host: &Host) -> Vec<ToolSpec> {
    let contracts = host.engine.ceiling().tools.values().filter(|contract| contract.declaration().read_only);
    contracts
        .map(|contract| ToolSpec {
            name: contract.name().to_string(),
            description: contract.declaration().description.clone().unwrap_or_default(),
            parameters: contract.declaration().input_schema.clone(),
        })
        .collect()
}

//! Data that a recipe makes.

use std::sync::Arc;

use canvas_core::board::ComponentId;
use canvas_core::recipe::RunId;
use canvas_core::{Author, CanvasId, CodedError as _, OpKey};
use canvas_tools::recipe::{ReplayError, ReplayReport, ReplayRequest};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::assistant::Said;
use crate::client::Client;
use crate::clock;
use crate::error::{Answer, Failure};
use crate::host::Host;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RefreshParams {
    canvas_id: CanvasId,
    #[serde(default)]
    components: Option<Vec<ComponentId>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RebuildParams {
    canvas_id: CanvasId,
    component_id: ComponentId,
}

/// Whether the recipe makes the data of a component.
pub(crate) async fn feeds(host: &Host, canvas: &CanvasId, component: &ComponentId) -> Result<bool, Failure> {
    let (recipe, _) = host.engine.recipe(canvas, clock::now()).await?;
    Ok(recipe
        .is_some_and(|recipe| recipe.targets().iter().any(|target| target.component() == Some(component))))
}

/// Plays the recipe again, without the assistant.
pub(crate) async fn refresh(host: &Host, operation: &OpKey, params: Value) -> Answer {
    let RefreshParams { canvas_id, components } = Failure::read(params)?;
    replay(host, operation, &canvas_id, components, false).await.map(|report| report.to_json())
}

async fn replay(
    host: &Host,
    operation: &OpKey,
    canvas: &CanvasId,
    components: Option<Vec<ComponentId>>,
    dry_run: bool,
) -> Result<ReplayReport, Failure> {
    let run = RunId::new(&format!("run-{}", host.fresh())).expect("a short name");
    let request = ReplayRequest { by: Author::User, now: clock::now(), zone: None, components, dry_run };
    let place = (canvas, operation);
    let replayed = host.refresher.refresh(&host.engine, &*host.tool_host, place, run, request).await;
    replayed.map_err(|error| failure(&error))
}

fn failure(error: &ReplayError) -> Failure {
    Failure(json!({"code": error.code(), "message": error.message(), "retryable": error.is_retryable()}))
}

/// Sends the assistant the text that asks for a component's data to be made anew.
pub(crate) async fn rebuild(host: &Arc<Host>, client: &Client, params: Value) -> Answer {
    let RebuildParams { canvas_id, component_id } = Failure::read(params)?;
    let report = replay(host, &host.operation(), &canvas_id, Some(vec![component_id.clone()]), true).await?;
    let Some(escalation) = report.escalation else {
        let message = format!("the data of {component_id} can be refreshed: there is nothing to rebuild");
        return Err(Failure::new("NOT_STALE", &message));
    };
    let said = Said { by: client.person().cloned(), text: escalation.message, selection: None };
    let sent = host.assistant.send(host, &canvas_id, said).await;
    let turn = sent.map_err(Failure)?;
    Ok(json!({"turn": turn}))
}

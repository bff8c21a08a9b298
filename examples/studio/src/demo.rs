//! The canvas that a studio starts with.

use canvas_core::board::{GridConfig, Workspace, WorkspaceId};
use canvas_core::surface::{ClientId, SurfaceActor};
use canvas_core::{Author, CreateBoard, EngineError, RunBoardCommand};
use canvas_tools::surface::{SurfaceCaller, SurfaceRequest};
use serde_json::{Value, json};

use crate::clock;
use crate::error::Failure;
use crate::host::Host;

const DOCUMENT: &str = include_str!("../scripts/demo.md");

/// The spec and the page of the source document, as they are written there.
const SPEC: &str = include_str!("../../../canvas-tools/tests/surface/deploy.json");
const PAGE: &str = include_str!("../../../canvas-tools/tests/surface/index.html");

const GRID: GridConfig = GridConfig { columns: 12, rows: 8, gap: 12.0, cell_width: 88.0, cell_height: 84.0 };

/// Makes the canvas where it is missing, and learns the jobs of it.
pub(crate) async fn make(host: &Host) -> Result<(), String> {
    let sentence = |error: Failure| error.0["message"].as_str().unwrap_or("the canvas cannot be made").to_owned();
    match host.engine.create(&host.first, DOCUMENT, &host.operation(), clock::now()).await {
        Ok(_) => {
            board(host).await.map_err(sentence)?;
            surface(host).await.map_err(sentence)?;
        }
        Err(EngineError::Exists { .. }) => {}
        Err(error) => return Err(error.to_string()),
    }
    host.door.track(&host.engine, &host.first, clock::now()).await.map_err(|e| e.to_string())
}

async fn board(host: &Host) -> Result<(), Failure> {
    let id = WorkspaceId::new("ws_studio").expect("a short name");
    let mut workspace =
        Workspace::empty(id, "Release 1.3".to_owned(), "studio".to_owned(), GRID, clock::now());
    workspace.settings.proactive_mode = canvas_core::board::ProactiveMode::Suggest;
    host.act(&host.first, &host.operation(), CreateBoard { workspace: Box::new(workspace) }).await?;
    let create = |type_id: &str, config: Value, (col, row): (u32, u32), (cols, rows): (u32, u32)| {
        json!({"type": "component.create", "payload": {
            "typeId": type_id, "config": config,
            "position": {"col": col, "row": row}, "size": {"cols": cols, "rows": rows},
        }})
    };
    let repo = json!({"repo": "octo/plan"});
    let stat = |metric: &str| json!({"repo": "octo/plan", "metric": metric});
    let first = [
        create("github.stat-tile", stat("open_prs"), (0, 0), (2, 1)),
        create("github.stat-tile", stat("open_issues"), (2, 0), (2, 1)),
        create("github.pr-list", repo.clone(), (0, 1), (4, 4)),
        create("github.issue-grid", repo.clone(), (4, 0), (5, 3)),
        create("github.activity-timeline", repo.clone(), (9, 0), (3, 5)),
    ];
    let commands: Vec<Value> = first.to_vec();
    let steps = [
        json!({"type": "batch", "payload": {"commands": commands, "description": "The board of the release."}}),
        json!({"type": "view.save", "payload": {"name": "Overview", "description": "All of the release."}}),
    ];
    for step in steps {
        command(host, step).await?;
    }
    Ok(())
}

async fn command(host: &Host, command: Value) -> Result<Value, Failure> {
    let command = serde_json::from_value(command).map_err(|e| Failure::parameter(&e))?;
    let command = RunBoardCommand { by: Author::Host, command: Box::new(command), base: None, grid: None };
    let (run, _) = host.act(&host.first, &host.operation(), command).await?;
    let result = json!(run.result);
    if result["success"] == false {
        return Err(Failure(result["error"].clone()));
    }
    Ok(result)
}

async fn surface(host: &Host) -> Result<(), Failure> {
    let spec: Value = serde_json::from_str(SPEC).map_err(|e| Failure::parameter(&e))?;
    let params = json!({
        "canvasId": host.first, "agentId": "main", "title": "Deploy Cockpit", "ownerSessionKey": "agent:main:main",
        "entryAsset": "assets/index.html", "spec": spec, "assets": {"assets/index.html": PAGE},
    });
    let request = SurfaceRequest::parse("canvas.create", &params)
        .map_err(|error| Failure::from(canvas_tools::surface::SurfaceError::from(error)))?;
    let actor = SurfaceActor::ClientId(ClientId::new("studio").expect("a short name"));
    let caller = SurfaceCaller { actor, operation: host.operation() };
    host.door.answer(&host.engine, &caller, request, clock::now()).await.result?;
    Ok(())
}

//! The canvas that a studio starts with: the plan of a release, its board, and the surface of the source document.

use canvas_core::board::{
    Board, BoardEnv, CanvasCommand, CreateBoard, DataLoadingState, GridConfig, IdSource, View, Workspace,
    WorkspaceId,
};
use canvas_core::history::ClearHistory;
use canvas_core::surface::{ClientId, SurfaceActor};
use canvas_core::{CodedError as _, EngineError, Role};
use canvas_tools::surface::{SurfaceCaller, SurfaceError, SurfaceRequest};
use serde_json::{Value, json};

use crate::clock;
use crate::error::Failure;
use crate::host::Host;

const DOCUMENT: &str = include_str!("../scripts/demo.md");

/// The spec and the page of the source document, as they are written there.
const SPEC: &str = include_str!("../../../canvas-tools/tests/it/surface/deploy.json");
const PAGE: &str = include_str!("../../../canvas-tools/tests/it/surface/index.html");

const REPOSITORY: &str = "acme/server";

/// Makes the canvas where it is missing, and learns the jobs of all that there are.
pub(crate) async fn make(host: &Host) -> Result<(), String> {
    let sentence =
        |error: Failure| error.0["message"].as_str().unwrap_or("the canvas cannot be made").to_owned();
    match host.engine.create(&host.first, DOCUMENT, &host.operation(), clock::now()).await {
        Ok(_) => fill(host).await.map_err(sentence),
        Err(EngineError::Exists { .. }) => {
            host.door.track(&host.engine, &host.first, clock::now()).await.map_err(|e| e.message())
        }
        Err(error) => Err(error.message()),
    }
}

async fn fill(host: &Host) -> Result<(), Failure> {
    let create = CreateBoard { workspace: Box::new(workspace(host)?) };
    host.act(&host.first, &host.operation(), create).await?;
    surface(host).await?;
    // What a person has not done a person does not undo.
    host.act(&host.first, &host.operation(), ClearHistory).await?;
    Ok(())
}

/// The board with its views and triggers. Its ids are the same in every studio.
fn workspace(host: &Host) -> Result<Workspace, Failure> {
    let (id, now) = (WorkspaceId::new("ws_studio").expect("a short name"), clock::now());
    // All its rows fit a window that is 800 pixels high.
    let grid = GridConfig { cell_height: 67.0, ..GridConfig::default() };
    let empty = Workspace::empty(id, "Release 1.3".to_owned(), "studio".to_owned(), grid, now);
    let mut board = Board::new(empty).map_err(|e| Failure::new(e.code(), &e.to_string()))?;
    let (registry, rules) = (host.engine.registry(), host.engine.policy().board);
    let mut env = BoardEnv { registry, rules, now, ids: IdSource::seeded(b"studio") };
    let mut run = |command: Value| -> Result<(), Failure> {
        let command: CanvasCommand = Failure::read(command)?;
        let executed = board.execute(&command, Role::User, &mut env);
        match executed.result.error() {
            Some(error) => Err(Failure(json!(error))),
            None => Ok(()),
        }
    };
    let create = |type_id: &str, config: Value, (col, row): (u32, u32), (cols, rows): (u32, u32)| {
        let label = match type_id {
            "github.pr-list" => Some("Pull requests"),
            "github.issue-grid" => Some("Issues"),
            "github.activity-timeline" => Some("Activity"),
            _ => None,
        };
        json!({"type": "component.create", "payload": {
            "typeId": type_id, "config": config, "meta": {"label": label},
            "position": {"col": col, "row": row}, "size": {"cols": cols, "rows": rows},
        }})
    };
    let repo = || json!({"repo": REPOSITORY});
    let stat = |metric: &str| json!({"repo": REPOSITORY, "metric": metric});
    run(create("github.issue-grid", repo(), (0, 0), (6, 4)))?;
    run(create("github.activity-timeline", repo(), (6, 0), (4, 4)))?;
    run(
        json!({"type": "view.save", "payload": {"name": "Week start", "description": "What is open, and what happened."}}),
    )?;
    run(json!({"type": "canvas.clear", "payload": {"preservePinned": false}}))?;
    run(create("github.stat-tile", stat("open_prs"), (0, 0), (2, 1)))?;
    run(create("github.stat-tile", stat("open_issues"), (2, 0), (2, 1)))?;
    run(create("github.pr-list", repo(), (0, 1), (4, 4)))?;
    run(create("github.issue-grid", repo(), (4, 0), (5, 3)))?;
    run(create("github.activity-timeline", repo(), (9, 0), (3, 5)))?;
    run(json!({"type": "view.save", "payload": {"name": "Overview", "description": "All of the release."}}))?;
    let mut workspace = board.workspace(|_| DataLoadingState::Idle);
    let view =
        |name: &str| workspace.views.iter().find(|view| view.name == name).map(|view: &View| view.id.clone());
    workspace.triggers = Failure::read(json!([
        {
            "id": "welcome", "name": "Welcome", "enabled": true, "type": "session_start", "viewId": view("Overview"),
            "message": "Welcome back. Would you like to see the overview of the release?",
        },
        {
            "id": "monday", "name": "Monday morning", "enabled": true, "type": "time_based",
            "simulatedTime": "monday_morning", "viewId": view("Week start"),
            "message": "It’s a new week. Would you like to see the open issues?",
        },
    ]))?;
    Ok(workspace)
}

async fn surface(host: &Host) -> Result<(), Failure> {
    let spec: Value = serde_json::from_str(SPEC).expect("the spec is JSON");
    let params = json!({
        "canvasId": host.first, "agentId": "main", "title": "Deploy Cockpit", "ownerSessionKey": "agent:main:main",
        "entryAsset": "assets/index.html", "spec": spec, "assets": {"assets/index.html": PAGE},
    });
    let request = SurfaceRequest::parse("canvas.create", &params).map_err(SurfaceError::from)?;
    let actor = SurfaceActor::ClientId(ClientId::new("studio").expect("a short name"));
    let caller = SurfaceCaller { actor, operation: host.operation() };
    host.door.answer(&host.engine, &caller, request, clock::now()).await.result?;
    Ok(())
}

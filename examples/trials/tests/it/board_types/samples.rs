//! Samples of each type, each variant, and optional fields both ways.

use canvas_core::Role;
use canvas_core::board::*;
use canvas_core::json::JsonPatchOperation;
use canvas_core::schema::ValidationError;
use serde_json::{Value, json};

use crate::board_types::sample::{Sample, beyond, of};

/// Types of the document with functions in them: none is JSON.
pub(crate) const NO_JSON: [&str; 5] =
    ["ComponentRegistry", "ComponentRenderProps", "DataSource", "LayoutEngine", "Unsubscribe"];

pub(crate) fn all() -> Vec<Sample> {
    [
        ids(),
        grid(),
        workspace(),
        commands(),
        results(),
        placement(),
        user_actions(),
        registry(),
        data(),
        context(),
        events(),
        triggers(),
        errors(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn each<T: serde::Serialize + serde::de::DeserializeOwned + schemars::JsonSchema>(
    name: &'static str,
    values: impl IntoIterator<Item = Value>,
) -> impl Iterator<Item = Sample> {
    values.into_iter().map(move |value| of::<T>(name, value))
}

fn words<const N: usize>(words: [&str; N]) -> [Value; N] {
    words.map(|word| json!(word))
}

fn ids() -> Vec<Sample> {
    vec![
        of::<WorkspaceId>("WorkspaceId", json!("ws_abc123")),
        of::<ComponentId>("ComponentId", json!("cmp_xyz789")),
        of::<ViewId>("ViewId", json!("view_def456")),
        of::<TypeId>("TypeId", json!("github.pr-list")),
        of::<DataSourceId>("DataSourceId", json!("mock-github")),
        of::<UndoId>("UndoId", json!("undo_ghi012")),
        of::<TriggerId>("TriggerId", json!("trigger_jkl345")),
    ]
}

fn a_grid() -> Value {
    json!({"columns": 12, "rows": 8, "gap": 8.5, "cellWidth": 80.25, "cellHeight": 64.5})
}

fn a_canvas() -> Value {
    json!({"grid": a_grid(), "components": [a_component(json!({"status": "idle"}))]})
}

fn a_binding() -> Value {
    json!({
        "source": "mock-github", "query": {"type": "pull_requests", "params": {"repo": "acme/app", "limit": 10}},
        "refreshInterval": 60_000
    })
}

fn a_component(state: Value) -> Value {
    json!({
        "id": "cmp_a", "typeId": "github.pr-list", "position": {"col": 0, "row": 0}, "size": {"cols": 6, "rows": 4},
        "config": {"repo": "acme/app"}, "dataBinding": a_binding(), "dataState": state,
        "meta": {"createdAt": 1000, "createdBy": "assistant", "pinned": false}
    })
}

fn grid() -> Vec<Sample> {
    vec![
        of::<GridConfig>("GridConfig", a_grid()),
        of::<Position>("Position", json!({"col": 3, "row": 0})),
        of::<Size>("Size", json!({"cols": 6, "rows": 4})),
        of::<Bounds>("Bounds", json!({"position": {"col": 3, "row": 0}, "size": {"cols": 6, "rows": 4}})),
    ]
}

fn states() -> [Value; 5] {
    [
        json!({"status": "idle"}),
        json!({"status": "loading", "startedAt": 1000}),
        json!({"status": "ready", "data": [{"title": "a"}], "fetchedAt": 1000}),
        json!({"status": "error", "error": an_error(), "attemptedAt": 1000}),
        json!({"status": "stale", "data": null, "fetchedAt": 1000}),
    ]
}

fn workspace() -> Vec<Sample> {
    let settings = |theme: &str, mode: &str| {
        json!({
            "theme": theme, "voiceEnabled": true, "defaultRefreshInterval": 60_000, "grid": a_grid(),
            "proactiveMode": mode
        })
    };
    let views = [
        json!({
            "id": "view_a", "name": "Monday", "description": "What to do", "snapshot": a_canvas(),
            "triggerIds": ["trigger_a"], "createdAt": 1000
        }),
        json!({"id": "view_b", "name": "Friday", "snapshot": a_canvas(), "triggerIds": [], "createdAt": 1000}),
    ];
    let mut unbound = a_component(json!({"status": "idle"}));
    unbound["dataBinding"] = Value::Null;
    let mut samples = vec![
        of::<Workspace>(
            "Workspace",
            json!({
                "id": "ws_a", "name": "Work", "canvas": a_canvas(), "threadId": "thread_a", "views": views,
                "triggers": [{"id": "trigger_a", "name": "Start", "enabled": true, "type": "session_start"}],
                "settings": settings("dark", "suggest"), "createdAt": 1000, "updatedAt": 2000
            }),
        ),
        of::<Canvas>("Canvas", a_canvas()),
        of::<Canvas>("Canvas", json!({"grid": a_grid(), "components": []})),
        of::<ComponentInstance>("ComponentInstance", unbound),
        of::<ComponentMeta>(
            "ComponentMeta",
            json!({"createdAt": 1000, "createdBy": "user", "pinned": true, "label": "Mine"}),
        ),
        of::<ComponentMeta>(
            "ComponentMeta",
            json!({"createdAt": 1000, "createdBy": "assistant", "pinned": false}),
        ),
    ];
    samples.extend(each::<View>("View", views));
    samples.extend(each::<ComponentInstance>("ComponentInstance", states().map(a_component)));
    samples.extend(each::<DataLoadingState>("DataLoadingState", states()));
    samples.extend(each::<WorkspaceSettings>(
        "WorkspaceSettings",
        [("light", "suggest"), ("dark", "auto"), ("system", "off")]
            .map(|(theme, mode)| settings(theme, mode)),
    ));
    samples
}

/// A payload by itself, and the command that carries it.
fn command<T: serde::Serialize + serde::de::DeserializeOwned + schemars::JsonSchema>(
    kind: &str,
    name: &'static str,
    payload: Value,
) -> [Sample; 2] {
    let whole = json!({"type": kind, "payload": payload});
    [of::<T>(name, payload), of::<CanvasCommand>("CanvasCommand", whole)]
}

fn commands() -> Vec<Sample> {
    const CREATE: (&str, &str) = ("component.create", "CreateComponentPayload");
    const UPDATE: (&str, &str) = ("component.update", "UpdateComponentPayload");
    let at = json!({"col": 0, "row": 0});
    let size = json!({"cols": 6, "rows": 4});
    let clear = json!({"type": "canvas.clear", "payload": {"preservePinned": true}});
    let mut samples: Vec<Sample> = [
        command::<CreateComponent>(CREATE.0, CREATE.1, json!({"typeId": "github.pr-list", "config": {}})),
        command::<CreateComponent>(
            CREATE.0,
            CREATE.1,
            json!({
                "typeId": "github.pr-list", "config": {"repo": "acme/app"}, "dataBinding": a_binding(), "position": at,
                "size": size, "meta": {"pinned": true, "label": "Mine"}
            }),
        ),
        command::<UpdateComponent>(UPDATE.0, UPDATE.1, json!({"componentId": "cmp_a"})),
        command::<UpdateComponent>(
            UPDATE.0,
            UPDATE.1,
            json!({"componentId": "cmp_a", "config": {"limit": 5}, "dataBinding": a_binding(), "meta": {"label": "b"}}),
        ),
        command::<UpdateComponent>(UPDATE.0, UPDATE.1, json!({"componentId": "cmp_a", "dataBinding": null, "meta": {}})),
        command::<RemoveComponent>("component.remove", "RemoveComponentPayload", json!({"componentId": "cmp_a"})),
        command::<MoveComponent>(
            "component.move",
            "MoveComponentPayload",
            json!({"componentId": "cmp_a", "position": at}),
        ),
        command::<ResizeComponent>(
            "component.resize",
            "ResizeComponentPayload",
            json!({"componentId": "cmp_a", "size": size}),
        ),
        command::<SaveView>("view.save", "SaveViewPayload", json!({"name": "Monday"})),
        command::<SaveView>(
            "view.save",
            "SaveViewPayload",
            json!({"name": "Monday", "description": "What to do", "triggerIds": ["trigger_a"]}),
        ),
        command::<LoadView>("view.load", "LoadViewPayload", json!({"viewId": "view_a"})),
        command::<DeleteView>("view.delete", "DeleteViewPayload", json!({"viewId": "view_a"})),
        command::<ClearCanvas>("canvas.clear", "ClearCanvasPayload", json!({"preservePinned": false})),
        command::<Batch>("batch", "BatchPayload", json!({"commands": [clear], "description": "Clear up"})),
    ]
    .into_iter()
    .flatten()
    .collect();
    samples.extend([
        beyond::<CreateComponent>(
            CREATE.1,
            json!({"typeId": "t", "config": {}, "onCollision": "shift", "hints": {"region": "top"}}),
        ),
        beyond::<MoveComponent>(
            "MoveComponentPayload",
            json!({"componentId": "cmp_a", "position": at, "onCollision": "shift"}),
        ),
        beyond::<ResizeComponent>(
            "ResizeComponentPayload",
            json!({"componentId": "cmp_a", "size": size, "onCollision": "shift"}),
        ),
    ]);
    let some = json!({"theme": "dark", "voiceEnabled": true});
    let all = json!({
        "theme": "light", "voiceEnabled": false, "defaultRefreshInterval": 60000, "proactiveMode": "auto",
        "grid": {"columns": 12, "rows": 8, "gap": 8.0, "cellWidth": 80.0, "cellHeight": 60.0},
    });
    samples.push(of::<SettingsUpdate>("WorkspaceSettings", all.clone()));
    samples.extend([json!({}), some].map(|update| beyond::<SettingsUpdate>("WorkspaceSettings", update)));
    samples
        .push(beyond::<CanvasCommand>("CanvasCommand", json!({"type": "settings.update", "payload": all})));
    let trigger = json!({"id": "trigger_a", "name": "Start", "enabled": true, "type": "session_start"});
    samples.extend([
        beyond::<CanvasCommand>(
            "CanvasCommand",
            json!({"type": "trigger.set", "payload": {"trigger": trigger}}),
        ),
        beyond::<CanvasCommand>(
            "CanvasCommand",
            json!({"type": "trigger.remove", "payload": {"triggerId": "trigger_a"}}),
        ),
    ]);
    samples.extend(["reject", "shift"].map(|name| beyond::<OnCollision>("", json!(name))));
    samples.push(beyond::<PartialMeta>("", json!({"label": null})));
    samples.push(beyond::<PartialMeta>("", json!({"pinned": false})));
    samples
}

fn results() -> Vec<Sample> {
    let error = json!({"code": "INVALID_SIZE", "message": "Use 6x4."});
    let done = json!({
        "success": true, "undoId": "undo_a", "explanation": "Added PR List", "affectedComponentIds": ["cmp_a"]
    });
    let refused = json!({
        "success": false, "undoId": "", "explanation": "Not done", "affectedComponentIds": [], "error": error
    });
    let clear = json!({"type": "canvas.clear", "payload": {"preservePinned": true}});
    let entry = |source: &str| {
        json!({
            "id": "undo_a", "timestamp": 1000, "source": source, "description": "Cleared the canvas", "forward": clear,
            "inverse": clear
        })
    };
    let restored = |kind: &str| {
        json!({
            "id": "undo_a", "timestamp": 1000, "source": "user", "description": "d", "forward": clear,
            "inverse": {"type": kind, "payload": {"any": 1}}
        })
    };
    let mut samples = vec![
        of::<BatchCommandResult>(
            "BatchCommandResult",
            json!({"success": true, "undoId": "undo_a", "explanation": "Done", "results": [done]}),
        ),
        of::<BatchCommandResult>(
            "BatchCommandResult",
            json!({"success": false, "undoId": "", "explanation": "Not done", "results": [refused], "error": error}),
        ),
        of::<CommandError>("CommandError", error),
        of::<CommandError>(
            "CommandError",
            json!({"code": "COMPONENT_NOT_FOUND", "message": "No cmp_a.", "componentId": "cmp_a"}),
        ),
        of::<CommandResult>("CommandResult", done),
        of::<CommandResult>("CommandResult", refused),
        of::<HistoryState>(
            "HistoryState",
            json!({"undoStack": [entry("user"), entry("assistant")], "redoStack": [], "maxSize": 50}),
        ),
    ];
    samples.extend(each::<UndoEntry>("UndoEntry", ["user", "assistant"].map(entry)));
    samples.extend(each::<HistoryAction>(
        "HistoryAction",
        ["history.undo", "history.redo", "history.clear"].map(|kind| json!({"type": kind})),
    ));
    samples.extend(each::<CommandErrorCode>(
        "CommandErrorCode",
        words([
            "COMPONENT_NOT_FOUND",
            "INVALID_POSITION",
            "INVALID_SIZE",
            "TYPE_NOT_FOUND",
            "CONFIG_VALIDATION_FAILED",
            "VIEW_NOT_FOUND",
            "COLLISION_DETECTED",
        ]),
    ));
    samples.extend(
        words([
            "TRIGGER_NOT_FOUND",
            "NOTHING_TO_UNDO",
            "NOTHING_TO_REDO",
            "HISTORY_CONFLICT",
            "HISTORY_NOT_FOUND",
            "BOARD_TOO_LARGE",
            "UNKNOWN_SIMULATED_TIME",
            "INVALID_BOARD",
        ])
        .map(|code| beyond::<CommandErrorCode>("CommandErrorCode", code)),
    );
    samples.extend(
        ["component.restore", "view.restore", "canvas.restore"]
            .map(|kind| beyond::<UndoEntry>("UndoEntry", restored(kind))),
    );
    samples.push(beyond::<CommandError>(
        "CommandError",
        json!({
            "code": "COLLISION_DETECTED", "message": "m", "place": "/payload/position", "candidates": ["cmp_b"],
            "errors": [{"path": "/repo", "message": "m", "code": "type"}], "collidingIds": ["cmp_b"],
            "freePositions": [{"col": 0, "row": 4}], "corrected": clear
        }),
    ));
    samples.push(beyond::<CommandResult>(
        "CommandResult",
        json!({
            "success": true, "undoId": "undo_a", "explanation": "e", "affectedComponentIds": [], "warnings": ["w"],
            "placement": {"position": {"col": 0, "row": 0}, "reason": "best_effort"}
        }),
    ));
    samples
}

fn placement() -> Vec<Sample> {
    let at = json!({"col": 0, "row": 0});
    let moved =
        json!({"componentId": "cmp_a", "from": at, "to": {"col": 0, "row": 4}, "reason": "made room"});
    let mut samples = vec![
        of::<PlacementResult>("PlacementResult", json!({"position": at, "reason": "auto_placed"})),
        of::<PlacementResult>(
            "PlacementResult",
            json!({"position": at, "reason": "shifted", "adjustments": [moved]}),
        ),
        of::<PlacementAdjustment>("PlacementAdjustment", moved),
        of::<PlacementHints>("PlacementHints", json!({})),
        of::<PlacementHints>(
            "PlacementHints",
            json!({"preferredPosition": at, "nearComponentId": "cmp_a", "region": "left"}),
        ),
    ];
    samples.extend(each::<PlacementReason>(
        "PlacementReason",
        words(["requested", "auto_placed", "shifted", "best_effort"]),
    ));
    samples.extend(each::<PlacementHints>(
        "PlacementHints",
        ["top", "bottom", "left", "right"].map(|region| json!({"region": region})),
    ));
    samples.extend(words(["grow", "reject", "best_effort"]).map(|policy| beyond::<GridPolicy>("", policy)));
    samples
}

fn user_actions() -> Vec<Sample> {
    each::<UserAction>(
        "UserAction",
        [
            json!({"type": "user.move", "componentId": "cmp_a", "position": {"col": 0, "row": 0}}),
            json!({"type": "user.resize", "componentId": "cmp_a", "size": {"cols": 6, "rows": 4}}),
            json!({"type": "user.dismiss", "componentId": "cmp_a"}),
            json!({"type": "user.pin", "componentId": "cmp_a", "pinned": true}),
            json!({"type": "user.refresh", "componentId": "cmp_a"}),
            json!({"type": "user.undo"}),
            json!({"type": "user.redo"}),
        ],
    )
    .collect()
}

fn an_error() -> Value {
    json!({
        "code": "RATE_LIMITED", "message": "Wait.", "source": "mock-github", "retryable": true, "retryAfter": 3000
    })
}

fn registry() -> Vec<Sample> {
    let action = json!({"actionId": "open", "label": "Open", "description": "Opens it."});
    let mut full_action = action.clone();
    full_action["icon"] = "arrow".into();
    full_action["requiresSelection"] = true.into();
    full_action["params"] = json!({"type": "object"});
    let mut definition = json!({
        "typeId": "acme.note", "name": "Note", "description": "A note.", "category": "utility",
        "configSchema": {"type": "object", "properties": {"text": {"type": "string"}}}, "defaultConfig": {"text": ""},
        "defaultSize": {"cols": 2, "rows": 2}, "minSize": {"cols": 1, "rows": 1}, "maxSize": {"cols": 12, "rows": 8},
        "capabilities": ["interactive"], "actions": [action],
    });
    let plain = definition.clone();
    definition["dataBindingSchema"] = json!({"type": "object"});
    let with_schema = definition.clone();
    definition["version"] = 2.into();
    definition["bindingRule"] =
        json!({"source": "mock-github", "query": "issues", "params": ["repo"], "refreshInterval": 1_000});
    let mut bare = definition.clone();
    bare["bindingRule"].as_object_mut().expect("it is one").remove("refreshInterval");
    let mut samples = vec![
        of::<ComponentActionDefinition>("ComponentActionDefinition", action),
        of::<ComponentActionDefinition>("ComponentActionDefinition", full_action),
        of::<ComponentDefinition>("ComponentDefinition", plain),
        of::<ComponentDefinition>("ComponentDefinition", with_schema),
        beyond::<ComponentDefinition>("ComponentDefinition", definition),
        beyond::<ComponentDefinition>("ComponentDefinition", bare),
        of::<ValidationResult>("ValidationResult", json!({"valid": true})),
        of::<ValidationResult>(
            "ValidationResult",
            json!({"valid": false, "errors": [{"path": "/repo", "message": "m", "code": "required"}]}),
        ),
        of::<QueryDefinition>(
            "QueryDefinition",
            json!({"type": "stats", "description": "d", "paramsSchema": {"type": "object"}, "resultSchema": {}}),
        ),
    ];
    samples.extend(each::<ComponentCapability>(
        "ComponentCapability",
        words(["interactive", "refreshable", "expandable", "filterable", "sortable", "exportable"]),
    ));
    let page = json!({"total": 30, "offset": 10, "limit": 10, "hasMore": true});
    let query = json!({"type": "stats", "params": {}});
    let mut meta =
        json!({"fetchedAt": 5, "source": "mock-github", "query": query, "stale": false, "ttl": 60_000});
    samples.push(of::<PaginationMeta>("PaginationMeta", page.clone()));
    samples.push(of::<DataMeta>("DataMeta", meta.clone()));
    samples.push(of::<DataResult>("DataResult", json!({"data": 7, "meta": meta})));
    meta["pagination"] = page;
    samples.push(of::<DataMeta>("DataMeta", meta.clone()));
    samples.push(of::<DataResult>("DataResult", json!({"data": [1], "meta": meta})));
    samples
}

fn data() -> Vec<Sample> {
    let mut manual = a_binding();
    manual["refreshInterval"] = Value::Null;
    let mut samples = vec![
        of::<ValidationError>(
            "ValidationError",
            json!({"path": "/repo", "message": "m", "code": "required"}),
        ),
        of::<DataBinding>("DataBinding", a_binding()),
        of::<DataBinding>("DataBinding", manual),
        of::<DataQuery>("DataQuery", json!({"type": "stats", "params": {}})),
        of::<DataError>("DataError", an_error()),
        of::<DataError>(
            "DataError",
            json!({"code": "NOT_FOUND", "message": "m", "source": "mock-github", "retryable": false}),
        ),
    ];
    samples.extend(each::<ComponentCategory>(
        "ComponentCategory",
        words(["data", "metric", "timeline", "utility"]),
    ));
    samples.extend(each::<DataErrorCode>(
        "DataErrorCode",
        words([
            "NOT_FOUND",
            "UNAUTHORIZED",
            "FORBIDDEN",
            "RATE_LIMITED",
            "NETWORK",
            "TIMEOUT",
            "INVALID_QUERY",
            "SOURCE_UNAVAILABLE",
            "UNKNOWN",
        ]),
    ));
    samples.extend(words(["user", "assistant"]).map(|actor| beyond::<Role>("", actor)));
    samples
}

fn context() -> Vec<Sample> {
    let summary = |category: &str, status: &str| {
        json!({
            "id": "cmp_a", "typeId": "github.pr-list", "typeName": "PR List", "category": category,
            "position": {"col": 0, "row": 0}, "size": {"cols": 6, "rows": 4}, "summary": "PR List: repo acme/app.",
            "highlights": ["items: 5"], "actions": ["refresh"], "stateStatus": status
        })
    };
    let temporal = |day: &str, part: &str| {
        json!({
            "timestamp": "2026-01-02T15:30:00+05:30", "timezone": "Asia/Kolkata", "dayOfWeek": day, "timeOfDay": part,
            "isWorkHours": true
        })
    };
    let budget = |level: &str| json!({"maxTokens": 4000, "usedTokens": 800, "maxComponents": 20, "summarizationLevel": level});
    let views = [
        json!({"id": "view_a", "name": "Monday", "description": "What to do", "componentCount": 3}),
        json!({"id": "view_b", "name": "Friday", "componentCount": 0}),
    ];
    let around = |active: Value| {
        json!({
            "id": "ws_a", "name": "Work", "activeViewId": active, "savedViews": views, "componentCount": 1,
            "gridUtilization": 0.25
        })
    };
    let days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let parts = ["early_morning", "morning", "mid_day", "afternoon", "evening", "night"];
    let mut samples = vec![of::<CanvasContext>(
        "CanvasContext",
        json!({
            "components": [summary("data", "ready")], "temporal": temporal("friday", "afternoon"),
            "workspace": around(json!("view_a")), "budget": budget("full")
        }),
    )];
    samples.extend(each::<WorkspaceContext>("WorkspaceContext", [Value::Null, json!("view_a")].map(around)));
    samples.extend(each::<ViewSummary>("ViewSummary", views.clone()));
    samples.extend(each::<ContextBudget>("ContextBudget", ["full", "condensed", "minimal"].map(budget)));
    samples.extend(each::<DayOfWeek>("DayOfWeek", words(days)));
    samples.extend(each::<TimeOfDay>("TimeOfDay", words(parts)));
    samples.extend(each::<TemporalContext>("TemporalContext", days.map(|day| temporal(day, "night"))));
    samples.extend(each::<ComponentSummary>(
        "ComponentSummary",
        [
            ("data", "idle"),
            ("metric", "loading"),
            ("timeline", "ready"),
            ("utility", "error"),
            ("data", "stale"),
        ]
        .map(|(category, status)| summary(category, status)),
    ));
    samples.extend([
        beyond::<JsonPatchOperation>("", json!({"op": "add", "path": "/components/0", "value": {}})),
        beyond::<JsonPatchOperation>("", json!({"op": "remove", "path": "/components/0"})),
        beyond::<JsonPatchOperation>("", json!({"op": "replace", "path": "", "value": null})),
    ]);
    samples
}

/// A payload that our type has no name for, and the event that carries it.
fn event(kind: &str, name: &'static str, payload: Value) -> [Sample; 2] {
    let whole = json!({"type": kind, "payload": payload});
    [of::<Value>(name, payload), of::<CanvasEvent>("CanvasEvent", whole)]
}

fn events() -> Vec<Sample> {
    let bounds = json!({"position": {"col": 0, "row": 0}, "size": {"cols": 6, "rows": 4}});
    let item = json!({"itemId": "i", "data": {"any": 1}});
    let layout = |change: &str| json!({"componentId": "cmp_a", "changeType": change, "newBounds": bounds});
    let mut samples: Vec<Sample> = [
        event("component.clicked", "ComponentClickPayload", json!({"componentId": "cmp_a"})),
        event(
            "component.clicked",
            "ComponentClickPayload",
            json!({"componentId": "cmp_a", "elementId": "row-1", "data": {"any": 1}}),
        ),
        event(
            "component.action",
            "ComponentActionPayload",
            json!({"componentId": "cmp_a", "actionId": "open"}),
        ),
        event(
            "component.action",
            "ComponentActionPayload",
            json!({"componentId": "cmp_a", "actionId": "open", "params": [1], "context": {"selected": 2}}),
        ),
        event(
            "component.selected",
            "ComponentSelectionPayload",
            json!({"componentId": "cmp_a", "selectedItems": [item]}),
        ),
        event(
            "component.error",
            "ComponentErrorPayload",
            json!({"componentId": "cmp_a", "error": an_error()}),
        ),
        event(
            "component.ready",
            "ComponentReadyPayload",
            json!({"componentId": "cmp_a", "summary": "5 items", "highlights": ["items: 5"]}),
        ),
        event("view.loaded", "ViewLoadedPayload", json!({"viewId": "view_a", "viewName": "Monday"})),
        event(
            "trigger.activated",
            "TriggerActivatedPayload",
            json!({"triggerId": "trigger_a", "triggerName": "Start"}),
        ),
        event(
            "trigger.activated",
            "TriggerActivatedPayload",
            json!({"triggerId": "trigger_a", "triggerName": "Start", "suggestedViewId": "view_a"}),
        ),
    ]
    .into_iter()
    .flatten()
    .collect();
    for change in ["moved", "resized", "pinned", "unpinned"] {
        samples.extend(event("layout.changed", "LayoutChangePayload", layout(change)));
    }
    samples.push(of::<SelectedItem>("SelectedItem", item));
    samples.extend(
        [
            ("component.added", json!({"componentId": "cmp_a", "needsData": true})),
            ("component.updated", json!({"componentId": "cmp_a", "needsData": false})),
            ("component.removed", json!({"componentId": "cmp_a"})),
            ("view.saved", json!({"viewId": "view_a", "viewName": "Monday"})),
            ("view.deleted", json!({"viewId": "view_a"})),
            ("view.updated", json!({"viewId": "view_a"})),
            ("settings.updated", json!({"settings": {"theme": "dark"}})),
            ("trigger.set", json!({"triggerId": "trigger_a"})),
            ("trigger.removed", json!({"triggerId": "trigger_a"})),
        ]
        .map(|(kind, payload)| {
            beyond::<CanvasEvent>("CanvasEvent", json!({"type": kind, "payload": payload}))
        }),
    );
    samples
}

fn triggers() -> Vec<Sample> {
    let mut samples = vec![
        of::<ProactiveTrigger>(
            "ProactiveTrigger",
            json!({"id": "trigger_a", "name": "Start", "enabled": true, "type": "session_start"}),
        ),
        of::<ProactiveTrigger>(
            "ProactiveTrigger",
            json!({
                "id": "trigger_a", "name": "Start", "description": "d", "enabled": false, "type": "time_based",
                "viewId": "view_a", "message": "Hello"
            }),
        ),
        of::<ProactiveTrigger>(
            "SimulatedTimeTrigger",
            json!({
                "id": "trigger_a", "name": "Week", "enabled": true, "type": "time_based",
                "simulatedTime": "monday_morning"
            }),
        ),
    ];
    samples.extend([
        beyond::<TriggerMemory>("", json!({"last": {"trigger_a": {"session": "s"}}})),
        beyond::<TriggerMemory>(
            "",
            json!({"last": {"trigger_a": {"part": {"day": 20_000, "part": "night"}}}}),
        ),
        beyond::<Aliases>("", json!(["cmp_a", "cmp_b"])),
    ]);
    samples.extend(each::<TriggerType>("TriggerType", words(["session_start", "time_based"])));
    samples
}

fn errors() -> Vec<Sample> {
    let clear = json!({"type": "canvas.clear", "payload": {"preservePinned": true}});
    let query = json!({"type": "stats", "params": {}});
    vec![
        of::<AgenticCanvasError>(
            "AgenticCanvasError",
            json!({"code": "C", "message": "m", "timestamp": 1000}),
        ),
        of::<AgenticCanvasError>(
            "AgenticCanvasError",
            json!({"code": "C", "message": "m", "timestamp": 1000, "requestId": "r"}),
        ),
        of::<CommandExecutionError>(
            "CommandExecutionError",
            json!({"code": "VIEW_NOT_FOUND", "message": "m", "timestamp": 1000, "command": clear}),
        ),
        of::<CommandExecutionError>(
            "CommandExecutionError",
            json!({
                "code": "COMPONENT_NOT_FOUND", "message": "m", "timestamp": 1000, "requestId": "r", "command": clear,
                "componentId": "cmp_a"
            }),
        ),
        of::<DataFetchError>(
            "DataFetchError",
            json!({
                "code": "NETWORK", "message": "m", "timestamp": 1000, "source": "mock-github", "query": query,
                "retryable": true
            }),
        ),
        of::<DataFetchError>(
            "DataFetchError",
            json!({
                "code": "NETWORK", "message": "m", "timestamp": 1000, "requestId": "r", "source": "mock-github",
                "query": query, "retryable": true
            }),
        ),
        of::<ValidationFailedError>(
            "ValidationFailedError",
            json!({"code": "VALIDATION_FAILED", "message": "m", "timestamp": 1000, "errors": []}),
        ),
        of::<ValidationFailedError>(
            "ValidationFailedError",
            json!({
                "code": "VALIDATION_FAILED", "message": "m", "timestamp": 1000, "requestId": "r",
                "errors": [{"path": "", "message": "m", "code": "required"}]
            }),
        ),
    ]
}

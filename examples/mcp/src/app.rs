//! Tools of the pages: what people do. No model sees them, and clients without pages have none.

use std::num::NonZeroU32;

use canvas_core::board::{BoardAction, CanvasCommand, HistoryAction, RunBoardCommand};
use canvas_core::document::{Base, Edit, Edited};
use canvas_core::history::{
    ChangeSelection, ChangesOf, ClearHistory, HistoryEntry, HistoryMove, Redo, RedoOf, Undo, UndoScope,
};
use canvas_core::proposal::DecideParts;
use canvas_core::turn::TakeControl;
use canvas_core::turn::WorkMode;
use canvas_core::watch::LockView;
use canvas_core::{Author, CanvasId, EngineError, Revision, RevisionId};
use canvas_tools::hidden_message;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject, Tool};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::caller::Caller;
use crate::catalog::{BOARD_PAGE, DOCUMENT_PAGE, object, page_meta, shown};
use crate::clock;
use crate::components;
use crate::conversation::{Shared, Told};
use crate::host::Host;
use crate::promote::Ending;
use crate::proposals;
use crate::refusal::{engine_json, refusal_json};
use crate::seal::Permit;

/// Name, title, description, page, and the properties of the arguments but `canvas`.
type Row = (&'static str, &'static str, &'static str, &'static str, fn() -> Value);

const TOOLS: [Row; 9] = [
    ("app_state", "State", "The canvas as it is.", DOCUMENT_PAGE, || json!({"told": {"type": "integer"}})),
    (
        "app_edit",
        "Edit",
        "The user's text.",
        DOCUMENT_PAGE,
        || json!({"markdown": {"type": "string"}, "base_revision_id": {"type": "string"}}),
    ),
    ("app_take_control", "Take control", "The user ends the model's turn.", DOCUMENT_PAGE, || json!({})),
    ("app_hand_back", "Hand back", "The model may begin again.", DOCUMENT_PAGE, || json!({})),
    (
        "app_undo",
        "Undo",
        "The user undoes changes.",
        DOCUMENT_PAGE,
        || json!({"steps": {"type": "integer", "minimum": 1}}),
    ),
    (
        "app_redo",
        "Redo",
        "The user redoes changes.",
        DOCUMENT_PAGE,
        || json!({"steps": {"type": "integer", "minimum": 1}}),
    ),
    ("app_decide", "Decide", "The user accepts and rejects what models propose.", DOCUMENT_PAGE, || {
        json!({
            "permit": {"type": "string"}, "accept": {}, "reject": {}, "edit": {"type": "object"}, "note": {"type": "string"},
            "seen": {"type": "object"},
        })
    }),
    (
        "app_board_action",
        "Board action",
        "What the user does on the board.",
        BOARD_PAGE,
        || json!({"action": {"type": "object"}}),
    ),
    (
        "app_board_command",
        "Board command",
        "A command of the user on the board.",
        BOARD_PAGE,
        || json!({"command": {"type": "object"}}),
    ),
];

/// The tools as pages list them.
pub(crate) fn tools() -> impl Iterator<Item = Tool> {
    TOOLS.into_iter().map(|(name, title, description, page, properties)| {
        let mut properties = properties();
        properties["canvas"] = json!({"type": "string"});
        let required: &[&str] = match name {
            "app_edit" => &["markdown"],
            "app_board_action" => &["action"],
            "app_board_command" => &["command"],
            _ => &[],
        };
        let schema = json!({"type": "object", "properties": properties, "required": required});
        let mut tool = shown(name.into(), description.into(), schema);
        tool.title = Some(title.into());
        tool.output_schema = None;
        tool.annotations = None;
        tool.with_meta(page_meta(page, Some(&["app"])))
    })
}

/// Whether a tool is one of the pages.
pub(crate) fn has(name: &str) -> bool {
    TOOLS.iter().any(|(known, ..)| *known == name)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateArguments {
    /// The `revision` of a reply whose changes the page has told the model.
    told: Option<Revision>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EditArguments {
    markdown: String,
    base_revision_id: Option<RevisionId>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NoArguments {}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StepArguments {
    steps: Option<NonZeroU32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ActionArguments {
    action: BoardAction,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandArguments {
    command: CanvasCommand,
}

/// What a page gets: the fields of a success, or an error.
type Answer = Result<Value, Value>;

impl Host {
    /// Runs a tool of the pages. `shared` is the conversation with the client's model.
    pub(crate) async fn act_for_page(
        &self,
        caller: &Caller,
        shared: &Shared,
        name: &str,
        arguments: JsonObject,
    ) -> CallToolResult {
        let answer = self.answer_page((caller, shared), name, arguments).await;
        let canvas =
            answer.as_ref().ok().filter(|_| name == "app_state").map(|state| state["canvas"].clone());
        let (body, is_error) = match answer {
            Ok(mut fields) => {
                let is_error = fields["success"] == false;
                fields["ok"] = (!is_error).into();
                (fields, is_error)
            }
            Err(error) => (json!({"ok": false, "error": error}), true),
        };
        let mut result = CallToolResult::success(vec![ContentBlock::text(body.to_string())]);
        result.is_error = Some(is_error);
        result.structured_content = Some(body);
        if let Some(Ok(canvas)) = canvas.map(serde_json::from_value) {
            let permit = Permit { canvas, decision: self.names.call() };
            // Clients give this to the page, and never to a model.
            let permit = self.seal.permit(&permit, &caller.principal).ok();
            result.meta = permit.map(|permit| MetaObject(object(json!({"canvas/permit": permit}))));
        }
        result
    }

    async fn answer_page(
        &self,
        (caller, shared): (&Caller, &Shared),
        name: &str,
        mut arguments: JsonObject,
    ) -> Answer {
        // Taking control waits for no call that runs: a page that has read the canvas names it.
        let last = if arguments.contains_key("canvas") { None } else { shared.lock().await.last.clone() };
        let canvas = match last {
            Some(last) => last,
            None => self.take_canvas(&mut arguments).await?,
        };
        self.look(&canvas).await.map_err(|error| error.to_json())?;
        match name {
            "app_state" => self.state(shared, canvas, arguments).await,
            "app_edit" => self.edit(canvas, arguments).await,
            "app_take_control" => self.take_control(canvas, arguments).await,
            "app_hand_back" => self.hand_back(shared, canvas, arguments).await,
            "app_decide" => self.decide_for(caller, canvas, arguments).await,
            "app_undo" => self.step(canvas, arguments, true).await,
            "app_redo" => self.step(canvas, arguments, false).await,
            "app_board_action" => self.board_action(canvas, arguments).await,
            _ => self.board_command(canvas, arguments).await,
        }
    }

    async fn state(&self, shared: &Shared, canvas: CanvasId, arguments: JsonObject) -> Answer {
        let StateArguments { told } = read(arguments)?;
        let board = self.engine.board(&canvas, clock::now()).await.map_err(|e| engine_json(&e))?.0;
        let (open, snapshot) =
            self.engine.proposals(&canvas, clock::now()).await.map_err(|e| engine_json(&e))?;
        let lock = LockView::of(&snapshot, self.engine.policy());
        let mut conversation = shared.lock().await;
        let seat = conversation.seat(&canvas, None);
        let known = self.seen_by(seat).await.map_err(|e| engine_json(&e))?;
        if told == Some(known.head.revision()) {
            seat.told = Some(Told::of(&known));
        }
        let document = seat.unseen(&known).as_ref().and_then(hidden_message);
        let board_changes = self.board_changes(&canvas, seat, &snapshot).await;
        let changes: Vec<String> = document.into_iter().chain(board_changes).collect();
        Ok(json!({
            "canvas": canvas,
            "revision": snapshot.head.revision(),
            "revision_id": snapshot.revision_id(),
            "markdown": snapshot.text(),
            "lock": {
                "locked": lock.is_locked(),
                "holder": lock.holder(),
                "tooltip": lock.tooltip(),
                "can_take_control": lock.can_take_control(),
                "until": lock.until(),
            },
            "turn_open": snapshot.head.lock_of(&conversation.id).is_turn_open(),
            "board": board.map(|board| components::workspace(&board, snapshot.clock)),
            "proposals": proposals::anonymous(&open),
            "changes": if changes.is_empty() { Value::Null } else { changes.join("\n\n").into() },
        }))
    }

    async fn edit(&self, canvas: CanvasId, arguments: JsonObject) -> Answer {
        let EditArguments { markdown, base_revision_id } = read(arguments)?;
        let edit = Edit { markdown, base: base_revision_id.map(Base::Id) };
        let (result, snapshot) = self.act(&canvas, edit).await.map_err(|e| engine_json(&e))?;
        let Edited { epoch, revision, moved, merged } = result.map_err(|refusal| refusal_json(&refusal))?;
        let saved = self.save(&canvas).await?;
        Ok(json!({
            "canvas": canvas, "revision_id": revision, "canvas_epoch": epoch, "moved": moved, "merged": merged,
            "markdown": snapshot.text(), "saved": saved,
        }))
    }

    async fn decide_for(&self, caller: &Caller, canvas: CanvasId, mut arguments: JsonObject) -> Answer {
        let permit = arguments.remove("permit");
        let permit = permit.as_ref().and_then(Value::as_str);
        let permit = permit.and_then(|permit| self.seal.open::<Permit>(permit, &caller.principal).ok());
        let Some(permit) = permit.filter(|permit| permit.canvas == canvas) else {
            let message = "only the user decides, in the page or with canvas-mcp review: wait for it";
            return Err(json!({"code": "DECISION_BY_MODEL", "message": message, "retryable": false}));
        };
        let decision: DecideParts = read(arguments)?;
        let decided = self.decide(&canvas, permit.decision, decision).await?;
        Ok(json!({
            "canvas": canvas, "revision_id": decided.revision, "accepted": decided.accepted,
            "rejected": decided.rejected, "stale": decided.stale,
        }))
    }

    async fn take_control(&self, canvas: CanvasId, arguments: JsonObject) -> Answer {
        let NoArguments {} = read(arguments)?;
        let epoch = self.end_models_turn(&canvas).await?;
        Ok(json!({"canvas": canvas, "canvas_epoch": epoch}))
    }

    /// A person takes control: what runs is over.
    pub(crate) async fn end_models_turn(&self, canvas: &CanvasId) -> Answer {
        let (result, _) = self.act(canvas, TakeControl).await.map_err(|e| engine_json(&e))?;
        let taken = result.map_err(|refusal| refusal_json(&refusal))?;
        self.pauses.begin(canvas, taken.epoch);
        Ok(json!(taken.epoch))
    }

    async fn hand_back(&self, shared: &Shared, canvas: CanvasId, arguments: JsonObject) -> Answer {
        let NoArguments {} = read(arguments)?;
        let snapshot = self.engine.snapshot(&canvas, clock::now()).await.map_err(|e| engine_json(&e))?;
        let mut conversation = shared.lock().await;
        let seat = conversation.seat(&canvas, Some(&snapshot));
        let begun = self.promote(&canvas, Ending::Begin(&mut seat.session)).await;
        begun.map_err(|error| error.to_json())?;
        Ok(json!({"canvas": canvas}))
    }

    async fn step(&self, canvas: CanvasId, arguments: JsonObject, is_undo: bool) -> Answer {
        let StepArguments { steps } = read(arguments)?;
        let steps = steps.unwrap_or(NonZeroU32::MIN);
        let moved = self.move_in_history(&canvas, steps, is_undo).await?;
        let saved = self.save(&canvas).await?;
        Ok(json!({
            "canvas": canvas, "revision_id": moved.revision, "canvas_epoch": moved.epoch,
            "entries": moved.entries, "saved": saved,
        }))
    }

    async fn move_in_history(
        &self,
        canvas: &CanvasId,
        steps: NonZeroU32,
        is_undo: bool,
    ) -> Result<HistoryMove, Value> {
        let by = Author::User;
        let snapshot = self.engine.snapshot(canvas, clock::now()).await.map_err(|e| engine_json(&e))?;
        let is_shared = self.options.person.is_some() || snapshot.head.work_mode() == WorkMode::Collaborative;
        let person = self.options.person.clone().unwrap_or_default();
        let moved = match (is_undo, is_shared) {
            (true, false) => self.act(canvas, Undo { by, what: UndoScope::Steps(steps) }).await,
            (false, false) => self.act(canvas, Redo { by, steps }).await,
            // Several people undo, each their own changes.
            (true, true) => {
                let own = ChangeSelection { last: Some(steps), ..ChangesOf::Person(person).into() };
                self.act(canvas, Undo { by, what: UndoScope::Select(own) }).await
            }
            (false, true) => self.act(canvas, RedoOf { by, person }).await,
        };
        let (result, _) = moved.map_err(|e| engine_json(&e))?;
        result.map_err(|refusal| refusal_json(&refusal))
    }

    async fn board_action(&self, canvas: CanvasId, arguments: JsonObject) -> Answer {
        let ActionArguments { action } = read(arguments)?;
        let is_undo = match action {
            BoardAction::Command(command) => return self.run_board_command(&canvas, *command).await,
            // Data come from the host that has sources; this one has none.
            BoardAction::Refresh { .. } => return Ok(done("There is no data to fetch.")),
            BoardAction::History(HistoryAction::Undo) => true,
            BoardAction::History(HistoryAction::Redo) => false,
            BoardAction::History(HistoryAction::Clear) => {
                let (result, _) = self.act(&canvas, ClearHistory).await.map_err(|e| engine_json(&e))?;
                result.map_err(|refusal| refusal_json(&refusal))?;
                return Ok(done("Cleared the history."));
            }
            _ => {
                let message = "this server does not know the action: choose another";
                return Err(json!({"code": "INVALID_ARGUMENTS", "message": message, "retryable": false}));
            }
        };
        match self.move_in_history(&canvas, NonZeroU32::MIN, is_undo).await {
            Ok(moved) => {
                Ok(done(moved.entries.last().map_or("Done.", |entry: &HistoryEntry| &entry.summary)))
            }
            Err(error)
                if ["HISTORY_EMPTY", "NOTHING_TO_UNDO", "NOTHING_TO_REDO"]
                    .iter()
                    .any(|code| error["code"] == *code) =>
            {
                let code = if is_undo { "NOTHING_TO_UNDO" } else { "NOTHING_TO_REDO" };
                Ok(json!({
                    "success": false, "undoId": "", "explanation": error["message"], "affectedComponentIds": [],
                    "error": {"code": code, "message": error["message"]},
                }))
            }
            Err(error) => Err(error),
        }
    }

    async fn board_command(&self, canvas: CanvasId, arguments: JsonObject) -> Answer {
        let CommandArguments { command } = read(arguments)?;
        self.run_board_command(&canvas, command).await
    }

    async fn run_board_command(&self, canvas: &CanvasId, command: CanvasCommand) -> Answer {
        let run = async || -> Result<_, EngineError> {
            if self.engine.snapshot(canvas, clock::now()).await?.head.board().is_none() {
                self.make_board(canvas).await?;
            }
            let command = Box::new(command);
            let command = RunBoardCommand { by: Author::User, command, base: None, grid: None };
            Ok(self.act(canvas, command).await?.0)
        };
        let run = run().await.map_err(|e| engine_json(&e))?.map_err(|refusal| refusal_json(&refusal))?;
        Ok(json!(run.result))
    }

    /// What a person did is a turn of its own.
    async fn save(&self, canvas: &CanvasId) -> Result<bool, Value> {
        self.promote(canvas, Ending::Person).await.map(|_| true).map_err(|error| error.to_json())
    }
}

fn done(explanation: &str) -> Value {
    json!({"success": true, "undoId": "", "explanation": explanation, "affectedComponentIds": []})
}

fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, Value> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        json!({"code": "INVALID_ARGUMENTS", "message": format!("{error}: correct the argument"), "retryable": false})
    })
}

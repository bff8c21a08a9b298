//! A board with its history, a clock that ticks with each command, and short words for commands.

use canvas_core::Role;
use canvas_core::board::{
    Board, BoardEnv, BoardJournal, BoardJournalError, BoardResult, BoardRules, Bounds, CanvasCommand,
    CanvasEvent, ComponentId, Executed, GridConfig, GridPolicy, IdSource, Position, Registry, Size, UndoId,
    Workspace,
};
use canvas_core::lease::Timestamp;
use serde_json::{Value, json};

pub(crate) struct World {
    pub(crate) board: Board,
    pub(crate) history: BoardJournal,
    pub(crate) registry: Registry,
    pub(crate) rules: BoardRules,
    ticks: u64,
}

impl World {
    /// An empty board.
    pub(crate) fn new(columns: u32, rows: u32, grid: GridPolicy) -> Self {
        Self::of(empty(columns, rows), grid)
    }

    pub(crate) fn of(workspace: Workspace, grid: GridPolicy) -> Self {
        Self {
            board: Board::new(workspace).unwrap(),
            history: BoardJournal::default(),
            registry: Registry::built_in(),
            rules: BoardRules { grid, ..BoardRules::default() },
            ticks: 1_000,
        }
    }

    pub(crate) fn run(&mut self, command: &CanvasCommand, by: Role) -> Executed {
        let Self { board, history, registry, rules, ticks } = self;
        let executed = board.execute(command, by, &mut env(registry, *rules, ticks));
        history.record(&executed);
        executed
    }

    pub(crate) fn revert(&mut self, id: &UndoId) -> Result<Vec<CanvasEvent>, BoardJournalError> {
        let Self { board, history, registry, rules, ticks } = self;
        history.revert(board, id, Role::User, &mut env(registry, *rules, ticks))
    }

    pub(crate) fn revert_author(
        &mut self,
        author: Role,
    ) -> Result<(usize, Vec<CanvasEvent>), BoardJournalError> {
        let Self { board, history, registry, rules, ticks } = self;
        history.revert_author(board, author, Role::User, &mut env(registry, *rules, ticks))
    }

    /// Runs a command as JSON.
    #[track_caller]
    pub(crate) fn json(&mut self, command: Value) -> Executed {
        let command = serde_json::from_value(command).unwrap();
        self.run(&command, Role::Assistant)
    }

    /// A stat tile at a place; gives its id.
    #[track_caller]
    pub(crate) fn tile(&mut self, col: u32, row: u32, cols: u32, rows: u32) -> ComponentId {
        self.made(json!({"position": {"col": col, "row": row}, "size": {"cols": cols, "rows": rows}}))
    }

    /// A pinned stat tile at a place; gives its id.
    #[track_caller]
    pub(crate) fn pinned(&mut self, col: u32, row: u32, cols: u32, rows: u32) -> ComponentId {
        let meta = json!({"pinned": true});
        self.made(
            json!({"position": {"col": col, "row": row}, "size": {"cols": cols, "rows": rows}, "meta": meta}),
        )
    }

    #[track_caller]
    fn made(&mut self, mut payload: Value) -> ComponentId {
        payload["typeId"] = "github.stat-tile".into();
        payload["config"] = json!({"repo": "o/r", "metric": "stars"});
        let executed = self.json(json!({"type": "component.create", "payload": payload}));
        match executed.result {
            BoardResult::One(result) if result.success => result.affected_component_ids[0].clone(),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn workspace(&self) -> Workspace {
        self.board.workspace(|_| Default::default())
    }

    pub(crate) fn at(&self, id: &ComponentId) -> Option<(u32, u32, u32, u32)> {
        self.board.bounds(id).map(|bounds| {
            let Bounds { position: Position { col, row }, size: Size { cols, rows } } = bounds;
            (col, row, cols, rows)
        })
    }
}

pub(crate) fn empty(columns: u32, rows: u32) -> Workspace {
    let grid = GridConfig { columns, rows, gap: 8.0, cell_width: 80.0, cell_height: 60.0 };
    serde_json::from_value(json!({
        "id": "ws_1", "name": "Board", "canvas": {"grid": grid, "components": []}, "threadId": "thread", "views": [],
        "triggers": [
            {"id": "trigger_1", "name": "Start", "enabled": true, "type": "session_start"},
            {"id": "trigger_2", "name": "Monday", "enabled": true, "type": "time_based", "simulatedTime": "monday_morning"},
        ],
        "settings": {
            "theme": "system", "voiceEnabled": false, "defaultRefreshInterval": 60000, "grid": grid, "proactiveMode": "suggest",
        },
        "createdAt": 1, "updatedAt": 1,
    }))
    .unwrap()
}

/// `OK`, or code and place of a refusal: `INVALID_SIZE /payload/size`.
pub(crate) fn code(result: &BoardResult) -> String {
    match result.error() {
        None => "OK".into(),
        Some(error) => {
            let code = serde_json::to_value(error.code).unwrap();
            format!("{} {}", code.as_str().unwrap(), error.place.as_deref().unwrap_or("nowhere"))
        }
    }
}

pub(crate) fn kinds(events: &[CanvasEvent]) -> Vec<String> {
    let kind = |event| serde_json::to_value(event).unwrap()["type"].as_str().unwrap().to_owned();
    events.iter().map(kind).collect()
}

/// How a board lies in memory: the cells that are covered, and what lies in all of them.
pub(crate) fn spread(board: &Board) -> (u64, Vec<ComponentId>) {
    let all = Bounds::new(Position::new(0, 0), Size::new(Board::COLUMNS, Board::ROWS));
    let mut ids = board.collisions(all);
    ids.sort();
    (board.covered_cells(), ids)
}

/// The same of a board that is made of it anew.
pub(crate) fn anew(board: &Board) -> (u64, Vec<ComponentId>) {
    spread(&Board::new(board.workspace(|_| Default::default())).unwrap())
}

/// The next moment.
fn env<'r>(registry: &'r Registry, rules: BoardRules, ticks: &mut u64) -> BoardEnv<'r> {
    *ticks += 1;
    let (ids, now) = (IdSource::seeded(&ticks.to_le_bytes()), Timestamp::from_millis(*ticks));
    BoardEnv { registry, rules, now, ids }
}

//! Strategies of boards and commands, also for your own property tests.
//!
//! A fitting command depends on the board that it meets. A strategy therefore generates a [`CommandSeed`], which
//! becomes a command once there is a board.
//!
//! ```
//! use canvas_core::board::strategies::{command_seeds, workspaces};
//! use canvas_core::board::{Board, BoardEnv, BoardRules, IdSource, Registry};
//! use canvas_core::Role;
//! use proptest::prelude::*;
//!
//! let registry = Registry::built_in();
//! proptest!(ProptestConfig::with_cases(8), |(workspace in workspaces(), seeds in command_seeds(20))| {
//!     let mut board = Board::new(workspace).unwrap();
//!     for (number, seed) in seeds.iter().enumerate() {
//!         let ids = IdSource::seeded(&number.to_le_bytes());
//!         let now = canvas_core::lease::Timestamp::from_millis(number as u64);
//!         let mut env = BoardEnv { registry: &registry, rules: BoardRules::default(), now, ids };
//!         let before = board.clone();
//!         let executed = board.execute(&seed.command(&before), Role::User, &mut env);
//!         if let Some(change) = executed.change {
//!             board.apply(&change.patch.inverse()).unwrap();
//!             prop_assert_eq!(&board, &before);
//!         }
//!     }
//! });
//! ```

mod workspaces;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

use crate::board::command::{
    Batch, CanvasCommand, ClearCanvas, CreateComponent, DeleteView, LoadView, MoveComponent, PartialMeta,
    RemoveComponent, RemoveTrigger, ResizeComponent, SaveView, SetTrigger, UpdateComponent,
};
use crate::board::model::data::{DataBinding, DataQuery};
use crate::board::model::grid::{GridConfig, NO_CELL, Position, Size};
use crate::board::model::id::{ComponentId, DataSourceId, TriggerId, TypeId, ViewId};
use crate::board::model::placement::{OnCollision, PlacementHints, Region};
use crate::board::model::settings::SettingsUpdate;
use crate::board::model::trigger::{ProactiveTrigger, TriggerType};
use crate::board::model::workspace::{ProactiveMode, Theme};
use crate::board::state::board::Board;

use self::workspaces::{TYPES, config_of};
pub use self::workspaces::{large_workspaces, workspaces};

/// Generates up to `most` seeds of commands.
pub fn command_seeds(most: usize) -> impl Strategy<Value = Vec<CommandSeed>> {
    vec(command_seed(), 0..=most)
}

/// The ingredients of a command, from which one is made when there is a board.
#[derive(Debug, Clone)]
pub struct CommandSeed {
    kind: Kind,
    pick: prop::sample::Index,
    col: u32,
    row: u32,
    cols: u32,
    rows: u32,
    flag: bool,
    text: String,
    fault: Option<Fault>,
    batch: Vec<Self>,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Create,
    Update,
    Remove,
    Move,
    Resize,
    SaveView,
    LoadView,
    DeleteView,
    Clear,
    UpdateSettings,
    SetTrigger,
    RemoveTrigger,
    Batch,
    Swap,
}

/// The fault of a command that nearly fits.
#[derive(Debug, Clone, Copy)]
enum Fault {
    Id,
    Type,
    Config,
    Number,
}

fn command_seed() -> impl Strategy<Value = CommandSeed> {
    use Kind::{
        Batch, Clear, Create, DeleteView, LoadView, Move, Remove, RemoveTrigger, Resize, SaveView,
        SetTrigger, Swap, Update, UpdateSettings,
    };
    // Boards grow more than they shrink and are seldom cleared, so that most commands find a target.
    let kind = prop_oneof![
        8 => Just(Create), 3 => Just(Update), 3 => Just(Remove), 6 => Just(Move), 4 => Just(Resize), 2 => Just(SaveView),
        2 => Just(LoadView), 1 => Just(DeleteView), 1 => Just(Clear), 3 => Just(Swap), 2 => Just(UpdateSettings),
        3 => Just(SetTrigger), 1 => Just(RemoveTrigger),
    ];
    // One in five has a fault.
    let fault = prop_oneof![
        16 => Just(None), 1 => Just(Some(Fault::Id)), 1 => Just(Some(Fault::Type)), 1 => Just(Some(Fault::Config)),
        1 => Just(Some(Fault::Number)),
    ];
    let place = (0_u32..14, 0_u32..12, 1_u32..6, 1_u32..5);
    let one = (kind, any::<prop::sample::Index>(), place, any::<bool>(), "[a-z]{1,6}", fault).prop_map(
        |(kind, pick, (col, row, cols, rows), flag, text, fault)| CommandSeed {
            kind,
            pick,
            col,
            row,
            cols,
            rows,
            flag,
            text,
            fault,
            batch: Vec::new(),
        },
    );
    let batch = (one.clone(), vec(one.clone(), 0..6)).prop_map(|(first, batch)| CommandSeed {
        kind: Batch,
        // A batch is more than likely to be refused even if each of its commands fits.
        fault: None,
        batch,
        ..first
    });
    prop_oneof![6 => one, 1 => batch]
}

impl CommandSeed {
    /// Returns the command that this seed becomes on a board. Most commands are legal. Others are nearly so, except for
    /// a collision, one fault, or the id of something removed.
    #[expect(clippy::missing_panics_doc, reason = "all its names are constants")]
    pub fn command(&self, board: &Board) -> CanvasCommand {
        let slots: Vec<_> = board.records().map(|slot| (slot.body.id.clone(), slot.bounds)).collect();
        let bad_id = matches!(self.fault, Some(Fault::Id)) || slots.is_empty();
        let picked = if slots.is_empty() { 0 } else { self.pick.index(slots.len()) };
        let component_id =
            if bad_id { ComponentId::new("cmp_gone").expect("a name") } else { slots[picked].0.clone() };
        let number = |number: u32| if matches!(self.fault, Some(Fault::Number)) { NO_CELL } else { number };
        let position = Position::new(number(self.col), self.row);
        let size = Size::new(number(self.cols), self.rows);
        let on_collision = if self.flag { OnCollision::Shift } else { OnCollision::Reject };
        let view_id = match board.views.len() {
            0 => ViewId::new("view_gone").expect("a name"),
            many => board.views[self.pick.index(many)].view.id.clone(),
        };
        match self.kind {
            Kind::Create => {
                CanvasCommand::Create(Box::new(self.create(position, size, on_collision, &component_id)))
            }
            Kind::Update => CanvasCommand::Update(Box::new(self.update(component_id))),
            Kind::Remove => CanvasCommand::Remove(RemoveComponent { component_id }),
            Kind::Move => CanvasCommand::Move(MoveComponent { component_id, position, on_collision }),
            Kind::Resize => CanvasCommand::Resize(ResizeComponent { component_id, size, on_collision }),
            Kind::SaveView => CanvasCommand::SaveView(SaveView {
                name: self.text.clone(),
                description: self.flag.then(|| "saved".into()),
                trigger_ids: self.flag.then(|| vec![self.trigger_of(board)]),
            }),
            Kind::LoadView => CanvasCommand::LoadView(LoadView { view_id }),
            Kind::DeleteView => CanvasCommand::DeleteView(DeleteView { view_id }),
            Kind::Clear => CanvasCommand::Clear(ClearCanvas { preserve_pinned: self.flag }),
            Kind::UpdateSettings => CanvasCommand::UpdateSettings(Box::new(self.settings(board))),
            Kind::SetTrigger => {
                let gone = matches!(self.fault, Some(Fault::Id));
                let view = if gone { ViewId::new("view_gone").ok() } else { self.flag.then_some(view_id) };
                CanvasCommand::SetTrigger(Box::new(SetTrigger { trigger: self.trigger(view) }))
            }
            Kind::RemoveTrigger => {
                CanvasCommand::RemoveTrigger(RemoveTrigger { trigger_id: self.trigger_of(board) })
            }
            Kind::Batch => {
                let commands = self.batch.iter().map(|seed| seed.command(board)).collect();
                CanvasCommand::Batch(Batch { commands, description: self.text.clone() })
            }
            Kind::Swap => {
                let (one, two) = match slots.len() {
                    0 | 1 => return CanvasCommand::Clear(ClearCanvas { preserve_pinned: true }),
                    many => (&slots[picked], &slots[(picked + 1 + self.col as usize % (many - 1)) % many]),
                };
                let to = |id: &ComponentId, position| {
                    let (component_id, on_collision) = (id.clone(), OnCollision::Reject);
                    CanvasCommand::Move(MoveComponent { component_id, position, on_collision })
                };
                let commands = vec![to(&one.0, two.1.position), to(&two.0, one.1.position)];
                CanvasCommand::Batch(Batch { commands, description: "swap".into() })
            }
        }
    }

    /// Picks the id of a trigger on the board, or an unknown id if the board has no triggers.
    fn trigger_of(&self, board: &Board) -> TriggerId {
        match board.triggers() {
            [] => TriggerId::new("trigger_gone").expect("a name"),
            triggers => triggers[self.pick.index(triggers.len())].id.clone(),
        }
    }

    /// Returns a trigger with one of five ids, so that a trigger is replaced as often as one is added.
    fn trigger(&self, view_id: Option<ViewId>) -> ProactiveTrigger {
        let kind =
            if self.row.is_multiple_of(2) { TriggerType::TimeBased } else { TriggerType::SessionStart };
        let time = if matches!(self.fault, Some(Fault::Config)) { "someday" } else { "monday_morning" };
        ProactiveTrigger {
            id: TriggerId::new(&format!("trigger_{}", self.cols)).expect("a name"),
            name: if self.col == 0 { "Start".into() } else { self.text.clone() },
            description: None,
            enabled: self.rows > 1,
            kind,
            view_id,
            message: self.rows.is_multiple_of(2).then(|| self.text.clone()),
            simulated_time: (kind == TriggerType::TimeBased).then(|| time.into()),
        }
    }

    /// Returns an update of up to all settings. Some of them keep their value.
    fn settings(&self, board: &Board) -> SettingsUpdate {
        let columns = if matches!(self.fault, Some(Fault::Number)) { NO_CELL } else { self.col + 1 };
        let grid = GridConfig { columns, ..*board.grid() };
        SettingsUpdate {
            theme: self.flag.then_some(if self.col.is_multiple_of(2) { Theme::Dark } else { Theme::System }),
            voice_enabled: self.row.is_multiple_of(2).then_some(self.flag),
            default_refresh_interval: self.row.is_multiple_of(3).then_some(u64::from(self.col) * 5_000),
            grid: (self.row < 3).then_some(grid),
            proactive_mode: (self.cols > 3).then_some(ProactiveMode::Auto),
        }
    }

    fn create(
        &self,
        position: Position,
        size: Size,
        on_collision: OnCollision,
        near: &ComponentId,
    ) -> CreateComponent {
        let type_id = match self.fault {
            Some(Fault::Type) => "github.pr-lst",
            _ => TYPES[self.pick.index(TYPES.len())],
        };
        let config = match self.fault {
            Some(Fault::Config) => json!({"repo": 7}),
            _ => config_of(type_id, &self.text),
        };
        let hints = PlacementHints {
            preferred_position: (self.rows == 1).then_some(position),
            near_component_id: (self.rows == 2).then(|| near.clone()),
            region: (self.rows == 3).then_some(Region::Bottom),
        };
        CreateComponent {
            type_id: TypeId::new(type_id).expect("a name"),
            config: config.into(),
            data_binding: None,
            position: self.flag.then_some(position),
            size: (self.cols != 5).then_some(size),
            meta: (self.col == 0)
                .then(|| PartialMeta { pinned: Some(true), label: Some(Some(self.text.clone())) }),
            hints: (!self.flag && self.col.is_multiple_of(2)).then_some(hints),
            on_collision,
        }
    }

    fn update(&self, component_id: ComponentId) -> UpdateComponent {
        let binding = DataBinding {
            source: DataSourceId::new("mock-github").expect("a name"),
            query: DataQuery { kind: "issues".into(), params: serde_json::Map::new() },
            refresh_interval: None,
        };
        UpdateComponent {
            component_id,
            config: match self.fault {
                Some(Fault::Config) => Some(json!([1])),
                _ => self.flag.then(|| json!({"repo": format!("a/{}", self.text)})),
            },
            data_binding: (self.col.is_multiple_of(3))
                .then(|| (self.row.is_multiple_of(2)).then_some(binding)),
            meta: (self.cols.is_multiple_of(2))
                .then(|| PartialMeta { pinned: Some(self.flag), label: (self.rows == 1).then_some(None) }),
        }
    }
}

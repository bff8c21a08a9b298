//! A host of one board in memory: its components, its history and its data.

use std::error::Error;
use std::io::{self, Write};

use canvas_core::Role;
use canvas_core::board::{
    Board, BoardEnv, BoardJournal, BoardJournalError, BoardResult, BoardRules, CanvasCommand, CanvasEvent,
    CommandError, ComponentId, ComponentInstance, DataPolicy, DataStates, GridConfig, IdSource, Registry,
    Theme, Workspace, WorkspaceId,
};
use canvas_core::lease::Timestamp;
use canvas_mock_data::MockGithub;
use serde_json::{Value, json};

use super::text;

pub(crate) struct Dashboard {
    board: Board,
    history: BoardJournal,
    pub(crate) registry: Registry,
    data: DataStates,
    source: MockGithub,
    /// Each step takes 15 seconds.
    steps: u64,
    /// All components ever made, in the order of their letters.
    letters: Vec<ComponentId>,
}

impl Dashboard {
    pub(crate) fn new() -> Result<Self, Box<dyn Error>> {
        let (id, name, start) = (WorkspaceId::new("ws_1")?, "example/project", Timestamp::from_millis(0));
        let mut workspace = Workspace::empty(id, name.into(), "main".into(), GridConfig::default(), start);
        (workspace.settings.theme, workspace.settings.default_refresh_interval) = (Theme::Light, 300_000);
        Ok(Self {
            board: Board::new(workspace)?,
            history: BoardJournal::default(),
            registry: Registry::built_in(),
            data: DataStates::new(DataPolicy::default()),
            source: MockGithub::new(),
            steps: 0,
            letters: Vec::new(),
        })
    }

    /// The board, each component with its data.
    pub(crate) fn workspace(&self) -> Workspace {
        self.board.workspace(|id| self.data.state(id).cloned().unwrap_or_default())
    }

    /// The letter of a component.
    pub(crate) fn letter(&self, component: &ComponentInstance) -> char {
        let at = self.letters.iter().position(|id| *id == component.id);
        at.and_then(|at| ('A'..='Z').nth(at)).unwrap_or('?')
    }

    /// A command, with ids in place of letters.
    pub(crate) fn command(&self, command: &Value) -> Result<CanvasCommand, Box<dyn Error>> {
        let mut json = command.to_string();
        for (id, letter) in self.letters.iter().zip('A'..='Z') {
            json = json.replace(&format!("\"@{letter}\""), &json!(id).to_string());
        }
        if let Some(view) = self.workspace().views.first() {
            json = json.replace("\"@view\"", &json!(view.id).to_string());
        }
        Ok(serde_json::from_str(&json)?)
    }

    /// Runs a command, and prints what it did.
    pub(crate) fn ask(
        &mut self,
        command: &CanvasCommand,
        out: &mut impl Write,
    ) -> io::Result<Result<(), CommandError>> {
        self.steps += 1;
        let ids = IdSource::seeded(&self.steps.to_le_bytes());
        let (registry, now) = (&self.registry, self.now());
        let mut env = BoardEnv { registry, rules: BoardRules::default(), now, ids };
        let executed = self.board.execute(command, Role::Assistant, &mut env);
        self.history.record(&executed);
        if let Some(error) = executed.result.error() {
            return Ok(Err(error.clone()));
        }
        self.follow(&executed.events);
        let results = match &executed.result {
            BoardResult::One(result) => std::slice::from_ref(result),
            BoardResult::Batch(batch) => &batch.results,
        };
        for result in results {
            text::line(out, &result.explanation)?;
            result.warnings.iter().try_for_each(|warning| text::line(out, warning))?;
        }
        Ok(Ok(()))
    }

    pub(crate) fn undo(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.steps += 1;
        match self.history.undo(&mut self.board) {
            Ok((change, events)) => {
                text::line(out, &format!("Undone: {}", change.description))?;
                self.follow(&events);
            }
            Err(BoardJournalError::NothingToUndo) => {}
            Err(error) => text::line(out, &error.to_string())?,
        }
        Ok(())
    }

    pub(crate) fn redo(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.steps += 1;
        match self.history.redo(&mut self.board) {
            Ok((change, events)) => {
                text::line(out, &format!("Redone: {}", change.description))?;
                self.follow(&events);
            }
            Err(BoardJournalError::NothingToRedo) => {}
            Err(error) => text::line(out, &error.to_string())?,
        }
        Ok(())
    }

    /// Gives new components their letters, and fetches their data.
    fn follow(&mut self, events: &[CanvasEvent]) {
        for event in events {
            match event {
                CanvasEvent::Removed { component_id } => self.data.forget(component_id),
                CanvasEvent::Added { component_id, .. } | CanvasEvent::Updated { component_id, .. } => {
                    if !self.letters.contains(component_id) {
                        self.letters.push(component_id.clone());
                    }
                    if let Some(component) = self.board.component(component_id) {
                        self.data.track(component_id, component.data_binding.as_ref());
                    }
                }
                _ => {}
            }
        }
        let now = self.now();
        for fetch in self.data.due(now).0 {
            self.data.settle(fetch.token, self.source.answer(&fetch.binding.query, now), now);
        }
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_700_000_000_000 + self.steps * 15_000)
    }
}

//! Creation, change and removal of components.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::refusal::{RefusalCause, Refused, nearest};
use super::run::{Done, Execution, Placement};
use super::{CanvasCommand, ClearCanvas, CreateComponent, PartialMeta, RemoveComponent, UpdateComponent};
use crate::board::model::data::DataBinding;
use crate::board::model::grid::{Bounds, Position, Size};
use crate::board::model::id::{ComponentId, TypeId};
use crate::board::model::phrase::{counted, listed, quoted};
use crate::board::model::placement::{PlacementReason, PlacementResult};
use crate::board::model::workspace::ComponentMeta;
use crate::board::registry::{ComponentDefinition, Registered, Registry};
use crate::board::state::board::Board;
use crate::board::state::body::ComponentBody;
use crate::board::state::patch::PlacedComponent;

impl<'e> Execution<'_, 'e> {
    pub(super) fn create(&mut self, create: &CreateComponent) -> Result<Done, Refused> {
        let CreateComponent { type_id, config, data_binding, position, size, meta, hints, on_collision } =
            create;
        // The named component comes first, even if it is only a hint.
        let near = match hints.as_ref().and_then(|hints| hints.near_component_id.as_ref()) {
            Some(near) => Some(self.placed(self.find(near)?).bounds),
            None => None,
        };
        let known = self.known(type_id).map_err(RefusalCause::refused)?;
        let definition = &known.definition;
        let config = self.config(known, config, config.as_object()).map_err(RefusalCause::refused)?;
        let data_binding = match data_binding {
            Some(data_binding) => Some(binding(known, data_binding).map_err(RefusalCause::refused)?),
            None => self.derived(known, &config),
        };
        let size = size.unwrap_or_else(|| self.default_size(definition));
        let size = self.check_size(size, definition).map_err(RefusalCause::refused)?;
        let limit = Board::COMPONENTS;
        if self.transaction.board.len() >= limit {
            return Err(RefusalCause::TooManyComponents { limit }.refused());
        }
        let place = match position {
            Some(position) => {
                let bounds = Bounds::new(*position, size);
                self.check_position(bounds).and_then(|()| self.requested(None, bounds, *on_collision))
            }
            None => self.auto_place(size, hints.as_ref(), near),
        };
        let place = place.map_err(RefusalCause::refused)?;
        let id = loop {
            let id = self.env.ids.component();
            if !self.transaction.board.is_known(&id) {
                break id;
            }
        };
        let PartialMeta { pinned, label } = meta.clone().unwrap_or_default();
        let meta = ComponentMeta {
            created_at: self.env.now,
            created_by: self.source,
            pinned: pinned.unwrap_or(false),
            label: label.flatten(),
        };
        let Placement { position, reason, moved } = place;
        let bounds = Bounds::new(position, size);
        let body = ComponentBody { id: id.clone(), type_id: type_id.clone(), config, data_binding, meta };
        // In one piece, because this is what most commands of a conversation are.
        let (Position { col, row }, Size { cols, rows }) = (position, size);
        let name = named(&body, definition);
        let explanation = format!("Added {name} at ({col}, {row}), {cols}x{rows}.");
        let mut warnings = Vec::new();
        if reason == PlacementReason::BestEffort {
            let below =
                self.transaction.board.ids_of(&self.transaction.board.layout.collisions(bounds, None));
            warnings.push(format!("There was no room: it covers parts of {}.", listed(&below)));
        }
        let order = self.transaction.board.next_order();
        let adjustments = self.shift_all(moved, None);
        let mut affected = Vec::with_capacity(1 + adjustments.as_ref().map_or(0, Vec::len));
        if self.is_batch {
            self.created.push(id.clone());
        }
        affected.push(id);
        affected.extend(adjustments.iter().flatten().map(|one| one.component_id.clone()));
        self.transaction.add(PlacedComponent { order, bounds, body: Arc::new(body) });
        let settled =
            CreateComponent { position: Some(position), size: Some(size), hints: None, ..create.clone() };
        Ok(Done {
            explanation,
            affected,
            placement: Some(PlacementResult { position, reason, adjustments }),
            warnings,
            settled: Some(CanvasCommand::Create(Box::new(settled))),
        })
    }

    pub(super) fn update(&mut self, update: &UpdateComponent) -> Result<Done, Refused> {
        let number = self.find(&update.component_id)?;
        let body = Arc::clone(&self.placed(number).body);
        let mut after = ComponentBody::clone(&body);
        let needs_type = update.config.is_some() || matches!(update.data_binding, Some(Some(_)));
        let known = needs_type.then(|| self.known(&body.type_id).map_err(|cause| cause.of(&body.id)));
        let known = known.transpose()?;
        if let (Some(config), Some(known)) = (&update.config, known) {
            let Value::Object(fields) = config else { return Err(no_object(config).of(&body.id)) };
            let derived = self.derived(known, &body.config);
            let mut merged = body.fields().clone();
            merged.extend(fields.clone());
            let merged = Arc::new(Value::Object(merged));
            after.config = self.config(known, &merged, Some(fields)).map_err(|cause| cause.of(&body.id))?;
            // A binding derived from the config continues to follow it.
            if body.data_binding == derived {
                after.data_binding = self.derived(known, &after.config);
            }
        }
        match (&update.data_binding, known) {
            (Some(Some(wanted)), Some(known)) => {
                after.data_binding = Some(binding(known, wanted).map_err(|cause| cause.of(&body.id))?);
            }
            (Some(_), _) => after.data_binding = None,
            (None, _) => {}
        }
        if let Some(PartialMeta { pinned, label }) = &update.meta {
            after.meta.pinned = pinned.unwrap_or(after.meta.pinned);
            if let Some(label) = label {
                after.meta.label.clone_from(label);
            }
        }
        let name = self.name_of(&body);
        if after == *body {
            return Ok(Done::new(format!("{name} is as asked for already."), vec![body.id.clone()]));
        }
        let only_pin = after.config == body.config && after.data_binding == body.data_binding;
        let explanation = match (only_pin && after.meta.label == body.meta.label, after.meta.pinned) {
            (true, true) => format!("Pinned {name}."),
            (true, false) => format!("Unpinned {name}."),
            (false, _) => format!("Updated {name}."),
        };
        self.transaction.set_body(number, after);
        Ok(Done::new(explanation, vec![body.id.clone()]))
    }

    pub(super) fn remove(&mut self, remove: &RemoveComponent) -> Result<Done, Refused> {
        let number = self.find(&remove.component_id)?;
        let body = Arc::clone(&self.placed(number).body);
        let explanation = format!("Removed {}.", self.name_of(&body));
        self.transaction.remove(number);
        Ok(Done::new(explanation, vec![body.id.clone()]))
    }

    pub(super) fn clear(&mut self, clear: &ClearCanvas) -> Done {
        let stays = |body: &ComponentBody| clear.preserve_pinned && body.meta.pinned;
        let gone: Vec<(u32, ComponentId)> = self
            .transaction
            .board
            .numbered()
            .filter(|(_, placed)| !stays(&placed.body))
            .map(|(number, placed)| (number, placed.body.id.clone()))
            .collect();
        for (number, _) in &gone {
            self.transaction.remove(*number);
        }
        let stay = self.transaction.board.len();
        let explanation = match (gone.len(), stay) {
            (0, 0) => "The canvas is empty already.".to_owned(),
            (0, _) => "Only pinned components are there, and they stay.".to_owned(),
            (gone, 0) => format!("Cleared the canvas of {}.", counted(gone)),
            (gone, stay) => format!("Cleared the canvas of {}; {stay} pinned stayed.", counted(gone)),
        };
        Done::new(explanation, gone.into_iter().map(|(_, id)| id).collect())
    }

    pub(super) fn name_of(&self, body: &ComponentBody) -> String {
        match self.env.registry.get(&body.type_id) {
            Some(definition) => named(body, definition).into_owned(),
            None => body.meta.label.clone().unwrap_or_else(|| body.type_id.to_string()),
        }
    }

    fn known(&self, type_id: &TypeId) -> Result<&'e Registered, RefusalCause> {
        let registry: &'e Registry = self.env.registry;
        registry.known(type_id).ok_or_else(|| {
            let names = registry.get_all().map(|definition| definition.type_id.as_str());
            let candidates = nearest(type_id.as_str(), names);
            RefusalCause::TypeNotFound { type_id: type_id.clone(), candidates }
        })
    }

    /// Returns the checked, complete config, which is `given` on top of the type's defaults. `sent` holds the fields
    /// that the command names.
    fn config(
        &self,
        known: &Registered,
        given: &Arc<Value>,
        sent: Option<&Map<String, Value>>,
    ) -> Result<Arc<Value>, RefusalCause> {
        let config = match &**given {
            // A config that is left out.
            Value::Null => Arc::new(Value::Object(known.config_for(Map::new()))),
            Value::Object(fields) if known.is_whole(fields) => Arc::clone(given),
            Value::Object(fields) => Arc::new(Value::Object(known.config_for(fields.clone()))),
            other => return Err(no_object(other)),
        };
        let limit = self.env.rules.config_bytes;
        if !is_within(&*config, limit) {
            return Err(RefusalCause::ConfigTooLarge { limit });
        }
        let mut errors = known.config_errors(&config);
        if let Some(sent) = sent {
            errors.extend(known.unknown_fields(sent));
        }
        if errors.is_empty() { Ok(config) } else { Err(RefusalCause::ConfigInvalid { errors }) }
    }

    /// Derives the binding from a config, by the rule of its type.
    fn derived(&self, known: &Registered, config: &Value) -> Option<DataBinding> {
        let refresh = self.transaction.board.meta.settings.default_refresh_interval;
        known.binding_for(config.as_object()?, Some(refresh))
    }

    /// Returns a type's default size, cut to the grid.
    fn default_size(&self, definition: &ComponentDefinition) -> Size {
        let Size { cols, rows } = definition.default_size;
        Size::new(cols.min(self.transaction.board.grid().columns), rows.min(self.most_rows()))
    }
}

fn binding(known: &Registered, binding: &DataBinding) -> Result<DataBinding, RefusalCause> {
    let errors = known.binding_errors(binding);
    if errors.is_empty() { Ok(binding.clone()) } else { Err(RefusalCause::BindingInvalid { errors }) }
}

/// Returns a component's name for people.
fn named<'d>(body: &ComponentBody, definition: &'d ComponentDefinition) -> Cow<'d, str> {
    match &body.meta.label {
        Some(label) => format!("{} {}", definition.name, quoted(label)).into(),
        None => definition.name.as_str().into(),
    }
}

/// Whether a value has at most `limit` bytes as JSON. It only counts the bytes, so that a small value costs little.
pub(super) fn is_within(value: &impl serde::Serialize, limit: usize) -> bool {
    struct Count {
        left: usize,
    }

    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.left = self.left.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::FileTooLarge)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    serde_json::to_writer(Count { left: limit }, value).is_ok()
}

fn no_object(found: &Value) -> RefusalCause {
    let found = match found {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    RefusalCause::ConfigNoObject { found }
}

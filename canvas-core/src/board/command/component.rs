//! Making, changing and removing components.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::refusal::{
    Refused, about, counted, fault, faults, invalid, listed, nearest, no_object, quoted, refused,
};
use super::run::{Done, Execution, Placement};
use super::{CanvasCommand, ClearCanvas, CreateComponent, PartialMeta, RemoveComponent, UpdateComponent};
use crate::board::model::data::DataBinding;
use crate::board::model::grid::{Bounds, Position, Size};
use crate::board::model::id::{ComponentId, TypeId};
use crate::board::model::placement::{PlacementReason, PlacementResult};
use crate::board::model::workspace::ComponentMeta;
use crate::board::registry::{ComponentDefinition, Registry};
use crate::board::state::board::Board;
use crate::board::state::body::ComponentBody;
use crate::board::state::patch::PlacedComponent;
use crate::board::wire::result::{CommandError, CommandErrorCode};

impl<'e> Execution<'_, 'e> {
    pub(super) fn create(&mut self, create: &CreateComponent) -> Result<Done, Refused> {
        let CreateComponent { type_id, config, data_binding, position, size, meta, hints, on_collision } =
            create;
        // What is named comes first, also where it is only a hint.
        if let Some(near) = hints.as_ref().and_then(|hints| hints.near_component_id.as_ref()) {
            let near = self.meant(near).clone();
            self.find(&near, "/payload/hints/nearComponentId")?;
        }
        let definition = self.definition(type_id, create)?;
        let config = self.config(type_id, config, "/payload/config")?;
        let data_binding = match data_binding {
            Some(binding) => Some(self.binding(type_id, binding)?),
            None => self.derived(type_id, &config),
        };
        let size = self.check_size(size.unwrap_or_else(|| self.default_size(definition)), definition)?;
        let most = Board::COMPONENTS;
        if self.transaction.board.len() >= most {
            let message = format!("the board has {most} components, as many as it may: remove some first");
            return Err(refused(CommandErrorCode::BoardTooLarge, message));
        }
        let place = match position {
            Some(position) => {
                let bounds = Bounds::new(*position, size);
                let retry = |position| {
                    let corrected = CreateComponent { position: Some(position), ..create.clone() };
                    CanvasCommand::Create(Box::new(corrected))
                };
                self.check_position(bounds, retry)?;
                self.requested(None, bounds, *on_collision, |position| Some(retry(position)))?
            }
            None => self.auto_place(size, hints.as_ref())?,
        };
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
        let (adjustments, mut affected) = self.shift_all(moved);
        affected.insert(0, id.clone());
        self.created.push(id);
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
        let id = self.meant(&update.component_id).clone();
        let body = self.find(&id, "/payload/componentId")?;
        let mut after = ComponentBody::clone(&body);
        if update.config.is_some() || matches!(update.data_binding, Some(Some(_))) {
            self.definition_of(&body.type_id, &id)?;
        }
        if let Some(config) = &update.config {
            let Value::Object(fields) = config else {
                return Err(no_object(config, "/payload/config", Some(&id)));
            };
            let derived = self.derived(&body.type_id, &body.config);
            let mut merged = body.fields().clone();
            merged.extend(fields.clone());
            let merged = Arc::new(Value::Object(merged));
            after.config =
                self.config(&body.type_id, &merged, "/payload/config").map_err(|e| about(e, &id))?;
            // A binding that followed from the config follows it on.
            if body.data_binding == derived {
                after.data_binding = self.derived(&body.type_id, &after.config);
            }
        }
        match &update.data_binding {
            Some(Some(binding)) => {
                let binding = self.binding(&body.type_id, binding).map_err(|e| about(e, &id))?;
                after.data_binding = Some(binding);
            }
            Some(None) => after.data_binding = None,
            None => {}
        }
        if let Some(PartialMeta { pinned, label }) = &update.meta {
            after.meta.pinned = pinned.unwrap_or(after.meta.pinned);
            if let Some(label) = label {
                after.meta.label.clone_from(label);
            }
        }
        let name = self.name_of(&body);
        if after == *body {
            return Ok(Done::new(format!("{name} is as asked for already."), vec![id]));
        }
        let only_pin = after.config == body.config && after.data_binding == body.data_binding;
        let explanation = match (only_pin && after.meta.label == body.meta.label, after.meta.pinned) {
            (true, true) => format!("Pinned {name}."),
            (true, false) => format!("Unpinned {name}."),
            (false, _) => format!("Updated {name}."),
        };
        self.transaction.set_body(after);
        Ok(Done::new(explanation, vec![id]))
    }

    pub(super) fn remove(&mut self, remove: &RemoveComponent) -> Result<Done, Refused> {
        let id = self.meant(&remove.component_id).clone();
        let body = self.find(&id, "/payload/componentId")?;
        let explanation = format!("Removed {}.", self.name_of(&body));
        self.transaction.remove(&id);
        Ok(Done::new(explanation, vec![id]))
    }

    pub(super) fn clear(&mut self, clear: &ClearCanvas) -> Done {
        let stays = |body: &ComponentBody| clear.preserve_pinned && body.meta.pinned;
        let gone: Vec<ComponentId> = self
            .transaction
            .board
            .records()
            .filter(|slot| !stays(&slot.body))
            .map(|slot| slot.body.id.clone())
            .collect();
        for id in &gone {
            self.transaction.remove(id);
        }
        let stay = self.transaction.board.len();
        let explanation = match (gone.len(), stay) {
            (0, 0) => "The canvas is empty already.".to_owned(),
            (0, _) => "Only pinned components are there, and they stay.".to_owned(),
            (gone, 0) => format!("Cleared the canvas of {}.", counted(gone)),
            (gone, stay) => format!("Cleared the canvas of {}; {stay} pinned stayed.", counted(gone)),
        };
        Done::new(explanation, gone)
    }

    /// The body of a component that a command names.
    pub(super) fn find(&self, id: &ComponentId, place: &str) -> Result<Arc<ComponentBody>, Refused> {
        if let Some(slot) = self.transaction.board.slot_of(id) {
            return Ok(Arc::clone(&slot.body));
        }
        let ids = self.transaction.board.records().map(|slot| slot.body.id.as_str());
        let candidates = nearest(id.as_str(), ids);
        let message = format!("there is no component {}: take an id from the context", quoted(id.as_str()));
        let error = CommandError::new(CommandErrorCode::ComponentNotFound, message);
        Err(Box::new(CommandError {
            component_id: Some(id.clone()),
            place: Some(place.into()),
            candidates,
            ..error
        }))
    }

    pub(super) fn definition_of(
        &self,
        type_id: &TypeId,
        id: &ComponentId,
    ) -> Result<&ComponentDefinition, Refused> {
        self.env.registry.get(type_id).ok_or_else(|| about(self.no_type(type_id), id))
    }

    pub(super) fn name_of(&self, body: &ComponentBody) -> String {
        match self.env.registry.get(&body.type_id) {
            Some(definition) => named(body, definition).into_owned(),
            None => body.meta.label.clone().unwrap_or_else(|| body.type_id.to_string()),
        }
    }

    fn definition(
        &self,
        type_id: &TypeId,
        create: &CreateComponent,
    ) -> Result<&'e ComponentDefinition, Refused> {
        let registry: &'e Registry = self.env.registry;
        registry.get(type_id).ok_or_else(|| {
            let mut error = self.no_type(type_id);
            error.place = Some("/payload/typeId".into());
            // One that is nearly it is put right.
            if let [first, ..] = error.candidates.as_slice()
                && let Ok(type_id) = TypeId::new(first)
            {
                let corrected = CreateComponent { type_id, ..create.clone() };
                error.corrected = Some(Box::new(CanvasCommand::Create(Box::new(corrected))));
            }
            error
        })
    }

    fn no_type(&self, type_id: &TypeId) -> Refused {
        let all = self.env.registry.get_all();
        let candidates = nearest(type_id.as_str(), all.map(|definition| definition.type_id.as_str()));
        let message =
            format!("there is no component type {}: use a registered one", quoted(type_id.as_str()));
        let error = CommandError::new(CommandErrorCode::TypeNotFound, message);
        Box::new(CommandError { candidates, ..error })
    }

    /// The whole config: what is given over the type's defaults, checked.
    fn config(&self, type_id: &TypeId, given: &Arc<Value>, place: &str) -> Result<Arc<Value>, Refused> {
        let registry = self.env.registry;
        let config = match &**given {
            // A config that is left out.
            Value::Null => Arc::new(Value::Object(registry.config_for(type_id, Map::new()))),
            Value::Object(fields) if registry.is_whole(type_id, fields) => Arc::clone(given),
            Value::Object(fields) => Arc::new(Value::Object(registry.config_for(type_id, fields.clone()))),
            other => return Err(no_object(other, place, None)),
        };
        let limit = self.env.rules.config_bytes;
        if !is_within(&config, limit) {
            let message = format!("the config has more than {limit} bytes as JSON: shorten it");
            return Err(invalid(vec![fault("", &message, "maxBytes")], message, place));
        }
        let errors = self.env.registry.validate_config(type_id, &config).into_errors();
        let Some(first) = errors.first() else { return Ok(config) };
        let message = format!(
            "the config does not fit its type ({first}): correct {} and send it again",
            faults(&errors)
        );
        Err(invalid(errors, message, place))
    }

    fn binding(&self, type_id: &TypeId, binding: &DataBinding) -> Result<DataBinding, Refused> {
        let errors = self.env.registry.validate_data_binding(type_id, binding).into_errors();
        if errors.is_empty() {
            return Ok(binding.clone());
        }
        let message =
            format!("the data binding does not fit the type: correct {} and send it again", faults(&errors));
        Err(invalid(errors, message, "/payload/dataBinding"))
    }

    /// The binding that follows from a config, by the rule of its type.
    fn derived(&self, type_id: &TypeId, config: &Value) -> Option<DataBinding> {
        let refresh = self.transaction.board.meta.settings.default_refresh_interval;
        self.env.registry.binding_for(type_id, config.as_object()?, Some(refresh))
    }

    /// A type's default size, cut to the grid.
    fn default_size(&self, definition: &ComponentDefinition) -> Size {
        let Size { cols, rows } = definition.default_size;
        Size::new(cols.min(self.transaction.board.grid().columns), rows.min(self.most_rows()))
    }
}

/// What a person calls a component.
fn named<'d>(body: &ComponentBody, definition: &'d ComponentDefinition) -> Cow<'d, str> {
    match &body.meta.label {
        Some(label) => format!("{} {}", definition.name, quoted(label)).into(),
        None => definition.name.as_str().into(),
    }
}

/// Whether a value has at most so many bytes as JSON. Written into nothing, so that a small value costs little.
fn is_within(value: &Value, limit: usize) -> bool {
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

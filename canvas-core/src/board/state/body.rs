//! A component in the form that the board keeps.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::board::model::data::{DataBinding, DataLoadingState};
use crate::board::model::grid::Bounds;
use crate::board::model::id::{ComponentId, TypeId};
use crate::board::model::workspace::{ComponentInstance, ComponentMeta};

/// All of a component except its place. The board, its views and its history share it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ComponentBody {
    pub(crate) id: ComponentId,
    pub(crate) type_id: TypeId,
    /// Always a JSON object.
    #[serde(deserialize_with = "object")]
    pub(crate) config: Arc<Value>,
    pub(crate) data_binding: Option<DataBinding>,
    pub(crate) meta: ComponentMeta,
}

fn object<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<Value>, D::Error> {
    Map::deserialize(deserializer).map(|fields| Arc::new(Value::Object(fields)))
}

impl ComponentBody {
    /// Returns the component for display, with its data.
    pub(crate) fn instance(&self, bounds: Bounds, data_state: DataLoadingState) -> ComponentInstance {
        ComponentInstance {
            id: self.id.clone(),
            type_id: self.type_id.clone(),
            position: bounds.position,
            size: bounds.size,
            config: self.fields().clone(),
            data_binding: self.data_binding.clone(),
            data_state,
            meta: self.meta.clone(),
        }
    }

    pub(crate) fn of(component: ComponentInstance) -> Self {
        let ComponentInstance { id, type_id, config, data_binding, meta, .. } = component;
        Self { id, type_id, config: Arc::new(Value::Object(config)), data_binding, meta }
    }

    pub(crate) fn fields(&self) -> &Map<String, Value> {
        self.config.as_object().expect("a config is an object")
    }
}

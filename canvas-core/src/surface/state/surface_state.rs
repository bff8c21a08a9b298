//! The state of a surface, with its size.

use std::fmt;

use serde_json::Value;

use crate::surface::error::{SurfaceCode, SurfaceFault};
use crate::surface::limits::SurfaceLimits;
use crate::surface::state::change::StateChange;
use crate::surface::state::value::{StateValue, json_text};

/// The state of a surface. Clones share it. It knows the size of its JSON without another serialization.
#[derive(Clone, PartialEq, Eq)]
pub struct SurfaceState {
    value: StateValue,
    /// Size of [`StateValue::to_json`] in bytes.
    bytes: usize,
}

/// A state, with the changes from the state before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedState {
    /// The new state, or the one before if it is unchanged.
    pub state: SurfaceState,
    /// Changes in the order of their places, which never contain each other.
    pub changes: Vec<StateChange>,
}

impl SurfaceState {
    /// Checks a value against the limits. Linear in its size.
    ///
    /// # Errors
    ///
    /// Returns `STATE_TOO_LARGE` if the value has too many bytes or is too deep.
    pub fn new(value: StateValue, limits: &SurfaceLimits) -> Result<Self, SurfaceFault> {
        check_depth(value.depth(), limits)?;
        let bytes = value.json_bytes();
        check_bytes(bytes, limits)?;
        Ok(Self { value, bytes })
    }

    /// Reads a state written by [`SurfaceState::to_json`], regardless of the present limits. Returns `None` if the text
    /// is not such JSON.
    pub(crate) fn read(json: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(json).ok()?;
        Some(Self { value: value.into(), bytes: json.len() })
    }

    /// Creates a state from a value with a known size.
    pub(super) fn measured(value: StateValue, bytes: usize) -> Self {
        debug_assert_eq!(bytes, value.json_bytes(), "a change adds up the bytes that it changes");
        Self { value, bytes }
    }

    /// Returns the value of the state.
    pub fn value(&self) -> &StateValue {
        &self.value
    }

    /// Returns the size of the JSON in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the stored JSON, with members in the order of their names and without white space.
    pub fn to_json(&self) -> String {
        json_text(&self.value, self.bytes)
    }
}

/// Writes the JSON of the state.
impl fmt::Debug for SurfaceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_json())
    }
}

pub(super) fn check_bytes(bytes: usize, limits: &SurfaceLimits) -> Result<(), SurfaceFault> {
    let limit = limits.state_bytes;
    if bytes <= limit {
        return Ok(());
    }
    let message =
        format!("the state would have {bytes} bytes, the limit is {limit}: keep less, or remove what is old");
    Err(SurfaceFault::new("", SurfaceCode::StateTooLarge, message))
}

pub(super) fn check_depth(depth: usize, limits: &SurfaceLimits) -> Result<(), SurfaceFault> {
    let limit = limits.depth;
    if depth <= limit {
        return Ok(());
    }
    let message = format!("the state would be nested {depth} deep, the limit is {limit}: make it flatter");
    Err(SurfaceFault::new("", SurfaceCode::StateTooLarge, message))
}

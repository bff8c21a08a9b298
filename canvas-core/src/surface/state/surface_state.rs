//! The state of a surface, with its size.

use std::fmt;

use serde_json::Value;

use crate::surface::error::{SurfaceCode, SurfaceFault};
use crate::surface::limits::SurfaceLimits;
use crate::surface::state::change::StateChange;
use crate::surface::state::value::{StateValue, json_text};

/// The state of a surface. Clones share it, and it knows the bytes of its JSON without writing it again.
#[derive(Clone, PartialEq, Eq)]
pub struct SurfaceState {
    value: StateValue,
    /// Those of [`StateValue::to_json`].
    bytes: usize,
}

/// A state, and what leads to it from the one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedState {
    /// The state; the one before where there are no changes.
    pub state: SurfaceState,
    /// The changes, in the order of their places. No place is in another one.
    pub changes: Vec<StateChange>,
}

impl SurfaceState {
    /// Takes a value that is within the limits. Linear in it.
    ///
    /// # Errors
    ///
    /// `STATE_TOO_LARGE` where it has too many bytes or is too deep.
    pub fn new(value: StateValue, limits: &SurfaceLimits) -> Result<Self, SurfaceFault> {
        check_depth(value.depth(), limits)?;
        let bytes = value.json_bytes();
        check_bytes(bytes, limits)?;
        Ok(Self { value, bytes })
    }

    /// Reads a state that was written by [`SurfaceState::to_json`], whatever the limits are now; `None` where the text
    /// is no such JSON.
    pub(crate) fn read(json: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(json).ok()?;
        Some(Self { value: value.into(), bytes: json.len() })
    }

    /// A value of which the bytes are known.
    pub(super) fn measured(value: StateValue, bytes: usize) -> Self {
        debug_assert_eq!(bytes, value.json_bytes(), "a change adds up the bytes that it changes");
        Self { value, bytes }
    }

    /// The value.
    pub fn value(&self) -> &StateValue {
        &self.value
    }

    /// Bytes of its JSON.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Its JSON, which is what is stored: members in the order of their names, no white space.
    pub fn to_json(&self) -> String {
        json_text(&self.value, self.bytes)
    }
}

/// The JSON of the state.
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

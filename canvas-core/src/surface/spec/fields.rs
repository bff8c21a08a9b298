//! Reads objects member by member, so that it finds all faults rather than only the first.

use canvas_patch::floor_char_boundary;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::model::json_pointer::join_pointer;
use crate::surface::error::{SurfaceCode, SurfaceFault};

/// The faults of a spec, in the order in which they are found.
#[derive(Debug, Default)]
pub(super) struct Faults(Vec<SurfaceFault>);

impl Faults {
    /// Maximum number of listed faults. Further faults are left out.
    pub(super) const LISTED: usize = 64;

    /// Maximum size of a message, in bytes.
    const MESSAGE: usize = 300;

    pub(super) fn push(&mut self, fault: SurfaceFault) {
        if self.0.len() < Self::LISTED {
            self.0.push(fault);
        }
    }

    pub(super) fn add(&mut self, place: &str, code: SurfaceCode, message: impl Into<String>) {
        let mut message = message.into();
        if message.len() > Self::MESSAGE {
            message.truncate(floor_char_boundary(&message, Self::MESSAGE));
            message.push('…');
        }
        self.push(SurfaceFault::new(place, code, message));
    }

    pub(super) fn spec(&mut self, place: &str, message: impl Into<String>) {
        self.add(place, SurfaceCode::SpecInvalid, message);
    }

    pub(super) fn into_list(self) -> Vec<SurfaceFault> {
        self.0
    }
}

/// An object during parsing.
#[derive(Debug)]
pub(super) struct Fields<'v> {
    place: String,
    members: &'v Map<String, Value>,
    known: Vec<&'static str>,
}

impl<'v> Fields<'v> {
    /// Returns `None` and adds a fault if the value is not an object.
    pub(super) fn open(value: &'v Value, place: &str, faults: &mut Faults) -> Option<Self> {
        match value {
            Value::Object(members) => Some(Self { place: place.to_owned(), members, known: Vec::new() }),
            _ => {
                faults.spec(place, "this is not an object: send one");
                None
            }
        }
    }

    /// Returns the place of the object.
    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// Returns the place of a member.
    pub(super) fn at(&self, name: &str) -> String {
        join_pointer(&self.place, name)
    }

    /// Returns a member as raw JSON.
    pub(super) fn value(&mut self, name: &'static str) -> Option<&'v Value> {
        if !self.known.contains(&name) {
            self.known.push(name);
        }
        self.members.get(name)
    }

    /// Reads a member. Returns `None` if it is missing or has a fault.
    pub(super) fn read<T: Deserialize<'v>>(&mut self, name: &'static str, faults: &mut Faults) -> Option<T> {
        self.read_as(name, SurfaceCode::SpecInvalid, faults)
    }

    /// Reads a member whose faults have the given code.
    pub(super) fn read_as<T: Deserialize<'v>>(
        &mut self,
        name: &'static str,
        code: SurfaceCode,
        faults: &mut Faults,
    ) -> Option<T> {
        let value = self.value(name)?;
        decode(value, &self.at(name), code, faults)
    }

    /// Reads a required member.
    pub(super) fn require<T: Deserialize<'v>>(
        &mut self,
        name: &'static str,
        faults: &mut Faults,
    ) -> Option<T> {
        if !self.members.contains_key(name) {
            faults.spec(&self.place, format!("{name} is missing: add it"));
        }
        self.read(name, faults)
    }

    /// Reads an optional member that contains an object.
    pub(super) fn entries(
        &mut self,
        name: &'static str,
        faults: &mut Faults,
    ) -> Option<&'v Map<String, Value>> {
        let value = self.value(name)?;
        let place = self.at(name);
        Fields::open(value, &place, faults).map(|fields| fields.members)
    }

    /// Refuses members that were never read.
    pub(super) fn finish(self, faults: &mut Faults) {
        for name in self.members.keys().filter(|name| !self.known.contains(&name.as_str())) {
            let known = self.known.join(", ");
            faults.spec(
                &self.at(name),
                format!("there is no such member here: remove it, or take one of {known}"),
            );
        }
    }
}

/// Decodes a value. Returns `None` and adds a fault if it does not have the type.
pub(super) fn decode<'v, T: Deserialize<'v>>(
    value: &'v Value,
    place: &str,
    code: SurfaceCode,
    faults: &mut Faults,
) -> Option<T> {
    match T::deserialize(value) {
        Ok(value) => Some(value),
        Err(error) => {
            faults.add(place, code, format!("{error}: correct it"));
            None
        }
    }
}

//! Values, paths, patches and specs for property tests, of your own too.
//!
//! ```
//! use canvas_core::surface::strategies::{patch_seeds, state_values};
//! use canvas_core::surface::{StatePatch, SurfaceLimits, SurfaceState};
//! use proptest::prelude::*;
//!
//! let limits = SurfaceLimits::default();
//! proptest!(ProptestConfig::with_cases(8), |(value in state_values(), seeds in patch_seeds(4))| {
//!     let state = SurfaceState::new(value, &limits).unwrap();
//!     let patch = StatePatch::parse(&seeds.patch(&state)).unwrap();
//!     if let Ok(changed) = patch.apply(&state, &limits) {
//!         prop_assert_eq!(changed.state.bytes(), changed.state.to_json().len());
//!     }
//! });
//! ```

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Number, Value, json};

use crate::surface::state::path::StatePath;
use crate::surface::state::pointer::StatePointer;
use crate::surface::state::surface_state::SurfaceState;
use crate::surface::state::value::StateValue;

/// JSON values: mostly objects and lists with few names, so that paths meet.
pub fn json_values() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(Number::from),
        (0_i64..4).prop_map(Number::from),
        any::<f64>().prop_filter_map("JSON has no such number", Number::from_f64),
    ];
    let leaf = prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        3 => number.prop_map(Value::from),
        3 => texts().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            2 => vec(inner.clone(), 0..4).prop_map(Value::from),
            3 => btree_map(member_names(), inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Values as states have them.
pub fn state_values() -> impl Strategy<Value = StateValue> {
    json_values().prop_map(StateValue::from)
}

/// Names of members: few, so that paths meet; some look like numbers of items, some need escapes.
fn member_names() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[a-d]",
        2 => prop::sample::select(vec!["0", "1", "01", "-", "", "a/b", "m~n", "~1", "ключ"]).prop_map(str::to_owned),
        1 => "[a-z_-]{1,12}",
    ]
}

/// Texts as people, tools and attackers write them.
fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z0-9 .-]{0,12}",
        2 => any::<String>(),
        1 => prop::sample::select(vec!["{{state.a}}", "$(id)", "'; --", "\u{202e}", "\u{0}", "\"\\\n\u{7f}"])
            .prop_map(str::to_owned),
    ]
}

/// Paths as specs write them, of one to four names.
#[expect(clippy::missing_panics_doc, reason = "its names are plain")]
pub fn state_paths() -> impl Strategy<Value = StatePath> {
    let name = prop_oneof![6 => "[a-d]", 2 => "[0-3]", 1 => "[a-z_-]{1,12}"];
    vec(name, 1..5).prop_map(|names| StatePath::new(&names.join(".")).expect("names of plain characters"))
}

/// Patches of up to so many operations.
pub fn patch_seeds(most: usize) -> impl Strategy<Value = PatchSeeds> {
    let kind = prop_oneof![Just(Kind::Add), Just(Kind::Replace), Just(Kind::Remove)];
    let stray = prop::option::weighted(0.2, member_names());
    let seed = (kind, any::<prop::sample::Index>(), stray, json_values())
        .prop_map(|(kind, pick, stray, value)| PatchSeed { kind, pick, stray, value });
    vec(seed, 0..=most).prop_map(PatchSeeds)
}

/// What a patch is made of, once there is a state to make it for.
#[derive(Debug, Clone)]
pub struct PatchSeeds(Vec<PatchSeed>);

#[derive(Debug, Clone)]
struct PatchSeed {
    kind: Kind,
    pick: prop::sample::Index,
    /// Another last name: of something that is not there, mostly.
    stray: Option<String>,
    value: Value,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Add,
    Replace,
    Remove,
}

impl PatchSeeds {
    /// The patch that they become on this state. Most operations fit it as it is before the first of them; what does not
    /// fit any more after those before it, and one name in five, makes some fail.
    pub fn patch(&self, state: &SurfaceState) -> Value {
        let mut places = Vec::new();
        collect(state.value(), StatePointer::root(), &mut places);
        self.0.iter().map(|seed| seed.operation(&places)).collect()
    }
}

impl PatchSeed {
    fn operation(&self, places: &[StatePointer]) -> Value {
        let picked = &places[self.pick.index(places.len())];
        let place = match (&self.stray, picked.split_last()) {
            (Some(name), Some((parent, _))) => parent.join(name),
            (Some(name), None) => picked.join(name),
            (None, _) => picked.clone(),
        };
        match self.kind {
            Kind::Add => json!({"op": "add", "path": place, "value": self.value}),
            Kind::Replace => json!({"op": "replace", "path": place, "value": self.value}),
            Kind::Remove => json!({"op": "remove", "path": place}),
        }
    }
}

/// All places of a value, and those at the end of its lists.
fn collect(value: &StateValue, place: StatePointer, places: &mut Vec<StatePointer>) {
    match value {
        StateValue::List(items) => {
            for (number, item) in items.iter().enumerate() {
                collect(item, place.join(&number.to_string()), places);
            }
            places.push(place.join(&items.len().to_string()));
            places.push(place.join("-"));
        }
        StateValue::Object(members) => {
            for (name, member) in members.iter() {
                collect(member, place.join(name), places);
            }
        }
        _ => {}
    }
    places.push(place);
}

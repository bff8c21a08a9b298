//! Strategies of values, paths, patches and specs, also for your own property tests.
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

use std::collections::BTreeMap;
use std::sync::LazyLock;

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Number, Value, json};

use crate::surface::contract::{ToolContract, ToolDeclaration};
use crate::surface::limits::SurfaceLimits;
use crate::surface::name::{ActionId, JobId, ToolName};
use crate::surface::policy::{Ceiling, Confirm};
use crate::surface::spec::binding::BindingName;
use crate::surface::spec::wire::{ActionSpec, CanvasSpec, RefreshSpec, SurfaceMode, ToolPolicy};
use crate::surface::state::patch::StatePatch;
use crate::surface::state::path::StatePath;
use crate::surface::state::pointer::StatePointer;
use crate::surface::state::surface_state::SurfaceState;
use crate::surface::state::value::StateValue;

/// Generates JSON values, mostly objects and lists with few names, so that paths often match.
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

/// Generates values as they occur in states.
pub fn state_values() -> impl Strategy<Value = StateValue> {
    json_values().prop_map(StateValue::from)
}

/// Generates names of members. They are few, so that paths often match. Some look like list indices, and some need
/// escapes.
fn member_names() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[a-d]",
        2 => prop::sample::select(vec!["0", "1", "01", "-", "", "a/b", "m~n", "~1", "ключ"]).prop_map(str::to_owned),
        1 => "[a-z_-]{1,12}",
    ]
}

/// Generates texts as people, tools and attackers write them.
fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z0-9 .-]{0,12}",
        2 => any::<String>(),
        1 => prop::sample::select(vec!["{{state.a}}", "$(id)", "'; --", "\u{202e}", "\u{0}", "\"\\\n\u{7f}"])
            .prop_map(str::to_owned),
    ]
}

/// Generates paths of one to four names, as specs contain them.
#[expect(clippy::missing_panics_doc, reason = "its names are plain")]
pub fn state_paths() -> impl Strategy<Value = StatePath> {
    let name = prop_oneof![6 => "[a-d]", 2 => "[0-3]", 1 => "[a-z_-]{1,12}"];
    vec(name, 1..5).prop_map(|names| StatePath::new(&names.join(".")).expect("names of plain characters"))
}

/// Generates patches of at most `most` operations.
pub fn patch_seeds(most: usize) -> impl Strategy<Value = PatchSeeds> {
    let kind = prop_oneof![Just(Kind::Add), Just(Kind::Replace), Just(Kind::Remove)];
    let stray = prop::option::weighted(0.2, member_names());
    let seed = (kind, any::<prop::sample::Index>(), stray, json_values())
        .prop_map(|(kind, pick, stray, value)| PatchSeed { kind, pick, stray, value });
    vec(seed, 0..=most).prop_map(PatchSeeds)
}

/// The ingredients of a patch, from which one is made when there is a state.
#[derive(Debug, Clone)]
pub struct PatchSeeds(Vec<PatchSeed>);

#[derive(Debug, Clone)]
struct PatchSeed {
    kind: Kind,
    pick: prop::sample::Index,
    /// Another last name, mostly of a missing member.
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
    /// Returns the patch for this state. Most operations fit the initial state. Some fail, because earlier operations
    /// changed the state or because one in five has another name.
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

/// Collects all places of a value, and the places at the ends of its lists.
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

/// A spec that compiles, with a host that accepts it.
#[derive(Debug, Clone)]
pub struct SpecSeed {
    /// A spec that compiles on this host.
    pub spec: CanvasSpec,
    /// The host's tools and permissions.
    pub ceiling: Ceiling,
}

/// Generates specs that compile, with up to eight actions, and hosts with their tools.
#[expect(clippy::missing_panics_doc, reason = "its names are plain")]
pub fn specs() -> impl Strategy<Value = SpecSeed> {
    let state = btree_map("[a-d]", json_values(), 0..5);
    let bindings = vec(any::<prop::sample::Index>(), 0..6);
    let jobs = vec((any::<prop::sample::Index>(), 1_000_u64..604_800_000, any::<bool>()), 0..4);
    (state, btree_map("[a-z]{1,8}", actions(), 0..8), bindings, jobs).prop_map(
        |(state, actions, bindings, jobs)| {
            let actions: BTreeMap<_, _> = actions
                .into_iter()
                .map(|(id, action)| (ActionId::new(&id).expect("a name"), action))
                .collect();
            let ids: Vec<_> = actions.keys().cloned().collect();
            let asks_nobody = |id: &&ActionId| match &actions[*id] {
                ActionSpec::ToolCall { confirm, tool, .. } => {
                    *confirm != Confirm::Always && tool.as_str() != TOOLS[0]
                }
                ActionSpec::SessionSend { .. } => false,
                ActionSpec::StatePatch { .. } => true,
            };
            let runnable: Vec<_> = ids.iter().filter(asks_nobody).cloned().collect();
            let bindings = bindings.iter().enumerate().filter(|_| !ids.is_empty()).map(|(number, pick)| {
                (BindingName::new(&format!("b{number}")).expect("a name"), ids[pick.index(ids.len())].clone())
            });
            let jobs = jobs.into_iter().enumerate().filter(|_| !runnable.is_empty());
            let refresh = jobs.map(|(number, (pick, every_ms, enabled))| RefreshSpec {
                id: JobId::new(&format!("j{number}")).expect("a name"),
                every_ms,
                action: runnable[pick.index(runnable.len())].clone(),
                enabled,
            });
            let spec = CanvasSpec {
                version: 1,
                mode: SurfaceMode::Html,
                tool_policy: ToolPolicy { allow: tools().into_iter().collect() },
                state: Value::Object(state.into_iter().collect()),
                bindings: bindings.collect(),
                refresh: refresh.collect(),
                actions,
            };
            SpecSeed { spec, ceiling: ceiling() }
        },
    )
}

/// The first tool requires a confirmation, the second is trusted, and the third is read-only.
const TOOLS: [&str; 3] = ["host__Write", "host__Trusted", "host__Read"];

fn tools() -> [ToolName; 3] {
    TOOLS.map(|name| ToolName::new(name).expect("a name"))
}

fn ceiling() -> Ceiling {
    // Contracts are compiled once for all cases.
    static CEILING: LazyLock<Ceiling> = LazyLock::new(make_ceiling);
    CEILING.clone()
}

fn make_ceiling() -> Ceiling {
    let [writes, trusted, reads] = tools();
    let contract = |tool: &ToolName| {
        let declaration = ToolDeclaration { read_only: *tool == reads, ..Default::default() };
        ToolContract::new(tool.clone(), declaration).expect("a declaration without a schema")
    };
    let tools = [&writes, &trusted, &reads].map(|tool| (tool.clone(), contract(tool)));
    Ceiling { tools: tools.into(), trust: [trusted].into(), ..Default::default() }
}

fn actions() -> impl Strategy<Value = ActionSpec> {
    let confirm = || prop::sample::select(vec![Confirm::Auto, Confirm::Always, Confirm::Never]);
    let required = || vec("(state|input)\\.[a-d]", 0..3);
    let paths = |paths: Vec<String>| paths.iter().map(|path| path.parse().expect("plain names")).collect();
    let text =
        || prop_oneof!["[a-z ]{0,12}", Just("{{ state.a }}".to_owned()), Just("see {{input.b}}".to_owned())];
    let args = btree_map("[a-d]", text().prop_map(Value::from), 0..4);
    let timeout = prop::option::of(1_u32..=600_000);
    let call = (0..TOOLS.len(), args, prop::option::of(state_paths()), confirm(), timeout, required());
    let call =
        call.prop_map(move |(tool, args, save_as, confirm, timeout_ms, required)| ActionSpec::ToolCall {
            tool: tools()[tool].clone(),
            args: args.into_iter().collect(),
            save_as,
            confirm,
            timeout_ms,
            required: paths(required),
        });
    let send = (text(), prop::option::of(state_paths()), confirm(), required()).prop_map(
        move |(message, save_as, confirm, required)| ActionSpec::SessionSend {
            message,
            session_key: None,
            save_as,
            confirm,
            required: paths(required),
        },
    );
    let patch = (state_values(), patch_seeds(4)).prop_map(|(value, seeds)| {
        let state = SurfaceState::new(value, &SurfaceLimits::default()).expect("a small state");
        let patch = StatePatch::parse(&seeds.patch(&state)).expect("it is made of operations");
        ActionSpec::StatePatch { patch }
    });
    prop_oneof![3 => call, 1 => send, 1 => patch]
}

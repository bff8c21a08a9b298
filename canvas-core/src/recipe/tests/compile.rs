//! Faults of recipes, with their places.

use serde_json::{Value, json};

use crate::recipe::{Recipe, RecipeCode, RecipeLimits, StoredRecipe, Target};

pub(super) fn recipe() -> Value {
    json!({
        "version": 1, "catalogue": 1, "timezone": "Europe/Berlin",
        "steps": [
            {"id": "orders", "tool": "shop__Orders", "params": {"since": {"$date": "now-30d/d"}}},
            {"id": "names", "tool": "shop__Names", "params": {
                "ids": [{"$result": {"step": "orders", "path": "/rows/0/id"}}, {"$literal": {"$x": 1}}],
            }},
        ],
        "mappings": [
            {"step": "orders", "path": "/rows", "ops": [{"op": "limit", "count": 2}], "component": "c1"},
            {"step": "names", "state": "/names"},
        ],
    })
}

/// Returns a recipe in which the value at a place is replaced, or removed from its object.
pub(super) fn with(place: &str, value: Option<Value>) -> Value {
    let mut json = recipe();
    let (parent, name) = place.rsplit_once('/').unwrap();
    match (json.pointer_mut(parent).unwrap(), value) {
        (Value::Object(members), Some(value)) => drop(members.insert(name.to_owned(), value)),
        (Value::Object(members), None) => drop(members.remove(name)),
        (Value::Array(items), Some(value)) if name == "-" => items.push(value),
        (Value::Array(items), Some(value)) => items[name.parse::<usize>().unwrap()] = value,
        (other, _) => panic!("{place} of {other}"),
    }
    json
}

fn compile(json: &Value) -> Result<Recipe, Vec<(String, RecipeCode)>> {
    let faults = |faults: Vec<crate::recipe::RecipeFault>| {
        assert!(faults.iter().all(|fault| fault.message.contains(": ")), "{faults:?} say what to do");
        faults.into_iter().map(|fault| (fault.place, fault.code)).collect()
    };
    Recipe::compile(json, &RecipeLimits::default()).map_err(faults)
}

#[test]
fn a_recipe_is_compiled() {
    let recipe = compile(&recipe()).unwrap();
    let steps: Vec<_> = recipe
        .steps()
        .iter()
        .map(|step| (step.id().as_str(), step.tool().as_str(), step.sources().to_vec(), step.frozen()))
        .collect();
    assert_eq!(steps, [("orders", "shop__Orders", vec![], None), ("names", "shop__Names", vec![0], None)]);
    let targets = recipe.mappings().iter().map(|mapping| serde_json::to_value(&mapping.target).unwrap());
    assert_eq!(targets.collect::<Vec<_>>(), [json!({"component": "c1"}), json!({"state": "/names"})]);
    assert_eq!(recipe.zone().name(), "Europe/Berlin");
    assert_eq!((recipe.composition(), recipe.non_refreshable()), (None, Vec::new()));
}

/// The JSON is that of the request in canonical form, and the id is its hash.
#[test]
fn a_recipe_is_kept_as_it_was_sent() {
    let json = recipe();
    let kept = compile(&json).unwrap();
    assert_eq!(kept.to_json(), json);
    assert_eq!(compile(&kept.to_json()).unwrap().id(), kept.id());
    let zone = with("/timezone", Some(json!("UTC")));
    assert_ne!(compile(&zone).unwrap().id(), kept.id());
}

#[test]
fn each_fault_has_its_place_and_its_code() {
    use RecipeCode::{ExprInvalid, RecipeInvalid, VersionMismatch};
    let step = |id: &str, params: Value| Some(json!({"id": id, "tool": "t", "params": params}));
    let to = |target: Value| {
        let mut mapping = json!({"step": "orders"});
        mapping.as_object_mut().unwrap().extend(target.as_object().unwrap().clone());
        Some(mapping)
    };
    for (place, value, expected, code) in [
        ("/version", None, "/version", RecipeInvalid),
        ("/version", Some(json!("1")), "/version", RecipeInvalid),
        ("/version", Some(json!(2)), "/version", VersionMismatch),
        ("/version", Some(json!(1.5)), "/version", VersionMismatch),
        ("/catalogue", Some(json!(2)), "/catalogue", VersionMismatch),
        ("/timezone", Some(json!("Mars/Base")), "/timezone", RecipeInvalid),
        ("/timezone", Some(json!(1)), "/timezone", RecipeInvalid),
        ("/other", Some(json!(1)), "/other", RecipeInvalid),
        ("/composition", Some(json!({"components": 1})), "/composition", RecipeInvalid),
        // Steps.
        ("/steps/0", Some(json!(1)), "/steps/0", RecipeInvalid),
        ("/steps/0/id", None, "/steps/0/id", RecipeInvalid),
        ("/steps/0/id", Some(json!("")), "/steps/0/id", RecipeInvalid),
        ("/steps/0/tool", None, "/steps/0", RecipeInvalid),
        ("/steps/0/tool", Some(json!("")), "/steps/0/tool", RecipeInvalid),
        ("/steps/0/contract", Some(json!("abc")), "/steps/0/contract", RecipeInvalid),
        ("/steps/0/toolVersion", Some(json!(2)), "/steps/0/toolVersion", RecipeInvalid),
        ("/steps/0/args", Some(json!({})), "/steps/0/args", RecipeInvalid),
        (
            "/steps/0/params/since",
            Some(json!({"$date": "now-30x"})),
            "/steps/0/params/since/$date",
            ExprInvalid,
        ),
        (
            "/steps/0/params/since",
            Some(json!({"$date": "now", "as": "x"})),
            "/steps/0/params/since/as",
            RecipeInvalid,
        ),
        ("/steps/0/params/since", Some(json!({"$now": 1})), "/steps/0/params/since", RecipeInvalid),
        (
            "/steps/0/params/a~b",
            Some(json!([{"$result": {"step": "names", "path": ""}}])),
            "/steps/0/params/a~0b/0/$result/step",
            RecipeInvalid,
        ),
        (
            "/steps/1/params/ids/0/$result/step",
            Some(json!("names")),
            "/steps/1/params/ids/0/$result/step",
            RecipeInvalid,
        ),
        (
            "/steps/1/params/ids/0/$result/path",
            Some(json!("rows")),
            "/steps/1/params/ids/0/$result/path",
            RecipeInvalid,
        ),
        ("/steps/-", step("names", json!({})), "/steps/2/id", RecipeInvalid),
        // Mappings.
        ("/mappings/0", Some(json!([])), "/mappings/0", RecipeInvalid),
        ("/mappings/0/step", None, "/mappings/0/step", RecipeInvalid),
        ("/mappings/0/step", Some(json!("none")), "/mappings/0/step", RecipeInvalid),
        ("/mappings/0/path", Some(json!("rows")), "/mappings/0/path", RecipeInvalid),
        ("/mappings/0/ops/0/op", Some(json!("shuffle")), "/mappings/0/ops/0/op", RecipeInvalid),
        ("/mappings/0/ops", Some(json!(1)), "/mappings/0/ops", RecipeInvalid),
        ("/mappings/0/component", None, "/mappings/0", RecipeInvalid),
        ("/mappings/0/component", Some(json!("")), "/mappings/0/component", RecipeInvalid),
        ("/mappings/0/state", Some(json!("/a")), "/mappings/0", RecipeInvalid),
        ("/mappings/1/state", Some(json!("/a/__proto__")), "/mappings/1/state", RecipeInvalid),
        ("/mappings/-", to(json!({"component": "c1"})), "/mappings/2", RecipeInvalid),
        ("/mappings/-", to(json!({"state": "/names"})), "/mappings/2", RecipeInvalid),
        ("/mappings/-", to(json!({"state": "/names/0"})), "/mappings/2", RecipeInvalid),
        ("/mappings/-", to(json!({"state": ""})), "/mappings/2", RecipeInvalid),
        ("/mappings/-", to(json!({"state": "/a", "into": 1})), "/mappings/2/into", RecipeInvalid),
    ] {
        let faults = compile(&with(place, value.clone())).unwrap_err();
        assert_eq!(faults, [(expected.to_owned(), code)], "{place} {value:?}");
    }
}

/// Adjacent places are fed separately.
#[test]
fn what_is_no_fault() {
    for (place, value) in [
        ("/timezone", None),
        ("/steps/0/params", None),
        ("/steps/0/params", Some(json!({"$frozen": "it sends mail", "value": {"to": "me"}}))),
        ("/mappings/0/ops", None),
        ("/mappings/0/path", None),
        ("/mappings/-", Some(json!({"step": "orders", "state": "/name"}))),
        ("/mappings/-", Some(json!({"step": "orders", "component": "c2"}))),
        ("/composition", Some(json!({"updated_at": {"before": 1, "after": 2}}))),
    ] {
        assert!(compile(&with(place, value.clone())).is_ok(), "{place} {value:?}");
    }
}

#[test]
fn all_faults_are_found_in_the_order_of_the_recipe() {
    let json = json!({
        "version": 3, "timezone": "Nowhere",
        "steps": [{"id": "a"}, {"tool": "t", "params": {"x": {"$date": 1}, "y": {"$frozen": ""}}}],
        "mappings": [{"step": "b", "component": 1}, {}],
    });
    let places: Vec<_> = compile(&json).unwrap_err().into_iter().map(|(place, _)| place).collect();
    assert_eq!(
        places,
        [
            "/version",
            "/catalogue",
            "/timezone",
            "/steps/0",
            "/steps/1/id",
            "/steps/1/params/x/$date",
            "/steps/1/params/y/$frozen",
            "/steps/1/params/y",
            "/mappings/0/component",
            "/mappings/1/step",
            "/mappings/1",
        ]
    );
    for (json, expected) in [(json!(1), ""), (json!(null), ""), (json!({}), "/version"), (json!([]), "")] {
        assert_eq!(compile(&json).unwrap_err()[0].0, expected);
    }
    let many: Vec<_> = (0..32).map(|_| json!({"x": 1})).collect();
    let many = json!({"version": 1, "catalogue": 1, "steps": many, "mappings": [{}]});
    assert_eq!(compile(&many).unwrap_err().len(), 64);
}

#[test]
fn a_recipe_is_only_so_large() {
    let limits = RecipeLimits { bytes: 700, steps: 2, mappings: 2, depth: 7, ..RecipeLimits::default() };
    let mut fits = recipe();
    assert!(Recipe::compile(&fits, &limits).is_ok());
    let text = |json: &Value| json.to_string().len();
    let room = 700 - text(&fits);
    fits["steps"][0]["params"]["since"] = json!({"$date": "now-30d/d", "as": "unix"});
    fits["steps"][0]["id"] = json!("orders");
    let place_of = |json: &Value, limits: &RecipeLimits| {
        let faults = Recipe::compile(json, limits).unwrap_err();
        assert_eq!((faults.len(), faults[0].code), (1, RecipeCode::RecipeInvalid));
        faults[0].place.clone()
    };
    let note = |bytes: usize| with("/steps/0/params/n", Some("x".repeat(bytes).into()));
    // `"n":"",` takes seven bytes.
    assert!(Recipe::compile(&note(room - 7), &limits).is_ok());
    assert_eq!(place_of(&note(room - 6), &limits), "");
    let step = json!({"id": "third", "tool": "t"});
    assert_eq!(place_of(&with("/steps/-", Some(step)), &limits), "/steps");
    let mapping = json!({"step": "orders", "component": "c3"});
    assert_eq!(place_of(&with("/mappings/-", Some(mapping)), &limits), "/mappings");
    assert_eq!(place_of(&with("/steps/0/params/n", Some(json!([[[[]]]]))), &limits), "");
    for (name, empty) in [("steps", json!([])), ("mappings", json!([])), ("mappings", json!({}))] {
        let faults = compile(&with(&format!("/{name}"), Some(empty))).unwrap_err();
        assert_eq!(faults[0].0, format!("/{name}"));
    }
    let number = with("/steps/0/params/n", Some(json!(9_007_199_254_740_993_u64)));
    assert_eq!(place_of(&number, &RecipeLimits::default()), "/steps/0/params/n");
}

/// A step that needs a frozen one is frozen, too, and its components are never refreshed.
#[test]
fn what_is_frozen_stays_frozen_downstream() {
    let frozen = json!({"$frozen": "it is a file of the user", "value": "/tmp/x"});
    let recipe = compile(&with("/steps/0/params/file", Some(frozen))).unwrap();
    let why = "it is a file of the user";
    let reason = Some(why);
    assert_eq!(recipe.steps().iter().map(|step| step.frozen()).collect::<Vec<_>>(), [reason, reason]);
    let non_refreshable = recipe.non_refreshable();
    assert_eq!(non_refreshable.len(), 1);
    assert_eq!((non_refreshable[0].0.as_str(), non_refreshable[0].1.as_str()), ("c1", why));
    assert_eq!(recipe.steps_for(recipe.mappings().iter().map(|mapping| &mapping.target)), [] as [usize; 0]);
}

#[test]
fn the_steps_of_some_targets_are_those_that_feed_them() {
    let json = json!({
        "version": 1, "catalogue": 1,
        "steps": [
            {"id": "a", "tool": "t"},
            {"id": "b", "tool": "t", "params": {"x": {"$result": {"step": "a"}}}},
            {"id": "c", "tool": "t"},
            {"id": "d", "tool": "t", "params": [{"$result": {"step": "b"}}, {"$result": {"step": "c"}}, {"$result": {"step": "b"}}]},
            {"id": "e", "tool": "t"},
        ],
        "mappings": [
            {"step": "a", "component": "a"}, {"step": "b", "component": "b"}, {"step": "c", "component": "c"},
            {"step": "d", "component": "d"}, {"step": "c", "state": "/c"},
        ],
    });
    let recipe = compile(&json).unwrap();
    assert_eq!(recipe.steps()[3].sources(), [1, 2]);
    let targets: Vec<&Target> = recipe.mappings().iter().map(|mapping| &mapping.target).collect();
    for (chosen, expected) in [
        (vec![0], vec![0]),
        (vec![1], vec![0, 1]),
        (vec![2], vec![2]),
        (vec![3], vec![0, 1, 2, 3]),
        (vec![4], vec![2]),
        (vec![0, 4], vec![0, 2]),
        (vec![], vec![]),
        (vec![0, 1, 2, 3, 4], vec![0, 1, 2, 3]),
    ] {
        assert_eq!(recipe.steps_for(chosen.iter().map(|place| targets[*place])), expected, "{chosen:?}");
    }
}

/// For a recipe of a later version, only the targets are known.
#[test]
fn a_stored_recipe_may_be_of_another_version() {
    let blob = |json: &Value| crate::model::blob::Blob::text(json.to_string());
    let now = StoredRecipe::read(&blob(&recipe())).unwrap();
    assert_eq!(now.recipe().unwrap().steps().len(), 2);
    for (name, version) in [("version", json!(2)), ("catalogue", json!(7)), ("catalogue", json!("next"))] {
        let mut json = with(&format!("/{name}"), Some(version));
        json["mappings"][1]["then"] = json!({"new": true});
        json["mappings"].as_array_mut().unwrap().push(json!({"page": 7}));
        let later = StoredRecipe::read(&blob(&json)).unwrap();
        assert_eq!(later.recipe().unwrap_err().code.code(), "VERSION_MISMATCH");
        assert_eq!(later.targets(), now.targets());
        assert_eq!(later.to_json(), json);
        assert_ne!(later.id(), now.id());
    }
    for damaged in ["", "{}", "7", r#"{"version":1,"catalogue":1}"#, r#"{"version":2,"mappings":1}"#] {
        assert!(
            StoredRecipe::read(&crate::model::blob::Blob::text(damaged.to_owned())).is_none(),
            "{damaged}"
        );
    }
}

//! Laws that hold for every recipe.

use std::collections::BTreeMap;

use canvas_lease::Timestamp;
use proptest::prelude::*;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use crate::recipe::strategies::{date_exprs, operations, recipes, rows, values};
use crate::recipe::{Datum, Recipe, RecipeLimits, RecipeSpec, StoredRecipe};
use crate::schema::Schema;
use crate::surface::{Ceiling, ToolContract, ToolDeclaration, ToolName};
use crate::zone::Zone;

fn ceiling() -> Ceiling {
    let contract = |number: usize| {
        let name = ToolName::new(&format!("t{number}")).unwrap();
        let declaration = ToolDeclaration { read_only: true, ..ToolDeclaration::default() };
        (name.clone(), ToolContract::new(name, declaration).unwrap())
    };
    Ceiling { tools: (0..3).map(contract).collect(), ..Ceiling::default() }
}

/// Reverses the members of all objects, and turns whole numbers into doubles.
fn shuffled(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            members.iter().rev().map(|(name, member)| (name.clone(), shuffled(member))).collect()
        }
        Value::Array(items) => items.iter().map(shuffled).collect(),
        Value::Number(number) => number.as_i64().map_or_else(|| value.clone(), |whole| json!(whole as f64)),
        other => other.clone(),
    }
}

proptest! {
    /// The stored form reads as the same recipe, even with the contracts of its tools.
    #[test]
    fn a_recipe_is_read_as_it_was_written(json in recipes()) {
        let recipe = Recipe::compile(&json, &RecipeLimits::default()).unwrap();
        prop_assert_eq!(Recipe::compile(&recipe.to_json(), &RecipeLimits::default()).unwrap().id(), recipe.id());
        let pinned = recipe.pinned(&ceiling());
        prop_assert!(pinned.steps().iter().all(|step| step.frozen().is_some() || step.check(&ceiling()).is_ok()));
        let stored = StoredRecipe::from(pinned.clone());
        prop_assert_eq!(StoredRecipe::read(stored.blob()).unwrap().to_json(), pinned.to_json());
        prop_assert_eq!(pinned.pinned(&ceiling()).id(), pinned.id());
        // No tool can be called, so that all steps are frozen.
        prop_assert!(recipe.pinned(&Ceiling::default()).steps().iter().all(|step| step.frozen().is_some()));
    }

    /// The JSON Schema accepts each recipe that compiles.
    #[test]
    fn the_schema_takes_every_recipe(json in recipes()) {
        let generator = SchemaSettings::draft07().into_generator();
        let schema = Schema::compile(generator.into_root_schema_for::<RecipeSpec>().as_value()).unwrap();
        let pinned = Recipe::compile(&json, &RecipeLimits::default()).unwrap().pinned(&ceiling());
        prop_assert_eq!(schema.validate(&json), []);
        prop_assert_eq!(schema.validate(&pinned.to_json()), []);
    }

    /// Equal responses make the same calls and the same data, byte for byte. Each step is called after those that it
    /// needs.
    #[test]
    fn a_replay_is_what_its_responses_are(json in recipes(), rows in prop::collection::vec(rows(), 3), zone in 0..2_usize) {
        let recipe = Recipe::compile(&json, &RecipeLimits::default()).unwrap();
        let (limits, now) = (RecipeLimits::default(), Timestamp::from_millis(1_730_368_800_000));
        let zone = [Zone::UTC, recipe.zone().clone()][zone].clone();
        let play = |is_shuffled: bool| {
            let mut responses = BTreeMap::new();
            let mut calls = Vec::new();
            for (number, step) in recipe.steps().iter().enumerate() {
                assert!(step.sources().iter().all(|source| *source < number));
                let arguments = step.arguments((now, &zone), &responses, &limits);
                calls.push(arguments.map(|value| Datum::new(value, &limits).unwrap()));
                let response = json!({"rows": rows[number]});
                responses.insert(step.id().clone(), if is_shuffled { shuffled(&response) } else { response });
            }
            let data = recipe.mappings().iter().map(|mapping| mapping.apply(&responses[&mapping.step], (now, &zone), &limits));
            (calls, data.collect::<Vec<_>>())
        };
        prop_assert_eq!(play(false), play(true));
    }

    /// Data equal those that a reader of their canonical text gets.
    #[test]
    fn data_are_read_as_they_were_written(value in values()) {
        let limits = RecipeLimits::default();
        let datum = Datum::new(value.clone(), &limits).unwrap();
        let read: Value = serde_json::from_str(datum.blob().as_text().unwrap()).unwrap();
        prop_assert_eq!(datum.value(), &read);
        prop_assert_eq!(&Datum::new(shuffled(&value), &limits).unwrap(), &datum);
    }

    /// Expressions and operations can be read back as they were written.
    #[test]
    fn parts_are_read_as_they_were_written(expr in date_exprs(), operations in operations(), rows in rows()) {
        prop_assert_eq!(serde_json::from_value::<crate::recipe::DateExpr>(json!(expr)).unwrap(), expr);
        let written = json!(operations);
        prop_assert_eq!(&crate::recipe::Operations::parse(&written).unwrap(), &operations);
        let now = Timestamp::from_millis(1_730_368_800_000);
        prop_assert!(operations.apply(std::borrow::Cow::Owned(rows), now, &Zone::UTC).is_ok());
    }
}

//! Tool specs, cut to the subset that the endpoint accepts.

use std::collections::BTreeMap;

use canvas_tools::ToolSpec;
use serde_json::{Map, Value, json};

use crate::declare::{self, Declared, Function, ToolRules};
use crate::encoded::{Degradations, EncodeError, RequestOptions, ToolChoice};
use crate::names::{Mapper, NameRule};
use crate::native::NativeTool;
use crate::place::inside;
use crate::schema::Subset;

/// The endpoint now accepts 128 characters; for years it accepted 64.
const NAME_RULE: NameRule = NameRule { also: ".:", ..NameRule::PORTABLE };

const RULES: ToolRules = ToolRules {
    names: NAME_RULE,
    subset: Subset { property: is_property_name, refused: REFUSED },
    built_in: |_| false,
};

/// Keywords outside the documented subset of `parametersJsonSchema`.
const REFUSED: &[&str] = &[
    "$schema",
    "$comment",
    "$dynamicRef",
    "$dynamicAnchor",
    "$recursiveRef",
    "$vocabulary",
    "allOf",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "else",
    "if",
    "maxContains",
    "maxProperties",
    "minContains",
    "minProperties",
    "multipleOf",
    "not",
    "patternProperties",
    "propertyNames",
    "readOnly",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "writeOnly",
];

fn is_property_name(name: &str) -> bool {
    let begins = name.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    begins && name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

pub(in super::super) fn mapper(specs: &[ToolSpec]) -> Mapper {
    declare::mapper(specs, None, RULES)
}

/// Declares all tools as functions.
pub(in super::super) fn declare(
    specs: &[ToolSpec],
    native: Option<NativeTool>,
    mapper: &mut Mapper,
    degradations: &mut Degradations,
) -> Vec<Value> {
    let declared = declare::declare(specs, native, RULES, mapper, degradations);
    // If two specs have the same name, the first is declared.
    let places = specs.iter().enumerate().rev();
    let places: BTreeMap<String, usize> =
        places.map(|(index, spec)| (mapper.wire(&spec.name).to_owned(), index)).collect();
    let functions = declared.into_iter().filter_map(|tool| match tool {
        Declared::Function(function) => Some(function),
        Declared::BuiltIn(_) => None,
    });
    let functions = functions.map(|Function { name, description, mut schema }| {
        let place = places.get(&name).copied().unwrap_or_default();
        unclutter_references(&mut schema, &format!("/tools/{place}/parameters"), degradations);
        let mut function = json!({"name": name, "parametersJsonSchema": schema});
        if !description.is_empty() {
            function["description"] = description.into();
        }
        function
    });
    functions.collect()
}

/// Removes the keywords that the endpoint refuses next to a reference, which are all except definitions, a description
/// and a default.
fn unclutter_references(schema: &mut Value, place: &str, degradations: &mut Degradations) {
    match schema {
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                unclutter_references(item, &inside(place, &index.to_string()), degradations);
            }
        }
        Value::Object(map) => {
            if map.get("$ref").is_some_and(Value::is_string) {
                map.retain(|keyword, _| {
                    let keep = matches!(keyword.as_str(), "$ref" | "$defs" | "description" | "default");
                    if !keep {
                        let how = "left out: nothing may stand beside a reference; the tool checks it";
                        degradations.add(place, keyword, how);
                    }
                    keep
                });
            }
            for (keyword, value) in map.iter_mut() {
                let place = inside(place, keyword);
                match (keyword.as_str(), value) {
                    // These are values and hold no schema.
                    ("default" | "enum" | "const" | "examples", _) => {}
                    ("properties" | "$defs" | "definitions", Value::Object(schemas)) => {
                        for (name, schema) in schemas {
                            unclutter_references(schema, &inside(&place, name), degradations);
                        }
                    }
                    (_, value) => unclutter_references(value, &place, degradations),
                }
            }
        }
        _ => {}
    }
}

/// Encodes the choice; `None` if it is the endpoint's default.
pub(super) fn choice(
    options: &RequestOptions,
    specs: &[ToolSpec],
    names: &mut Mapper,
    degradations: &mut Degradations,
) -> Result<Option<Map<String, Value>>, EncodeError> {
    declare::check_choice(options, specs)?;
    if specs.is_empty() {
        return Ok(None);
    }
    if !options.parallel_calls {
        degradations.add(
            "/options/parallel_calls",
            "parallel_calls",
            "not sent: nothing on this wire says it",
        );
    }
    let choice = match &options.tool_choice {
        ToolChoice::Auto => return Ok(None),
        ToolChoice::None => json!({"mode": "NONE"}),
        ToolChoice::Required => json!({"mode": "ANY"}),
        ToolChoice::Tool(name) => json!({"mode": "ANY", "allowedFunctionNames": [names.wire(name)]}),
    };
    Ok(choice.as_object().cloned())
}

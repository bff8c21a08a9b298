use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use canvas_core::schema::Schema;
use serde_json::Value;

use super::{bindings, files, pages, recorded};

/// The workspace.
fn root() -> &'static Path {
    pages::root()
}

#[test]
fn the_pages_are_those_that_the_types_give() {
    for (path, text) in pages::all().into_iter().chain(bindings::all()) {
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == text,
            "{} is older than the types: run `cargo run -p canvas-examples --example schemas -- --pages`",
            path.display()
        );
    }
}

#[test]
fn every_tool_is_recorded_and_fits_its_schema() {
    let recorded = recorded::all();
    for tool in files::tools() {
        let mut schema = canvas_tools::reply_schema(&tool.name).unwrap();
        // What the validator takes is draft 7, which means the same by all that is in there.
        schema.as_object_mut().unwrap().remove("$schema");
        let schema = Schema::compile(&schema).unwrap();
        let of_tool: Vec<_> = recorded.iter().filter(|one| one.tool == tool.name).collect();
        assert!(of_tool.iter().any(|one| one.is_ok()), "{} never succeeds", tool.name);
        for one in of_tool {
            assert_eq!(schema.validate(&one.reply), [], "{}: {:#}", one.tool, one.reply);
        }
    }
}

#[test]
fn every_code_of_a_failure_is_in_the_table_of_codes() {
    let table = fs::read_to_string(root().join("canvas-core/ERRORS.md")).unwrap();
    for tool in files::tools() {
        let schema = canvas_tools::reply_schema(&tool.name).unwrap();
        let failure = schema["anyOf"].as_array().unwrap().last().unwrap();
        let codes = failure["properties"]["error"]["properties"]["code"]["enum"].as_array().unwrap();
        assert!(codes.len() > 20, "{}: {codes:?}", tool.name);
        for code in codes {
            let code = code.as_str().unwrap();
            assert!(table.contains(&format!("`{code}`")), "{} may fail with {code}", tool.name);
        }
    }
}

#[test]
fn the_same_is_recorded_each_time() {
    let lines = || recorded::all().iter().map(recorded::Recorded::line).collect::<Vec<_>>();
    assert_eq!(lines(), lines());
}

#[test]
fn files_have_names_ids_and_words() {
    let mut names = BTreeSet::new();
    for file in files::all() {
        assert!(names.insert(file.name.clone()), "two files are called {}", file.name);
        assert!(file.name.is_ascii() && !file.name.contains(' '), "{}", file.name);
        for field in ["$id", "$schema", "title", "description"] {
            assert!(file.schema[field].is_string(), "{} has no {field}", file.name);
        }
    }
}

/// Public types with a schema that no file has, and why.
const NOT_WRITTEN: &[(&str, &str)] = &[];

#[test]
fn every_public_type_with_a_schema_is_written() {
    let files = files::all();
    let mut written = BTreeSet::new();
    for file in &files {
        written.insert(file.schema["title"].as_str().unwrap().to_owned());
        let inner = file.schema["$defs"].as_object();
        written.extend(inner.into_iter().flatten().map(|(name, _)| name.clone()));
    }
    let mut declared = BTreeSet::new();
    for folder in ["canvas-patch", "canvas-lease", "canvas-core", "canvas-tools", "canvas-providers"] {
        collect(&root().join(folder).join("src"), &mut declared);
    }
    assert!(declared.len() > 150, "{declared:?}");
    let not_written: BTreeSet<_> = NOT_WRITTEN.iter().map(|(name, _)| (*name).to_owned()).collect();
    let missing: BTreeSet<_> = declared.difference(&written).cloned().collect();
    assert_eq!(missing, not_written, "give the type a file in types.rs");
}

/// The names of public types that derive `JsonSchema` as objects or choices; others are a text or a number in all schemas.
fn collect(folder: &Path, declared: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, declared);
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        let mut attributes = String::new();
        for line in source.split("#[cfg(test)]\nmod tests {").next().unwrap().lines().map(str::trim) {
            let name = line.strip_prefix("pub struct ").or_else(|| line.strip_prefix("pub enum "));
            match name {
                Some(name) if attributes.contains("JsonSchema") && !attributes.contains("with = ") => {
                    let name = name.split(|c: char| !c.is_alphanumeric()).next().unwrap();
                    if !name.is_empty() {
                        declared.insert(name.to_owned());
                    }
                }
                _ if line.starts_with("#[") || line.starts_with("//") => attributes.push_str(line),
                _ => {}
            }
            if name.is_some() || line.is_empty() {
                attributes.clear();
            }
        }
    }
}

#[test]
fn references_lead_somewhere() {
    fn check(value: &Value, schema: &Value, file: &str) {
        if let Some(reference) = value.get("$ref").and_then(Value::as_str) {
            let pointer = reference.strip_prefix('#').unwrap_or_else(|| panic!("{file}: {reference}"));
            assert!(schema.pointer(pointer).is_some(), "{file}: {reference}");
        }
        match value {
            Value::Object(fields) => fields.values().for_each(|inner| check(inner, schema, file)),
            Value::Array(items) => items.iter().for_each(|inner| check(inner, schema, file)),
            _ => {}
        }
    }
    for file in files::all() {
        check(&file.schema, &file.schema, &file.name);
    }
}

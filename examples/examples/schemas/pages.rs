//! The pages of replies and failures, made of the schemas and of what was recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use canvas_tools::reply_schema;
use serde_json::Value;

use super::fields::{Shapes, has_section, reached, section, shapes, table};
use super::files::{self, ToolEntry, plain};
use super::recorded::{self, Recorded};
use super::types;

const MADE: &str = "<!-- Made by `cargo run -p canvas-examples --example schemas -- --pages`. Change the types, not this page. -->";

/// Fields that every reply has.
const COMMON: &[&str] = &["ok", "revision_id"];

/// Fields that every error may have.
const COMMON_ERROR: &[&str] = &["code", "message", "retryable", "reason", "place"];

const TOOLSETS: [(&str, &str); 6] = [
    ("document", "Document tools"),
    ("board", "Board tools"),
    ("directive", "Directives"),
    ("surface", "Surfaces"),
    ("recipe", "Recipes"),
    ("native", "Native dialects"),
];

/// Each page and where it lies.
pub(crate) fn all() -> [(PathBuf, String); 2] {
    let folder = root().join("canvas-tools");
    let all = Tool::all();
    [(folder.join("REPLIES.md"), replies(&all)), (folder.join("FAILURES.md"), failures(&all))]
}

/// The root of the repository, for the example and for the package that tests it.
pub(super) fn root() -> &'static Path {
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    folders.find(|folder| folder.join("canvas-tools").is_dir()).expect("the crates are beside the examples")
}

/// A tool with its schema, taken apart.
struct Tool {
    toolset: &'static str,
    name: String,
    description: String,
    schema: Value,
    recorded: Vec<Recorded>,
}

impl Tool {
    fn all() -> Vec<Self> {
        let recorded = recorded::all();
        let mut names = BTreeSet::new();
        let tools = files::tools().into_iter().filter(|tool| names.insert(tool.name.clone()));
        let tools = tools.map(|ToolEntry { toolset, name, description, .. }| {
            let schema = reply_schema(&name).expect("each tool has a schema of its reply");
            let recorded = recorded.iter().filter(|one| one.tool == name).cloned().collect();
            Self { toolset, name, description, schema, recorded }
        });
        tools.collect()
    }

    fn choices(&self) -> &[Value] {
        self.schema["anyOf"].as_array().expect("successes, and the failure")
    }

    fn successes(&self) -> &[Value] {
        self.choices().split_last().expect("the failure comes last").1
    }

    fn failure(&self) -> &Value {
        self.choices().last().expect("the failure comes last")
    }

    fn error(&self) -> &Value {
        &self.failure()["properties"]["error"]
    }

    fn codes(&self) -> BTreeSet<&str> {
        let codes = self.error()["properties"]["code"]["enum"].as_array();
        codes.into_iter().flatten().filter_map(Value::as_str).collect()
    }
}

/// Codes that each tool may have.
fn shared_codes(tools: &[Tool]) -> BTreeSet<&str> {
    let mut tools = tools.iter();
    let first = tools.next().map(Tool::codes).unwrap_or_default();
    tools.fold(first, |shared, tool| shared.intersection(&tool.codes()).copied().collect())
}

fn listed<'a>(codes: impl IntoIterator<Item = &'a &'a str>) -> String {
    codes.into_iter().map(|code| format!("`{code}`")).collect::<Vec<_>>().join(", ")
}

fn example(reply: &Value) -> String {
    format!("```json\n{reply:#}\n```\n")
}

fn replies(tools: &[Tool]) -> String {
    let shared = shared_codes(tools);
    let shapes = shapes(tools.iter().map(|tool| &tool.schema));
    let mut page = format!(
        "{MADE}\n\n# Replies of the tools\n\nWhat each tool answers, as JSON. A reply is one object. `ok` says whether the call has \
         succeeded, and `revision_id` which revision of the canvas the reply speaks of. A success has the fields of its tool \
         besides; a field with `?` is left out where there is nothing to say. A failure has `error`, which \
         [FAILURES.md](FAILURES.md) describes, and `canvas_epoch` where the canvas is there. Replies have no other fields.\n\n\
         `canvas_tools::reply_schema` gives the same as JSON Schema, and the example `schemas` writes it to files. All examples \
         were recorded.\n\nAny call may fail with these codes; a tool lists what it has besides: {}.\n",
        listed(&shared)
    );
    for (toolset, title) in TOOLSETS {
        page.push_str(&format!("\n## {title}\n"));
        let mut before: Vec<&Tool> = Vec::new();
        for tool in tools.iter().filter(|tool| tool.toolset == toolset) {
            page.push_str(&reply_of(tool, &before, &shared, &shapes));
            before.push(tool);
        }
    }
    page.push_str("\n## Shapes\n\nWhat the tables above name.\n");
    let successes: Vec<_> = tools.iter().flat_map(Tool::successes).collect();
    page + &sections(successes, &shapes)
}

/// A tool that answers as one `before` it has no tables of its own.
fn reply_of(tool: &Tool, before: &[&Tool], shared: &BTreeSet<&str>, shapes: &Shapes) -> String {
    let mut text = format!("\n### `{}`\n\n{}\n", tool.name, plain(&tool.description));
    let alike = before.iter().find(|other| other.successes() == tool.successes());
    if let Some(Tool { name, .. }) = alike {
        text.push_str(&format!("\nIts fields are those of [`{name}`](#{name}).\n"));
    }
    for (number, success) in tool.successes().iter().enumerate().filter(|_| alike.is_none()) {
        if let Some(description) = success["description"].as_str().filter(|_| tool.successes().len() > 1) {
            text.push_str(&format!("\n{}. {}\n", number + 1, plain(description)));
        }
        let table = table(success, shapes, COMMON);
        text.push('\n');
        text.push_str(if table.is_empty() { "No fields besides.\n" } else { &table });
    }
    if let Some(Recorded { reply, .. }) = tool.recorded.iter().find(|one| one.is_ok()) {
        text.push_str(&format!("\n{}", example(reply)));
    }
    let own: Vec<_> = tool.codes().difference(shared).copied().collect();
    if !own.is_empty() {
        text.push_str(&format!("\nFails with {}.\n", listed(&own)));
    }
    text
}

fn sections<'a>(roots: impl IntoIterator<Item = &'a Value>, shapes: &Shapes) -> String {
    let mut found = BTreeMap::new();
    roots.into_iter().for_each(|root| reached(root, shapes, &mut found));
    let with_section = found.into_iter().filter(|(_, shape)| has_section(shape));
    with_section
        .map(|(name, shape)| format!("\n{}", section(name, shape, shapes).trim_end().to_owned() + "\n"))
        .collect()
}

fn failures(tools: &[Tool]) -> String {
    let shapes = shapes(tools.iter().map(|tool| &tool.schema));
    let report = types::all().into_iter().find(|file| file.name == "output/ErrorReport.json");
    let report = report.expect("it is a type").schema;
    let first = tools.first().expect("there are tools");
    let mut common = first.error().clone();
    let names: Vec<_> =
        common["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
    let own: Vec<_> = names.iter().map(String::as_str).filter(|name| !COMMON_ERROR.contains(name)).collect();
    // The codes are listed below.
    common["properties"]["code"]["enum"].take();
    let mut page = format!(
        "{MADE}\n\n# Failures as JSON\n\nWhat errors have beside their words. What each code means, and what to do about it, is in \
         [the table of codes](../canvas-core/ERRORS.md); what a tool answers where it succeeds, in [REPLIES.md](REPLIES.md). \
         Branch on `code` and `reason`, never on `message`. A field with `?` is left out where it does not apply.\n\n\
         ## What a host tells its clients\n\n`ErrorReport`, of any error of the family. `ErrorReport::http_status` gives the status \
         of HTTP that fits it.\n\n{}\n## What a tool answers\n\nA failed call changes nothing. Its reply is \
         `{{\"ok\": false, \"error\": {{…}}}}`, with `revision_id` and `canvas_epoch` where the canvas is there. Every `error` has \
         these fields:\n\n{}",
        table(&report, &shapes, &[]),
        table(&common, &shapes, &own)
    );
    for (toolset, title) in TOOLSETS {
        let of_set: Vec<_> = tools.iter().filter(|tool| tool.toolset == toolset).collect();
        let Some(first) = of_set.first() else { continue };
        page.push_str(&format!("\n### {title}\n\n"));
        let mut error = first.error().clone();
        error["required"].take();
        page.push_str(&format!("Besides, `error` may have:\n\n{}", table(&error, &shapes, COMMON_ERROR)));
        let failed = of_set.iter().flat_map(|tool| &tool.recorded).filter(|one| !one.is_ok());
        // The one that says most.
        if let Some(one) = failed.max_by_key(|one| one.reply.to_string().len()) {
            page.push_str(&format!("\nOf `{}`:\n\n{}", one.tool, example(&one.reply)));
        }
    }
    page.push_str("\n## Codes by tool\n\n| code | tools |\n| --- | --- |\n");
    let mut by_code: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for tool in tools {
        for code in tool.codes() {
            by_code.entry(code).or_default().insert(&tool.name);
        }
    }
    for (code, of) in by_code {
        page.push_str(&format!("| `{code}` | {} |\n", named(&of, tools)));
    }
    page.push_str("\n## Shapes\n\nWhat the tables above name.\n");
    page + &sections(tools.iter().map(Tool::failure), &shapes)
}

/// These tools, in as few words as can be.
fn named(of: &BTreeSet<&str>, tools: &[Tool]) -> String {
    if of.len() == tools.len() {
        return "all".to_owned();
    }
    let mut words = Vec::new();
    for (toolset, title) in TOOLSETS {
        let of_set = || tools.iter().filter(|tool| tool.toolset == toolset).map(|tool| tool.name.as_str());
        let (has, lacks): (Vec<&str>, Vec<&str>) = of_set().partition(|name| of.contains(name));
        if has.len() > 2 && lacks.is_empty() {
            words.push(format!("{}, all", title.to_lowercase()));
        } else if has.len() > 2 && lacks.len() <= 2 {
            words.push(format!("{}, all but {}", title.to_lowercase(), listed(&lacks)));
        } else if !has.is_empty() {
            words.push(listed(&has));
        }
    }
    words.join("; ")
}

//! The pages of replies and failures, generated from the schemas and from recorded replies.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use canvas_tools::reply_schema;
use serde_json::Value;

use super::fields::{Shapes, has_section, reached, section, shapes, table};
use super::files::{self, ToolEntry, plain};
use super::recorded::{self, Recorded};
use super::types;

const MADE: &str = "<!-- Made by `cargo run -p canvas-examples --example schemas -- --pages`. Change the types, not this page. -->";

const REPORTS: &str = "Error reports of a host";
const FAILED_CALLS: &str = "Replies of failed calls";
const CODES_BY_TOOL: &str = "Codes by tool";
const SHAPES: &str = "\n## Shapes\n\nTypes named in the tables above.\n";

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

/// Returns each page with its path.
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

/// Returns the codes that all tools share.
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
    let successes: Vec<_> = tools.iter().flat_map(Tool::successes).collect();
    let (names, sections) = sections(successes, &shapes);
    let mut page = format!(
        "{MADE}\n\n# Replies of the tools\n\nThe JSON that each tool returns. Every reply is one object. `ok` says whether the call \
         succeeded, and `revision_id` names the document that the reply describes, except for `past_lines`. A successful reply also has the \
         fields of its tool; a field marked with `?` may be absent. A failed reply has `error`, described in \
         [FAILURES.md](FAILURES.md), and `canvas_epoch` if the canvas exists. Replies have no other fields.\n\n\
         `canvas_tools::reply_schema` returns the same as JSON Schema, and the example `schemas` writes it to files. All examples \
         are recorded replies.\n\n{}\nAny call may fail with these codes, in addition to the codes listed for its tool: {}.\n",
        contents(&replies_contents(tools, &names)),
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
    page + SHAPES + &sections
}

/// Headings of the page of replies, each with the headings below it.
fn replies_contents<'a>(tools: &'a [Tool], shapes: &[&'a str]) -> Vec<(&'static str, Vec<&'a str>)> {
    let of_set =
        |toolset| tools.iter().filter(move |tool| tool.toolset == toolset).map(|tool| tool.name.as_str());
    let toolsets = TOOLSETS.iter().map(|(toolset, title)| (*title, of_set(*toolset).collect()));
    toolsets.chain([("Shapes", shapes.to_vec())]).collect()
}

/// The list of headings at the top of a page.
fn contents(headings: &[(&str, Vec<&str>)]) -> String {
    let mut list = String::new();
    for (heading, below) in headings {
        list.push_str(&format!("* [{heading}](#{})", anchor(heading)));
        let below: Vec<_> = below.iter().map(|name| format!("[{name}](#{})", anchor(name))).collect();
        if !below.is_empty() {
            list.push_str(&format!(": {}", below.join(", ")));
        }
        list.push('\n');
    }
    list
}

/// The anchor that GitHub gives to a heading.
fn anchor(heading: &str) -> String {
    heading.to_lowercase().replace(' ', "-")
}

/// A tool with the same reply as one `before` it refers to that instead of repeating its tables.
fn reply_of(tool: &Tool, before: &[&Tool], shared: &BTreeSet<&str>, shapes: &Shapes) -> String {
    let mut text = format!("\n### `{}`\n\n{}\n", tool.name, plain(&tool.description));
    let alike = before.iter().find(|other| other.successes() == tool.successes());
    if let Some(Tool { name, .. }) = alike {
        text.push_str(&format!("\nSame fields as [`{name}`](#{name}).\n"));
    }
    for (number, success) in tool.successes().iter().enumerate().filter(|_| alike.is_none()) {
        if let Some(description) = success["description"].as_str().filter(|_| tool.successes().len() > 1) {
            text.push_str(&format!("\n{}. {}\n", number + 1, plain(description)));
        }
        let table = table(success, shapes, COMMON);
        text.push('\n');
        text.push_str(if table.is_empty() { "No additional fields.\n" } else { &table });
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

/// The names of the shapes that have a section, and these sections.
fn sections<'s>(roots: impl IntoIterator<Item = &'s Value>, shapes: &'s Shapes) -> (Vec<&'s str>, String) {
    let mut found = BTreeMap::new();
    roots.into_iter().for_each(|root| reached(root, shapes, &mut found));
    found.retain(|_, shape| has_section(shape));
    let text = found.iter().map(|(name, shape)| format!("\n{}\n", section(name, shape, shapes).trim_end()));
    (found.keys().copied().collect(), text.collect())
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
    let (shape_names, sections) = sections(tools.iter().map(Tool::failure), &shapes);
    let mut page = format!(
        "{MADE}\n\n# Failures as JSON\n\nStructured fields of errors. The cause and the remedy of each code are in \
         [the table of codes](../canvas-core/ERRORS.md), and the replies of successful calls in [REPLIES.md](REPLIES.md). \
         Branch on `code` and `reason`, never on `message`. A field marked with `?` may be absent.\n\n{}\n\
         ## {REPORTS}\n\nA host can send any error of the family to its clients as an `ErrorReport`, \
         which `CodedError::report` builds.\n\n{}\n## {FAILED_CALLS}\n\nA failed call changes \
         nothing. Its reply is `{{\"ok\": false, \"error\": {{…}}}}`, with `revision_id` and `canvas_epoch` if the canvas exists. \
         Every `error` has these fields:\n\n{}",
        contents(&[
            (REPORTS, Vec::new()),
            (FAILED_CALLS, TOOLSETS.map(|(_, title)| title).to_vec()),
            (CODES_BY_TOOL, Vec::new()),
            ("Shapes", shape_names),
        ]),
        table(&report, &shapes, &[]),
        table(&common, &shapes, &own)
    );
    for (toolset, title) in TOOLSETS {
        let of_set: Vec<_> = tools.iter().filter(|tool| tool.toolset == toolset).collect();
        let Some(first) = of_set.first() else { continue };
        page.push_str(&format!("\n### {title}\n\n"));
        let mut error = first.error().clone();
        error["required"].take();
        page.push_str(&format!("Additional fields of `error`:\n\n{}", table(&error, &shapes, COMMON_ERROR)));
        let failed = of_set.iter().flat_map(|tool| &tool.recorded).filter(|one| !one.is_ok());
        // The most detailed one.
        if let Some(one) = failed.max_by_key(|one| one.reply.to_string().len()) {
            page.push_str(&format!("\nExample from `{}`:\n\n{}", one.tool, example(&one.reply)));
        }
    }
    page.push_str(&format!("\n## {CODES_BY_TOOL}\n\n| code | tools |\n| --- | --- |\n"));
    let mut by_code: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for tool in tools {
        for code in tool.codes() {
            by_code.entry(code).or_default().insert(&tool.name);
        }
    }
    for (code, of) in by_code {
        page.push_str(&format!("| `{code}` | {} |\n", named(&of, tools)));
    }
    page + SHAPES + &sections
}

/// Names these tools in as few words as possible.
fn named(of: &BTreeSet<&str>, tools: &[Tool]) -> String {
    if of.len() == tools.len() {
        return "all".to_owned();
    }
    let mut words = Vec::new();
    for (toolset, title) in TOOLSETS {
        let of_set = || tools.iter().filter(|tool| tool.toolset == toolset).map(|tool| tool.name.as_str());
        let (has, lacks): (Vec<&str>, Vec<&str>) = of_set().partition(|name| of.contains(name));
        if has.len() > 2 && lacks.is_empty() {
            words.push(format!("all {}", title.to_lowercase()));
        } else if has.len() > 2 && lacks.len() <= 2 {
            words.push(format!("all {} except {}", title.to_lowercase(), listed(&lacks)));
        } else if !has.is_empty() {
            words.push(listed(&has));
        }
    }
    words.join("; ")
}

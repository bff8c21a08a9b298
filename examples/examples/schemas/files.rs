//! The schemas as files: the arguments and the replies of each tool, the requests of the bridge, what hosts send (`input`) and
//! what they get (`output`).

use canvas_examples::bridge::{Bridge, request_schemas};
use canvas_tools::native::Dialect;
use canvas_tools::reply_schema;
use serde_json::{Map, Value, json};

use super::types;

/// A schema and its place in the folder.
#[derive(Debug)]
pub(crate) struct SchemaFile {
    pub(crate) name: String,
    pub(crate) schema: Value,
}

impl SchemaFile {
    /// Sorted, under its `$id`. A reference stays within the file.
    pub(crate) fn new(name: &str, title: &str, mut schema: Value) -> Self {
        let fields = schema.as_object_mut().expect("a schema of a type is an object");
        fields.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
        fields.insert("$id".into(), format!("urn:canvas:{name}").into());
        fields.insert("title".into(), title.into());
        Self { name: format!("{name}.json"), schema: tidy(schema) }
    }
}

/// A tool of this family: its name, what it is for, and the schema of its arguments.
#[derive(Debug)]
pub(crate) struct ToolEntry {
    pub(crate) toolset: &'static str,
    pub(crate) name: String,
    /// Of the file, where several tools have one name.
    file: String,
    pub(crate) description: String,
    arguments: Value,
}

/// All tools, by toolset.
pub(crate) fn tools() -> Vec<ToolEntry> {
    let mut tools = Vec::new();
    for (toolset, listed) in [
        ("document", "extended"),
        ("board", "extended"),
        ("directive", "directive"),
        ("surface", "surface"),
        ("recipe", "recipe"),
    ] {
        for tool in list(listed) {
            let name = tool["name"].as_str().expect("a tool has a name").to_owned();
            let is_document = name.starts_with("canvas_");
            let is_of_another = ["document_", "diff_", "gsv_", "canvas_record", "canvas_refresh"]
                .iter()
                .any(|begin| name.starts_with(begin));
            // The extended toolset has all.
            if listed == "extended" && (is_of_another || is_document != (toolset == "document")) {
                continue;
            }
            let description = tool["description"].as_str().unwrap_or_default().to_owned();
            tools.push(ToolEntry {
                toolset,
                file: name.clone(),
                name,
                description,
                arguments: tool["parameters"].clone(),
            });
        }
    }
    for dialect in Dialect::ALL {
        let spec = dialect.spec("document.md");
        tools.push(ToolEntry {
            toolset: "native",
            name: spec.name,
            file: format!("native-{dialect}"),
            description: spec.description,
            arguments: spec.parameters,
        });
    }
    tools
}

fn list(toolset: &str) -> Vec<Value> {
    let mut bridge = Bridge::new();
    // The types of the board are those that are built in.
    let reply = bridge.call(&json!({"op": "tool.list", "toolset": toolset}).to_string());
    let mut reply: Value = serde_json::from_str(&reply).expect("a reply of the bridge is JSON");
    let Value::Array(tools) = reply["result"]["tools"].take() else { panic!("no list of tools: {reply}") };
    tools
}

/// Every file, by name.
pub(crate) fn all() -> Vec<SchemaFile> {
    let mut files = Vec::new();
    for tool in tools() {
        let ToolEntry { name, file, description, mut arguments, .. } = tool;
        arguments["description"] = description.as_str().into();
        files.push(SchemaFile::new(&format!("arguments/{file}"), &format!("Arguments of {name}"), arguments));
        let place = format!("replies/{name}");
        // A dialect may share its name with another, and its reply too.
        if files.iter().all(|file| file.name != format!("{place}.json")) {
            let mut schema = reply_schema(&name).expect("each tool has a schema of its reply");
            let description = format!("What {name} answers: a success, or a failure with one of its codes.");
            schema["description"] = description.into();
            files.push(SchemaFile::new(&place, &format!("Reply of {name}"), schema));
        }
    }
    for (operation, schema) in request_schemas() {
        let title = format!("Request of the bridge's operation {operation}");
        files.push(SchemaFile::new(&format!("requests/{operation}"), &title, schema));
    }
    files.extend(types::all());
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

/// Keys in order, descriptions in plain words on one line.
fn tidy(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.into_iter().collect();
            fields.sort_by(|(a, _), (b, _)| a.cmp(b));
            let fields = fields.into_iter().map(|(name, value)| match value {
                Value::String(text) if name == "description" => (name, plain(&text).into()),
                value => (name, tidy(value)),
            });
            Value::Object(fields.collect::<Map<_, _>>())
        }
        Value::Array(items) => items.into_iter().map(tidy).collect(),
        other => other,
    }
}

/// A comment of the code without its line ends and its links, which lead nowhere outside of it.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once("[`") {
        plain.push_str(before);
        let Some((name, after)) = link.split_once("`]") else {
            plain.push_str("[`");
            rest = link;
            continue;
        };
        plain.push_str(&format!("`{name}`"));
        let target = after.strip_prefix('(').and_then(|target| target.split_once(')'));
        rest = target.map_or(after, |(_, after)| after);
    }
    plain.push_str(rest);
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

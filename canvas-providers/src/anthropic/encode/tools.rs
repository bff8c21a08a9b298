//! Tool specs, cut to what the endpoint takes.

use std::collections::BTreeSet;

use canvas_tools::ToolSpec;
use serde_json::{Map, Value, json};

use super::super::wire::{self, Item, Tool};
use crate::encoded::{Degradations, EncodeError, EncodedTools, RequestOptions, ToolChoice};
use crate::names::{Mapper, NameRule};
use crate::native::NativeTool;
use crate::place::inside;
use crate::schema::{self, Subset};

/// The endpoint takes 128 characters; 64 is what references to tools take.
const NAME_RULE: NameRule = NameRule { max: 64 };

const SUBSET: Subset = Subset { property: is_property_name };

fn is_property_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}

pub(crate) fn tools(specs: &[ToolSpec], native: Option<NativeTool>) -> EncodedTools {
    let mut degradations = Degradations::default();
    let mut mapper = mapper(specs, native);
    let tools = declare(specs, native, &mut mapper, &mut degradations);
    let tools = serde_json::to_value(tools).expect("strings and JSON values always serialise");
    EncodedTools { tools, renames: mapper.renames(), degradations: degradations.0 }
}

pub(super) fn mapper(specs: &[ToolSpec], native: Option<NativeTool>) -> Mapper {
    let mut mapper = Mapper::new(NAME_RULE);
    if let Some((native, spec)) = built_in(specs, native) {
        mapper.fix(&spec.name, native.name());
    }
    mapper.over(specs.iter().map(|spec| spec.name.as_str()));
    mapper
}

/// The tool that the endpoint has built in, and the first spec that it stands for.
fn built_in(specs: &[ToolSpec], native: Option<NativeTool>) -> Option<(NativeTool, &ToolSpec)> {
    let native = native.filter(|native| matches!(native, NativeTool::TextEditor(_)))?;
    specs.iter().find(|spec| native.is_of(spec)).map(|spec| (native, spec))
}

pub(super) fn declare<'a>(
    specs: &'a [ToolSpec],
    native: Option<NativeTool>,
    mapper: &mut Mapper,
    degradations: &mut Degradations,
) -> Vec<Tool<'a>> {
    let mut tools = Vec::with_capacity(specs.len());
    let built_in = built_in(specs, native);
    for (index, spec) in specs.iter().enumerate() {
        let place = format!("/tools/{index}");
        if specs[..index].iter().any(|earlier| earlier.name == spec.name) {
            degradations.add(place, "name", "left out: an earlier tool has the same name");
            continue;
        }
        if let Some((native, _)) = built_in.filter(|(_, stands_for)| std::ptr::eq(*stands_for, spec)) {
            tools.push(Tool::BuiltIn(native.declare(spec)));
            continue;
        }
        if native.is_some_and(|native| native.is_of(spec)) {
            degradations.add(
                &place,
                "native",
                "declared as a function: this provider does not have it built in",
            );
        }
        let input_schema: Value =
            schema::cut(&spec.parameters, &inside(&place, "parameters"), SUBSET, degradations);
        let name = mapper.wire(&spec.name).to_owned();
        tools.push(Tool::Function { name, description: &spec.description, input_schema });
    }
    tools
}

/// The choice in the endpoint's words; `None` where its own default is the choice.
pub(super) fn choice(
    options: &RequestOptions,
    specs: &[ToolSpec],
    names: &mut Mapper,
    extra: &Map<String, Value>,
    degradations: &mut Degradations,
) -> Result<Option<wire::ToolChoice>, EncodeError> {
    let (mut kind, mut name) = match &options.tool_choice {
        ToolChoice::Auto => ("auto", None),
        ToolChoice::None => ("none", None),
        ToolChoice::Required if specs.is_empty() => return Err(bad_choice("required without tools")),
        ToolChoice::Required => ("any", None),
        ToolChoice::Tool(name) if specs.iter().any(|spec| spec.name == *name) => {
            ("tool", Some(names.wire(name).to_owned()))
        }
        ToolChoice::Tool(name) => return Err(bad_choice(name)),
    };
    let thinking = extra.get("thinking").and_then(|thinking| thinking.get("type"));
    if thinking.is_some_and(|kind| kind == "enabled") && matches!(kind, "any" | "tool") {
        degradations.add("/options/tool_choice", kind, "sent as auto: thinking excludes a forced call");
        (kind, name) = ("auto", None);
    }
    let disable_parallel_tool_use = (!options.parallel_calls && kind != "none").then_some(true);
    let default = specs.is_empty() || kind == "auto" && disable_parallel_tool_use.is_none();
    Ok((!default).then_some(wire::ToolChoice { kind, name, disable_parallel_tool_use }))
}

fn bad_choice(value: &str) -> EncodeError {
    EncodeError::BadOption { place: "/options/tool_choice", value: value.to_owned() }
}

/// Declarations for what the history calls, for a request without tools: the endpoint may refuse a history
/// with calls where no tool is declared at all.
pub(super) fn placeholder_tools(items: &[Item]) -> Vec<Tool<'static>> {
    let calls = items.iter().filter(|item| item.block["type"] == "tool_use");
    let names: BTreeSet<&str> = calls.filter_map(|item| item.block["name"].as_str()).collect();
    let tools = names.into_iter().map(|name| Tool::Function {
        name: name.to_owned(),
        description: "Not available in this request.",
        input_schema: json!({"type": "object", "properties": {}}),
    });
    tools.collect()
}

/// Forbids the placeholders, where there are any.
pub(super) fn none_of(placeholder_tools: &[Tool<'_>]) -> Option<wire::ToolChoice> {
    let none = wire::ToolChoice { kind: "none", name: None, disable_parallel_tool_use: None };
    (!placeholder_tools.is_empty()).then_some(none)
}

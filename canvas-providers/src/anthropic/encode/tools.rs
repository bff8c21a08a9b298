//! Tool specs, cut to the subset that the endpoint accepts.

use std::collections::BTreeSet;

use canvas_tools::ToolSpec;
use serde_json::{Map, Value};

use super::super::wire::{self, Item, Tool};
use crate::declare::{self, ToolRules};
use crate::encoded::{Degradations, EncodeError, RequestOptions, ToolChoice};
use crate::names::{Mapper, NameRule};
use crate::native::NativeTool;
use crate::schema::Subset;

/// A name may have up to 128 characters and begin with any of them, but in a reference to a tool it may have only 64
/// characters.
const NAME_RULE: NameRule = NameRule { begins_with_letter: false, ..NameRule::PORTABLE };

const RULES: ToolRules = ToolRules {
    names: NAME_RULE,
    subset: Subset { property: is_property_name, refused: &[] },
    built_in: |native| matches!(native, NativeTool::TextEditor(_)),
};

fn is_property_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}

pub(super) fn mapper(specs: &[ToolSpec], native: Option<NativeTool>) -> Mapper {
    declare::mapper(specs, native, RULES)
}

/// Returns the endpoint's built-in tool if one of the specs belongs to it.
pub(super) fn built_in(specs: &[ToolSpec], native: Option<NativeTool>) -> Option<NativeTool> {
    declare::built_in(specs, native, RULES).map(|(native, _)| native)
}

pub(super) fn declare<'a>(
    specs: &'a [ToolSpec],
    native: Option<NativeTool>,
    mapper: &mut Mapper,
    degradations: &mut Degradations,
) -> Vec<Tool<'a>> {
    declare::declare(specs, native, RULES, mapper, degradations).into_iter().map(Tool::from).collect()
}

/// Encodes the choice; `None` if it is the endpoint's default.
pub(super) fn choice(
    options: &RequestOptions,
    specs: &[ToolSpec],
    names: &mut Mapper,
    extra: &Map<String, Value>,
    degradations: &mut Degradations,
) -> Result<Option<wire::ToolChoice>, EncodeError> {
    declare::check_choice(options, specs)?;
    let (mut kind, mut name) = match &options.tool_choice {
        ToolChoice::Auto => ("auto", None),
        ToolChoice::None => ("none", None),
        ToolChoice::Required => ("any", None),
        ToolChoice::Tool(name) => ("tool", Some(names.wire(name).to_owned())),
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

/// Declares the tools that the history calls, for a request without tools. The endpoint may refuse a history with calls
/// if no tool is declared.
pub(super) fn placeholder_tools(items: &[Item]) -> Vec<Tool<'static>> {
    let calls = items.iter().filter(|item| item.block["type"] == "tool_use");
    let names: BTreeSet<&str> = calls.filter_map(|item| item.block["name"].as_str()).collect();
    names.into_iter().map(|name| declare::placeholder(name).into()).collect()
}

/// Forbids calls of the placeholders, if there are any.
pub(super) fn none_of(placeholder_tools: &[Tool<'_>]) -> Option<wire::ToolChoice> {
    let none = wire::ToolChoice { kind: "none", name: None, disable_parallel_tool_use: None };
    (!placeholder_tools.is_empty()).then_some(none)
}

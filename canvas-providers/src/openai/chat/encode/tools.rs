//! Tool specs, cut to the subset that the hosts accept.

use canvas_tools::ToolSpec;
use serde_json::{Value, json};

use super::super::wire::{FunctionTool, Tool};
use crate::declare::{self, ToolRules};
use crate::encoded::{Degradations, EncodeError, RequestOptions, ToolChoice};
use crate::hosts::ChatHost;
use crate::names::{Mapper, NameRule};
use crate::native::NativeTool;
use crate::openai::strict;
use crate::schema::Subset;

const NAME_RULE: NameRule = NameRule { begins_with_letter: false, ..NameRule::PORTABLE };
const SUBSET: Subset = Subset { property: |_| true, refused: &[] };

/// Returns the rules of a host for tools.
pub(super) fn rules(host: &ChatHost) -> ToolRules {
    let built_in: fn(NativeTool) -> bool =
        if host.custom_tools { |native| native == NativeTool::CodexPatch } else { |_| false };
    ToolRules { names: NAME_RULE, subset: SUBSET, built_in }
}

/// Returns the host's built-in tool if one of the specs belongs to it.
pub(super) fn built_in(
    specs: &[ToolSpec],
    native: Option<NativeTool>,
    host: &ChatHost,
) -> Option<NativeTool> {
    declare::built_in(specs, native, rules(host)).map(|(native, _)| native)
}

pub(super) fn declare<'a>(
    specs: &'a [ToolSpec],
    options: &RequestOptions,
    host: &ChatHost,
    mapper: &mut Mapper,
    degradations: &mut Degradations,
) -> Vec<Tool<'a>> {
    let declared = declare::declare(specs, options.native, rules(host), mapper, degradations);
    let mut tools: Vec<Tool<'_>> = declared.into_iter().map(Tool::from).collect();
    if options.strict_tools && !host.strict {
        degradations.add("/options/strict_tools", "strict", "left out: the host does not offer it");
    }
    for tool in &mut tools {
        let Tool::Function { function } = tool else { continue };
        let place = place_of(specs, function, mapper);
        let wants_strict = options.strict_tools && host.strict;
        if strict::fit(&mut function.parameters, &place, wants_strict, degradations) {
            function.strict = Some(true);
        }
    }
    tools
}

fn place_of(specs: &[ToolSpec], function: &FunctionTool<'_>, mapper: &mut Mapper) -> String {
    let index = specs.iter().position(|spec| mapper.wire(&spec.name) == function.name).unwrap_or_default();
    format!("/tools/{index}/parameters")
}

/// Encodes the choice; `None` if it is the endpoint's default.
pub(super) fn choice(
    options: &RequestOptions,
    specs: &[ToolSpec],
    tools: &[Tool<'_>],
    names: &mut Mapper,
) -> Result<Option<Value>, EncodeError> {
    declare::check_choice(options, specs)?;
    Ok(match &options.tool_choice {
        _ if tools.is_empty() => None,
        ToolChoice::Auto => None,
        ToolChoice::None => Some(json!("none")),
        ToolChoice::Required => Some(json!("required")),
        ToolChoice::Tool(name) => {
            let name = names.wire(name);
            let is_custom =
                |tool: &Tool<'_>| matches!(tool, Tool::Custom { custom } if custom["name"] == name);
            let kind = if tools.iter().any(is_custom) { "custom" } else { "function" };
            Some(json!({"type": kind, kind: {"name": name}}))
        }
    })
}

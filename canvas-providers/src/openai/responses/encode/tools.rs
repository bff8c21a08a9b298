//! Tool specs, cut to the subset that the endpoint accepts.

use canvas_tools::ToolSpec;

use super::super::wire::{Tool, ToolChoice};
use crate::declare::{self, Declared, Function, ToolRules};
use crate::encoded::{self, Degradations, EncodeError, RequestOptions};
use crate::names::{Mapper, NameRule};
use crate::native::NativeTool;
use crate::openai::strict;
use crate::schema::Subset;

/// The endpoint accepts 128 characters; 64 is the limit that Chat Completions accepts too.
const NAME_RULE: NameRule = NameRule { begins_with_letter: false, ..NameRule::PORTABLE };

const RULES: ToolRules = ToolRules {
    names: NAME_RULE,
    subset: Subset { property: |_| true, refused: &[] },
    built_in: |native| matches!(native, NativeTool::ApplyPatch | NativeTool::CodexPatch),
};

pub(super) fn mapper(specs: &[ToolSpec], native: Option<NativeTool>) -> Mapper {
    declare::mapper(specs, native, RULES)
}

/// Returns the endpoint's built-in tool, and its spec, if one of the specs belongs to it.
pub(super) fn built_in(specs: &[ToolSpec], native: Option<NativeTool>) -> Option<(NativeTool, &ToolSpec)> {
    declare::built_in(specs, native, RULES)
}

pub(super) fn declare<'a>(
    specs: &'a [ToolSpec],
    native: Option<NativeTool>,
    strict_tools: bool,
    mapper: &mut Mapper,
    degradations: &mut Degradations,
) -> Vec<Tool<'a>> {
    let declared = declare::declare(specs, native, RULES, mapper, degradations);
    let mut fitted = Vec::with_capacity(declared.len());
    for (index, tool) in declared.into_iter().enumerate() {
        fitted.push(match tool {
            Declared::Function(Function { name, description, schema: mut parameters }) => {
                let place = format!("/tools/{index}/parameters");
                let strict = strict::fit(&mut parameters, &place, strict_tools, degradations);
                Tool::Function { kind: "function", name, description, parameters, strict }
            }
            Declared::BuiltIn(declared) => Tool::BuiltIn(declared),
        });
    }
    fitted
}

/// Encodes the choice; `None` if it is the endpoint's default.
pub(super) fn choice(
    options: &RequestOptions,
    specs: &[ToolSpec],
    names: &mut Mapper,
) -> Result<Option<ToolChoice>, EncodeError> {
    declare::check_choice(options, specs)?;
    if specs.is_empty() {
        return Ok(None);
    }
    Ok(match &options.tool_choice {
        encoded::ToolChoice::Auto => None,
        encoded::ToolChoice::None => Some(ToolChoice::Mode("none")),
        encoded::ToolChoice::Required => Some(ToolChoice::Mode("required")),
        encoded::ToolChoice::Tool(name) => {
            let native = built_in(specs, options.native).filter(|(_, spec)| spec.name == *name);
            let mut wire = || Some(names.wire(name).to_owned());
            Some(match native {
                Some((NativeTool::ApplyPatch, _)) => ToolChoice::Tool { kind: "apply_patch", name: None },
                Some((NativeTool::CodexPatch, _)) => ToolChoice::Tool { kind: "custom", name: wire() },
                _ => ToolChoice::Tool { kind: "function", name: wire() },
            })
        }
    })
}

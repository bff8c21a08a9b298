//! Tool specs, cut to the subset that the endpoint accepts.

use std::collections::BTreeSet;

use canvas_tools::ToolSpec;
use serde_json::{Value, json};

use super::item::Item;
use crate::declare::{self, Declared, Function, ToolRules};
use crate::encoded::{Degradations, EncodeError, RequestOptions, ToolChoice};
use crate::names::{Mapper, NameRule};
use crate::native::NativeTool;
use crate::schema::Subset;

const RULES: ToolRules = ToolRules {
    names: NameRule::PORTABLE,
    subset: Subset { property: is_property_name, refused: &[] },
    built_in: |_| false,
};

/// Whether a property's name fits the narrowest rule of the models behind the endpoint.
fn is_property_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}

pub(super) fn mapper(specs: &[ToolSpec]) -> Mapper {
    declare::mapper(specs, None, RULES)
}

pub(super) fn declare(
    specs: &[ToolSpec],
    native: Option<NativeTool>,
    mapper: &mut Mapper,
    degradations: &mut Degradations,
) -> Vec<Value> {
    declare::declare(specs, native, RULES, mapper, degradations).into_iter().filter_map(tool_spec).collect()
}

fn tool_spec(tool: Declared<'_>) -> Option<Value> {
    let Declared::Function(Function { name, description, schema }) = tool else { return None };
    let mut spec = json!({"name": name, "inputSchema": {"json": schema}});
    if !description.is_empty() {
        spec["description"] = description.into();
    }
    Some(json!({"toolSpec": spec}))
}

/// Returns the names of the tools that the history calls. The endpoint refuses a history with calls if no tool is
/// declared.
pub(super) fn called(items: &[Item]) -> BTreeSet<String> {
    let calls = items.iter().filter_map(|item| item.block.get("toolUse"));
    calls.filter_map(|call| call["name"].as_str().map(str::to_owned)).collect()
}

/// Declares the tools that the history calls, for a request without tools.
pub(super) fn placeholders(called: &BTreeSet<String>) -> Vec<Value> {
    called.iter().filter_map(|name| tool_spec(declare::placeholder(name))).collect()
}

/// The choice that is sent with the tools.
#[derive(Debug)]
pub(super) enum Choice {
    /// No choice is sent, so the model may call any tool.
    Default,
    Forced(Value),
    /// The tools are left out, because a request cannot forbid calls otherwise.
    NoTools,
}

pub(super) fn choice(
    options: &RequestOptions,
    specs: &[ToolSpec],
    names: &mut Mapper,
    thinks: bool,
    history_calls: bool,
    degradations: &mut Degradations,
) -> Result<Choice, EncodeError> {
    declare::check_choice(options, specs)?;
    if specs.is_empty() {
        return Ok(Choice::Default);
    }
    if !options.parallel_calls {
        degradations.add(
            "/options/parallel_calls",
            "parallel_calls",
            "not sent: nothing on this wire says it",
        );
    }
    let place = "/options/tool_choice";
    Ok(match &options.tool_choice {
        ToolChoice::Auto => Choice::Default,
        ToolChoice::None if history_calls => {
            degradations.add(place, "none", "sent as auto: nothing on this wire forbids calls");
            Choice::Default
        }
        ToolChoice::None => {
            degradations.add(place, "none", "sent without tools: nothing on this wire forbids calls");
            Choice::NoTools
        }
        ToolChoice::Required | ToolChoice::Tool(_) if thinks => {
            degradations.add(place, "any", "sent as auto: thinking excludes a forced call");
            Choice::Default
        }
        ToolChoice::Required => Choice::Forced(json!({"any": {}})),
        ToolChoice::Tool(name) => Choice::Forced(json!({"tool": {"name": names.wire(name)}})),
    })
}

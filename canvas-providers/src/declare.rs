//! Declares tools: a name, a description, and a schema cut to the provider's subset.

use canvas_tools::ToolSpec;
use serde_json::{Value, json};

use crate::encoded::{Degradations, EncodeError, RequestOptions, ToolChoice};
use crate::names::{Mapper, NameRule};
use crate::native::NativeTool;
use crate::place::inside;
use crate::schema::{self, Subset};

/// The rules of a provider for tools.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolRules {
    pub(crate) names: NameRule,
    pub(crate) subset: Subset,
    /// Whether the provider has this tool built in.
    pub(crate) built_in: fn(NativeTool) -> bool,
}

#[derive(Debug)]
pub(crate) enum Declared<'a> {
    Function(Function<'a>),
    /// A built-in tool, as the provider declares it.
    BuiltIn(Value),
}

#[derive(Debug)]
pub(crate) struct Function<'a> {
    pub(crate) name: String,
    pub(crate) description: &'a str,
    pub(crate) schema: Value,
}

/// Maps the names of all tools to names on the wire.
pub(crate) fn mapper(specs: &[ToolSpec], native: Option<NativeTool>, rules: ToolRules) -> Mapper {
    let mut mapper = Mapper::new(rules.names);
    if let Some((native, spec)) = built_in(specs, native, rules) {
        mapper.fix(&spec.name, native.name());
    }
    mapper.over(specs.iter().map(|spec| spec.name.as_str()));
    mapper
}

/// Returns the provider's built-in tool, and the first spec that it replaces.
pub(crate) fn built_in(
    specs: &[ToolSpec],
    native: Option<NativeTool>,
    rules: ToolRules,
) -> Option<(NativeTool, &ToolSpec)> {
    let native = native.filter(|native| (rules.built_in)(*native))?;
    specs.iter().find(|spec| native.is_of(spec)).map(|spec| (native, spec))
}

/// Declares all tools; each name is declared once.
pub(crate) fn declare<'a>(
    specs: &'a [ToolSpec],
    native: Option<NativeTool>,
    rules: ToolRules,
    mapper: &mut Mapper,
    degradations: &mut Degradations,
) -> Vec<Declared<'a>> {
    let mut tools = Vec::with_capacity(specs.len());
    let built_in = built_in(specs, native, rules);
    for (index, spec) in specs.iter().enumerate() {
        let place = format!("/tools/{index}");
        if specs[..index].iter().any(|earlier| earlier.name == spec.name) {
            degradations.add(place, "name", "left out: an earlier tool has the same name");
            continue;
        }
        if let Some((native, _)) = built_in.filter(|(_, stands_for)| std::ptr::eq(*stands_for, spec)) {
            tools.push(Declared::BuiltIn(native.declare(spec)));
            continue;
        }
        if native.is_some_and(|native| native.is_of(spec)) {
            let how = "declared as a function: this provider does not have it built in";
            degradations.add(&place, "native", how);
        }
        let place = inside(&place, "parameters");
        let schema = schema::cut(&spec.parameters, &place, rules.subset, degradations);
        let name = mapper.wire(&spec.name).to_owned();
        tools.push(Declared::Function(Function { name, description: &spec.description, schema }));
    }
    tools
}

/// Declares a tool that only the history names.
pub(crate) fn placeholder(name: &str) -> Declared<'static> {
    Declared::Function(Function {
        name: name.to_owned(),
        description: "Not available in this request.",
        schema: json!({"type": "object", "properties": {}}),
    })
}

/// Checks that an answer can fulfil the choice.
pub(crate) fn check_choice(options: &RequestOptions, specs: &[ToolSpec]) -> Result<(), EncodeError> {
    let place = "/options/tool_choice";
    match &options.tool_choice {
        ToolChoice::Required if specs.is_empty() => {
            Err(EncodeError::BadOption { place, value: "required without tools".to_owned() })
        }
        ToolChoice::Tool(name) if !specs.iter().any(|spec| spec.name == *name) => {
            Err(EncodeError::BadOption { place, value: name.clone() })
        }
        _ => Ok(()),
    }
}

//! Templates for tests.

use std::sync::LazyLock;

use canvas_core::surface::{
    ContractError, Sink, SurfaceFault, SurfaceLimits, Template, TemplateOptions, ToolContract,
    ToolDeclaration, ToolName,
};
use serde_json::Value;

/// A tool that does this with all of its text.
pub(crate) fn tool(sink: &str) -> ToolContract {
    let sink: Sink = serde_json::from_value(Value::from(sink)).unwrap();
    let sinks = [(String::new(), sink)].into();
    ToolContract::new(ToolName::new("tool").unwrap(), ToolDeclaration { sinks, ..ToolDeclaration::default() })
        .unwrap()
}

/// A string of its arguments.
pub(crate) fn template(sink: &str, text: &str) -> Result<Template, Vec<SurfaceFault>> {
    let contract = tool(sink);
    Template::arguments(&Value::from(text), contract.name(), Some(&contract), &options("/args"))
}

/// A tool as a host declares it in JSON.
pub(crate) fn contract(name: &str, declared: &Value) -> Result<ToolContract, ContractError> {
    let field = |name: &str| declared.get(name).cloned();
    let text = |name: &str| field(name).map(|text| text.as_str().unwrap().to_owned());
    let declaration = ToolDeclaration {
        input_schema: field("inputSchema").unwrap_or_default(),
        output_schema: field("outputSchema"),
        description: text("description"),
        sinks: field("sinks").map(|sinks| serde_json::from_value(sinks).unwrap()).unwrap_or_default(),
        read_only: field("readOnly").is_some_and(|flag| flag == true),
        version: text("version"),
    };
    ToolContract::new(ToolName::new(name).unwrap(), declaration)
}

/// Where a template stands; nothing is required.
pub(crate) fn options(place: &str) -> TemplateOptions<'_> {
    static LIMITS: LazyLock<SurfaceLimits> = LazyLock::new(SurfaceLimits::default);
    TemplateOptions { place, required: &[], limits: &LIMITS }
}

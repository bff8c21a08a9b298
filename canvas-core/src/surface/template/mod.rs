//! Templates, which are JSON whose strings have placeholders. They are parsed once, when a spec is saved. A value is
//! put in its place and never parsed again, so that it cannot change the meaning of its surroundings.

mod compile;
mod now;
mod parse;
mod resolve;
mod size;
mod source;

use serde_json::Value;

use crate::surface::contract::walk::Name;
use crate::surface::contract::{ToolContract, sink_of_name};
use crate::surface::error::{SurfaceCode, SurfaceFault};
use crate::surface::limits::SurfaceLimits;
use crate::surface::name::ToolName;
use crate::surface::sink::{Sink, shell};

use self::compile::{Compiled, Target, compile};
use self::resolve::{Node, resolve};
pub use self::source::{Scope, ValuePath, ValuePathError};

/// The arguments of a tool, or a message, with placeholders. These are `{{ state.a.b }}`, `{{ input.a }}`, `{{
/// runtime.now }}`, and `{{ "literal" }}` for text that would otherwise be a placeholder.
///
/// ```
/// use canvas_core::lease::Timestamp;
/// use canvas_core::surface::{Scope, StateValue, SurfaceLimits, Template, TemplateOptions, ToolName};
/// use serde_json::json;
///
/// let tool = ToolName::new("server-a__Bash")?;
/// let options = TemplateOptions { place: "/actions/deploy/args", required: &[], limits: &SurfaceLimits::default() };
/// let arguments = json!({"command": "./deploy {{state.service}} {{input.version}}"});
/// let template = Template::arguments(&arguments, &tool, None, &options).map_err(|mut faults| faults.remove(0))?;
///
/// let state = StateValue::from(json!({"service": "api"}));
/// let scope = Scope { state: &state, input: &json!({"version": "1; reboot"}), now: Timestamp::from_millis(0) };
/// assert_eq!(template.resolve(&scope)?, json!({"command": "./deploy 'api' '1; reboot'"}));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    root: Node,
    /// The string whose words are displayed.
    command: Option<Box<[Name]>>,
    required: Box<[ValuePath]>,
    place: Box<str>,
    most_bytes: usize,
}

/// Facts about a template in addition to its text.
#[derive(Debug, Clone, Copy)]
pub struct TemplateOptions<'a> {
    /// JSON Pointer to the template, with which the places of faults begin.
    pub place: &'a str,
    /// Values that must exist, even if the template does not use them.
    pub required: &'a [ValuePath],
    /// Only `argument_bytes` and `depth` are used.
    pub limits: &'a SurfaceLimits,
}

impl Template {
    /// Parses the arguments of a tool. Names of members have no placeholders. Linear in the arguments and, if there is
    /// a contract, in its schema for each string.
    ///
    /// A string that is a single placeholder keeps the type of its value if the tool's schema certainly accepts no
    /// string there.
    ///
    /// # Errors
    ///
    /// Returns `TEMPLATE_INVALID` and `TEMPLATE_SINK_FORBIDDEN`, one fault for each string. The message begins with the
    /// column.
    pub fn arguments(
        arguments: &Value,
        tool: &ToolName,
        contract: Option<&ToolContract>,
        options: &TemplateOptions<'_>,
    ) -> Result<Self, Vec<SurfaceFault>> {
        let target = contract.map_or_else(|| Target::All(sink_of_name(tool)), Target::Contract);
        Self::compile(arguments, target, options)
    }

    /// Parses a message for a model. Its values are fenced, labelled as data and cut at 16 KiB.
    ///
    /// # Errors
    ///
    /// Returns `TEMPLATE_INVALID` as a single fault.
    pub fn message(text: &str, options: &TemplateOptions<'_>) -> Result<Self, Vec<SurfaceFault>> {
        Self::compile(&Value::from(text), Target::All(Sink::Prompt), options)
    }

    /// Replaces the placeholders with values. Linear in the template and in the result.
    ///
    /// # Errors
    ///
    /// Returns `TEMPLATE_MISSING` if a required value is missing or null, `VALUE_REFUSED` if a value may not be used in
    /// its place, and `ARGUMENTS_REFUSED` if the result is too large or has a number that canonical JSON does not
    /// allow.
    pub fn resolve(&self, scope: &Scope<'_>) -> Result<Value, SurfaceFault> {
        if let Some(missing) = self.required.iter().find(|path| path.find(scope).is_none()) {
            let message = format!("{missing} is missing, and the action requires it: set it first");
            return Err(SurfaceFault::new(self.place.as_ref(), SurfaceCode::TemplateMissing, message));
        }
        resolve(&self.root, scope, &self.place, self.most_bytes)
    }

    /// Returns the words of the command in resolved arguments. The command is the first string with the sink `shell`
    /// and a placeholder, or else the first with that sink. Operators and redirections are words, too. Returns `None`
    /// if there is no such string, or if it is not a list of simple commands.
    pub fn words(&self, resolved: &Value) -> Option<Vec<String>> {
        let text = self.command.as_ref()?.iter().try_fold(resolved, |value, name| match name {
            Name::Member(name) => value.get(name),
            Name::Item(at) => value.get(at),
        })?;
        shell::words(text.as_str()?)
    }

    fn compile(
        template: &Value,
        target: Target<'_>,
        options: &TemplateOptions<'_>,
    ) -> Result<Self, Vec<SurfaceFault>> {
        let Compiled { root, command } = compile(template, target, options.place, options.limits.depth)?;
        Ok(Self {
            root,
            command,
            required: options.required.into(),
            place: options.place.into(),
            most_bytes: options.limits.argument_bytes,
        })
    }
}

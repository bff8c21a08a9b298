//! Templates: JSON whose strings have placeholders. They are read once, when a spec is saved; a value goes into its place and
//! is never read again, so it cannot change what stands around it.

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

/// The arguments of a tool, or a message, with placeholders: `{{ state.a.b }}`, `{{ input.a }}`, `{{ runtime.now }}`, and
/// `{{ "literal" }}` for what would else be read.
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
    /// The string of which the words are shown.
    command: Option<Box<[Name]>>,
    required: Box<[ValuePath]>,
    place: Box<str>,
    most_bytes: usize,
}

/// What is said of a template beside its text.
#[derive(Debug, Clone, Copy)]
pub struct TemplateOptions<'a> {
    /// Where it stands, as a JSON Pointer: the places of faults are below it.
    pub place: &'a str,
    /// Values without which it is not resolved, whether it names them or not.
    pub required: &'a [ValuePath],
    /// `argument_bytes` and `depth` count.
    pub limits: &'a SurfaceLimits,
}

impl Template {
    /// Reads the arguments of a tool. Names of members are left alone. Linear in the arguments and, where there is a contract,
    /// in its schema for each string.
    ///
    /// A string that is one placeholder keeps its value's type where the tool's schema is sure to take no string there.
    ///
    /// # Errors
    ///
    /// `TEMPLATE_INVALID` and `TEMPLATE_SINK_FORBIDDEN`, one fault for each string. Its message begins with the column.
    pub fn arguments(
        arguments: &Value,
        tool: &ToolName,
        contract: Option<&ToolContract>,
        options: &TemplateOptions<'_>,
    ) -> Result<Self, Vec<SurfaceFault>> {
        let target = contract.map_or_else(|| Target::All(sink_of_name(tool)), Target::Contract);
        Self::compile(arguments, target, options)
    }

    /// Reads a message for a model. Its values are fenced, labelled as data and cut at 16 KiB.
    ///
    /// # Errors
    ///
    /// `TEMPLATE_INVALID`, one fault.
    pub fn message(text: &str, options: &TemplateOptions<'_>) -> Result<Self, Vec<SurfaceFault>> {
        Self::compile(&Value::from(text), Target::All(Sink::Prompt), options)
    }

    /// Puts the values in. Linear in the template and what comes out of it.
    ///
    /// # Errors
    ///
    /// `TEMPLATE_MISSING` where a required value is missing or null; `VALUE_REFUSED` where a value may not go into its place;
    /// `ARGUMENTS_REFUSED` where the result is too large, or has a number that canonical JSON does not have.
    pub fn resolve(&self, scope: &Scope<'_>) -> Result<Value, SurfaceFault> {
        if let Some(missing) = self.required.iter().find(|path| path.find(scope).is_none()) {
            let message = format!("{missing} is missing, and the action requires it: set it first");
            return Err(SurfaceFault::new(self.place.as_ref(), SurfaceCode::TemplateMissing, message));
        }
        resolve(&self.root, scope, &self.place, self.most_bytes)
    }

    /// The words of the command that the arguments hold, once resolved: of the first string with the sink `shell` and a
    /// placeholder, else of the first with that sink. Operators and redirections are words too. `None` where there is no
    /// command, or one that is more than a list of simple commands.
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

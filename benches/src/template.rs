//! A template with two values, resolved.

use canvas_core::lease::Timestamp;
use canvas_core::surface::{Scope, StateValue, SurfaceLimits, Template, TemplateOptions, ToolName};
use serde_json::{Value, json};

use crate::inputs::document;
use crate::measure::{Effort, Subject, side_by_side};
use crate::report::Row;

const COMMAND: &str = "./deploy {{state.service}} {{state.version}}";
/// What peers make of it: they quote nothing.
const PASTED: &str = "./deploy api 1.2.7";

/// Measures the arguments of an action that deploys, as a spec would have it, on a state with a log of `size` bytes; on
/// 100 KB only, because no subject looks at the log. Templates and states are read before, once.
///
/// # Panics
///
/// Where a subject does not read the template.
pub fn rows(work: &'static str, size: usize, effort: Effort) -> Vec<Row> {
    if size != 100_000 {
        return Vec::new();
    }
    let log = document(size);
    let state = json!({"service": "api", "version": "1.2.7", "logsTail": log, "lastDeploy": null});

    let limits = SurfaceLimits::default();
    let options = TemplateOptions { place: "/actions/deploy/args", required: &[], limits: &limits };
    let tool = ToolName::new("server-a__Bash").expect("short");
    let arguments = json!({"command": COMMAND});
    let template = Template::arguments(&arguments, &tool, None, &options).expect("a template");
    let ours = StateValue::from(state.clone());
    let scope = Scope { state: &ours, input: &Value::Null, now: Timestamp::from_millis(0) };
    let quoted = json!({"command": "./deploy 'api' '1.2.7'"});

    let context = json!({"state": state});
    let mut handlebars = handlebars::Handlebars::new();
    handlebars.register_escape_fn(handlebars::no_escape);
    handlebars.register_template_string("deploy", COMMAND).expect("a template");
    let handlebars_context = handlebars::Context::wraps(&context).expect("JSON");

    let mut minijinja = minijinja::Environment::new();
    minijinja.add_template("deploy", COMMAND).expect("a template");
    let minijinja_template = minijinja.get_template("deploy").expect("it was added");
    let minijinja_context = minijinja::Value::from(minijinja::value::Serde(&context));

    let mut tera = tera::Tera::default();
    tera.add_raw_template("deploy", COMMAND).expect("a template");
    let tera_context = tera::Context::from_serialize(&context).expect("an object");

    let subjects = [
        Subject::memcpy(log.as_bytes()),
        Subject::new("canvas", || template.resolve(&scope), |value| *value == quoted),
        Subject::new(
            "handlebars",
            || handlebars.render_with_context("deploy", &handlebars_context),
            |text| text == PASTED,
        ),
        Subject::new("minijinja", || minijinja_template.render(&minijinja_context), |text| text == PASTED),
        Subject::new("tera", || tera.render("deploy", &tera_context), |text| text == PASTED),
    ];
    Row::of(work, size, side_by_side(&subjects, effort))
}

//! Templates, and commands that they become.

use canvas_core::lease::Timestamp;
use canvas_core::surface::{
    Scope, StateValue, SurfaceCode, SurfaceLimits, Template, TemplateOptions, ToolName,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

/// Strings that try to be more than a word.
const ATTACKS: &str = include_str!("../../../../../canvas-core/tests/it/surface/attacks.json");

/// Templates of a command `w`, which shows its words, and these words: with `V` for the value and `W` for one that does no
/// harm.
const TEMPLATES: [(&str, &[&str]); 3] = [
    ("w {{state.v}}", &["V"]),
    ("w --x={{state.v}}.b a/{{state.w}}{{state.v}} {{state.v}}", &["--x=V.b", "a/WV", "V"]),
    ("true && A=b w 'a b' {{state.v}} 2>/dev/null || true", &["a b", "V"]),
];

/// A command, and what must become of it.
#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) text: String,
    /// What `w` is given.
    pub(crate) words: Vec<String>,
    /// The number of its template.
    pub(crate) template: usize,
}

/// Commands of all values.
pub(crate) struct Resolved {
    pub(crate) commands: Vec<Command>,
    /// Values that may not go into their template.
    pub(crate) refused: usize,
    pub(crate) values: usize,
}

/// Puts the attacks and so many random values into every template. The first command of each has a value that does no harm.
pub(crate) fn resolved(random: usize) -> Resolved {
    let mut values = vec!["a".to_owned()];
    values.extend(serde_json::from_str::<Vec<String>>(ATTACKS).expect("a list of strings"));
    let mut runner = TestRunner::deterministic();
    let strategy = texts();
    values.extend((0..random).map(|_| strategy.new_tree(&mut runner).expect("a text").current()));
    let tool = ToolName::new("sh").expect("a name");
    let limits = SurfaceLimits::default();
    let options = TemplateOptions { place: "", required: &[], limits: &limits };
    let mut resolved = Resolved { commands: Vec::new(), refused: 0, values: values.len() };
    for (number, (text, words)) in TEMPLATES.into_iter().enumerate() {
        let template = Template::arguments(&Value::from(text), &tool, None, &options).expect("a template");
        for value in &values {
            let state = StateValue::from(json!({"v": value, "w": "it's"}));
            let scope = Scope { state: &state, input: &Value::Null, now: Timestamp::from_millis(0) };
            match template.resolve(&scope) {
                Ok(command) => {
                    let text = command.as_str().expect("a string").to_owned();
                    let words =
                        words.iter().map(|word| word.replace('W', "it's").replace('V', value)).collect();
                    resolved.commands.push(Command { text, words, template: number });
                }
                Err(fault) => {
                    assert_eq!(fault.code, SurfaceCode::ValueRefused, "{value:?}");
                    assert!(
                        value.contains('\0') || value.starts_with('-') || text.contains("--x="),
                        "{value:?} is refused: {fault}"
                    );
                    resolved.refused += 1;
                }
            }
        }
    }
    resolved
}

/// Signs of shells, weighted so that they meet, and any text.
fn texts() -> impl Strategy<Value = String> {
    let signs = [
        "'", "'", "'", "\"", "\\", "\\", "$", "$(", "${", "$((", ")", "`", "}", "{", ";", "&", "|", "<", ">",
        "(", "\n", "\n", "\r", "\t", " ", "  ", "!", "#", " #", "*", "?", "[", "]", "~", "=", "^", "%", "-",
        "..", "/", "touch x", "x", "''", "'\\''", "$'", "<<E", "\nE\n", "if", "done", "\u{202e}", "\u{a0}",
        "\u{1}", "\u{7f}",
    ];
    let piece = prop_oneof![
        6 => prop::sample::select(signs.to_vec()).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

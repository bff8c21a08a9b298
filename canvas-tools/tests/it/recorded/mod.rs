//! Each reply that a test gets is judged by the schema of its tool. Where `CANVAS_REPLIES` names a folder, it is kept there
//! too, for `.ci/schemas`: a file for each process, a line `{tool, reply}` for each reply.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;

use canvas_tools::ToolReply;
use serde_json::json;

/// A reply of a tool of this crate; those of others have no schema.
#[track_caller]
pub(crate) fn judge(tool: &str, reply: &ToolReply) {
    #[cfg(feature = "schema")]
    schemas::judge(tool, reply.body());
    let Some(folder) = std::env::var_os("CANVAS_REPLIES").map(PathBuf::from) else { return };
    let path = folder.join(format!("{}.jsonl", std::process::id()));
    let mut file =
        OpenOptions::new().create(true).append(true).open(path).expect("CANVAS_REPLIES is a folder");
    // One write, so that lines of threads stay whole.
    let line = format!("{}\n", json!({"tool": tool, "reply": reply}));
    file.write_all(line.as_bytes()).expect("there is room");
}

#[cfg(feature = "schema")]
mod schemas {
    use std::collections::HashMap;
    use std::sync::Mutex;

    use canvas_core::schema::Schema;
    use canvas_tools::reply_schema;
    use serde_json::Value;

    /// The whole, and each of its choices for a message that says more; none where the tool has no schema.
    #[derive(Clone)]
    struct Compiled {
        whole: Schema,
        choices: Vec<Schema>,
    }

    static COMPILED: Mutex<Option<HashMap<String, Option<Compiled>>>> = Mutex::new(None);

    #[track_caller]
    pub(super) fn judge(tool: &str, reply: &Value) {
        let Some(schema) = compiled(tool) else { return };
        // What is checked has a bound, and no schema speaks of the length of a text or a list.
        let reply = clipped(reply);
        if schema.whole.is_valid(&reply) {
            return;
        }
        let faults = schema.choices.iter().map(|choice| choice.validate(&reply));
        // Of a success nothing is said beside a failure, nor the other way.
        let faults: Vec<_> = faults.filter(|faults| faults.iter().all(|fault| fault.path != "/ok")).collect();
        panic!("the schema of the reply of {tool} refuses {reply:#}\n{faults:#?}");
    }

    fn compiled(tool: &str) -> Option<Compiled> {
        // A test that failed while it had the lock has left nothing half done.
        let mut all = COMPILED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let all = all.get_or_insert_default();
        all.entry(tool.to_owned())
            .or_insert_with(|| reply_schema(tool).map(|schema| compile(&schema)))
            .clone()
    }

    /// `Schema` takes draft 7, which means the same by all keywords that these schemas have.
    fn compile(schema: &Value) -> Compiled {
        let mut whole = schema.clone();
        let root = whole.as_object_mut().expect("a schema of a reply is an object");
        root.remove("$schema");
        let choices = schema["anyOf"].as_array().expect("successes, and the failure").iter();
        let choices = choices.map(|choice| {
            let mut one = root.clone();
            one.remove("anyOf");
            one.insert("allOf".into(), Value::Array(vec![choice.clone()]));
            Schema::compile(&one.into()).expect("a part of the schema of a reply compiles")
        });
        let choices = choices.collect();
        Compiled { whole: Schema::compile(&whole).expect("the schema of a reply compiles"), choices }
    }

    fn clipped(value: &Value) -> Value {
        match value {
            Value::String(text) => text.chars().take(200).collect::<String>().into(),
            Value::Array(items) => items.iter().take(100).map(clipped).collect(),
            Value::Object(fields) => {
                fields.iter().map(|(name, value)| (name.clone(), clipped(value))).collect()
            }
            _ => value.clone(),
        }
    }
}

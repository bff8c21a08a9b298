//! The trees that shfmt makes of commands.

use std::io::Write as _;
use std::process::{Command as Process, Stdio};

use serde_json::Value;

use crate::shells::commands::Command;

/// The statements of a script of these commands.
pub(crate) fn statements(language: &str, commands: &[Command]) -> Vec<Value> {
    let script: String = commands.iter().map(|command| format!("{}\n", command.text)).collect();
    let mut shfmt = Process::new("shfmt")
        .args(["--to-json", "-ln", language])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("shfmt starts");
    let mut input = shfmt.stdin.take().expect("its input");
    // It reads all before it writes.
    input.write_all(script.as_bytes()).expect("it reads");
    drop(input);
    let output = shfmt.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "shfmt does not read the commands as {language}: {said}");
    let mut tree: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    match tree["Stmts"].take() {
        Value::Array(statements) => statements,
        other => panic!("no statements: {other}"),
    }
}

/// A statement without what values may change: a name stays, each argument is `_`, redirections are counted.
pub(crate) fn shape(statement: &Value) -> String {
    let command = &statement["Cmd"];
    let mut shape = match command["Type"].as_str() {
        Some("CallExpr") => {
            let words = command["Args"].as_array().map_or(&[][..], Vec::as_slice);
            let mut shown: Vec<_> = words.iter().map(|word| if is_word(word) { "_" } else { "?" }).collect();
            let name = words[0]["Parts"][0]["Value"].as_str().unwrap_or("?");
            shown[0] = name;
            shown.join(" ")
        }
        Some("BinaryCmd") => {
            format!("{} {} {}", shape(&command["X"]), command["Op"], shape(&command["Y"]))
        }
        other => format!("{other:?}"),
    };
    let redirections = statement["Redirs"].as_array().map_or(0, Vec::len);
    if redirections > 0 {
        shape.push_str(&format!(" {redirections}"));
    }
    shape
}

/// Whether a word is made of literals and single quotes only.
fn is_word(word: &Value) -> bool {
    let parts = word["Parts"].as_array().map_or(&[][..], Vec::as_slice);
    !parts.is_empty()
        && parts.iter().all(|part| match part["Type"].as_str() {
            Some("Lit") => true,
            Some("SglQuoted") => part["Dollar"].as_bool() != Some(true),
            _ => false,
        })
}

//! One turn in every dialect: the same edit of a canvas as each provider's tools, calls and results, side by side.
//!
//! `cargo run -p canvas-examples --example providers` prints it. The answers are scripted, nothing goes over the network.

mod layout;
#[cfg(test)]
mod tests;
mod turn;
mod wire;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use canvas_providers::{NativeTool, Provider};
use canvas_tools::native::Dialect;
use canvas_tools::{DocumentTools, NativeTools};
use serde_json::Value;

use layout::{beside, lines, rule};
use turn::{Call, Turn, run};

fn main() -> ExitCode {
    let mut out = io::stdout().lock();
    match tell(&mut out).and_then(|()| Ok(out.flush()?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            drop(writeln!(io::stderr(), "providers: {problem}"));
            ExitCode::FAILURE
        }
    }
}

/// The whole table.
fn tell(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    writeln!(out, "One edit in every dialect. Left what the model answers, right what goes back to it.\n")?;
    writeln!(out, "  the canvas    {}", inline(turn::BEFORE))?;
    writeln!(out, "  the user      {}", turn::USER)?;
    writeln!(out, "  comes to      {}", inline(turn::AFTER))?;
    for &provider in Provider::ALL {
        writeln!(out, "\n{}", rule(provider.name(), wire::endpoint(provider)))?;
        let calls = [Call::CheckOut, Call::Patch, Call::CheckIn];
        show(&run(provider, Box::new(DocumentTools::default()), None, &calls)?, out)?;
        for native in native_tools(provider) {
            let tools = Box::new(NativeTools::new(native.dialect()));
            let turn = run(provider, tools, Some(native), &[Call::Native(native.dialect())])?;
            let kind = turn.declared["type"].as_str().unwrap_or_default();
            writeln!(out, "\n{}", rule(provider.name(), &format!("built in: {kind}")))?;
            show(&turn, out)?;
        }
    }
    Ok(())
}

/// The tools that a provider has built in.
fn native_tools(provider: Provider) -> impl Iterator<Item = NativeTool> {
    let dialects: &[Dialect] = match provider {
        Provider::Anthropic => &[Dialect::TextEditor],
        Provider::OpenAiResponses => &[Dialect::ApplyPatch, Dialect::CodexPatch],
        Provider::OpenAiChat => &[Dialect::CodexPatch],
        _ => &[],
    };
    dialects.iter().filter_map(|dialect| NativeTool::of(*dialect))
}

fn show(turn: &Turn, out: &mut impl Write) -> io::Result<()> {
    const MARGIN: usize = 16;
    writeln!(out, "  {:<14}{}", "tools", turn.names.join(" ").replace("canvas_", "…"))?;
    for (number, line) in lines(&turn.declared, layout::WIDTH - MARGIN).iter().enumerate() {
        writeln!(out, "  {:<14}{line}", if number == 0 { "declared as" } else { "" })?;
    }
    for step in &turn.steps {
        writeln!(out)?;
        for line in beside(&step.answer, &step.result) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

/// A text of lines on one line.
fn inline(text: &str) -> String {
    Value::from(text).to_string()
}

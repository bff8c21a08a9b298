//! The system prompt fits its budget, counted by a real tokenizer.

#![expect(clippy::print_stdout, reason = "the count is the result")]

use canvas_tools::{document_tools, system_prompt};

/// Tokens that the prompt may have (o200k).
const BUDGET: usize = 400;

#[test]
fn the_system_prompt_stays_within_its_budget() -> Result<(), Box<dyn std::error::Error>> {
    let prompt = system_prompt(&document_tools());
    let tokens = tiktoken_rs::o200k_base()?.encode_ordinary(&prompt).len();
    println!("system prompt: {tokens} of {BUDGET} tokens");
    assert!(tokens <= BUDGET, "{tokens} tokens:\n{prompt}");
    Ok(())
}

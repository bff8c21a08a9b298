//! The system prompt fits its budget, counted by a real tokenizer.

#![expect(clippy::print_stdout, reason = "the count is the result")]

use canvas_core::lease::Timestamp;
use canvas_core::{Engine, MemoryStore, Policy};
use canvas_tools::{DocumentTools, Tools};

/// Tokens that the prompt may have (o200k).
const BUDGET: usize = 400;

#[test]
fn the_system_prompt_stays_within_its_budget() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::new(MemoryStore::new(|| Timestamp::from_millis(0)), Policy::default());
    let prompt = Tools::new(vec![Box::new(DocumentTools::default())])?.system_prompt(&engine);
    let tokens = tiktoken_rs::o200k_base()?.encode_ordinary(&prompt).len();
    println!("system prompt: {tokens} of {BUDGET} tokens");
    assert!(tokens <= BUDGET, "{tokens} tokens:\n{prompt}");
    Ok(())
}

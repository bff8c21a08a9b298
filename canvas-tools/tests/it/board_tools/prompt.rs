//! The system prompt.

use canvas_core::lease::Timestamp;
use canvas_core::store::MemoryStore;
use canvas_core::{Engine, Policy};
use canvas_tools::{BoardTools, DocumentTools, Tools, Toolset};

fn prompt(toolsets: Vec<Box<dyn Toolset<MemoryStore>>>) -> String {
    let engine = Engine::new(MemoryStore::new(|| Timestamp::from_millis(0)), Policy::default());
    Tools::try_from(toolsets).unwrap().system_prompt(&engine)
}

#[test]
fn the_prompt_speaks_of_the_board_where_there_are_tools_for_it() {
    let board = prompt(vec![Box::new(BoardTools::default())]);
    for words in [
        "You arrange a shared board",
        "both from 0",
        "never invent them",
        "corrected_call",
        "one arrange_canvas",
    ] {
        assert!(board.contains(words), "{words}");
    }
    for words in ["Markdown", "plan_canvas", "unified diff", "  "] {
        assert!(!board.contains(words), "{words}");
    }
    assert!(board.len() < 1_500, "{} bytes", board.len());
    assert!(prompt(vec![Box::new(BoardTools::ALL)]).contains("call plan_canvas first"));

    let both = prompt(vec![Box::new(DocumentTools::default()), Box::new(BoardTools::default())]);
    assert!(both.contains("Markdown canvas") && both.contains("corrected_call"));
    assert!(!prompt(vec![Box::new(DocumentTools::default())]).contains("component"));
}

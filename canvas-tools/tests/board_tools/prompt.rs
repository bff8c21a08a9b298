//! What the model is told before it begins.

use canvas_core::Policy;
use canvas_core::board::Registry;
use canvas_tools::{BoardExtensions, board_tools, board_tools_for, document_tools, system_prompt};

#[test]
fn the_prompt_speaks_of_the_board_where_there_are_tools_for_it() {
    let board = system_prompt(&board_tools(&Registry::built_in()));
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
    let all = board_tools_for(&Registry::built_in(), &Policy::default(), BoardExtensions::ALL);
    assert!(system_prompt(&all).contains("call plan_canvas first"));

    let document = document_tools();
    let both: Vec<_> = document.iter().cloned().chain(board_tools(&Registry::built_in())).collect();
    let prompt = system_prompt(&both);
    assert!(prompt.contains("Markdown canvas") && prompt.contains("corrected_call"));
    assert!(!system_prompt(&document).contains("component"));
}

//! What this program printed before replies and descriptions were made shorter (commit 576e754).

/// Prompts and toolsets.
const LISTS: [(&str, usize); 12] = [
    ("prompt document", 317),
    ("prompt board", 186),
    ("tools document", 853),
    ("tools board", 1_405),
    ("tools surface", 741),
    ("tools recipe", 1_864),
    ("tools text-editor", 20),
    ("tools apply-patch", 8),
    ("tools codex-patch", 235),
    ("tools edit", 135),
    ("tools replace", 155),
    ("tools search-replace", 101),
];

/// All replies of each kind in the tasks.
const REPLIES: [(&str, usize); 9] = [
    ("canvas_apply_patch NOT_FOUND", 395),
    ("canvas_apply_patch STALE_EPOCH", 277),
    ("canvas_apply_patch TRUNCATED", 355),
    ("canvas_apply_patch ok", 2_956),
    ("canvas_check_in ok", 488),
    ("canvas_check_out HELD", 342),
    ("canvas_check_out ok", 1_490),
    ("canvas_grep ok", 25_589),
    ("canvas_read_lines ok", 8_887),
];

/// Tokens of a prompt, of a toolset, or of all replies of a kind. Hidden messages are no replies.
pub fn before(name: &str) -> Option<usize> {
    if name == "all replies" {
        return Some(REPLIES.iter().map(|(_, tokens)| tokens).sum());
    }
    LISTS.iter().chain(&REPLIES).find(|(known, _)| *known == name).map(|(_, tokens)| *tokens)
}

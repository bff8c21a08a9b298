//! SEARCH/REPLACE blocks, for models without tools: whole lines that occur once, and the lines to put in their place.
//!
//! ```text
//! <<<<<<< SEARCH          or  ------- SEARCH
//! old lines
//! =======
//! new lines
//! >>>>>>> REPLACE         or  +++++++ REPLACE
//! ```
//!
//! Below the first marker, `:start_line:N` and a line of seven dashes may state where the old lines begin.
//!
//! A block has exactly one separator. A document line that reads like a marker is escaped with a backslash; other lines
//! are never escaped. All blocks are located in the base, and either all of them are applied or none.

use canvas_core::text::{Block, BlockLine, Delta, Reason, apply_blocks, find_lines};
use serde::Deserialize;
use serde_json::Value;

use super::outcome::{Document, NativeConflict, NativeEdit, NativeError, of_apply_error};
use super::reason::NativeReason;
use crate::arguments::arguments;
use crate::reply::shorten;

const SEARCH: &str = "<<<<<<< SEARCH";
const SEPARATOR: &str = "=======";
const REPLACE: &str = ">>>>>>> REPLACE";
/// The markers of the dashed variant.
const DASHED_SEARCH: &str = "------- SEARCH";
const PLUS_REPLACE: &str = "+++++++ REPLACE";
/// The prefix of a stated line number. A line of `DASHES` follows.
const START_LINE: &str = ":start_line:";
const DASHES: &str = "-------";

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    /// One or several blocks.
    text: String,
}

#[derive(Debug)]
struct Marked<'a> {
    search: Vec<&'a str>,
    replace: Vec<&'a str>,
    /// The stated number of the first old line, counted from 1.
    stated: Option<usize>,
    patch_line: usize,
}

pub(super) fn apply(document: &Document<'_>, call: &Value) -> Result<NativeEdit, NativeError> {
    let Call { text: sent } = arguments(call)?;
    let blocks = parse(document, &sent)?;
    if blocks.is_empty() {
        let sentence = format!("No SEARCH/REPLACE block found: begin one with '{SEARCH}'.");
        return Err(NativeError::of(sentence, NativeReason::Patch(Reason::NoHunks)));
    }
    let places = places(document, &blocks)?;
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by_key(|&i| places[i]);
    let pairs: Vec<(String, String)> =
        order.iter().map(|&i| (joined(&blocks[i].search), joined(&blocks[i].replace))).collect();
    let placed: Vec<(Block<'_>, usize)> = order
        .iter()
        .zip(&pairs)
        .map(|(&i, (search, replace))| {
            (Block { lines: lines(search, replace), patch_line: blocks[i].patch_line }, places[i])
        })
        .collect();
    let applied = apply_blocks(document.text, &placed, &document.options.limits).map_err(|error| {
        let mut refused =
            of_apply_error(failed(document, blocks.len(), "failed to apply"), &error, document.text);
        refused.renumber(&order);
        refused
    })?;
    let (delta, repairs) = (applied.delta(), applied.repairs().to_vec());
    let message = format!("Applied {} SEARCH/REPLACE block(s) to {}.", blocks.len(), document.options.path);
    Ok(NativeEdit { text: applied.into_text(), delta, repairs, message })
}

fn failed(document: &Document<'_>, count: usize, how: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("# {count} SEARCH/REPLACE block{s} {how} in {}! None was applied.", document.options.path)
}

/// Returns the line at which each block's old lines begin, counted from 0.
fn places(document: &Document<'_>, blocks: &[Marked<'_>]) -> Result<Vec<usize>, NativeError> {
    let Document { text, options } = document;
    let (mut conflicts, mut missing) = (Vec::new(), Vec::new());
    let needles: Vec<Vec<&str>> =
        blocks.iter().filter(|block| !block.search.is_empty()).map(|block| block.search.clone()).collect();
    let mut found = find_lines(text, &needles, canvas_core::text::Conflict::CANDIDATES).into_iter();
    let mut places = Vec::with_capacity(blocks.len());
    for (number, block) in (1..).zip(blocks) {
        let conflict = if block.search.is_empty() {
            if text.is_empty() {
                places.push(0);
                continue;
            }
            NativeConflict::of_patch(number, Reason::NoAnchor)
        } else {
            let lines = found.next().unwrap_or_default();
            let stated = block.stated.filter(|_| options.stated_lines).and_then(|line| line.checked_sub(1));
            match lines[..] {
                [line] => {
                    places.push(line);
                    continue;
                }
                [] => {
                    missing.push((number, block.search.clone()));
                    NativeConflict::of_patch(number, Reason::NotFound)
                }
                _ => match stated.filter(|line| lines.contains(line)) {
                    Some(line) => {
                        places.push(line);
                        continue;
                    }
                    None => NativeConflict::ambiguous(number, &lines),
                },
            }
        };
        conflicts.push(conflict.at_patch_line(block.patch_line));
    }
    if conflicts.is_empty() {
        return Ok(places);
    }
    NativeConflict::locate(&mut conflicts, text, &missing, &options.limits);
    let reason = conflicts[0].reason;
    let how = match reason {
        NativeReason::Patch(Reason::Ambiguous) => "matched several places",
        NativeReason::Patch(Reason::NoAnchor) => "with an empty SEARCH section failed to match",
        _ => "failed to match",
    };
    // Matching blocks are not counted, because a model would otherwise rewrite them.
    let count = conflicts.iter().filter(|conflict| conflict.reason == reason).count();
    let mut sentence = failed(document, count, how);
    if reason == NativeReason::Patch(Reason::NotFound) {
        let block = &blocks[conflicts[0].hunk - 1];
        sentence += &format!(
            "\n## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in {}\n{}",
            options.path,
            shorten(&block.search.join("\n"))
        );
    }
    Err(NativeError::at(sentence, conflicts, text))
}

fn joined(lines: &[&str]) -> String {
    lines.iter().flat_map(|line| [*line, "\n"]).collect()
}

/// Returns the lines of a block. Lines that both texts share are kept, and so are their terminators.
fn lines<'a>(search: &'a str, replace: &'a str) -> Vec<BlockLine<'a>> {
    let change = Delta::between(search, replace);
    let mut lines = Vec::new();
    let (mut from, mut new_at) = (0, 0);
    for one in change.edits() {
        lines.extend(search[from..one.at].lines().map(BlockLine::Keep));
        new_at += one.at - from;
        lines.extend(search[one.range()].lines().map(BlockLine::Remove));
        lines.extend(replace[new_at..new_at + one.new.len()].lines().map(BlockLine::Add));
        from = one.range().end;
        new_at += one.new.len();
    }
    lines.extend(search[from..].lines().map(BlockLine::Keep));
    lines
}

/// The state of the block parser.
enum State<'a> {
    Outside,
    /// After a stated line number, before the line of dashes.
    Stated(Marked<'a>),
    Search(Marked<'a>),
    Replace(Marked<'a>),
}

fn parse<'a>(document: &Document<'_>, sent: &'a str) -> Result<Vec<Marked<'a>>, NativeError> {
    let mut blocks = Vec::new();
    let mut state = State::Outside;
    let mut dashed = false;
    let mut above: Option<&str> = None;
    for (number, line) in (1..).zip(sent.lines()) {
        let marker = line.trim_end();
        let is_search = marker == SEARCH || marker == DASHED_SEARCH;
        let is_replace = marker == if dashed { PLUS_REPLACE } else { REPLACE };
        let is_separator = is_separator(marker, dashed);
        state = match state {
            State::Outside if is_search => {
                check_path(document, above.take())?;
                dashed = marker == DASHED_SEARCH;
                let block = Marked { search: vec![], replace: vec![], stated: None, patch_line: number };
                State::Search(block)
            }
            State::Outside if marker == SEPARATOR || marker == REPLACE || marker == PLUS_REPLACE => {
                return Err(bad_marker(blocks.len(), number, marker));
            }
            State::Outside if is_like_marker(marker) => {
                return Err(bad_marker(blocks.len() + 1, number, marker));
            }
            // A marker cut off at the end of the text still begins a block.
            State::Outside if is_cut_short(line, sent, dashed) => {
                return Err(truncated(blocks.len() + 1, number));
            }
            State::Outside => {
                if !marker.trim().is_empty() && !marker.starts_with("```") {
                    above = Some(marker.trim());
                }
                State::Outside
            }
            State::Stated(block) if marker == DASHES => State::Search(block),
            State::Stated(_) => return Err(bad_marker(blocks.len() + 1, number, marker)),
            State::Search(mut block) => {
                if is_separator {
                    State::Replace(block)
                } else if is_search || is_replace {
                    return Err(bad_marker(blocks.len() + 1, number, marker));
                } else if block.search.is_empty()
                    && block.stated.is_none()
                    && let Some(stated) = marker.strip_prefix(START_LINE)
                {
                    let Ok(stated) = stated.trim().parse() else {
                        return Err(bad_marker(blocks.len() + 1, number, marker));
                    };
                    block.stated = Some(stated);
                    State::Stated(block)
                } else {
                    block.search.push(unescaped(line, dashed));
                    State::Search(block)
                }
            }
            State::Replace(mut block) => {
                if is_replace {
                    blocks.push(block);
                    above = None;
                    State::Outside
                } else if is_separator || is_search {
                    return Err(bad_marker(blocks.len() + 1, number, marker));
                } else {
                    block.replace.push(unescaped(line, dashed));
                    State::Replace(block)
                }
            }
        };
    }
    match state {
        State::Outside => Ok(blocks),
        State::Stated(block) | State::Search(block) | State::Replace(block) => {
            Err(truncated(blocks.len() + 1, block.patch_line))
        }
    }
}

fn truncated(hunk: usize, number: usize) -> NativeError {
    let sentence = format!("Expected `{REPLACE}` at the end of the SEARCH/REPLACE block of line {number}.");
    let conflict = NativeConflict::of_patch(hunk, Reason::Truncated);
    NativeError::new(sentence, conflict.at_patch_line(number))
}

/// Whether a line outside of blocks resembles a marker of another length, so that its block would be taken for prose.
fn is_like_marker(line: &str) -> bool {
    let begins = |starts: [&str; 2]| starts.iter().any(|start| line.starts_with(start));
    line.starts_with("<<<<<<<")
        || begins(["<<<", "---"]) && line.ends_with(" SEARCH")
        || begins([">>>", "+++"]) && line.ends_with(" REPLACE")
}

/// Whether a line is the last one of the sent text, and only the beginning of a marker.
fn is_cut_short(line: &str, sent: &str, dashed: bool) -> bool {
    let marker = if dashed { DASHED_SEARCH } else { SEARCH };
    !line.is_empty() && marker.starts_with(line) && std::ptr::eq(&sent[sent.len() - line.len()..], line)
}

/// Whether a line separates the old lines from the new ones. The dashed variant accepts three or more `=`.
fn is_separator(line: &str, dashed: bool) -> bool {
    if dashed { line.len() >= 3 && line.bytes().all(|byte| byte == b'=') } else { line == SEPARATOR }
}

fn is_marker(line: &str, dashed: bool) -> bool {
    let line = line.trim_end();
    [SEARCH, REPLACE, DASHED_SEARCH, PLUS_REPLACE].contains(&line)
        || is_separator(line, dashed)
        || line.starts_with(START_LINE)
}

/// Removes the backslash that distinguishes a line from a marker.
fn unescaped(line: &str, dashed: bool) -> &str {
    match line.strip_prefix('\\') {
        Some(rest) if is_marker(rest.trim_start_matches('\\'), dashed) => rest,
        _ => line,
    }
}

pub(super) fn render(search: &[&str], replace: &[&str]) -> String {
    let escaped = |line: &&str| {
        let backslash = if is_marker(line.trim_start_matches('\\'), false) { "\\" } else { "" };
        format!("{backslash}{line}\n")
    };
    let [old, new] = [search, replace].map(|lines| lines.iter().map(escaped).collect::<String>());
    format!("{SEARCH}\n{old}{SEPARATOR}\n{new}{REPLACE}\n")
}

fn bad_marker(hunk: usize, number: usize, marker: &str) -> NativeError {
    let sentence = format!("Unexpected '{}' at line {number} of the blocks.", shorten(marker));
    NativeError::new(sentence, NativeConflict::new(hunk, NativeReason::BadMarker).at_patch_line(number))
}

/// Checks that the line above a block names the document, if it can only be a path.
fn check_path(document: &Document<'_>, line: Option<&str>) -> Result<(), NativeError> {
    let Some(line) = line else { return Ok(()) };
    let bare = line.trim_matches(['`', '*', '#', ':', ' ']);
    let last = bare.rsplit('/').next().unwrap_or(bare);
    let has_extension = last.rsplit_once('.').is_some_and(|(name, extension)| {
        !name.is_empty()
            && !extension.is_empty()
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    let is_path = !bare.contains(char::is_whitespace) && has_extension;
    if !is_path || document.is_own(bare) {
        return Ok(());
    }
    let (wanted, known) = (shorten(bare), document.options.path);
    let sentence = format!("{wanted}: No such file.\nThe document is {known}.");
    Err(NativeError::of(sentence, NativeReason::FileNotFound))
}

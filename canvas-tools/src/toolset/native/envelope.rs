//! The envelope of a V4A patch for a single file, which is the document.

use canvas_core::text::Reason;

use super::outcome::{NativeConflict, NativeError};
use super::reason::NativeReason;
use crate::reply::shorten;

pub(super) const BEGIN: &str = "*** Begin Patch";
pub(super) const END: &str = "*** End Patch";
pub(super) const UPDATE: &str = "*** Update File: ";
pub(super) const ADD: &str = "*** Add File: ";
const DELETE: &str = "*** Delete File: ";
const MOVE: &str = "*** Move to: ";
/// The prefix of a line, right after the beginning, that names one of several environments. The document is the same in
/// all of them.
const ENVIRONMENT: &str = "*** Environment ID:";

/// Removes the envelope of a diff that does not need one, if it has one.
pub(super) fn unwrapped(diff: &str) -> Result<Envelope<'_>, NativeError> {
    let plain = Envelope { header: Header::Own, body: diff, first_line: 1 };
    if let Some(line) = diff.lines().find(|line| is_operation(line)) {
        if !diff.trim_start().starts_with(BEGIN) && !diff.starts_with(UPDATE) {
            return Err(second(line));
        }
    } else if !diff.trim_start().starts_with(BEGIN) {
        return Ok(plain);
    }
    open(diff)
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Header<'a> {
    /// There is no header, because the call names the file.
    Own,
    Update(&'a str),
    Add(&'a str),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Envelope<'a> {
    pub(super) header: Header<'a>,
    pub(super) body: &'a str,
    /// The line of the patch, counted from 1, at which the body begins.
    pub(super) first_line: usize,
}

/// Opens an envelope. Any operation on another file is refused before the body is read.
pub(super) fn open(input: &str) -> Result<Envelope<'_>, NativeError> {
    let mut header = None;
    let (mut body_start, mut body_end, mut first_line) = (0, input.len(), 1);
    let (mut has_begun, mut has_ended, mut may_name_environment) = (false, false, false);
    let mut at = 0;
    for (number, whole) in (1..).zip(input.split_inclusive('\n')) {
        let (start, line) = (at, whole.trim_end_matches(['\n', '\r']));
        at += whole.len();
        if has_ended {
            if line.trim().is_empty() {
                continue;
            }
            let sentence = format!("The last line of the patch must be '{END}'");
            return Err(malformed(sentence, Reason::UnexpectedText, number));
        }
        if line.trim() == BEGIN && !has_begun && header.is_none() {
            (has_begun, may_name_environment) = (true, true);
            continue;
        }
        if may_name_environment && line.trim_start().starts_with(ENVIRONMENT) {
            may_name_environment = false;
            continue;
        }
        may_name_environment = false;
        if line.trim_end() == END {
            (has_ended, body_end) = (true, start);
        } else if is_operation(line) {
            if header.is_some() {
                return Err(second(line));
            }
            header = Some(operation(line)?);
            (body_start, first_line) = (at, number + 1);
        } else if line.starts_with(MOVE) {
            return Err(unsupported("Move to"));
        } else if header.is_none() && !line.trim().is_empty() {
            let sentence = format!(
                "invalid hunk at line {number}, '{}' is not a valid hunk header. Valid hunk headers: '{ADD}{{path}}', \
                 '{UPDATE}{{path}}'",
                shorten(line)
            );
            return Err(malformed(sentence, Reason::BadHeader, number));
        }
    }
    if has_begun && !has_ended {
        return Err(malformed(format!("The last line of the patch must be '{END}'"), Reason::Truncated, 1));
    }
    let Some(header) = header else {
        return Err(malformed("The patch has no file section.".into(), Reason::NoHunks, 1));
    };
    Ok(Envelope { header, body: &input[body_start..body_end], first_line })
}

fn is_operation(line: &str) -> bool {
    [UPDATE, ADD, DELETE].iter().any(|start| line.starts_with(start))
}

fn operation(line: &str) -> Result<Header<'_>, NativeError> {
    if let Some(path) = line.strip_prefix(UPDATE) {
        return Ok(Header::Update(path.trim()));
    }
    match line.strip_prefix(ADD) {
        Some(path) => Ok(Header::Add(path.trim())),
        None => Err(unsupported("Delete File")),
    }
}

fn second(line: &str) -> NativeError {
    if line.starts_with(DELETE) {
        return unsupported("Delete File");
    }
    let sentence = format!("Error: '{}' is a second file: only the document can be patched.", shorten(line));
    NativeError::new(sentence, NativeConflict::of_patch(0, Reason::MultiFile))
}

pub(super) fn malformed(sentence: String, reason: Reason, line: usize) -> NativeError {
    NativeError::new(sentence, NativeConflict::of_patch(0, reason).at_patch_line(line))
}

pub(super) fn unsupported(what: &str) -> NativeError {
    let sentence = format!("Error: {what} is not supported here.");
    NativeError::of(sentence, NativeReason::UnsupportedOp)
}

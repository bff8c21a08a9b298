//! Operations on plain text.

use canvas_core::document::LineSpan;
use canvas_core::text::{
    Address, AddressError, ApplyOptions, EditPolicy, GrepError, GrepLimits, LiveOutline, Mode, Offset, Parts,
    PositionError, PositionMap, Query, StructureEdit, StructureError, apply as apply_patch,
    build as build_patch, edit_structure, effects, grep as grep_text, outline as outline_of,
    redline as redline_of, resolve as resolve_address,
};
use canvas_tools::{HunkPreview, PatchPreview};
use serde_json::{Value, json};

use super::request::{BridgeError, Request};

pub(super) fn apply(request: &Request<'_>) -> Result<Value, BridgeError> {
    let (text, patch) = (request.text("text")?, request.text("patch")?);
    let mode = match request.field::<Option<&str>>("mode")? {
        None | Some("strict") => Mode::Strict,
        Some("anchored") => Mode::Anchored,
        Some(mode) => {
            let message = format!("there is no mode {mode:?}: send strict or anchored");
            return Err(BridgeError::new("BAD_REQUEST", message));
        }
    };
    let applied = apply_patch(text, patch, &ApplyOptions { mode, ..ApplyOptions::default() })?;
    let spans: Vec<LineSpan> = applied.spans().iter().map(LineSpan::from).collect();
    Ok(json!({
        "applied_hunks": applied.summary().hunks,
        "repairs": applied.repairs(),
        "spans": spans,
        "reverse": applied.inverse(),
        "summary": applied.summary().to_string(),
        "text": applied.text(),
    }))
}

/// Lists what a change of a text breaks elsewhere in it.
pub(super) fn effects_of(request: &Request<'_>) -> Result<Value, BridgeError> {
    Ok(json!({"effects": effects(request.text("before")?, request.text("after")?)}))
}

/// Shows a change as pieces that are kept, inserted or deleted, by words.
pub(super) fn redline(request: &Request<'_>) -> Result<Value, BridgeError> {
    let (before, after) = (request.text("before")?, request.text("after")?);
    let mut parts = Parts::default();
    parts.propose(before, after, &mut 0, None);
    let spans = redline_of(before, parts.iter().map(|part| (part.id(), part.edits())));
    let spans: Vec<Value> =
        spans.into_iter().map(|span| json!({"kind": span.kind, "text": span.text})).collect();
    Ok(json!({"spans": spans}))
}

/// Counts positions of a text in all units.
pub(super) fn positions(request: &Request<'_>) -> Result<Value, BridgeError> {
    let map = PositionMap::new(request.text("text")?);
    let positions = request.field::<Vec<Offset>>("at")?.into_iter().enumerate().map(|(index, offset)| {
        let refused = |error: PositionError| {
            BridgeError::new(error.code(), error.to_string()).with("place", format!("/at/{index}").into())
        };
        map.at(offset).map(|position| json!(position)).map_err(refused)
    });
    Ok(json!({"positions": positions.collect::<Result<Vec<_>, _>>()?}))
}

/// Makes one edit of the structure of a text.
pub(super) fn restructure(request: &Request<'_>) -> Result<Value, BridgeError> {
    let text = request.text("text")?;
    let edit = request.field::<StructureEdit>("edit")?;
    let protected = request.field::<Option<Vec<Address>>>("protected")?.unwrap_or_default();
    // Each reply names the addresses that protect nothing.
    let unresolved: Vec<_> =
        protected.iter().filter(|address| resolve_address(text, address).is_err()).cloned().collect();
    let refused = |error: &StructureError| match unresolved.is_empty() {
        true => refused_edit(error),
        false => refused_edit(error).with("unresolved", json!(unresolved)),
    };
    let edited = edit_structure(text, &edit).map_err(|error| refused(&error))?;
    let policy = EditPolicy { protected, ..EditPolicy::default() };
    let outline = LiveOutline::new(text.to_owned());
    let checked = outline.check_edit(&edited.text, edited.delta.edits(), &policy);
    checked.map_err(|error| refused(&error.into()))?;
    // As a patch, which has the changed lines and the way back.
    let patch = build_patch(text, &edited.text, 3);
    let applied = apply_patch(text, &patch, &ApplyOptions::default())?;
    let spans: Vec<LineSpan> = applied.spans().iter().map(LineSpan::from).collect();
    let mut reply = json!({"text": edited.text, "spans": spans, "reverse": applied.inverse()});
    if !unresolved.is_empty() {
        reply["unresolved"] = json!(unresolved);
    }
    Ok(reply)
}

fn refused_edit(error: &StructureError) -> BridgeError {
    if let StructureError::Address(error) = error {
        return refused_address(error);
    }
    let places: Vec<Value> = error.places().iter().map(|line| json!({"line": line})).collect();
    let refused = BridgeError::new(error.code(), error.to_string());
    if places.is_empty() { refused } else { refused.with("places", places.into()) }
}

/// Locates hunks while their patch arrives in pieces: of raw argument JSON, or with `form` `diff` of the diff itself.
pub(super) fn preview(request: &Request<'_>) -> Result<Value, BridgeError> {
    let (text, pieces) = (request.text("text")?, request.field::<Vec<String>>("pieces")?);
    let argument = request.field::<Option<&str>>("argument")?.unwrap_or("patch");
    let mut preview = match request.field::<Option<&str>>("form")? {
        None | Some("arguments") => PatchPreview::of_arguments(text, argument),
        Some("diff") => PatchPreview::of_diff(text),
        Some(form) => {
            let message = format!("there is no form {form:?}: send arguments or diff");
            return Err(BridgeError::new("BAD_REQUEST", message));
        }
    };
    let mut events = Vec::new();
    let mut note = |piece: usize, hunks: Vec<HunkPreview>| {
        for hunk in hunks {
            let mut event = json!(hunk);
            event["piece"] = json!(piece);
            events.push(event);
        }
    };
    for (at, piece) in pieces.iter().enumerate() {
        note(at, preview.push(piece.as_bytes()));
    }
    note(pieces.len(), preview.finish());
    Ok(json!({"events": events}))
}

pub(super) fn build(request: &Request<'_>) -> Result<Value, BridgeError> {
    let context = request.field::<Option<usize>>("context")?.unwrap_or(3);
    let hunks = build_patch(request.text("before")?, request.text("after")?, context);
    let names = if hunks.is_empty() { "" } else { "--- a/document.md\n+++ b/document.md\n" };
    Ok(json!({"patch": format!("{names}{hunks}")}))
}

pub(super) fn outline(request: &Request<'_>) -> Result<Value, BridgeError> {
    let outline = outline_of(request.text("text")?);
    let sections: Vec<Value> = outline
        .sections()
        .iter()
        .enumerate()
        .map(|(i, section)| {
            json!({
                "path": outline.path(i),
                "level": section.level,
                "heading_line": section.heading.start,
                "start_line": section.lines.start,
                "end_line": section.lines.end,
            })
        })
        .collect();
    Ok(json!({"sections": sections}))
}

pub(super) fn resolve(request: &Request<'_>) -> Result<Value, BridgeError> {
    let text = request.text("text")?;
    let address = request.field::<Address>("address")?;
    let resolved = resolve_address(text, &address).map_err(|e| refused_address(&e))?;
    Ok(json!({
        "start_line": resolved.lines.start,
        "end_line": resolved.lines.end,
        "text": &text[resolved.bytes],
    }))
}

fn refused_address(error: &AddressError) -> BridgeError {
    let sections = error.candidates().iter().map(|candidate| json!(candidate));
    let lines = error.candidate_lines().iter().map(|line| json!({"line": line}));
    let names = error.candidate_names().iter().map(|name| json!({"name": name}));
    let columns = error.candidate_columns().iter().map(|column| json!({"column": column}));
    let candidates: Vec<Value> = sections.chain(lines).chain(names).chain(columns).collect();
    BridgeError::new(error.code(), error.to_string()).with("candidates", candidates.into())
}

pub(super) fn grep(request: &Request<'_>) -> Result<Value, BridgeError> {
    let (text, query) = (request.text("text")?, request.text("query")?);
    let is_regex = request.field::<Option<bool>>("regex")?.unwrap_or(false);
    let query = if is_regex { Query::regex(query) } else { Query::literal(query) };
    let refused = |e: GrepError| BridgeError::new(e.code(), e.to_string());
    let query = query.map_err(refused)?;
    let found = grep_text(text, &query, GrepLimits::default()).map_err(refused)?;
    let matches: Vec<Value> =
        found.matches.iter().map(|m| json!({"line": m.line, "text": m.text, "clipped": m.clipped})).collect();
    Ok(json!({"matches": matches, "truncated": found.truncated}))
}

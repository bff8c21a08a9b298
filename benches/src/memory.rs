//! How much memory a call takes at most.
//!
//! The counting allocator is for a binary to install; without it every peak is zero.

use std::alloc::System;
use std::hint::black_box;

use canvas_patch::{
    Applied, ApplyOptions, BuildOptions, GrepLimits, LiveOutline, Mode, Query, apply, build, build_unique,
    grep, outline,
};
use peakmem_alloc::{INSTRUMENTED_SYSTEM, PeakMemAlloc, PeakMemAllocTrait as _};

use crate::inputs::{Edited, document};
use crate::stream::{Section, Wire, held};

/// The allocator to install as the global one. It passes `realloc` and `alloc_zeroed` on to the system, where others
/// turn them into copies and so slow the subjects down and count blocks twice. Beside the bare system allocator such
/// counting slows flickzeug, which allocates for every line, by a twentieth, and no other subject measurably.
pub static COUNTING: &PeakMemAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Bytes that are held at once during a call, its result included, beyond those held before it.
pub fn peak<T>(call: impl FnOnce() -> T) -> usize {
    COUNTING.reset_peak_memory();
    let result = black_box(call());
    let peak = COUNTING.get_peak_memory();
    drop(result);
    peak
}

/// A call whose memory is measured.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    /// The stable name in table and JSON.
    pub name: &'static str,
    /// Bytes held at most on a document of a size in bytes, the document itself left out.
    pub peak: fn(size: usize) -> usize,
}

/// Every operation, in the order of the table. Building counts beyond both of its texts.
pub const OPERATIONS: [Operation; 14] = [
    Operation { name: "apply-1", peak: |size| strict(size, 1) },
    Operation { name: "apply-200", peak: |size| strict(size, 200) },
    Operation { name: "apply-1-anchored", peak: |size| anchored(size, 1) },
    Operation { name: "apply-200-anchored", peak: |size| anchored(size, 200) },
    Operation { name: "build-10", peak: |size| built(size, 10, |before, after| build(before, after, 3)) },
    Operation {
        name: "build-2000",
        peak: |size| built(size, 2_000, |before, after| build(before, after, 3)),
    },
    Operation { name: "build-10-unique", peak: |size| built(size, 10, unique) },
    Operation { name: "build-2000-unique", peak: |size| built(size, 2_000, unique) },
    Operation { name: "outline", peak: |size| on_text(size, |text| peak(|| outline(text))) },
    Operation { name: "live-outline", peak: |size| moved_in(document(size)) },
    Operation { name: "outline-edit", peak: after_edit },
    Operation { name: "grep-literal", peak: |size| found(size, Query::literal("revision")) },
    Operation { name: "grep-regex", peak: |size| found(size, Query::regex("(?i)revision +is")) },
    Operation { name: "grep-nothing", peak: |size| found(size, Query::regex(r"\d{4,6}x")) },
];

/// Answers that come in a stream of a size in bytes, nearly all of it one part. Nobody holds the stream itself.
pub const TURNS: [Operation; 13] = [
    Operation { name: "stream-anthropic-text", peak: |size| held(Wire::Anthropic, Section::Text, size) },
    Operation { name: "stream-anthropic-call", peak: |size| held(Wire::Anthropic, Section::Call, size) },
    Operation { name: "stream-responses-text", peak: |size| held(Wire::Responses, Section::Text, size) },
    Operation { name: "stream-responses-call", peak: |size| held(Wire::Responses, Section::Call, size) },
    Operation { name: "stream-chat-text", peak: |size| held(Wire::Chat, Section::Text, size) },
    Operation { name: "stream-chat-call", peak: |size| held(Wire::Chat, Section::Call, size) },
    Operation { name: "stream-reasoning", peak: |size| held(Wire::ChatReasoning, Section::Thinking, size) },
    Operation { name: "stream-gemini-text", peak: |size| held(Wire::Gemini, Section::Text, size) },
    Operation {
        name: "stream-interactions-text",
        peak: |size| held(Wire::Interactions, Section::Text, size),
    },
    Operation {
        name: "stream-interactions-call",
        peak: |size| held(Wire::Interactions, Section::Call, size),
    },
    Operation { name: "stream-bedrock-text", peak: |size| held(Wire::Bedrock, Section::Text, size) },
    Operation { name: "stream-bedrock-call", peak: |size| held(Wire::Bedrock, Section::Call, size) },
    Operation { name: "stream-ollama-text", peak: |size| held(Wire::Ollama, Section::Text, size) },
];

fn edited(size: usize, hunks: usize) -> Edited {
    Edited::new(size, hunks).expect("the hunks fit")
}

fn strict(size: usize, hunks: usize) -> usize {
    let Edited { before, patch, .. } = edited(size, hunks);
    applied(&before, &patch, &ApplyOptions::default())
}

/// With headers that state nothing, so that every hunk is looked for.
fn anchored(size: usize, hunks: usize) -> usize {
    let edited = edited(size, hunks);
    applied(
        &edited.before,
        &edited.bare_patch(),
        &ApplyOptions { mode: Mode::Anchored, ..ApplyOptions::default() },
    )
}

fn applied(before: &str, patch: &str, options: &ApplyOptions<'_>) -> usize {
    peak(|| apply(before, patch, options).map(Applied::into_text).expect("the patch fits"))
}

fn built(size: usize, hunks: usize, build: fn(&str, &str) -> String) -> usize {
    let Edited { before, after, .. } = edited(size, hunks);
    peak(|| build(&before, &after))
}

fn unique(before: &str, after: &str) -> String {
    build_unique(before, after, &BuildOptions::default()).patch
}

fn on_text(size: usize, peak: impl FnOnce(&str) -> usize) -> usize {
    peak(&document(size))
}

fn moved_in(text: String) -> usize {
    peak(|| LiveOutline::new(text))
}

/// With the outline that is kept, and the text after.
fn after_edit(size: usize) -> usize {
    let Edited { before, after, patch } = edited(size, 1);
    let delta = apply(&before, &patch, &ApplyOptions::default()).expect("the patch fits").delta();
    let mut live = LiveOutline::new(before);
    peak(|| live.clone()) + peak(|| live.edit(after.clone(), delta.edits()))
}

fn found(size: usize, query: Result<Query, canvas_patch::GrepError>) -> usize {
    let query = query.expect("the query is fine");
    on_text(size, |text| {
        // A matcher makes its tables at its first search.
        peak(|| grep(text, &query, GrepLimits::default()).expect("the query is cheap").matches.len())
    })
}

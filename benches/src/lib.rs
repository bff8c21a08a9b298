//! The canvas engine beside what a user would take instead: same inputs, same run, same checks.
//!
//! A work is one thing to do at several document sizes; a subject is one library doing it. Each subject's result is
//! compared with the expected one before it is timed, and every time is set against a floor: copying the document
//! into a warm buffer. Times of a shared machine drift, so compare ratios of one run.
//!
//! A further work is a module beside [`apply`] and a line in [`WORKS`]. Writes on real databases are compared in
//! `stores`, which the features `sqlite` and `postgres` bring in. What is aimed at, and beside which subject, lists [`target`]. The board's peers are not written in Rust: [`peers`] runs
//! them on the workloads of [`board`].

pub mod action;
pub mod apply;
pub mod board;
pub mod build;
pub mod bytes;
pub mod call;
pub mod counted;
pub mod edit;
pub mod git;
pub mod history;
pub mod inputs;
pub mod measure;
pub mod memory;
pub mod merge;
pub mod native;
pub mod outline;
pub mod past;
pub mod peers;
pub mod people;
pub mod preview;
pub mod proposals;
pub mod recipe;
pub mod refusal;
pub mod replay;
pub mod report;
pub mod scale;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
pub mod stores;
pub mod stream;
pub mod structure;
pub mod surface;
pub mod target;
pub mod template;
pub mod traces;
pub mod versions;
pub mod watch;

use measure::Effort;
use report::Row;
use stream::Wire;

/// One thing to measure.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// The stable name in table and JSON.
    pub name: &'static str,
    /// Measures all subjects on a document of a size in bytes; no rows where such a document cannot hold the work.
    pub rows: fn(name: &'static str, size: usize, effort: Effort) -> Vec<Row>,
}

/// Works that have a peer in another language.
pub const NATIVE: &str = "native-1";
/// See [`NATIVE`].
pub const RECIPE_DATE: &str = "recipe-date";

/// Every work, in the order of the table.
pub const WORKS: [Work; 45] = [
    Work { name: "apply-1", rows: |name, size, effort| apply::rows(name, 1, size, effort) },
    Work { name: "apply-10", rows: |name, size, effort| apply::rows(name, 10, size, effort) },
    Work { name: "apply-200", rows: |name, size, effort| apply::rows(name, 200, size, effort) },
    Work { name: NATIVE, rows: native::rows },
    Work { name: "build-10", rows: |name, size, effort| build::rows(name, 10, size, effort) },
    Work { name: "build-2000", rows: |name, size, effort| build::rows(name, 2_000, size, effort) },
    Work { name: "not-found", rows: refusal::rows },
    Work { name: "preview", rows: preview::rows },
    Work { name: "outline", rows: outline::rows },
    Work { name: "outline-edit", rows: outline::rows_after_edit },
    Work { name: "structure", rows: structure::rows },
    Work { name: "structure-replace", rows: structure::rows_replaced },
    Work { name: "call", rows: call::rows },
    Work { name: "call-reading", rows: call::rows_reading },
    Work { name: "user-edit", rows: edit::rows },
    Work { name: "merge-words", rows: merge::rows },
    Work { name: "watch", rows: watch::rows },
    Work { name: "surface-action", rows: action::rows },
    Work { name: "surface-replace", rows: surface::rows_of_replacing },
    Work { name: "surface-spec", rows: surface::rows_of_compiling },
    Work { name: "surface-tell", rows: surface::rows_of_telling },
    Work { name: "history-10", rows: |name, size, effort| call::rows_with_history(name, 10, size, effort) },
    Work {
        name: "history-1000",
        rows: |name, size, effort| call::rows_with_history(name, 1_000, size, effort),
    },
    Work {
        name: "history-100000",
        rows: |name, size, effort| call::rows_with_history(name, 100_000, size, effort),
    },
    Work { name: versions::PAST, rows: versions::rows },
    Work { name: "surface-template", rows: template::rows },
    Work { name: "recipe-sort", rows: recipe::rows_sorted },
    Work { name: RECIPE_DATE, rows: recipe::rows_of_dates },
    Work { name: "recipe-replay", rows: replay::rows_replayed },
    Work { name: "recipe-refresh", rows: replay::rows_refreshed },
    Work {
        name: "decode-chunk-chat",
        rows: |name, size, effort| stream::rows(name, Wire::Chat, size, effort),
    },
    Work {
        name: "decode-chunk-reasoning",
        rows: |name, size, effort| stream::rows(name, Wire::ChatReasoning, size, effort),
    },
    Work {
        name: "decode-chunk-responses",
        rows: |name, size, effort| stream::rows(name, Wire::Responses, size, effort),
    },
    Work {
        name: "decode-chunk-anthropic",
        rows: |name, size, effort| stream::rows(name, Wire::Anthropic, size, effort),
    },
    Work {
        name: "decode-chunk-gemini",
        rows: |name, size, effort| stream::rows(name, Wire::Gemini, size, effort),
    },
    Work {
        name: "decode-chunk-interactions",
        rows: |name, size, effort| stream::rows(name, Wire::Interactions, size, effort),
    },
    Work {
        name: "decode-chunk-bedrock",
        rows: |name, size, effort| stream::rows(name, Wire::Bedrock, size, effort),
    },
    Work {
        name: "decode-chunk-ollama",
        rows: |name, size, effort| stream::rows(name, Wire::Ollama, size, effort),
    },
    Work {
        name: "encode-history-anthropic",
        rows: |name, size, effort| history::rows(name, Wire::Anthropic, size, effort),
    },
    Work {
        name: "encode-history-chat",
        rows: |name, size, effort| history::rows(name, Wire::Chat, size, effort),
    },
    Work {
        name: "encode-history-responses",
        rows: |name, size, effort| history::rows(name, Wire::Responses, size, effort),
    },
    Work {
        name: "encode-history-gemini",
        rows: |name, size, effort| history::rows(name, Wire::Gemini, size, effort),
    },
    Work {
        name: "encode-history-interactions",
        rows: |name, size, effort| history::rows(name, Wire::Interactions, size, effort),
    },
    Work {
        name: "encode-history-bedrock",
        rows: |name, size, effort| history::rows(name, Wire::Bedrock, size, effort),
    },
    Work {
        name: "encode-history-ollama",
        rows: |name, size, effort| history::rows(name, Wire::Ollama, size, effort),
    },
];

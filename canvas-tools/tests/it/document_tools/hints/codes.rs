//! The codes to provoke: a new refusal does not compile here, and a new variant or code is missing from a table.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use canvas_core::document::{BaseRefusal, LinesNow, LinesRefusal, PatchRefusal, StaleBase, StructureRefusal};
use canvas_core::history::{ChangeNumber, EntryNumber, HistoryRefusal};
use canvas_core::lease::{Epoch, LeaseRefusal, Timestamp};
use canvas_core::refusal::{BoardRefusal, CallRefusal, Counter, LimitRefusal, NewBoardRefusal, NotAvailable};
use canvas_core::rollout::Rollout;
use canvas_core::store::{HeadError, StoreError, StoreErrorKind};
use canvas_core::text::{
    AddressError, ApplyOptions, EditPolicyError, GrepError, LineRange, MatchCount, Part, Query, Reason,
    StructureError, TablePart, ValueFault, apply,
};
use canvas_core::version::VersionLabel;
use canvas_core::{BlobId, CanvasId, CodedError, EngineError, Face, Revision};
#[cfg(feature = "schema")]
use {
    canvas_core::store::MemoryStore,
    canvas_tools::{DocumentTools, Tools},
};

/// Values of an enum, one for each line. A match shows that no variant is missing. For a non-exhaustive enum of another
/// crate, its declaration in the named source does.
macro_rules! each {
    ($name:ident: $type:ident { $($pattern:pat => $value:expr,)+ }) => {
        pub(super) fn $name() -> Vec<$type> {
            let lines: Vec<(fn(&$type) -> bool, $type)> = vec![$((|v| matches!(v, $pattern), $value)),+];
            let value = |(is, value): (fn(&$type) -> bool, $type)| {
                assert!(is(&value), "the value of another line: {value:?}");
                match &value { $($pattern => {})+ }
                value
            };
            lines.into_iter().map(value).collect()
        }
    };
    ($name:ident: $type:ident in $source:literal { $($variant:ident => $value:expr,)+ }) => {
        pub(super) fn $name() -> Vec<$type> {
            let values: Vec<$type> = vec![$($value),+];
            let debug = values.iter().map(|value| format!("{value:?}"));
            assert!(debug.zip([$(stringify!($variant)),+]).all(|(debug, name)| debug.starts_with(name)));
            assert_eq!(declared(stringify!($type), $source), BTreeSet::from([$(stringify!($variant).to_owned()),+]));
            values
        }
    };
}

/// The variants of an enum in the source that declares it.
#[expect(clippy::disallowed_methods, reason = "a test is its own host")]
fn declared(name: &str, source: &str) -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(source);
    let source = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let (_, body) = source.split_once(&format!("\npub enum {name} {{\n")).expect("the source declares it");
    let (body, _) = body.split_once("\n}\n").expect("the declaration ends");
    let variants = body.lines().filter_map(|line| line.strip_prefix("    "));
    let variants = variants.filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()));
    variants.map(|line| line.chars().take_while(char::is_ascii_alphanumeric).collect()).collect()
}

fn id() -> CanvasId {
    CanvasId::new("c").unwrap()
}

fn blob() -> BlobId {
    BlobId::of(b"")
}

each!(call_refusal: CallRefusal {
    CallRefusal::CallIdReused => CallRefusal::CallIdReused,
    CallRefusal::Abandoned => CallRefusal::Abandoned,
    CallRefusal::Disabled { .. } => CallRefusal::Disabled { rollout: Rollout::Off },
    CallRefusal::GitMode => CallRefusal::GitMode,
    CallRefusal::ProposalsDamaged => CallRefusal::ProposalsDamaged,
});

each!(not_available: NotAvailable {
    NotAvailable::Held { .. } => NotAvailable::Held { until: Timestamp::MAX, own: None },
    NotAvailable::UserActive => NotAvailable::UserActive,
});

each!(lease_refusal: LeaseRefusal {
    LeaseRefusal::StaleEpoch { .. } => LeaseRefusal::StaleEpoch { current: Epoch::MAX, changes: None },
    LeaseRefusal::NotOwned { .. } => LeaseRefusal::NOT_OWNED,
    LeaseRefusal::Expired { .. } => LeaseRefusal::Expired { at: Timestamp::MAX },
    LeaseRefusal::TooManyCalls { .. } => LeaseRefusal::TooManyCalls { limit: 1 },
});

each!(limit_refusal: LimitRefusal {
    LimitRefusal::Exhausted { counter: Counter::Epoch } => LimitRefusal::Exhausted { counter: Counter::Epoch },
    LimitRefusal::Exhausted { counter: Counter::Fence } => LimitRefusal::Exhausted { counter: Counter::Fence },
    LimitRefusal::Exhausted { counter: Counter::Revision } => LimitRefusal::Exhausted { counter: Counter::Revision },
    LimitRefusal::TooLarge { .. } => LimitRefusal::TooLarge { bytes: 2, limit: 1 },
    LimitRefusal::TooManyParts { .. } => LimitRefusal::TooManyParts { limit: 1 },
    LimitRefusal::TooManyProposals { .. } => LimitRefusal::TooManyProposals { limit: 1 },
    LimitRefusal::ProposalsTooLarge { .. } => LimitRefusal::ProposalsTooLarge { bytes: 2, limit: 1 },
});

each!(base_refusal: BaseRefusal {
    BaseRefusal::StaleBase(_) => BaseRefusal::StaleBase(Box::new(StaleBase::of(None))),
});

each!(patch_refusal: PatchRefusal {
    PatchRefusal::PatchRejected(_) => PatchRefusal::PatchRejected(apply("", "", &ApplyOptions::default()).unwrap_err()),
    PatchRefusal::EditRefused { .. } => PatchRefusal::EditRefused { error: AddressError::NoFrontMatter.into() },
    PatchRefusal::NotLocated { .. } => PatchRefusal::NotLocated { lines: LineRange { start: 1, end: 1 } },
});

each!(edit_policies: EditPolicyError in "canvas-patch/src/markdown/structure/error.rs" {
    Scope => AddressError::NoFrontMatter.into(),
    OutOfScope => EditPolicyError::OutOfScope { line: 1, scope: LineRange { start: 2, end: 2 } },
    Protected => EditPolicyError::Protected { line: 1, place: LineRange { start: 1, end: 1 } },
    UnclosedFence => EditPolicyError::UnclosedFence { line: 1 },
    UnintendedHeading => EditPolicyError::UnintendedHeading { line: 1, title: String::new() },
    FrontMatter => EditPolicyError::FrontMatter { made: true },
    SideEffect => EditPolicyError::SideEffect { line: 1, is_now: true },
});

each!(lines_refusal: LinesRefusal {
    LinesRefusal::ContentChanged { .. } => LinesRefusal::ContentChanged {
            index: 0,
            lines: no_lines(),
            others: Vec::new(),
            moved: false,
        },
    LinesRefusal::NoSuchLines { .. } => LinesRefusal::NoSuchLines { index: 0, start: 1, end: 1, total_lines: 0 },
    LinesRefusal::Overlap { .. } => LinesRefusal::Overlap { line: 1 },
    LinesRefusal::NoEffect => LinesRefusal::NoEffect,
});

each!(history_refusal: HistoryRefusal {
    HistoryRefusal::UserActed => HistoryRefusal::UserActed,
    HistoryRefusal::HistoryEmpty { .. } => HistoryRefusal::HistoryEmpty { asked: 1, available: 0 },
    HistoryRefusal::NothingToUndo => HistoryRefusal::NothingToUndo,
    HistoryRefusal::NothingToRedo => HistoryRefusal::NothingToRedo,
    HistoryRefusal::EditNotFound { .. } => HistoryRefusal::EditNotFound { change: ChangeNumber::new(1), edit: 1, count: 1 },
    HistoryRefusal::NotOwnChange { .. } => HistoryRefusal::NotOwnChange { change: ChangeNumber::new(1) },
    HistoryRefusal::HistoryNotFound { .. } => HistoryRefusal::HistoryNotFound { change: ChangeNumber::new(1) },
    HistoryRefusal::HistoryConflict { .. } => HistoryRefusal::HistoryConflict { change: ChangeNumber::new(1), with: ChangeNumber::new(2) },
    HistoryRefusal::EffectConflict { .. } => HistoryRefusal::EffectConflict { change: ChangeNumber::new(1), path: String::new(), effect: EntryNumber::new(2) },
    HistoryRefusal::PolicyWidening { .. } => HistoryRefusal::PolicyWidening { change: ChangeNumber::new(1) },
    HistoryRefusal::StateTooLarge { .. } => HistoryRefusal::StateTooLarge { bytes: 2, limit: 1 },
    HistoryRefusal::HistoryTooDeep { .. } => HistoryRefusal::HistoryTooDeep { limit: 1 },
    HistoryRefusal::FaceNotSupported { .. } => HistoryRefusal::FaceNotSupported { face: Face::Board },
    HistoryRefusal::HistoryDamaged { .. } => HistoryRefusal::HistoryDamaged { entry: EntryNumber::new(1) },
});

each!(board_refusal: BoardRefusal {
    BoardRefusal::NoBoard => BoardRefusal::NoBoard,
    BoardRefusal::BoardDamaged => BoardRefusal::BoardDamaged,
    BoardRefusal::StaleBoard { .. } => BoardRefusal::StaleBoard { base: Revision::ZERO, current: Revision::ZERO },
});

/// Refusals of edits of the structure, but for those of addresses and side effects.
fn structure_refusal() -> Vec<StructureRefusal> {
    structures().into_iter().map(|error| StructureRefusal::StructureRejected { error }).collect()
}

each!(structures: StructureError in "canvas-patch/src/markdown/edit/error.rs" {
    Address => StructureError::Address(AddressError::NoFrontMatter),
    NoEffect => StructureError::NoEffect,
    MoveIntoItself => StructureError::MoveIntoItself { line: 1 },
    LevelOutOfRange => StructureError::LevelOutOfRange { line: 1, level: 7 },
    Value => StructureError::Value(ValueFault::Title),
    TableShape => StructureError::TableShape { line: 1 },
    CountDiffers => StructureError::CountDiffers { expected: MatchCount::Lines(1), found: 2, lines: Vec::new() },
    Spilled => StructureError::Spilled(EditPolicyError::SideEffect { line: 1, is_now: true }),
});

each!(new_board_refusal: NewBoardRefusal {
    NewBoardRefusal::BoardExists => NewBoardRefusal::BoardExists,
    NewBoardRefusal::InvalidBoard { .. } => NewBoardRefusal::InvalidBoard { message: String::new() },
});

/// Code and reason of every refusal.
fn refusals() -> Vec<(&'static str, Option<&'static str>)> {
    fn of<R: CodedError>(refusals: Vec<R>) -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
        refusals.into_iter().map(|refusal| (refusal.code(), refusal.reason()))
    }
    of(call_refusal())
        .chain(of(not_available()))
        .chain(of(lease_refusal()))
        .chain(of(limit_refusal()))
        .chain(of(base_refusal()))
        .chain(of(patch_refusal()))
        .chain(of(edit_policies().into_iter().map(|error| PatchRefusal::EditRefused { error }).collect()))
        .chain(of(lines_refusal()))
        .chain(of(structure_refusal()))
        .chain(of(made_front_matter()))
        .chain(of(history_refusal()))
        .chain(of(board_refusal()))
        .chain(of(new_board_refusal()))
        .collect()
}

/// The other side effect that an edit of the structure may have.
fn made_front_matter() -> Vec<StructureRefusal> {
    let error = StructureError::Spilled(EditPolicyError::FrontMatter { made: true });
    vec![StructureRefusal::StructureRejected { error }]
}

fn no_lines() -> LinesNow {
    LinesNow {
        start_line: 1,
        end_line: 0,
        text: String::new(),
        truncated: false,
        range_hash: None,
        named_line: None,
    }
}

each!(errors: EngineError in "canvas-core/src/engine/error.rs" {
    NotFound => EngineError::NotFound { canvas: id() },
    Exists => EngineError::Exists { canvas: id() },
    Deleted => EngineError::Deleted { canvas: id() },
    FaceNotSupported => EngineError::FaceNotSupported { canvas: id(), face: Face::Board },
    Damaged => EngineError::Damaged { canvas: id(), blob: blob() },
    Unreadable => EngineError::Unreadable { canvas: id(), reason: HeadError::Format { found: 9 } },
    Contention => EngineError::Contention { canvas: id() },
    RevisionConflict => EngineError::RevisionConflict { canvas: id(), expected: Revision::ZERO, current: Revision::ZERO },
    RevisionNotFound => EngineError::RevisionNotFound {
        canvas: id(),
        revision: Revision::new(1).unwrap(),
        current: Revision::ZERO,
    },
    RevisionNotKept => EngineError::RevisionNotKept {
        canvas: id(),
        revision: Revision::ZERO,
        oldest: Revision::new(1).unwrap(),
    },
    FaceNotFound => EngineError::FaceNotFound { canvas: id(), revision: Revision::ZERO, face: Face::Board },
    VersionNotFound => EngineError::VersionNotFound { canvas: id(), label: VersionLabel::new("v").unwrap() },
    VersionErased => EngineError::VersionErased { canvas: id(), label: VersionLabel::new("v").unwrap() },
    TimeInSeconds => EngineError::TimeInSeconds { time: Timestamp::from_secs(1), known: Timestamp::from_secs(2) },
    TooLarge => EngineError::TooLarge { bytes: 2, limit: 1 },
    RevisionsExhausted => EngineError::RevisionsExhausted { canvas: id() },
    ExportOutdated => EngineError::ExportOutdated { canvas: id() },
    KeyReused => EngineError::KeyReused,
    Abandoned => EngineError::Abandoned,
    Store => EngineError::Store(StoreErrorKind::Busy.into()),
});

each!(heads: HeadError in "canvas-core/src/model/format.rs" {
    Format => HeadError::Format { found: 9 },
    Unknown => HeadError::Unknown { what: String::new(), line: 1, column: 1 },
    Unreadable => HeadError::Unreadable { what: String::new(), line: 1, column: 1 },
    Inconsistent => HeadError::Inconsistent { place: "faces" },
    Foreign => HeadError::Foreign { found: id() },
});

each!(store_errors: StoreErrorKind in "canvas-core/src/store/error.rs" {
    Indeterminate => StoreErrorKind::Indeterminate,
    Busy => StoreErrorKind::Busy,
    Full => StoreErrorKind::Full,
    Unavailable => StoreErrorKind::Unavailable,
    TooLarge => StoreErrorKind::TooLarge,
    Denied => StoreErrorKind::Denied,
    Unfit => StoreErrorKind::Unfit,
    TooNew => StoreErrorKind::TooNew { found: 9 },
    Moved => StoreErrorKind::Moved,
    Damaged => StoreErrorKind::Damaged,
    Unreadable => StoreErrorKind::Unreadable(HeadError::Format { found: 9 }),
    Failed => StoreErrorKind::Failed,
});

each!(queries: GrepError in "canvas-patch/src/text/grep.rs" {
    Empty => Query::literal("").unwrap_err(),
    Newline => Query::literal("a\nb").unwrap_err(),
    TooLong => GrepError::TooLong { bytes: 2, max: 1 },
    TooComplex => GrepError::TooComplex { max: 1 },
    TooCostly => GrepError::TooCostly { positions: 1, bytes: 1 },
    Malformed => Query::regex("(").unwrap_err(),
});

const fn table() -> TablePart {
    TablePart { table: 1, row: None, column: None }
}

each!(addresses: AddressError in "canvas-patch/src/markdown/address/error.rs" {
    InvalidRange => AddressError::InvalidRange { start: 1, end: 1, line_count: 0 },
    NoFrontMatter => AddressError::NoFrontMatter,
    NoPreamble => AddressError::NoPreamble,
    NoSuchSection => AddressError::NoSuchSection { path: Vec::new(), nearest: Vec::new() },
    NoSuchOrdinal => AddressError::NoSuchOrdinal { path: Vec::new(), ordinal: 1, candidates: Vec::new(), total: 0 },
    NoSuchPart => AddressError::NoSuchPart { section: None, part: Part::Fence(1), available: 0 },
    NoSuchBlock => AddressError::NoSuchBlock { part: Part::Table(table()), available: 0 },
    NoSuchList => AddressError::NoSuchList { list: 1, available: 0 },
    NoSuchRow => AddressError::NoSuchRow { row: 1, available: 0 },
    NoSuchColumn => AddressError::NoSuchColumn { column: canvas_core::text::Column::Number(1), headers: Vec::new() },
    AmbiguousColumn => AddressError::AmbiguousColumn { header: String::new(), columns: Vec::new() },
    NoSuchKey => AddressError::NoSuchKey { key: String::new(), keys: Vec::new(), line: None },
    AmbiguousKey => AddressError::AmbiguousKey { key: String::new(), lines: Vec::new() },
    FrontMatterUnsupported => AddressError::FrontMatterUnsupported { line: 1, what: String::new() },
    NoSuchFootnote => AddressError::NoSuchFootnote { label: String::new(), labels: Vec::new() },
    Ambiguous => AddressError::Ambiguous { path: Vec::new(), candidates: Vec::new(), total: 2 },
    NoSuchHit => AddressError::NoSuchHit { ordinal: None, lines: Vec::new(), total: 0 },
    AmbiguousHit => AddressError::AmbiguousHit { lines: Vec::new(), total: 2 },
    Query => AddressError::Query(GrepError::Empty),
});

/// What no document tool answers, and why. A row that provokes one of these must lead to a line less here.
const NEVER: [(&str, &str); 35] = [
    ("TOO_MANY_PARTS", "these sessions do not propose, see the tests of proposals in the core"),
    ("TOO_MANY_PROPOSALS", "these sessions do not propose"),
    ("PROPOSALS_TOO_LARGE", "these sessions do not propose"),
    ("USER_ACTED", "no document tool undoes"),
    ("HISTORY_EMPTY", "no document tool undoes"),
    ("EDIT_NOT_FOUND", "no document tool undoes"),
    ("NOTHING_TO_REDO", "no document tool undoes"),
    ("NOTHING_TO_UNDO", "no document tool undoes"),
    ("NOT_OWN_CHANGE", "no document tool undoes"),
    ("HISTORY_NOT_FOUND", "no document tool undoes"),
    ("HISTORY_CONFLICT", "no document tool undoes"),
    ("POLICY_WIDENING", "no document tool undoes"),
    ("STATE_TOO_LARGE", "no document tool undoes"),
    ("HISTORY_TOO_DEEP", "no document tool undoes"),
    ("HISTORY_DAMAGED", "no document tool undoes"),
    ("FACE_NOT_SUPPORTED", "no document tool undoes, or collects"),
    ("BOARD_NOT_FOUND", "no document tool touches the board"),
    ("BOARD_EXISTS", "no document tool touches the board"),
    ("INVALID_BOARD", "no document tool touches the board"),
    ("FACE_NOT_FOUND", "no document tool reads other faces of the past"),
    ("VERSION_NOT_FOUND", "no document tool reads versions"),
    ("VERSION_ERASED", "no document tool reads versions"),
    ("REVISION_CONFLICT", "no document tool touches the board, or deletes"),
    ("CANVAS_EXISTS", "no document tool makes a canvas"),
    ("CANVAS_DELETED", "no document tool makes a canvas"),
    ("EXPORT_OUTDATED", "no document tool exports"),
    ("PATCH_REJECTED/BAD_HEADER", "a hint in anchored mode"),
    ("PATCH_REJECTED/COUNT_MISMATCH", "a hint in anchored mode"),
    ("PATCH_REJECTED/START_MISMATCH", "a hint in anchored mode"),
    ("PATCH_REJECTED/EOF_MARKER", "a hint in anchored mode"),
    ("PATCH_REJECTED/CONTEXT_MISMATCH", "anchored mode looks elsewhere and says NOT_FOUND"),
    ("INVALID_QUERY", "of an address; grep and other calls say it as a reason"),
    ("INVALID_REGEX", "of an address; grep and other calls say it as a reason"),
    ("TOOL_FAILED", "a tool of the host says it"),
    ("TOOL_TIMEOUT", "a tool of the host says it"),
];

/// Everything that a document tool could answer.
fn all() -> BTreeMap<String, &'static str> {
    let mut all = BTreeMap::new();
    let with = |code: &str, reason: Option<&str>| {
        reason.map_or_else(|| code.to_owned(), |reason| format!("{code}/{reason}"))
    };
    all.extend(refusals().into_iter().map(|(code, reason)| (with(code, reason), "a refusal")));
    all.extend(Reason::ALL.iter().map(|r| (with("PATCH_REJECTED", Some(r.code())), "a patch")));
    let unreadable = heads().into_iter().map(|reason| EngineError::Unreadable { canvas: id(), reason });
    all.extend(
        errors().iter().chain(&unreadable.collect::<Vec<_>>()).map(|e| (e.code().to_owned(), "the engine")),
    );
    all.extend(store_errors().into_iter().map(|e| (StoreError::from(e).code().to_owned(), "the store")));
    all.extend(queries().iter().map(|e| (with("INVALID_ARGUMENTS", Some(e.code())), "a query")));
    all.extend(addresses().iter().map(|error| (error.code().to_owned(), "an address")));
    all.extend(queries().iter().map(|error| (error.code().to_owned(), "a query of an address")));
    all.extend(
        written_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).map(|code| (code, "the tools")),
    );
    all
}

/// The codes that the sources of the tools have as literals: nothing else knows them all. Directives, the board and the
/// surface have tables of their own.
#[expect(clippy::disallowed_methods, reason = "a test is its own host")]
fn written_in(folder: &Path) -> impl Iterator<Item = String> {
    let mut codes = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                let elsewhere =
                    ["directive", "board", "surface", "action"].iter().any(|room| path.ends_with(room));
                folders.extend((!elsewhere).then_some(path));
                continue;
            }
            let source = std::fs::read_to_string(&path).unwrap();
            let made = source.split("::new(").skip(1);
            let literals = made.filter_map(|rest| rest.trim_start().strip_prefix('"')?.split_once('"'));
            codes.extend(literals.map(|(code, _)| code.to_owned()).filter(|code| is_code(code)));
        }
    }
    assert!(codes.contains("INVALID_ARGUMENTS") && codes.contains("UNKNOWN_TOOL"), "{codes:?}");
    codes.into_iter()
}

fn is_code(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_uppercase() || c == '_')
}

#[track_caller]
pub(super) fn are_all_provoked(provoked: &BTreeSet<String>) {
    let all = all();
    let unknown: Vec<_> = provoked.iter().filter(|label| !all.contains_key(*label)).collect();
    assert!(unknown.is_empty(), "provoked, and nowhere to be found: {unknown:?}");
    let never: BTreeSet<&str> = NEVER.iter().map(|(label, _)| *label).collect();
    let missing: Vec<_> = all.iter().filter(|(label, _)| !provoked.contains(*label)).collect();
    let (known, missing): (Vec<_>, Vec<_>) =
        missing.into_iter().partition(|(label, _)| never.contains(label.as_str()));
    assert!(missing.is_empty(), "nothing provokes {missing:?}: add a row");
    let known: BTreeSet<&str> = known.into_iter().map(|(label, _)| label.as_str()).collect();
    assert_eq!(known, never, "what is provoked, or is no code any more, is not among what never comes");
}

/// The schemas of replies have the codes that are provoked, and no others.
#[cfg(feature = "schema")]
#[track_caller]
pub(super) fn are_those_of_the_schemas(provoked: &BTreeSet<String>) {
    let provoked: BTreeSet<&str> =
        provoked.iter().map(|label| label.split_once('/').map_or(label.as_str(), |(code, _)| code)).collect();
    let tools = Tools::<MemoryStore>::new(DocumentTools::ALL).unwrap();
    let schemas: Vec<_> = tools.names().map(|name| canvas_tools::reply_schema(name).unwrap()).collect();
    let choices = schemas.iter().flat_map(|schema| schema["anyOf"].as_array().unwrap());
    let codes = choices.filter_map(|choice| choice.pointer("/properties/error/properties/code/enum"));
    let codes: BTreeSet<&str> =
        codes.flat_map(|codes| codes.as_array().unwrap()).map(|code| code.as_str().unwrap()).collect();
    assert_eq!(codes, provoked);
}

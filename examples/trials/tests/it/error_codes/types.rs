//! Every error type has a stable code, says whether to retry, and tells what to do next.

use std::collections::BTreeSet;
use std::fmt::Debug;

use canvas_core::board::{
    Board, BoardError, BoardJournalError, CommandError, CommandErrorCode, CommandExecutionError,
    ContextError, DataError, DataErrorCode, DataFetchError, DefinitionError, NoRoom, PatchMismatch,
    SimulatedTime, SimulatedTimeError, TriggerProblem, ValidationFailedCode, ValidationFailedError, ViewId,
};
use canvas_core::document::{
    BaseRefusal, LinesRefusal, ParseRangeHashError, PatchRefusal, ProtectedPlacesError, RangeHash, StaleBase,
    StaleCause, StaleEdit, StructureRefusal,
};
use canvas_core::export::ImportError;
use canvas_core::history::HistoryRefusal;
use canvas_core::json::{CanonicalError, JsonHash, ParseJsonHashError, canonical_json};
use canvas_core::lease::{Epoch, LeaseId, LeaseRefusal, ParseLeaseIdError, SafeIntegerError, Timestamp};
use canvas_core::proposal::ProposalRefusal;
use canvas_core::recipe::{
    DateExpr, DateExprError, Drift, DriftCode, JsonPointer, JsonPointerError, RecipeCode, RecipeFault,
    RecipeRefusal, StepId,
};
use canvas_core::refusal::{BoardRefusal, CallRefusal, LimitRefusal, NewBoardRefusal, NotAvailable};
use canvas_core::rollout::Rollout;
use canvas_core::schema::{Schema, SchemaError};
use canvas_core::store::{Head, HeadError, PathError, StoreError, StoreErrorKind, TreePath};
use canvas_core::surface::{
    AssetPath, AssetPathError, ContractError, EventId, StateConflict, StatePath, StatePathError,
    StatePointer, StatePointerError, SurfaceCode, SurfaceFault, SurfaceRefusal, ValuePath, ValuePathError,
};
use canvas_core::text::{
    Address, AddressError, ApplyError, ApplyOptions, Difference, ExceededLimit, GrepError, Query, Reason,
    RepairKind, StructureError, apply, resolve,
};
use canvas_core::version::{VersionLabel, VersionLabelError, VersionRefusal};
use canvas_core::{
    BlobId, CanvasId, CodedError as _, EngineError, NameError, ParseBlobIdError, ParseRevisionIdError,
    PersonId, PersonIdError, Revision, RevisionId, ZoneError,
};
use canvas_lease::{CheckOutError, LeaseError};
use canvas_patch::{
    Delta, DeltaConflict, DeltaMismatch, DeltaOrder, EditPolicyError, MergeCause, MergeConflict, Offset,
    PartId, PartIdError, PositionError,
};
use canvas_providers::{DecodeError, EncodeError, LoopError, Provider, SendError, UnknownProvider};
use canvas_tools::directive::{
    CharRange, CharRangeError, Directive, DirectiveError, DirectiveFailure, FailureKind,
};
use canvas_tools::native::{Dialect, NativeError, NativeOptions, RenderError, apply_native};
use canvas_tools::recipe::{RecordError, ReplayError, RerunError};
use canvas_tools::surface::SurfaceError;
use canvas_tools::{SessionError, ToolError, ToolsError};
use serde::Serialize;
use serde_json::json;

use super::{CRATES, is_code, sources};

/// Error types without a code, and why.
const WITHOUT: &[(&str, &str)] = &[
    ("AgenticCanvasError", "what all errors of the board have in common, with whatever code"),
    ("Fault", "a `ToolError` with `INVALID_ARGUMENTS` is made of it"),
    ("ParseHexError", "no caller can name it"),
    ("Refusal", "a view of any refusal, which has a sample of its own"),
];

/// What a sentence begins with that says what to do next.
const VERBS: &[&str] = &[
    "add", "allow", "answer", "apply", "ask", "begin", "change", "check", "choose", "copy", "correct",
    "count", "create", "declare", "give", "go", "join", "leave", "look", "make", "move", "name", "pass",
    "poll", "put", "read", "record", "refresh", "remove", "rename", "repeat", "replace", "report", "restore",
    "revert", "say", "search", "send", "set", "shorten", "show", "split", "stop", "take", "try", "turn",
    "undo", "update", "use", "write",
];

pub(super) struct Sample {
    pub(super) name: &'static str,
    pub(super) code: String,
    pub(super) text: String,
}

macro_rules! samples {
    ($($name:ident $retryable:literal: $error:expr,)+) => {
        vec![$({
            let error: $name = $error;
            assert_eq!(error.is_retryable(), $retryable, "{error:?}");
            Sample { name: stringify!($name), code: error.code().to_string(), text: error.to_string() }
        },)+]
    };
}

pub(super) fn samples() -> Vec<Sample> {
    let canvas = || CanvasId::new("notes").unwrap();
    let rejected = || apply("a\n", "@@ -1 +1 @@\n-b\n+c\n", &ApplyOptions::default()).unwrap_err();
    let stale = || StaleBase::of(None);
    let stale_edit = || StaleEdit {
        base: Revision::ZERO.into(),
        current: RevisionId::new(Revision::ZERO, BlobId::of(b"")),
        cause: StaleCause::UnknownBase,
        changes: None,
        markdown: String::new(),
    };
    let refused =
        || CommandError::new(CommandErrorCode::BoardTooLarge, "there are too many: split it".into());
    let command =
        || serde_json::from_value(json!({"type": "canvas.clear", "payload": {"preservePinned": true}}));
    let no_data = |retryable| -> DataError {
        serde_json::from_value(json!({
            "code": "TIMEOUT", "message": "no answer: try again later", "source": "x", "retryable": retryable,
        }))
        .unwrap()
    };
    let query = || serde_json::from_value(json!({"type": "stats", "params": {}})).unwrap();
    let at = Timestamp::from_millis(1);
    let step = || -> StepId { serde_json::from_value(json!("orders")).unwrap() };
    let fault = |code| -> SurfaceFault {
        serde_json::from_value(json!({"place": "/a", "code": code, "message": "it is wrong: correct it"}))
            .unwrap()
    };
    let event = || EventId::new("1").unwrap();
    samples! {
        // canvas-patch
        ApplyError false: rejected(),
        DeltaMismatch false: Delta::between("a\n", "b\n").apply("c\n").unwrap_err(),
        DeltaConflict false: DeltaConflict { at: 0 },
        DeltaOrder false: DeltaOrder { index: 0 },
        GrepError false: Query::regex("(").unwrap_err(),
        AddressError false: resolve("a\n", &Address::FrontMatter).unwrap_err(),
        EditPolicyError false: EditPolicyError::UnclosedFence { line: 1 },
        StructureError false: StructureError::NoEffect,
        MergeConflict false: MergeConflict { line: 1, cause: MergeCause::Touching },
        PartIdError false: "1".parse::<PartId>().unwrap_err(),
        PositionError false: PositionError { offset: Offset::Byte(1) },
        // canvas-lease
        ParseLeaseIdError false: "lease".parse::<LeaseId>().unwrap_err(),
        SafeIntegerError false: Epoch::new(u64::MAX).unwrap_err(),
        CheckOutError true: CheckOutError::Held { until: at },
        CheckOutError false: CheckOutError::UserActive,
        LeaseError false: LeaseError::NotOwned,
        // canvas-core
        NameError false: CanvasId::new("").unwrap_err(),
        PathError false: TreePath::new("../a").unwrap_err(),
        ParseBlobIdError false: "a".parse::<BlobId>().unwrap_err(),
        PersonIdError false: PersonId::new("").unwrap_err(),
        VersionLabelError false: VersionLabel::new("").unwrap_err(),
        ParseRevisionIdError false: "a".parse::<RevisionId>().unwrap_err(),
        ParseRangeHashError false: "a".parse::<RangeHash>().unwrap_err(),
        ProtectedPlacesError false: ProtectedPlacesError::Transient { index: 0 },
        CanonicalError false: canonical_json(&json!(u64::MAX)).unwrap_err(),
        HeadError false: Head::from_json(&canvas(), b"{").unwrap_err(),
        EngineError false: EngineError::NotFound { canvas: canvas() },
        EngineError true: EngineError::Contention { canvas: canvas() },
        EngineError true: EngineError::ExportOutdated { canvas: canvas() },
        ImportError false: ImportError::Cut { bytes: 7, record: 0 },
        ImportError true: EngineError::Contention { canvas: canvas() }.into(),
        StoreError true: StoreError::new(StoreErrorKind::Busy),
        StoreError false: StoreError::new(StoreErrorKind::Damaged),
        ZoneError false: ZoneError::OutOfRange { millis: u64::MAX },
        CallRefusal false: CallRefusal::Disabled { rollout: Rollout::Off },
        NotAvailable true: NotAvailable::Held { until: at, own: None },
        NotAvailable false: NotAvailable::UserActive,
        LeaseRefusal false: LeaseRefusal::NOT_OWNED,
        LimitRefusal false: LimitRefusal::TooLarge { bytes: 2, limit: 1 },
        BaseRefusal false: BaseRefusal::StaleBase(Box::new(stale())),
        StaleBase false: stale(),
        StaleEdit false: stale_edit(),
        PatchRefusal false: PatchRefusal::PatchRejected(rejected()),
        StructureRefusal false: StructureRefusal::StructureRejected { error: StructureError::NoEffect },
        LinesRefusal false: LinesRefusal::NoEffect,
        HistoryRefusal false: HistoryRefusal::UserActed,
        ProposalRefusal false: ProposalRefusal::DecisionByModel,
        VersionRefusal false: VersionRefusal::VersionByModel,
        BoardRefusal false: BoardRefusal::NoBoard,
        NewBoardRefusal false: NewBoardRefusal::BoardExists,
        // Surfaces
        ParseJsonHashError false: "a".parse::<JsonHash>().unwrap_err(),
        StatePathError false: StatePath::new("a..b").unwrap_err(),
        StatePointerError false: StatePointer::new("a").unwrap_err(),
        StateConflict false: StateConflict { path: StatePointer::new("/a").unwrap() },
        ValuePathError false: "input".parse::<ValuePath>().unwrap_err(),
        AssetPathError false: AssetPath::new("index.html").unwrap_err(),
        AssetPathError false: AssetPath::new("assets/../a").unwrap_err(),
        ContractError false: ContractError::Sink { place: "/command".to_owned() },
        SurfaceError false: SurfaceError::from(EngineError::NotFound { canvas: canvas() }),
        SurfaceFault false: fault(SurfaceCode::StatePath),
        SurfaceFault true: fault(SurfaceCode::TooManyRunning),
        SurfaceRefusal false: fault(SurfaceCode::StatePath).into(),
        SurfaceRefusal true: fault(SurfaceCode::ActionInProgress).into(),
        SurfaceRefusal false: SurfaceRefusal::SurfaceNotFound,
        SurfaceRefusal false: SurfaceRefusal::SpecInvalid { faults: vec![fault(SurfaceCode::TemplateInvalid)] },
        SurfaceRefusal true: SurfaceRefusal::ActionInProgress { event: event(), until: at },
        SurfaceRefusal true: SurfaceRefusal::TooManyRunning { limit: 1 },
        SurfaceRefusal false: SurfaceRefusal::ActionLost { event: event() },
        // Boards
        BoardError false: BoardError::TooMany { found: Board::COMPONENTS + 1 },
        BoardJournalError false: BoardJournalError::NothingToUndo,
        PatchMismatch false: PatchMismatch { place: "name".into() },
        SchemaError false: Schema::compile(&json!({"type": 1})).unwrap_err(),
        DefinitionError false: DefinitionError::Version,
        DefinitionError false: DefinitionError::Schema {
            place: "/configSchema".into(), error: Schema::compile(&json!({"pattern": "("})).unwrap_err()
        },
        NoRoom false: NoRoom::Full,
        ContextError false: ContextError::BudgetTooSmall { needed: 2, max: 1, fits: 0 },
        SimulatedTimeError false: "noon".parse::<SimulatedTime>().unwrap_err(),
        TriggerProblem false: TriggerProblem::ViewGone(ViewId::new("v").unwrap()),
        CommandError false: refused(),
        CommandExecutionError false: CommandExecutionError::new(&refused(), command().unwrap(), at),
        DataError true: no_data(true),
        DataFetchError false: DataFetchError::new(no_data(false), query(), at),
        ValidationFailedError false: ValidationFailedError::new(
            serde_json::from_value(json!([{"path": "/a", "message": "too long: shorten it", "code": "maxLength"}])).unwrap(), at
        ),
        // Recipes
        Drift true: Drift::new(DriftCode::CallFailed, "the tool answered with an error: refresh again"),
        Drift false: Drift::new(DriftCode::ToolGone, "this host has no tool fetch: record the recipe anew"),
        RecipeRefusal false: RecipeRefusal::RecipeNotFound,
        RecipeRefusal false: RecipeRefusal::RecipeReplaced,
        RecipeRefusal false: RecipeRefusal::RecipeDamaged,
        RecipeRefusal false: RecipeRefusal::StaleRecipe { expected: Revision::ZERO, current: Revision::ZERO },
        DateExprError false: DateExpr::parse("now+1").unwrap_err(),
        JsonPointerError false: JsonPointer::new("a").unwrap_err(),
        RecipeFault false: RecipeFault {
            place: "/0".into(), code: RecipeCode::RecipeInvalid, message: "this is no object: send one".into()
        },
        // canvas-tools
        ReplayError true: ReplayError::RateLimited { until: at },
        ReplayError false: ReplayError::NotInRecipe { number: 0, component: "a".into() },
        ReplayError false: ReplayError::NotPending { step: step() },
        RecordError false: RecordError::Mismatch { place: "/shown/a".into(), message: "it gives 1: declare it anew".into() },
        RerunError false: RerunError::ResponseMissing { step: step(), hash: JsonHash::of(&json!(1)).unwrap() },
        RerunError false: RerunError::Zones { recorded: "1999a".into(), present: "2026e" },
        RerunError false: RerunError::Mismatch { place: "/patch".into(), what: "the patch" },
        ToolError false: ToolError::argument("/a", "a is missing: give it"),
        ToolsError false: ToolsError::DuplicateTool { name: "a".into() },
        NativeError false: apply_native(Dialect::Edit, "", &json!(1), &NativeOptions::default()).unwrap_err(),
        RenderError false: RenderError { dialect: Dialect::Edit },
        CharRangeError false: CharRange::new(1, 0).unwrap_err(),
        DirectiveError false: Directive::parse(&json!(1)).unwrap_err(),
        DirectiveError false: DirectiveError::Address(AddressError::NoPreamble),
        DirectiveFailure false: DirectiveError::PatchOff.into(),
        FailureKind true: EngineError::Contention { canvas: canvas() }.into(),
        FailureKind false: FailureKind::Stale { changes: None },
        SessionError true: EngineError::Contention { canvas: canvas() }.into(),
        SessionError false: CallRefusal::GitMode.into(),
        // canvas-providers
        UnknownProvider false: "a".parse::<Provider>().unwrap_err(),
        EncodeError false: EncodeError::EmptyHistory,
        DecodeError true: DecodeError::Provider { kind: "overloaded".into(), message: "busy".into(), retryable: true },
        DecodeError false: DecodeError::Unexpected { place: String::new(), expected: "an object" },
        LoopError false: LoopError::NoRequest,
        SendError true: SendError { message: "the connection was reset".into(), retryable: true },
        SendError false: SendError { message: "no such host".into(), retryable: false },
    }
}

/// Whether some clause of a message says what to do.
fn advises(text: &str) -> bool {
    text.split([':', ';', '.', ',']).any(|clause| {
        let first = clause.split_whitespace().next().unwrap_or_default().to_lowercase();
        VERBS.contains(&first.as_str())
    })
}

/// The names of public types that are errors, by derive or `impl`.
fn error_types(source: &str) -> Vec<&str> {
    let named = |text: &'_ str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let derived = source.split("#[derive(").skip(1).filter_map(|rest| {
        let (derives, item) = rest.split_once(")]")?;
        let is_error = derives.split(',').any(|one| matches!(one.trim(), "thiserror::Error" | "Error"));
        let start = ["pub enum ", "pub struct ", " enum ", " struct "]
            .iter()
            .filter_map(|kind| Some((item.find(kind)?, kind)));
        let (at, kind) = start.min_by_key(|(at, kind)| (*at, *kind))?;
        let name = &item[at + kind.len()..];
        (is_error && kind.starts_with("pub")).then(|| &name[..named(name)])
    });
    let implemented = source.split("Error for ").skip(1).map(|name| &name[..named(name)]);
    derived.chain(implemented).filter(|name| !name.is_empty()).collect()
}

#[test]
fn every_error_has_a_code_and_says_what_to_do_next() {
    let samples = samples();
    for Sample { name, code, text } in &samples {
        assert!(is_code(code), "{name}: {code}");
        assert!(advises(text), "{name} does not say what to do: {text}");
    }
    let sampled: BTreeSet<_> = samples.iter().map(|sample| sample.name).collect();
    let sources = sources(&CRATES.map(|krate| format!("{krate}/src")));
    let found: BTreeSet<_> = sources.iter().flat_map(|source| error_types(source)).collect();
    let known: BTreeSet<_> = sampled.iter().copied().chain(WITHOUT.iter().map(|(name, _)| *name)).collect();
    assert_eq!(found, known, "give each error type a sample");
}

#[test]
fn every_message_says_what_to_do_next() {
    for source in sources(&CRATES.map(|krate| format!("{krate}/src"))) {
        for (at, _) in source.match_indices("#[error(") {
            // A private error is the reason that a public one gives.
            let item = source[..at].rfind("enum ").map_or("", |item| &source[..item]);
            let Some(text) = source[at + "#[error(".len()..].trim_start().strip_prefix('"') else { continue };
            if item.ends_with(['\n', ' ']) && !item.ends_with("pub ") {
                continue;
            }
            let end = text.match_indices('"').find(|(at, _)| !text[..*at].ends_with('\\')).unwrap().0;
            // What ends in a value is judged by its samples.
            let text = text[..end].replace("\\\n", " ");
            assert!(text.ends_with('}') || advises(&text), "{text}");
        }
    }
}

#[test]
fn codes_are_names_in_json() {
    fn check<T: Copy + Debug + Serialize>(all: &[T], code: impl Fn(T) -> &'static str) {
        for one in all {
            assert_eq!(json!(one), json!(code(*one)));
        }
    }
    check(&Reason::ALL, Reason::code);
    check(&Difference::ALL, Difference::code);
    check(&ExceededLimit::ALL, ExceededLimit::code);
    check(&RepairKind::ALL, RepairKind::code);
    check(&RecipeCode::ALL, RecipeCode::code);
    check(&DriftCode::ALL, DriftCode::code);
    check(&CommandErrorCode::ALL, CommandErrorCode::code);
    check(&DataErrorCode::ALL, DataErrorCode::code);
    check(&ValidationFailedCode::ALL, ValidationFailedCode::code);
    check(&SurfaceCode::ALL, SurfaceCode::code);
}

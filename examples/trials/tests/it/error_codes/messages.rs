//! The one table of sentences: messages of errors, advice, notices and summaries of the board.
//!
//! Other tests assert codes, places and facts, so that a better sentence changes only its source and the table.
//! `CANVAS_MESSAGES=write cargo test -p canvas-trials --test it messages` writes the table.

use std::fmt::Write as _;
use std::path::Path;

use canvas_core::board::{Board, BoardError, DefinitionError, NoRoom, ViewId};
use canvas_core::document::{LinesNow, LinesRefusal, ProtectedPlacesError};
use canvas_core::history::{ChangeNumber, EntryNumber, HistoryRefusal};
use canvas_core::lease::{LeaseRefusal, Timestamp};
use canvas_core::proposal::{Owner, PartId, ProposalRefusal};
use canvas_core::recipe::{DateExpr, DateExprError, JsonPointer, JsonPointerError};
use canvas_core::refusal::{BoardRefusal, CallRefusal, Counter, LimitRefusal, NewBoardRefusal, NotAvailable};
use canvas_core::rollout::Rollout;
use canvas_core::store::{HeadError, PathError, StoreError, StoreErrorKind, TreePath};
use canvas_core::surface::{
    EventId, StatePath, StatePathError, StatePointer, StatePointerError, SurfaceRefusal,
};
use canvas_core::text::{
    Address, AddressError, ApplyError, ApplyOptions, Column, ExceededLimit, GrepError, LineRange, MatchCount,
    Mode, Part, Query, Reason, StructureError, TablePart, ValueFault, apply, resolve,
};
use canvas_core::version::{VersionLabel, VersionRefusal};
use canvas_core::{
    BlobId, CallId, CanvasId, CodedError as _, EngineError, Face, NameError, PersonId, Revision,
};
use canvas_lease::{Epoch, LeaseError};
use canvas_patch::{EditPolicyError, Suggestion};
use canvas_providers::{DecodeError, EncodeError, LoopError};
use canvas_tools::directive::Advice;
use serde_json::{Value, json};

use super::types::samples;
use crate::bridge_board::world::{World, grid, moved, tile};

const TABLE: &str = "tests/it/error_codes/messages.txt";

macro_rules! rows {
    ($($name:ident: [$($error:expr),+ $(,)?],)+) => {
        vec![$($({
            let error: $name = $error;
            (format!("{} {}", stringify!($name), error.code()), error.to_string())
        }),+),+]
    };
}

/// Errors with one message for each case, beyond the sample that each type has.
fn cases() -> Vec<(String, String)> {
    let canvas = || CanvasId::new("notes").unwrap();
    let label = || VersionLabel::new("sent").unwrap();
    let change = ChangeNumber::new;
    let (at, revision) = (Timestamp::from_millis(1), Revision::ZERO);
    let resolved = |text: &str, address: Address| resolve(text, &address).unwrap_err();
    let section = |name: &str, ordinal, part| Address::Section { path: vec![name.into()], ordinal, part };
    let cell = |row, column| {
        Address::Part(Part::Table(TablePart { table: 1, row: Some(row), column: Some(column) }))
    };
    let hit = |ordinal| Address::Hit { query: Query::literal("a").unwrap(), ordinal };
    let patch = |mode, text: &str, patch: &str| {
        apply(text, patch, &ApplyOptions { mode, ..ApplyOptions::default() }).unwrap_err()
    };
    let anchored = |text: &str, diff: &str| patch(Mode::Anchored, text, diff);
    let lines = || LinesNow {
        start_line: 1,
        end_line: 1,
        text: "a\n".into(),
        truncated: false,
        range_hash: None,
        named_line: None,
    };
    let date = |text: &str| DateExpr::parse(text).unwrap_err();
    let too_many = BoardError::TooMany { found: Board::COMPONENTS + 1 };
    let unreadable = |reason| EngineError::Unreadable { canvas: canvas(), reason };
    rows! {
        ApplyError: [
            patch(Mode::Strict, "a\n", ""),
            patch(Mode::Strict, "a\\\n", "@@ -1 +1 @@\n-b\n+c\n"),
            patch(Mode::Strict, "x\na\n", "@@ -1 +1 @@\n-a\n+b\n"),
            anchored("a\n", "@@\n a\n-b\n"),
            anchored("a\na\n", "@@\n-a\n"),
            anchored("a\na\n", "@@\n-a"),
            anchored(&"a\n".repeat(5), "@@\n-a\n"),
            anchored(&"a\n".repeat(64), "@@\n-a\n"),
            anchored("alpha\n", "@@\n-omega\n"),
            anchored("- a\n- b\n", "@@\n-3: - a\n+- b\n"),
            anchored("# a\n\nb\n", "@@ -0,0 +1,3 @@\n+# a\n+\n+b!\n"),
            anchored("x\n# a\n\nb\n", "@@ -0,0 +1,5 @@\n+# a\n+\n+b\n+\n+c\n"),
            anchored("a\nx\nb\n", "@@\n a\n+x\n b\n"),
            anchored("a\u{a0}b\n", "@@\n-a b\n+c\n"),
            anchored("a\n", &"@@\n+x\n".repeat(12)),
        ],
        EditPolicyError: [
            AddressError::NoFrontMatter.into(),
            EditPolicyError::OutOfScope { line: 1, scope: LineRange { start: 2, end: 3 } },
            EditPolicyError::Protected { line: 2, place: LineRange { start: 2, end: 3 } },
            EditPolicyError::UnintendedHeading { line: 1, title: "A".into() },
            EditPolicyError::FrontMatter { made: true },
            EditPolicyError::FrontMatter { made: false },
            EditPolicyError::SideEffect { line: 1, is_now: true },
            EditPolicyError::SideEffect { line: 3, is_now: false },
        ],
        AddressError: [
            AddressError::InvalidRange { start: 1, end: 1, line_count: 0 },
            AddressError::NoPreamble,
            resolved("# A\n# A\n", section("A", None, None)),
            resolved("# A\n", section("A", Some(2), None)),
            resolved("# A\n## B\n", section("C", None, None)),
            resolved("a\n", section("C", None, None)),
            resolved("# A\n", section("A", None, Some(Part::Fence(2)))),
            resolved("# A\n- a\n", section("A", None, Some(Part::Item(vec![1, 2])))),
            resolved("a\nb\na\n", hit(None)),
            resolved("a\nb\na\n", hit(Some(3))),
            resolved("b\n", hit(None)),
            resolved("a\n", Address::Part(Part::Paragraph(2))),
            resolved("a\n", Address::Part(Part::Table(TablePart::whole(1)))),
            resolved("a\n", Address::Footnote("1".into())),
            resolved("---\na: 1\nb: 2\n---\n", Address::Key("c".into())),
            resolved("---\na: 1\na: 2\n---\n", Address::Key("a".into())),
            resolved("---\na: 1\n---\n", Address::Key("a.b".into())),
            resolved("+++\na = 1\n+++\n", Address::Key("a".into())),
            resolved("|a|b|\n|-|-|\n", cell(1, Column::Number(1))),
            resolved("|a|b|\n|-|-|\n|c|d|\n", cell(1, Column::Header("c".into()))),
            resolved("|a|a|\n|-|-|\n|c|d|\n", cell(1, Column::Header("a".into()))),
            AddressError::NoSuchList { list: 2, available: 1 },
        ],
        ProtectedPlacesError: [
            ProtectedPlacesError::Transient { index: 2 },
            ProtectedPlacesError::TooMany { places: 65, bytes: 900 },
        ],
        StructureError: [
            StructureError::NoEffect,
            StructureError::MoveIntoItself { line: 3 },
            StructureError::LevelOutOfRange { line: 3, level: 7 },
            StructureError::Value(ValueFault::Title),
            StructureError::Value(ValueFault::Cell),
            StructureError::Value(ValueFault::Cells),
            StructureError::Value(ValueFault::Key),
            StructureError::Value(ValueFault::Yaml),
            StructureError::Value(ValueFault::Item),
            StructureError::Value(ValueFault::Task),
            StructureError::Value(ValueFault::Tab),
            StructureError::Value(ValueFault::SharedLine),
            StructureError::Value(ValueFault::Destination),
            StructureError::Value(ValueFault::Empty),
            StructureError::Value(ValueFault::TooLong),
            StructureError::TableShape { line: 4 },
            StructureError::CountDiffers { expected: MatchCount::Lines(2), found: 3, lines: vec![1, 4, 9] },
        ],
        GrepError: [
            GrepError::Empty,
            Query::literal("a\nb").unwrap_err(),
            GrepError::TooLong { bytes: 2, max: 1 },
            GrepError::TooComplex { max: 1 },
            GrepError::TooCostly { positions: 1, bytes: 1 },
        ],
        LeaseError: [LeaseError::StaleEpoch { current: Epoch::MAX }, LeaseError::Expired { at }],
        NameError: [CallId::new(&"x".repeat(513)).unwrap_err()],
        PathError: [
            TreePath::new("").unwrap_err(),
            TreePath::new("/a").unwrap_err(),
            TreePath::new("a\\b").unwrap_err(),
            TreePath::new("%").unwrap_err(),
        ],
        HeadError: [
            HeadError::Format { found: 9 },
            HeadError::Unknown { what: "unknown field `later`".into(), line: 1, column: 2 },
            HeadError::Inconsistent { place: "faces" },
            HeadError::Foreign { found: canvas() },
        ],
        EngineError: [
            EngineError::Exists { canvas: canvas() },
            EngineError::Deleted { canvas: canvas() },
            EngineError::Damaged { canvas: canvas(), blob: BlobId::of(b"") },
            EngineError::FaceNotSupported { canvas: canvas(), face: Face::Board },
            unreadable(HeadError::Format { found: 9 }),
            EngineError::RevisionConflict { canvas: canvas(), expected: revision, current: revision },
            EngineError::RevisionNotFound { canvas: canvas(), revision, current: revision },
            EngineError::RevisionNotKept { canvas: canvas(), revision, oldest: revision },
            EngineError::FaceNotFound { canvas: canvas(), revision, face: Face::Board },
            EngineError::VersionNotFound { canvas: canvas(), label: label() },
            EngineError::VersionErased { canvas: canvas(), label: label() },
            EngineError::TimeInSeconds { time: at, known: at },
            EngineError::TooLarge { bytes: 2, limit: 1 },
            EngineError::RevisionsExhausted { canvas: canvas() },
            EngineError::KeyReused,
            EngineError::Abandoned,
        ],
        StoreError: [
            StoreErrorKind::Indeterminate.into(),
            StoreErrorKind::Full.into(),
            StoreErrorKind::Unavailable.into(),
            StoreErrorKind::TooLarge.into(),
            StoreErrorKind::Denied.into(),
            StoreErrorKind::Unfit.into(),
            StoreErrorKind::TooNew { found: 9 }.into(),
            StoreErrorKind::Moved.into(),
            StoreErrorKind::Failed.into(),
        ],
        CallRefusal: [
            CallRefusal::Disabled { rollout: Rollout::ReadOnly },
            CallRefusal::Disabled { rollout: Rollout::Write },
            CallRefusal::GitMode,
            CallRefusal::CallIdReused,
            CallRefusal::Abandoned,
            CallRefusal::ProposalsDamaged,
        ],
        NotAvailable: [NotAvailable::Held { until: at, own: Some("lease-1-0".parse().unwrap()) }],
        LeaseRefusal: [
            LeaseRefusal::StaleEpoch { current: Epoch::MAX, changes: None },
            LeaseRefusal::NotOwned { over: true, own: None, held_until: Some(at) },
            LeaseRefusal::Expired { at },
            LeaseRefusal::TooManyCalls { limit: 2 },
        ],
        LimitRefusal: [
            LimitRefusal::Exhausted { counter: Counter::Epoch },
            LimitRefusal::TooManyParts { limit: 1 },
            LimitRefusal::TooManyProposals { limit: 1 },
            LimitRefusal::ProposalsTooLarge { bytes: 2, limit: 1 },
        ],
        LinesRefusal: [
            LinesRefusal::ContentChanged { index: 0, lines: lines(), others: Vec::new(), moved: false },
            LinesRefusal::ContentChanged { index: 0, lines: lines(), others: Vec::new(), moved: true },
            LinesRefusal::NoSuchLines { index: 0, start: 1, end: 1, total_lines: 0 },
            LinesRefusal::Overlap { line: 1 },
        ],
        HistoryRefusal: [
            HistoryRefusal::HistoryEmpty { asked: 2, available: 1 },
            HistoryRefusal::NothingToUndo,
            HistoryRefusal::NothingToRedo,
            HistoryRefusal::EditNotFound { change: change(1), edit: 3, count: 2 },
            HistoryRefusal::NotOwnChange { change: change(1) },
            HistoryRefusal::HistoryNotFound { change: change(1) },
            HistoryRefusal::HistoryConflict { change: change(1), with: change(2) },
            HistoryRefusal::EffectConflict { change: change(1), path: "/a".into(), effect: EntryNumber::new(2) },
            HistoryRefusal::PolicyWidening { change: change(1) },
            HistoryRefusal::StateTooLarge { bytes: 2, limit: 1 },
            HistoryRefusal::HistoryTooDeep { limit: 1 },
            HistoryRefusal::FaceNotSupported { face: Face::Board },
            HistoryRefusal::HistoryDamaged { entry: EntryNumber::new(1) },
        ],
        ProposalRefusal: [
            ProposalRefusal::ProposalNotFound { owner: Owner::Person(PersonId::default()) },
            ProposalRefusal::PartNotFound { part: PartId::new(1) },
            ProposalRefusal::PartStale { part: PartId::new(1) },
            ProposalRefusal::PartChanged { part: PartId::new(1) },
            ProposalRefusal::DecidedTwice { part: PartId::new(1) },
            ProposalRefusal::NoteTooLong { bytes: 2, limit: 1 },
            ProposalRefusal::ReasonTooLong { bytes: 2, limit: 1 },
        ],
        VersionRefusal: [
            VersionRefusal::VersionExists { label: label() },
            VersionRefusal::VersionNotFound { label: label() },
            VersionRefusal::TooManyVersions { limit: 1 },
            VersionRefusal::VersionNoteTooLong { bytes: 2, limit: 1 },
            VersionRefusal::DocumentNotFound,
            VersionRefusal::NothingToRestore,
            VersionRefusal::VersionsDamaged,
        ],
        BoardRefusal: [
            BoardRefusal::BoardDamaged,
            BoardRefusal::StaleBoard { base: revision, current: revision },
        ],
        NewBoardRefusal: [NewBoardRefusal::InvalidBoard { message: too_many.to_string() }],
        NoRoom: [NoRoom::Full],
        DefinitionError: [DefinitionError::Version],
        SurfaceRefusal: [
            SurfaceRefusal::SurfaceExists,
            SurfaceRefusal::ActionInProgress { event: EventId::new("1").unwrap(), until: at },
        ],
        StatePathError: [
            StatePath::new("a b").unwrap_err(),
            StatePath::new("__proto__").unwrap_err(),
        ],
        StatePointerError: [
            StatePointer::new(&"/a".repeat(StatePointer::MAX_BYTES)).unwrap_err(),
            StatePointer::new("/constructor").unwrap_err(),
        ],
        DateExprError: [
            date("yesterday"), date("2026-01-31"), date("2026-02-30||"), date("2026-01-31T9||"), date("now1d"),
            date("now+d"), date("now+1x"), date(&format!("now{}", "+1d".repeat(9))), date("0000-01-01||"),
        ],
        JsonPointerError: [
            JsonPointer::new("/~2").unwrap_err(),
            JsonPointer::new(&"/a".repeat(50_000)).unwrap_err(),
        ],
        EncodeError: [EncodeError::BadOption { place: "/options/max_tokens", value: "0".into() }],
        DecodeError: [
            DecodeError::NotJson { place: "/a".into(), reason: "it ends".into() },
            DecodeError::Broken { frames: 2, reason: "a checksum does not match" },
            DecodeError::Cut { frames: 2 },
            DecodeError::TooLarge { place: String::new(), limit: 1, unit: "bytes" },
            DecodeError::Provider { kind: "billing_error".into(), message: "Pay first.".into(), retryable: false },
        ],
        LoopError: [
            LoopError::UnknownCall { call_id: "a".into() },
            LoopError::AlreadyAnswered { call_id: "a".into() },
            LoopError::UnknownLease { lease_id: "lease-1-0".parse().unwrap() },
        ],
    }
}

/// Runs commands on a board and returns their summaries, with `ID` for the id of a component.
fn summaries() -> Vec<(String, String)> {
    let mut world = World::with_grid(6, 4);
    let (one, two) = (world.tile(0, 0), world.tile(2, 0));
    let with = |mut payload: Value, name: &str, value: Value| {
        payload[name] = value;
        json!({"type": "component.create", "payload": payload})
    };
    let update = |id: &Value, meta: Value| json!({"type": "component.update", "payload": {"componentId": id, "meta": meta}});
    let resized = |id: &Value, cols: u32, rows: u32| json!({"type": "component.resize", "payload": {"componentId": id, "size": {"cols": cols, "rows": rows}}});
    let clear = |keep: bool| json!({"type": "canvas.clear", "payload": {"preservePinned": keep}});
    let view = ViewId::new("view_x").unwrap();
    let commands = [
        json!({"type": "component.create", "payload": {"typeId": "github.pr-list", "config": {"repo": "o/r"}}}),
        with(tile(0, 1), "typeId", json!("weather")),
        with(tile(0, 1), "config", json!([])),
        with(tile(0, 1), "config", json!({"repo": "o/r"})),
        with(tile(0, 1), "config", json!({"repo": 1, "metric": "hearts"})),
        with(tile(0, 1), "size", json!({"cols": 9, "rows": 1})),
        with(tile(0, 0), "size", json!({"cols": 5, "rows": 1})),
        tile_at(5, 3),
        moved(&one, 4, 0),
        moved(&one, 4, 0),
        moved(&json!("gone"), 0, 0),
        resized(&one, 2, 2),
        resized(&one, 3, 2),
        update(&one, json!({"label": "L"})),
        update(&two, json!({"pinned": true})),
        update(&one, json!({})),
        json!({"type": "view.save", "payload": {"name": "V"}}),
        json!({"type": "view.load", "payload": {"viewId": view}}),
        json!({"type": "settings.update", "payload": {"theme": "dark"}}),
        json!({"type": "settings.update", "payload": {"theme": "dark"}}),
        json!({"type": "settings.update", "payload": {"grid": grid(6, 4)}}),
        json!({"type": "trigger.remove", "payload": {"triggerId": "t"}}),
        json!({"type": "batch", "payload": {"commands": [], "description": ""}}),
        clear(true),
        clear(true),
        clear(false),
        clear(false),
    ];
    let mut rows = Vec::new();
    for command in commands {
        let source = json!({"op": "board.command", "source": "user", "command": command});
        let result = world.ask(source);
        let warnings = result["warnings"].as_array().into_iter().flatten();
        for said in [&result["explanation"]].into_iter().chain(warnings) {
            let said = said
                .as_str()
                .unwrap()
                .replace(one.as_str().unwrap(), "ID")
                .replace(two.as_str().unwrap(), "ID");
            rows.push((command["type"].as_str().unwrap().to_owned(), said));
        }
    }
    rows
}

fn tile_at(col: u32, row: u32) -> Value {
    json!({"type": "component.create", "payload": tile(col, row)})
}

/// Notices for the person whose directive failed.
fn notices() -> Vec<(String, String)> {
    [Advice::Resync, Advice::Correct, Advice::Wait]
        .map(|one| (format!("{one:?}"), one.text().to_owned()))
        .into()
}

fn advice() -> Vec<(String, String)> {
    let suggestions = [Suggestion::Rebased(String::new()), Suggestion::AlreadyApplied];
    let reasons = Reason::ALL.iter().map(|reason| (reason.code().to_owned(), reason.advice().to_owned()));
    let limits = ExceededLimit::ALL.iter().map(|limit| (limit.code().to_owned(), limit.advice().to_owned()));
    let others = suggestions.iter().map(|one| ("a suggestion".to_owned(), one.advice().to_owned()));
    reasons.chain(limits).chain(others).collect()
}

/// Lower case except for codes and names of types, and no full stop.
fn has_style(text: &str) -> bool {
    let first = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let is_name = first.chars().skip(1).any(char::is_uppercase);
    (is_name || !first.starts_with(char::is_uppercase)) && !text.ends_with('.')
}

#[test]
fn messages_are_those_of_the_table() {
    let mut errors: Vec<_> = samples()
        .into_iter()
        .map(|sample| (format!("{} {}", sample.name, sample.code), sample.text))
        .collect();
    errors.extend(cases());
    let advice = advice();
    // The first line of a native error is the sentence of another tool, which its model was trained on.
    for (label, text) in errors.iter().chain(&advice).filter(|(label, _)| !label.starts_with("NativeError "))
    {
        assert!(has_style(text), "{label} begins with a capital or ends with a full stop: {text}");
    }
    let mut found = String::new();
    let sections = [
        ("Errors", errors),
        ("Advice", advice),
        ("Notices", notices()),
        ("Summaries of the board", summaries()),
    ];
    for (title, rows) in sections {
        writeln!(found, "# {title}\n").unwrap();
        for (label, text) in rows {
            writeln!(found, "{label}: {}", text.replace('\n', "\\n")).unwrap();
        }
        found.push('\n');
    }
    let found = format!("{}\n", found.trim_end());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(TABLE);
    if std::env::var_os("CANVAS_MESSAGES").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let table = std::fs::read_to_string(&path).unwrap_or_default();
    let changed: Vec<_> = found.lines().filter(|line| !table.lines().any(|known| known == *line)).collect();
    assert!(table == found, "CANVAS_MESSAGES=write writes the table anew; its new lines: {changed:#?}");
}

/// Messages without a sample have the same style.
#[test]
fn sources_have_the_style_of_the_table() {
    for source in super::sources(&super::CRATES.map(|krate| format!("{krate}/src"))) {
        for (at, attribute) in source.match_indices("#[error(") {
            let Some(text) = source[at + attribute.len()..].trim_start().strip_prefix('"') else { continue };
            let end = text.match_indices('"').find(|(at, _)| !text[..*at].ends_with('\\')).unwrap().0;
            assert!(has_style(&text[..end]), "{}", &text[..end]);
        }
    }
}

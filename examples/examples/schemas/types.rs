//! The public types that are JSON.

use canvas_core::{
    board, document, history, json, lease, proposal, recipe, schema, store, surface, text, turn, version,
    watch,
};
use schemars::JsonSchema;
use schemars::generate::{Contract, SchemaSettings};
use serde_json::Value;

use super::files::SchemaFile;

macro_rules! types {
    ($files:ident, $folder:literal, $contract:ident: $($type:ty),+ $(,)?) => {
        $({
            let path = stringify!($type).replace(' ', "");
            let name = path.rsplit(':').next().expect("a path has a name");
            $files.push(file::<$type>($folder, name, Contract::$contract));
        })+
    };
}

/// What hosts send is `input`, what they get is `output`.
pub(crate) fn all() -> Vec<SchemaFile> {
    let mut files = Vec::new();
    types!(files, "input", Deserialize:
        board::Batch,
        board::CanvasCommand,
        board::ComponentDefinition,
        board::DataResult,
        board::GridPolicy,
        board::HistoryAction,
        board::ProactiveTrigger,
        board::QueryDefinition,
        board::SelectedItem,
        board::SettingsUpdate,
        board::UserAction,
        board::Workspace,
        canvas_tools::recipe::RecipeDeclaration,
        canvas_tools::surface::ActionParams,
        canvas_tools::surface::CanvasParams,
        canvas_tools::surface::CreateParams,
        canvas_tools::surface::DeleteParams,
        canvas_tools::surface::ListParams,
        canvas_tools::surface::PatchParams,
        canvas_tools::surface::UpsertParams,
        document::Base,
        json::JsonPatchOperation,
        canvas_core::rollout::Rollout,
        recipe::DateParameter,
        recipe::MappingSpec,
        recipe::RecipeSpec,
        recipe::Target,
        surface::CanvasSpec,
        surface::Confirmation,
        surface::StatePatch,
        surface::ToolPolicy,
    );
    types!(files, "output", Serialize:
        board::AgenticCanvasError,
        board::Aliases,
        board::BatchCommandResult,
        board::BoardResult,
        board::CanvasContext,
        board::CanvasEvent,
        board::CommandError,
        board::CommandErrorCode,
        board::CommandExecutionError,
        board::CommandResult,
        board::ContextBudget,
        board::DataError,
        board::DataFetchError,
        board::DataLoadingState,
        board::HistoryState,
        board::PlacementHints,
        board::PlacementResult,
        board::SummarizationLevel,
        board::TemporalContext,
        board::TriggerMemory,
        board::UndoEntry,
        board::ValidationFailedCode,
        board::ValidationFailedError,
        board::ValidationResult,
        board::Workspace,
        canvas_tools::directive::Action,
        canvas_tools::native::NativeConflict,
        canvas_tools::recipe::Escalation,
        canvas_tools::recipe::RunRecord,
        surface::ActionEnded,
        document::AppliedPatch,
        document::ApplyPatchRefusal,
        board::BoardCommandRefusal,
        board::BoardCommandRun,
        board::BoardCreated,
        watch::CanvasStatus,
        document::Changes,
        lease::CheckOutRefusal,
        lease::CheckedIn,
        lease::CheckedOut,
        board::CreateBoardRefusal,
        document::EditRefusal,
        document::Edited,
        canvas_core::ErrorReport,
        canvas_core::Face,
        turn::Forgotten,
        watch::HeadRevision,
        history::HistoryCleared,
        history::HistoryEntry,
        history::HistoryMove,
        history::LineWriter,
        lease::HolderRefusal,
        document::EditStructureRefusal,
        document::HostEditRefusal,
        document::HostEdited,
        turn::Interrupted,
        document::LineSpan,
        document::LinesNow,
        watch::LockEvent,
        watch::LockView,
        version::NamedVersion,
        proposal::OwnedSpan,
        proposal::PartsDecided,
        turn::Promotion,
        proposal::Proposal,
        proposal::ProposalText,
        proposal::Proposed,
        document::ProtectedSet,
        document::Readable,
        recipe::RecipeCommandRefusal,
        recipe::RecipeRecorded,
        lease::Renewed,
        document::ReplaceLinesRefusal,
        recipe::ReplayFinished,
        version::RestoreRefusal,
        version::Restored,
        history::Stacks,
        document::StaleEdit,
        surface::StatePatched,
        surface::SurfaceCommandRefusal,
        surface::SurfaceCreated,
        surface::SurfaceUpserted,
        turn::TurnBegan,
        turn::TurnEnded,
        proposal::Withdrawn,
        turn::WorkMode,
        turn::WorkModeSet,
        store::TurnStart,
        history::UndoRefusal,
        version::VersionCommandRefusal,
        schema::ValidationError,
        store::Version,
        watch::WatchEvent,
        recipe::CanvasData,
        recipe::Drift,
        recipe::RecipeFault,
        surface::AuditRecord,
        surface::ConfirmationPrompt,
        surface::Descriptor,
        surface::NumberedRecord,
        surface::Sink,
        surface::SpecWarning,
        surface::StateChange,
        surface::SurfaceEvent,
        surface::SurfaceFault,
        surface::SurfaceFile,
        text::AddressError,
        text::ApplyError,
        text::Conflict,
        text::DiffExcerpt,
        text::EditPolicyError,
        text::GrepError,
        text::Mismatch,
        text::PartView,
        text::RedlineSpan,
        text::Repair,
        text::Suggestion,
        text::Summary,
        text::TextEdit,
    );
    files
}

fn file<T: JsonSchema>(folder: &str, name: &str, contract: Contract) -> SchemaFile {
    let mut settings = SchemaSettings::draft2020_12();
    settings.contract = contract;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if folder == "output" {
        never_null(&mut schema);
    }
    SchemaFile::new(&format!("{folder}/{name}"), name, schema)
}

/// What may be left out of an output is left out where it would be null.
fn never_null(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let required = fields.get("required").cloned().unwrap_or_default();
            let is_required =
                |name: &String| required.as_array().is_some_and(|all| all.iter().any(|one| one == name));
            let properties = fields.get_mut("properties").and_then(Value::as_object_mut);
            for (_, property) in properties.into_iter().flatten().filter(|(name, _)| !is_required(name)) {
                if let Some(types) = property.get_mut("type").and_then(Value::as_array_mut) {
                    types.retain(|name| name != "null");
                }
                if let Some(choices) = property.get_mut("anyOf").and_then(Value::as_array_mut) {
                    choices.retain(|choice| choice["type"] != "null");
                }
            }
            fields.values_mut().for_each(never_null);
        }
        Value::Array(items) => items.iter_mut().for_each(never_null),
        _ => {}
    }
}

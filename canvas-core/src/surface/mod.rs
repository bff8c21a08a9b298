//! Surfaces, which are declarative state, actions and assets. The press of a button runs an allowed tool without a
//! model, and no value ever becomes a command.
//!
//! Each group of modules uses only those before it:
//!
//! * `error`, `limits` and `name`
//! * `state` for the values, their paths and changes
//! * `file` and `diff` for the reversible changes of a command
//! * `sink` for the contexts in which a value may be used
//! * `contract` for a tool of the host, `template`, and `policy` for the permissions of the host
//! * `spec` with its parts, `asset` and `descriptor`
//! * `confirmation`, `plan` for a resolved action, and `audit`
//!
//! `jobs`, the schedule of automatic actions, and `event`, the messages to clients, only use names and paths.

pub(crate) mod asset;
pub(crate) mod audit;
pub(crate) mod confirmation;
pub(crate) mod contract;
pub(crate) mod descriptor;
pub(crate) mod diff;
pub(crate) mod error;
pub(crate) mod event;
pub(crate) mod file;
pub(crate) mod jobs;
pub(crate) mod limits;
pub(crate) mod plan;
pub(crate) mod policy;
pub(crate) mod refusal;
pub(crate) mod sink;
pub(crate) mod spec;
pub(crate) mod state;
mod step;
#[cfg(feature = "proptest")]
pub mod strategies;
pub(crate) mod template;

pub(crate) use crate::model::surface as name;
pub use asset::{Asset, AssetPath, AssetPathError, Assets};
pub use audit::{ActionOutcome, AuditRecord, NumberedRecord};
pub use confirmation::{Confirmation, ConfirmationPrompt};
pub use contract::{ContractError, ToolContract, ToolDeclaration};
pub use descriptor::Descriptor;
pub use diff::{FileChange, SurfaceDiff};
pub use error::{SurfaceCode, SurfaceFault};
pub use event::{SurfaceEvent, SurfaceEventKind};
pub use file::SurfaceFile;
pub use jobs::{DueJob, JobKey, JobPolicy, JobTiming, RefreshJobs, RequestToken};
pub use limits::SurfaceLimits;
pub use name::{ActionId, AgentId, ClientId, EventId, JobId, RunnerId, SessionKey, SurfaceActor, ToolName};
pub use plan::{CallPlan, PlanRequest};
pub use policy::{ActionReach, Ceiling, Confirm, PolicyView, widens};
pub use sink::Sink;
pub use spec::action::{Action, ActionKind};
pub use spec::binding::BindingName;
pub use spec::check::{SpecWarning, SpecWarningCode};
pub use spec::compiled::Spec;
pub use spec::refresh::RefreshJob;
pub use spec::wire::{ActionSpec, CanvasSpec, RefreshSpec, SurfaceMode, ToolPolicy};
pub use state::change::{StateChange, StateConflict, changed_paths};
pub use state::patch::StatePatch;
pub use state::path::{StatePath, StatePathError};
pub use state::pointer::{StatePointer, StatePointerError};
pub use state::surface_state::{ChangedState, SurfaceState};
pub use state::value::StateValue;
pub use template::{Scope, Template, TemplateOptions, ValuePath, ValuePathError};

pub use self::refusal::SurfaceRefusal;
pub use crate::engine::Surface;
pub use crate::transition::refusal::SurfaceCommandRefusal;
pub use crate::transition::surface::begin::BeginAction;
pub use crate::transition::surface::create::{CreateSurface, SurfaceCreated};
pub use crate::transition::surface::ended::{ActionBegun, ActionEnded, RunningAction};
pub use crate::transition::surface::finish::{ActionFailure, FinishAction};
pub use crate::transition::surface::patch::{PatchState, StatePatched};
pub use crate::transition::surface::plan::PlanAction;
pub use crate::transition::surface::request::{ActionName, ActionRequest, ActionWork, PlannedAction};
pub use crate::transition::surface::upsert::{SurfaceUpserted, UpsertSurface};

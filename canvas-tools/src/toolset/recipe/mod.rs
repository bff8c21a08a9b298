//! The tools of recipes, `canvas_record_recipe` and `canvas_refresh`. They take no lease.
//!
//! * A recipe consists of calls that the host passed to the session's [`Recorder`](crate::Recorder).
//! * A refresh calls the host's tools without the model, but only read-only tools that are allowed.

mod failure;
mod names;
mod reply_schema;

use std::fmt;
use std::sync::Arc;

use canvas_core::board::ComponentId;
use canvas_core::recipe::{NonRefreshable, RunId};
use canvas_core::rollout::Access;
use canvas_core::store::Store;
use canvas_core::{Author, BlobId, Engine, NameError, Policy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use self::failure::{RecipeDetail, of_record, of_refusal, of_replay};
pub use self::names::{RECORD_RECIPE, REFRESH};
pub(crate) use self::reply_schema::reply_schema;
use super::call::ToolCall;
use super::context::{ToolContext, ToolFuture, Toolset};
use super::spec::{ToolSpec, has_tool, schema_of};
use crate::action::ToolHost;
use crate::arguments::arguments;
use crate::recipe::{RecipeDeclaration, Refresher, ReplayError, ReplayRequest, turn_composition};
use crate::reply::{Failure, ToolError, ToolReply, success};

/// The tools that record recipes and refresh data, by calls of a host's own tools.
pub struct RecipeTools<H> {
    host: Arc<H>,
    refresher: Arc<Refresher>,
}

impl<H> fmt::Debug for RecipeTools<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecipeTools").field("refresher", &self.refresher).finish_non_exhaustive()
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RefreshArguments {
    /// IDs of the components to refresh (from canvas context). Leave it out to refresh all.
    #[serde(default)]
    #[schemars(with = "Option<Vec<String>>")]
    components: Option<Vec<ComponentId>>,
}

/// Reply fields of `canvas_record_recipe`, in addition to `ok` and `revision_id`.
#[derive(Debug, Serialize, JsonSchema)]
struct RecordFields<'a> {
    /// Id of the stored recipe, or null if no component can be refreshed.
    #[schemars(with = "Option<String>")]
    recipe: Option<BlobId>,
    /// Components that a replay cannot refresh, in the order of the mappings.
    non_refreshable: &'a [NonRefreshable],
}

impl<H: ToolHost> RecipeTools<H> {
    /// Creates the tools, with the host whose tools are called and the refresher that keeps the pauses of its canvases.
    pub fn new(host: Arc<H>, refresher: Arc<Refresher>) -> Self {
        Self { host, refresher }
    }

    /// Returns the tools that a policy opens to models.
    pub fn list(policy: &Policy) -> Vec<ToolSpec> {
        if policy.permits(Access::Write).is_err() {
            return Vec::new();
        }
        let record = "Keep how your tool calls of this turn made the data of the canvas, so that it can refresh itself \
                      without you. Use it after the components show the data. It replaces the recipe that is there.";
        let refresh = "Make the data of the canvas anew by its recipe, as of now. Use it when the user asks for fresh data.";
        vec![
            ToolSpec {
                name: RECORD_RECIPE.into(),
                description: record.into(),
                parameters: schema_of::<RecipeDeclaration>(),
            },
            ToolSpec {
                name: REFRESH.into(),
                description: refresh.into(),
                parameters: schema_of::<RefreshArguments>(),
            },
        ]
    }

    async fn record<S: Store>(
        &self,
        context: &ToolContext<'_, S>,
        declaration: &RecipeDeclaration,
    ) -> Result<ToolReply, ToolError> {
        let composition = turn_composition(context.engine, context.session, context.now).await?;
        let limits = &context.engine.policy().recipe;
        let turn = match context.session.recorder.declare(declaration, composition.as_ref(), limits) {
            Ok(turn) => turn,
            Err(error) => return self.failed(context, of_record(&error)).await,
        };
        let answered = context.run(turn.command(Author::Assistant { lease: None })).await?;
        let recorded = match answered.result {
            Ok(recorded) => recorded,
            Err(refusal) => return self.failed(context, of_refusal(&refusal)).await,
        };
        let fields = RecordFields { recipe: recorded.recipe, non_refreshable: &recorded.non_refreshable };
        Ok(ToolReply::new(success(answered.snapshot.revision_id(), &fields)))
    }

    async fn refresh<S: Store>(
        &self,
        context: &ToolContext<'_, S>,
        components: Option<Vec<ComponentId>>,
    ) -> Result<ToolReply, ToolError> {
        let (engine, canvas) = (context.engine, &context.session.canvas);
        // A call that is made again is another replay: the data may be others by now.
        let run = run_name(context).map_err(|error| ToolError::argument("", error.to_string()))?;
        let operation = context.session.operation(
            canvas_core::CallId::new(run.as_str())
                .map_err(|error| ToolError::argument("", error.to_string()))?,
        );
        let by = Author::Assistant { lease: None };
        let request = ReplayRequest { by, now: context.now, zone: None, components, dry_run: false };
        let refreshed = self.refresher.refresh(engine, &*self.host, (canvas, &operation), run, request).await;
        match refreshed {
            Ok(report) => {
                let snapshot = context.snapshot().await?;
                Ok(ToolReply::new(success(snapshot.revision_id(), &report.fields())))
            }
            Err(ReplayError::Engine(error)) => Err(error.into()),
            Err(error) => self.failed(context, of_replay(&error)).await,
        }
    }

    async fn failed<S: Store>(
        &self,
        context: &ToolContext<'_, S>,
        failure: Failure<RecipeDetail>,
    ) -> Result<ToolReply, ToolError> {
        let snapshot = context.snapshot().await.ok();
        Ok(ToolReply::failed(&failure, snapshot.as_ref()))
    }
}

/// Returns a name for a replay that no other replay of the canvas has.
fn run_name<S: Store>(context: &ToolContext<'_, S>) -> Result<RunId, NameError> {
    let operation = context.session.operation(context.id.clone());
    let parts = json!([operation.conversation, operation.turn, operation.call, context.now]);
    RunId::new(&format!("run-{}", &BlobId::of(parts.to_string().as_bytes()).to_string()[..32]))
}

impl<S: Store, H: ToolHost> Toolset<S> for RecipeTools<H> {
    fn names(&self) -> Vec<&str> {
        vec![RECORD_RECIPE, REFRESH]
    }

    fn specs(&self, engine: &Engine<S>) -> Vec<ToolSpec> {
        Self::list(engine.policy())
    }

    fn task(&self) -> &'static str {
        "keep how data were made, and refresh them"
    }

    fn prompt(&self, specs: &[ToolSpec]) -> Vec<String> {
        if !has_tool(specs, RECORD_RECIPE) {
            return Vec::new();
        }
        vec![format!(
            "After tool results became data of components, call {RECORD_RECIPE} once: map each component to a call of this \
             turn, and declare arguments that move with time by $date, such as now-7d/d. {REFRESH} makes the data anew."
        )]
    }

    fn call<'a>(&'a self, context: ToolContext<'a, S>, call: &'a ToolCall) -> ToolFuture<'a> {
        Box::pin(async move {
            context.permits(&call.name, Access::Write)?;
            if call.name == RECORD_RECIPE {
                let declaration: RecipeDeclaration = arguments(&call.arguments)?;
                return self.record(&context, &declaration).await;
            }
            let RefreshArguments { components } = arguments(&call.arguments)?;
            self.refresh(&context, components).await
        })
    }
}

//! Tools of the board face: the usual nine, and five that a host switches on. They take no lease.
//!
//! `arguments` reads a call, `checked` makes commands of it, `execute` runs them, and `reply` says what came of it.

mod alias;
mod arguments;
mod checked;
mod dry_run;
mod execute;
mod map;
pub(crate) mod plan;
mod prompt;
mod reply;
mod schema;
mod tool;

use canvas_core::board::Registry;
use canvas_core::{Engine, Policy, Store};

use self::alias::shorten_ids;
use self::arguments::Arguments;
use self::checked::CheckedCall;
use self::execute::BoardToolContext;
use self::reply::reply;
use self::tool::Tool;
use super::call::ToolCall;
use super::error::ToolError;
use super::spec::ToolSpec;
use super::{ToolContext, ToolFuture, Toolset, permit};
use crate::reply::ToolReply;

/// The tools of the board face: `create_component`, `modify_component`, `arrange_canvas`, `remove_component`,
/// `refresh_component`, `undo`, `redo`, `save_view`, `load_view`, and those below that are switched on. A call of one that
/// is off is answered as that of a tool that does not exist.
///
/// A refusal often brings the same call corrected, which was tried and would be done. What happened on the board, and
/// which data to fetch, is in [`ToolReply::board`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct BoardTools {
    /// `plan_canvas` and `commit_plan`: what some calls would do, and doing exactly these.
    pub plans: bool,
    /// `delete_view`: deletes a saved view.
    pub delete_view: bool,
    /// `clear_canvas`: takes all components away, or all that are not pinned.
    pub clear_canvas: bool,
    /// `label_component`: names a component, pins it or unpins it.
    pub label_component: bool,
}

impl BoardTools {
    /// All fourteen.
    pub const ALL: Self = Self { plans: true, delete_view: true, clear_canvas: true, label_component: true };

    /// The tools that a policy opens to models, for the component types of a registry.
    ///
    /// `create_component` takes the config of each type that is registered, told apart by `type_id`. A registry without
    /// types has no such tool.
    ///
    /// ```
    /// use canvas_core::Policy;
    /// use canvas_core::board::Registry;
    /// use canvas_tools::BoardTools;
    ///
    /// let tools = BoardTools::default().list(&Registry::built_in(), &Policy::default());
    /// let create = &tools[0];
    /// assert_eq!(create.name, "create_component");
    /// assert_eq!(create.parameters["properties"]["type_id"]["enum"][2], "github.pr-list");
    /// assert_eq!(create.parameters["anyOf"][2]["properties"]["config"]["required"][0], "repo");
    /// ```
    pub fn list(self, registry: &Registry, policy: &Policy) -> Vec<ToolSpec> {
        let open = Tool::of(self).filter(|tool| policy.permits(tool.access()).is_ok());
        open.filter_map(|tool| tool.spec(registry)).collect()
    }

    async fn run<S: Store>(
        self,
        context: ToolContext<'_, S>,
        call: &ToolCall,
    ) -> Result<ToolReply, ToolError> {
        let tool = Tool::named(&call.name, self)?;
        permit(context.engine.policy(), tool.access())?;
        let arguments = Arguments::read(tool, &call.arguments, self)?;
        let checked = CheckedCall::new(arguments, &context.session.aliases);
        let mut context = BoardToolContext { context, toolset: self, tool, call };
        let (outcome, snapshot) = context.execute(checked).await?;
        let reply = reply(outcome, &snapshot, tool);
        Ok(shorten_ids(reply, &context.context.session.aliases))
    }
}

impl<S: Store> Toolset<S> for BoardTools {
    fn names(&self) -> Vec<&str> {
        Tool::of(*self).map(Tool::name).collect()
    }

    fn specs(&self, engine: &Engine<S>) -> Vec<ToolSpec> {
        self.list(engine.registry(), engine.policy())
    }

    fn task(&self) -> &'static str {
        "arrange a shared board of components"
    }

    fn prompt(&self, specs: &[ToolSpec]) -> Vec<String> {
        prompt::lines(specs)
    }

    fn call<'a>(&'a self, context: ToolContext<'a, S>, call: &'a ToolCall) -> ToolFuture<'a> {
        Box::pin(self.run(context, call))
    }
}

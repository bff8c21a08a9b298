//! Names, descriptions and access of the board tools.

use canvas_core::board::{BoardRules, GridPolicy};
use canvas_core::rollout::Access;

use crate::toolset::names::tools;

/// The tools of the board face: `create_component`, `modify_component`, `arrange_canvas`, `remove_component`,
/// `refresh_component`, `undo`, `redo`, `save_view`, `load_view`, and the optional ones below. Calling a tool that you
/// did not switch on fails as if it did not exist.
///
/// A refusal often contains the same call in a corrected form, which was tried and would succeed.
/// [`ToolReply::board`](crate::ToolReply::board) has the board's events and the components whose data you should fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct BoardTools {
    /// Adds `plan_canvas` and `commit_plan`, which show the effect of some calls and then make exactly those changes.
    pub plans: bool,
    /// Adds `delete_view`, which deletes a saved view.
    pub delete_view: bool,
    /// Adds `clear_canvas`, which removes all components, or only unpinned ones.
    pub clear_canvas: bool,
    /// Adds `label_component`, which names a component, pins it or unpins it.
    pub label_component: bool,
    /// Adds `request_action`, which asks the user to run an action of a component. You show the request in
    /// [`BoardEffects::requested`](crate::BoardEffects::requested), and only the user can run it.
    pub request_action: bool,
    /// Adds `show_canvas`, which lists the components with their places, for hosts whose prompts do not contain the
    /// board.
    pub show_canvas: bool,
    /// Whether `create_component` is refused if the call names no position and no free place exists. Otherwise the
    /// board's own rules decide, and the component may cover others.
    pub refuse_overlap: bool,
}

impl BoardTools {
    /// All sixteen tools, with the board's own rules for a component without a free place.
    pub const ALL: Self = Self {
        plans: true,
        delete_view: true,
        clear_canvas: true,
        label_component: true,
        request_action: true,
        show_canvas: true,
        refuse_overlap: false,
    };
}

impl BoardTools {
    /// Returns the policy that replaces the board's own rule for a component without a free place.
    pub(super) fn grid(self) -> Option<GridPolicy> {
        self.refuse_overlap.then_some(GridPolicy::Reject)
    }

    /// Returns the rules under which calls of this toolset run.
    pub(super) fn rules(self, rules: BoardRules) -> BoardRules {
        BoardRules { grid: self.grid().unwrap_or(rules.grid), ..rules }
    }
}

tools! {
    pub(super) enum Tool of BoardTools {
        Create = "create_component",
        Modify = "modify_component",
        Arrange = "arrange_canvas",
        Remove = "remove_component",
        Refresh = "refresh_component",
        Undo = "undo",
        Redo = "redo",
        SaveView = "save_view",
        LoadView = "load_view",
        Plan = "plan_canvas",
        Commit = "commit_plan",
        DeleteView = "delete_view",
        Clear = "clear_canvas",
        Label = "label_component",
        RequestAction = "request_action",
        Show = "show_canvas",
    }
}

impl Tool {
    /// Returns the tools of a host, which are the nine standard ones and those that it enabled.
    pub(super) fn of(toolset: BoardTools) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |tool| match tool {
            Self::Plan | Self::Commit => toolset.plans,
            Self::DeleteView => toolset.delete_view,
            Self::Clear => toolset.clear_canvas,
            Self::Label => toolset.label_component,
            Self::RequestAction => toolset.request_action,
            Self::Show => toolset.show_canvas,
            _ => true,
        })
    }

    /// Whether a plan may contain calls of this tool.
    pub(super) const fn is_plannable(self) -> bool {
        !matches!(
            self,
            Self::Refresh
                | Self::Undo
                | Self::Redo
                | Self::Plan
                | Self::Commit
                | Self::RequestAction
                | Self::Show
        )
    }

    pub(super) const fn access(self) -> Access {
        match self {
            Self::Refresh | Self::RequestAction | Self::Show => Access::Read,
            _ => Access::Write,
        }
    }

    /// Returns the description. The wording of the first nine descriptions is a fixed part of the board's interface.
    pub(super) const fn description(self) -> &'static str {
        match self {
            Self::Create => {
                "Add a new component to the canvas. Use this when the user asks to show, display, or add information."
            }
            Self::Modify => {
                "Update an existing component's configuration. Use component_id from canvas context."
            }
            Self::Arrange => "Move or resize one or more components. Use for layout changes.",
            Self::Remove => "Remove a component from the canvas.",
            Self::Refresh => {
                "Trigger a data refresh for a component. Use when user asks to update or refresh data."
            }
            Self::Undo => "Undo the last canvas change. Use when user asks to undo, revert, or go back.",
            Self::Redo => "Redo a previously undone canvas change.",
            Self::SaveView => "Save the current canvas layout as a named view for later use.",
            Self::LoadView => {
                "Load a previously saved view, replacing current canvas. Pinned components are preserved."
            }
            Self::Plan => {
                "Try some calls of the other canvas tools together, without changing anything: see what they would do \
                 and a map of the grid after them. Pass the plan_id to commit_plan to do exactly these, as one change."
            }
            Self::Commit => {
                "Do what plan_canvas showed. Fails with REVISION_CONFLICT if the board has changed since: plan again."
            }
            Self::DeleteView => "Delete a saved view. The canvas itself stays as it is.",
            Self::Clear => "Take all components off the canvas. Pinned ones stay unless you say otherwise.",
            Self::Label => {
                "Name a component, or pin it so that loading a view and clearing the canvas leave it alone."
            }
            Self::RequestAction => {
                "Ask the user to run an action of a component. Only the user runs it: say what it would do, and do not wait."
            }
            Self::Show => {
                "Show the components of the canvas, each with its id, type, place and config, and the saved views."
            }
        }
    }
}

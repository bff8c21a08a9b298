//! Builds the whole context, within a budget.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use canvas_lease::safe_integer;
use serde::Serialize;

use super::alias::Aliases;
use super::score::Scores;
use super::shape::{
    CanvasContext, ComponentSummary, ContextBudget, SummarizationLevel, ViewSummary, WorkspaceContext,
};
use super::summary::{TypeInfo, summarize};
use super::temporal::TemporalContext;
use super::tokens::TokenCounter;
use super::utilization::utilization;
use crate::board::model::id::{ComponentId, TypeId, ViewId};
use crate::board::model::workspace::{ComponentInstance, View, Workspace};
use crate::model::error::CodedError;
use crate::model::wording::{NAME, clip};

/// The inputs of a context other than the workspace.
#[derive(Debug, Clone, Copy)]
pub struct ContextInput<'a> {
    /// The current time, from [`temporal_context`](super::temporal_context).
    pub temporal: &'a TemporalContext,
    /// The view that is shown, from [`Board::active_view`](crate::board::Board::active_view).
    pub active_view: Option<&'a ViewId>,
    /// The components changed most recently, the last change first. Only the first 16 count.
    pub recent: &'a [ComponentId],
    /// Names to use in place of ids. A component without one is shown by its id.
    pub aliases: Option<&'a Aliases>,
    /// Maximum number of tokens of the whole context, as compact JSON.
    pub max_tokens: u64,
    /// Maximum number of components to show. If there are more, the least valuable are left out.
    pub max_components: usize,
}

impl<'a> ContextInput<'a> {
    /// Creates an input with 4,000 tokens and 20 components, without a view, recent changes or aliases.
    pub const fn new(temporal: &'a TemporalContext) -> Self {
        Self {
            temporal,
            active_view: None,
            recent: &[],
            aliases: None,
            max_tokens: 4_000,
            max_components: 20,
        }
    }
}

/// Error returned if a context cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContextError {
    /// The smallest possible context exceeds the budget.
    #[error(
        "the context has at least {needed} tokens, and {max} are allowed: allow {needed}, or show at most {fits} components"
    )]
    BudgetTooSmall {
        /// The smallest `max_tokens` that is enough.
        needed: u64,
        /// The `max_tokens` of the input.
        max: u64,
        /// The number of components that would fit. If it is 0, perhaps even the rest does not fit.
        fits: usize,
    },
}

impl CodedError for ContextError {
    fn code(&self) -> &'static str {
        match self {
            Self::BudgetTooSmall { .. } => "BUDGET_TOO_SMALL",
        }
    }
}

/// Builds the description of a workspace for a model, in at most [`ContextInput::max_tokens`] tokens of compact JSON as
/// `counter` counts them.
///
/// `types` returns the facts about a type. A component of an unknown type is shown, too.
///
/// Each component begins at [`SummarizationLevel::Minimal`]. The rest of the budget buys details, those with the most
/// value for a token first. Value comes from errors, recent changes, pins, the user's own components and size, in this
/// order. The first step up is worth more than the second, and the description of a view is worth less than most. The
/// same input gives the same context.
///
/// Costs `O(n log n)` in the components of the workspace, and counts the tokens of the shown parts a few times.
///
/// # Errors
///
/// Returns [`ContextError::BudgetTooSmall`] if even the minimal summaries do not fit. The error says how many tokens
/// they need.
pub fn canvas_context<'t>(
    workspace: &Workspace,
    input: &ContextInput<'_>,
    types: impl Fn(&TypeId) -> Option<TypeInfo<'t>>,
    counter: &(impl TokenCounter + ?Sized),
) -> Result<CanvasContext, ContextError> {
    let scores = Scores::new(&workspace.canvas.components, input.recent);
    let mut shown: Vec<Shown<'_, 't>> = workspace
        .canvas
        .components
        .iter()
        .enumerate()
        .map(|(at, component)| Shown { at, component, value: scores.of(component), info: None })
        .collect();
    shown.sort_by_key(|one| (Reverse(one.value), one.at));
    shown.truncate(input.max_components);
    for one in &mut shown {
        one.info = types(&one.component.type_id);
    }
    let draft = Draft { workspace, input, shown, counter, utilization: utilization(&workspace.canvas) };

    let floor = draft.context(&[]);
    let Some(least) = draft.settle(floor.clone()) else { return Err(draft.too_small(floor)) };
    let mut steps = draft.steps();
    while !steps.is_empty() {
        if let Some(context) = draft.settle(draft.context(&steps)) {
            return Ok(context);
        }
        // Reached only if the counter finds more tokens in the whole than in its parts.
        steps.truncate(steps.len() / 2);
    }
    Ok(least)
}

/// A component to show, in the order of value.
struct Shown<'a, 't> {
    at: usize,
    component: &'a ComponentInstance,
    value: u64,
    info: Option<TypeInfo<'t>>,
}

/// A detail that the budget may buy.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Step {
    what: Detail,
    value: u64,
    cost: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Detail {
    /// Raises the component with this rank to a level.
    Level(usize, SummarizationLevel),
    /// Describes the view with this index.
    Description(usize),
}

impl Ord for Step {
    /// Compares by value for a token. If equal, the component with the lower rank is greater.
    fn cmp(&self, other: &Self) -> Ordering {
        let here = u128::from(self.value) * u128::from(other.cost.max(1));
        let there = u128::from(other.value) * u128::from(self.cost.max(1));
        here.cmp(&there).then_with(|| other.what.cmp(&self.what))
    }
}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

struct Draft<'a, 't, C: ?Sized> {
    workspace: &'a Workspace,
    input: &'a ContextInput<'a>,
    shown: Vec<Shown<'a, 't>>,
    counter: &'a C,
    utilization: f64,
}

impl<C: TokenCounter + ?Sized> Draft<'_, '_, C> {
    /// Returns the details that the budget buys, in the order of purchase.
    fn steps(&self) -> Vec<Step> {
        let mut left = self.max_tokens().saturating_sub(self.estimate(&self.context(&[])));
        let mut offers: BinaryHeap<Step> = (0..self.shown.len())
            .map(|rank| self.offer(rank, SummarizationLevel::Condensed))
            .chain(self.workspace.views.iter().enumerate().filter_map(|(at, view)| self.describe(at, view)))
            .collect();
        let mut bought = Vec::new();
        while let Some(step) = offers.pop() {
            if step.cost > left {
                continue;
            }
            left -= step.cost;
            bought.push(step);
            if let Detail::Level(rank, SummarizationLevel::Condensed) = step.what {
                offers.push(self.offer(rank, SummarizationLevel::Full));
            }
        }
        bought
    }

    fn offer(&self, rank: usize, level: SummarizationLevel) -> Step {
        let (below, share) = match level {
            SummarizationLevel::Full => (SummarizationLevel::Condensed, 2),
            _ => (SummarizationLevel::Minimal, 3),
        };
        let cost =
            self.cost(&self.summary(rank, level)).saturating_sub(self.cost(&self.summary(rank, below)));
        // One more, because both counts may be rounded.
        Step { what: Detail::Level(rank, level), value: self.shown[rank].value * share, cost: cost + 1 }
    }

    fn describe(&self, at: usize, view: &View) -> Option<Step> {
        let short = view_summary(view, false);
        let long = view_summary(view, true);
        long.description.as_ref()?;
        let cost = self.cost(&long).saturating_sub(self.cost(&short)) + 1;
        Some(Step { what: Detail::Description(at), value: 100, cost })
    }

    /// Builds the context with these details.
    fn context(&self, steps: &[Step]) -> CanvasContext {
        let mut levels = vec![SummarizationLevel::Minimal; self.shown.len()];
        let mut described = vec![false; self.workspace.views.len()];
        for step in steps {
            match step.what {
                Detail::Level(rank, level) => levels[rank] = level,
                Detail::Description(at) => described[at] = true,
            }
        }
        let mut ranks: Vec<usize> = (0..self.shown.len()).collect();
        ranks.sort_unstable_by_key(|&rank| self.shown[rank].at);
        let Workspace { canvas, views, .. } = self.workspace;
        CanvasContext {
            components: ranks.iter().map(|&rank| self.summary(rank, levels[rank])).collect(),
            temporal: self.input.temporal.clone(),
            workspace: WorkspaceContext {
                id: self.workspace.id.clone(),
                name: clip(&self.workspace.name, NAME),
                active_view_id: self.input.active_view.cloned(),
                saved_views: views
                    .iter()
                    .zip(described)
                    .map(|(view, long)| view_summary(view, long))
                    .collect(),
                component_count: canvas.components.len(),
                grid_utilization: self.utilization,
            },
            budget: ContextBudget {
                max_tokens: self.max_tokens(),
                used_tokens: 0,
                max_components: self.input.max_components,
                summarization_level: levels.into_iter().min().unwrap_or(SummarizationLevel::Full),
            },
        }
    }

    fn summary(&self, rank: usize, level: SummarizationLevel) -> ComponentSummary {
        let Shown { component, info, .. } = &self.shown[rank];
        let alias = self.input.aliases.and_then(|aliases| aliases.of(&component.id));
        let name = alias.and_then(|alias| ComponentId::new(&alias).ok());
        summarize(component, name.unwrap_or_else(|| component.id.clone()), info.as_ref(), level)
    }

    /// Returns the context with its number of tokens, if the budget allows them.
    ///
    /// This number is part of the counted text, so it is set again until it is large enough.
    fn settle(&self, mut context: CanvasContext) -> Option<CanvasContext> {
        for _ in 0..ROUNDS {
            let used = self.cost(&context);
            if used > context.budget.max_tokens {
                return None;
            }
            if used <= context.budget.used_tokens {
                return Some(context);
            }
            context.budget.used_tokens = used;
        }
        None
    }

    fn too_small(&self, mut floor: CanvasContext) -> ContextError {
        let mut needed = 0;
        for _ in 0..ROUNDS {
            (floor.budget.max_tokens, floor.budget.used_tokens) = (needed, needed);
            let cost = self.cost(&floor);
            if cost <= needed {
                break;
            }
            needed = cost;
        }

        floor.components.clear();
        floor.budget.max_tokens = self.max_tokens();
        let mut left = self.max_tokens().saturating_sub(self.estimate(&floor));
        let fits = (0..self.shown.len())
            .map_while(|rank| {
                left = left.checked_sub(self.piece(rank))?;
                Some(())
            })
            .count();
        ContextError::BudgetTooSmall { needed, max: self.max_tokens(), fits }
    }

    /// Returns an upper bound of a context's cost for any `usedTokens`. The bound holds because no context is returned
    /// that exceeds the budget.
    fn estimate(&self, context: &CanvasContext) -> u64 {
        let mut context = context.clone();
        context.budget.used_tokens = context.budget.max_tokens;
        // The longest of the three names.
        context.budget.summarization_level = SummarizationLevel::Condensed;
        self.cost(&context)
    }

    /// Returns the cost of a minimal component, with the comma before it.
    fn piece(&self, rank: usize) -> u64 {
        self.cost(&self.summary(rank, SummarizationLevel::Minimal)) + 1
    }

    fn cost(&self, part: &impl Serialize) -> u64 {
        let json = serde_json::to_string(part).expect("the context has string keys alone");
        self.counter.count(&json)
    }

    /// JSON does not carry numbers of more than 53 bits.
    fn max_tokens(&self) -> u64 {
        self.input.max_tokens.min(safe_integer::MAX)
    }
}

/// Each round adds a digit to the number of tokens, which has at most 16 digits.
const ROUNDS: usize = 20;

fn view_summary(view: &View, described: bool) -> ViewSummary {
    let description = view.description.as_deref().filter(|_| described);
    ViewSummary {
        id: view.id.clone(),
        name: clip(&view.name, NAME),
        description: description.map(|text| clip(text, 2 * NAME)),
        component_count: view.snapshot.components.len(),
    }
}

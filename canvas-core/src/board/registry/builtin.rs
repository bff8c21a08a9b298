//! The built-in types for pull requests, issues, activity and numbers of a repository.

use serde_json::{Map, Value, json};

use super::{
    BindingRule, ComponentActionDefinition, ComponentCapability, ComponentCategory, ComponentDefinition,
    Registry,
};
use crate::board::model::grid::Size;
use crate::board::model::id::{DataSourceId, TypeId};

impl Registry {
    /// Creates the registry of the four built-in types, which are `github.pr-list`, `github.issue-grid`,
    /// `github.stat-tile` and `github.activity-timeline`. Their components may have any size from one cell to the whole
    /// grid. If a command names no binding, their config determines the query to the source `mock-github`.
    ///
    /// # Panics
    ///
    /// Never, because the definitions are constants, and a test registers them.
    pub fn built_in() -> Self {
        let mut registry = Self::new();
        for definition in [pr_list(), issue_grid(), stat_tile(), activity_timeline()] {
            registry.register(definition).expect("built-in definitions have no fault");
        }
        registry
    }
}

fn pr_list() -> ComponentDefinition {
    use ComponentCapability::{Filterable, Interactive, Refreshable, Sortable};
    ComponentDefinition {
        config_schema: object(
            &["repo"],
            json!({
                "repo": repo(),
                "state": state(),
                "limit": {"type": "integer", "default": 10, "minimum": 1, "maximum": 50},
            }),
        ),
        default_config: fields(json!({"state": "open", "limit": 10})),
        default_size: Size::new(4, 3),
        capabilities: vec![Interactive, Refreshable, Filterable, Sortable],
        actions: vec![
            refresh(),
            selected("open", "Open", "Opens the selected pull request."),
            selected("summarize", "Summarize", "Sums up the selected pull request."),
        ],
        ..github(
            "github.pr-list",
            "PR List",
            "List of pull requests with status, author, reviewers",
            ComponentCategory::Data,
            ("pull_requests", &["repo", "state", "limit"]),
        )
    }
}

fn issue_grid() -> ComponentDefinition {
    use ComponentCapability::{Filterable, Interactive, Refreshable, Sortable};
    ComponentDefinition {
        config_schema: object(
            &["repo"],
            json!({
                "repo": repo(),
                "state": state(),
                "labels": {
                    "type": "array", "items": {"type": "string"}, "description": "Filter by labels",
                },
                "limit": {"type": "integer", "default": 20, "minimum": 1},
            }),
        ),
        default_config: fields(json!({"state": "open", "limit": 20})),
        default_size: Size::new(4, 3),
        capabilities: vec![Interactive, Refreshable, Filterable, Sortable],
        actions: vec![refresh(), selected("open", "Open", "Opens the selected issue.")],
        ..github(
            "github.issue-grid",
            "Issue Grid",
            "Grid of issues with labels, assignees, state",
            ComponentCategory::Data,
            ("issues", &["repo", "state", "labels", "limit"]),
        )
    }
}

fn stat_tile() -> ComponentDefinition {
    ComponentDefinition {
        config_schema: object(
            &["repo", "metric"],
            json!({
                "repo": repo(),
                "metric": {
                    "type": "string",
                    "enum": ["open_prs", "open_issues", "stars", "forks", "contributors"],
                    "description": "Which metric to display (required)",
                },
            }),
        ),
        default_size: Size::new(2, 1),
        capabilities: vec![ComponentCapability::Refreshable],
        actions: vec![refresh()],
        ..github(
            "github.stat-tile",
            "Stat Tile",
            "Single metric display (count, percentage)",
            ComponentCategory::Metric,
            ("stats", &["repo", "metric"]),
        )
    }
}

fn activity_timeline() -> ComponentDefinition {
    use ComponentCapability::{Filterable, Interactive, Refreshable};
    ComponentDefinition {
        config_schema: object(
            &["repo"],
            json!({
                "repo": repo(),
                "types": {
                    "type": "array",
                    "items": {"type": "string", "enum": ["push", "pr", "issue", "release", "comment"]},
                    "default": ["push", "pr", "issue"],
                },
                "limit": {"type": "integer", "default": 20, "minimum": 1},
            }),
        ),
        default_config: fields(json!({"types": ["push", "pr", "issue"], "limit": 20})),
        default_size: Size::new(4, 4),
        capabilities: vec![Interactive, Refreshable, Filterable],
        actions: vec![refresh(), selected("open", "Open", "Opens what the selected entry is about.")],
        ..github(
            "github.activity-timeline",
            "Activity Timeline",
            "Chronological feed of repo activity",
            ComponentCategory::Timeline,
            ("activity", &["repo", "types", "limit"]),
        )
    }
}

/// Fills in the common parts of the four definitions.
fn github(
    type_id: &str,
    name: &str,
    description: &str,
    category: ComponentCategory,
    (query, params): (&str, &[&str]),
) -> ComponentDefinition {
    let type_id = TypeId::new(type_id).expect("a constant");
    ComponentDefinition {
        binding_rule: Some(BindingRule {
            source: DataSourceId::new("mock-github").expect("a constant"),
            query: query.to_owned(),
            params: params.iter().map(|&name| name.to_owned()).collect(),
            refresh_interval: None,
        }),
        ..ComponentDefinition::new(type_id, name, description, category, Value::Bool(true))
    }
}

fn refresh() -> ComponentActionDefinition {
    let refresh = selected("refresh", "Refresh", "Fetches the data again.");
    ComponentActionDefinition { requires_selection: None, ..refresh }
}

fn selected(action_id: &str, label: &str, description: &str) -> ComponentActionDefinition {
    ComponentActionDefinition {
        action_id: action_id.to_owned(),
        label: label.to_owned(),
        description: description.to_owned(),
        icon: None,
        requires_selection: Some(true),
        params: None,
    }
}

fn repo() -> Value {
    json!({
        "type": "string", "pattern": "^[^/\\s]+/[^/\\s]+$",
        "description": "Repository in owner/repo format (required)",
    })
}

fn state() -> Value {
    json!({"type": "string", "enum": ["open", "closed", "all"], "default": "open"})
}

fn object(required: &[&str], properties: Value) -> Value {
    json!({"type": "object", "properties": properties, "required": required})
}

fn fields(json: Value) -> Map<String, Value> {
    match json {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

//! Guarantees of a context, for boards of any shape.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::board::model::id::{ComponentId, ViewId};
use crate::board::model::workspace::{ComponentInstance, View, Workspace};
use crate::board::{ComponentCategory, TypeId};

pub(super) fn component(id: &str) -> ComponentInstance {
    from(json!({
        "id": id, "typeId": "github.pr-list", "position": {"col": 0, "row": 0}, "size": {"cols": 6, "rows": 2},
        "config": {"repo": "acme/app", "limit": 10}, "dataBinding": null, "dataState": {"status": "idle"},
        "meta": {"createdAt": 1, "createdBy": "assistant", "pinned": false}
    }))
}

fn from<T: serde::de::DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(json).unwrap()
}

fn workspace(components: Vec<ComponentInstance>, views: Vec<View>) -> Workspace {
    let grid = json!({"columns": 12, "rows": 8, "gap": 8, "cellWidth": 80, "cellHeight": 80});
    let mut workspace: Workspace = from(json!({
        "id": "ws_1", "name": "Work", "canvas": {"grid": grid, "components": []}, "threadId": "t", "views": [],
        "triggers": [], "createdAt": 1, "updatedAt": 1,
        "settings": {
            "theme": "dark", "voiceEnabled": false, "defaultRefreshInterval": 60000, "grid": grid, "proactiveMode": "suggest"
        }
    }));
    (workspace.canvas.components, workspace.views) = (components, views);
    workspace
}

fn types(id: &TypeId) -> Option<TypeInfo<'static>> {
    (id.as_str() == "github.pr-list").then(|| TypeInfo {
        name: "PR List",
        category: ComponentCategory::Data,
        actions: vec!["open", "refresh"],
    })
}

fn now() -> TemporalContext {
    temporal_context(canvas_lease::Timestamp::from_millis(0), "UTC", &DayPlan::default()).unwrap()
}

/// Returns the context of a board with only this component, within the budget.
fn shown(component: ComponentInstance, max_tokens: u64) -> CanvasContext {
    let workspace = workspace(vec![component], vec![]);
    let time = now();
    let input = ContextInput { max_tokens, ..ContextInput::new(&time) };
    canvas_context(&workspace, &input, types, &ByteEstimate).unwrap()
}

fn with(change: impl FnOnce(&mut ComponentInstance)) -> ComponentInstance {
    let mut one = component("cmp_a");
    change(&mut one);
    one
}

fn state(one: &mut ComponentInstance, state: Value) {
    one.data_state = from(state);
}

fn tokens(context: &CanvasContext) -> u64 {
    ByteEstimate.count(&serde_json::to_string(context).unwrap())
}

#[test]
fn components_in_words() {
    let network = json!({
        "code": "NETWORK", "message": "No route\nto the host.", "source": "mock-github", "retryable": true,
        "retryAfter": 3000
    });
    for (one, summary, highlights) in [
        (with(|_| {}), "PR List: limit 10, repo acme/app. It has no data binding.", &[][..]),
        (
            with(|one| {
                one.meta.label = Some("Open\u{0}  work".to_owned());
                one.meta.pinned = true;
                state(one, json!({"status": "loading", "startedAt": 1}));
            }),
            "PR List \"Open work\": limit 10, repo acme/app. Its data are being fetched.",
            &["pinned"],
        ),
        (
            with(|one| state(one, json!({"status": "error", "error": network, "attemptedAt": 1}))),
            "PR List: limit 10, repo acme/app. Its data could not be fetched.",
            &["error NETWORK: No route to the host. (may succeed after 3000 ms)"],
        ),
        (
            with(|one| {
                let items = json!([
                    {"number": 12, "title": "Mend the login", "state": "open"}, {"name": "b"}, [], {"id": 4}, 5
                ]);
                state(one, json!({"status": "ready", "data": items, "fetchedAt": 1}));
            }),
            "PR List: limit 10, repo acme/app.",
            &["items: 5", "#12 Mend the login (open)", "b"],
        ),
        (
            with(|one| {
                let data = json!({"value": 42, "trend": "+3", "items": [{"title": "x"}], "nested": {"a": 1}});
                state(one, json!({"status": "stale", "data": data, "fetchedAt": 1}));
                one.config.clear();
            }),
            "PR List. Its data are out of date.",
            &["items: 1", "x", "trend: +3", "value: 42"],
        ),
        (
            with(|one| {
                one.type_id = TypeId::new("gone.type").unwrap();
                one.config = from(json!({"labels": ["a", "b"], "at": {"x": 1}, "on": true}));
                state(one, json!({"status": "ready", "data": null, "fetchedAt": 1}));
            }),
            "gone.type (a type that is not registered): at (1 fields), labels a, b, on true.",
            &["null"],
        ),
    ] {
        let context = shown(one, 4_000);
        assert_eq!(context.budget.summarization_level, SummarizationLevel::Full);
        let [summarized] = context.components.as_slice() else { panic!("one component") };
        assert_eq!(summarized.summary, summary);
        assert_eq!(summarized.highlights, highlights);
    }
}

#[test]
fn a_small_budget_keeps_errors_and_labels() {
    let one = with(|one| {
        one.meta.label = Some("Open work".to_owned());
        let error = json!({"code": "TIMEOUT", "message": "Too slow.", "source": "s", "retryable": false});
        state(one, json!({"status": "error", "error": error, "attemptedAt": 1}));
    });
    let workspace = workspace(vec![one], vec![]);
    let time = now();
    let context = |max_tokens| {
        let input = ContextInput { max_tokens, ..ContextInput::new(&time) };
        canvas_context(&workspace, &input, types, &ByteEstimate)
    };
    let Err(ContextError::BudgetTooSmall { needed, max: 10, fits: 0 }) = context(10) else {
        panic!("too small")
    };
    let least = context(needed).unwrap();
    assert_eq!(least.budget.summarization_level, SummarizationLevel::Minimal);
    assert_eq!(least.components[0].summary, "Open work");
    assert_eq!(least.components[0].highlights, ["error TIMEOUT: Too slow."]);
    assert_eq!(least.components[0].actions, [""; 0]);
    let message = context(needed - 1).unwrap_err().to_string();
    assert!(message.contains(&format!("allow {needed}")), "{message}");
    let levels: Vec<_> =
        (needed..4_000).map(|max| context(max).unwrap().budget.summarization_level).collect();
    assert!(levels.is_sorted(), "of one component, a larger budget never tells less");
    assert!(levels.contains(&SummarizationLevel::Condensed) && levels.contains(&SummarizationLevel::Full));
}

#[test]
fn what_matters_comes_first() {
    let quiet = |id: &str| component(id);
    let error = json!({"code": "UNKNOWN", "message": "Odd.", "source": "s", "retryable": false});
    let failed = |id: &str| {
        let mut one = component(id);
        state(&mut one, json!({"status": "error", "error": error, "attemptedAt": 1}));
        one
    };
    let pinned = |id: &str| {
        let mut one = component(id);
        one.meta.pinned = true;
        one
    };
    let mine = |id: &str| {
        let mut one = component(id);
        one.meta.created_by = crate::Role::User;
        one
    };
    let large = |id: &str| {
        let mut one = component(id);
        one.size.rows = 4;
        one
    };
    let id = |id: &str| ComponentId::new(id).unwrap();
    for (one, other, recent) in [
        (failed("a"), pinned("b"), vec![id("b"), id("b")]),
        (quiet("a"), pinned("b"), vec![id("a")]),
        (quiet("a"), quiet("b"), vec![id("a"), id("b")]),
        (pinned("a"), mine("b"), vec![]),
        (mine("a"), large("b"), vec![]),
        (large("a"), quiet("b"), vec![]),
        (quiet("a"), quiet("b"), vec![]),
    ] {
        let tied = one == component("a") && recent.is_empty();
        for components in [vec![one.clone(), other.clone()], vec![other, one]] {
            let workspace = workspace(components, vec![]);
            let time = now();
            let input = ContextInput { recent: &recent, max_components: 1, ..ContextInput::new(&time) };
            let context = canvas_context(&workspace, &input, types, &ByteEstimate).unwrap();
            let [shown] = context.components.as_slice() else { panic!("one component is shown") };
            let expected = if tied { workspace.canvas.components[0].id.as_str() } else { "a" };
            assert_eq!(shown.id.as_str(), expected, "{recent:?}");
            assert_eq!(context.workspace.component_count, 2);
        }
    }
}

#[test]
fn aliases_and_views_and_the_whole_as_json() {
    let mut mine = component("cmp_7f3a9c1e5b");
    mine.data_binding = None;
    let view: View = from(json!({
        "id": "view_1", "name": "Monday", "description": "What\nto do", "triggerIds": [], "createdAt": 1,
        "snapshot": {
            "grid": {"columns": 12, "rows": 8, "gap": 8, "cellWidth": 80, "cellHeight": 80},
            "components": [component("cmp_b"), component("cmp_c")]
        }
    }));
    let workspace = workspace(vec![mine], vec![view]);
    let mut aliases = Aliases::default();
    aliases.learn(&workspace.canvas);
    let active = ViewId::new("view_1").unwrap();
    let time = now();
    let input =
        ContextInput { aliases: Some(&aliases), active_view: Some(&active), ..ContextInput::new(&time) };
    let context = canvas_context(&workspace, &input, types, &ByteEstimate).unwrap();
    assert_eq!(
        json!(context),
        json!({
            "components": [{
                "id": "c1", "typeId": "github.pr-list", "typeName": "PR List", "category": "data",
                "position": {"col": 0, "row": 0}, "size": {"cols": 6, "rows": 2},
                "summary": "PR List: limit 10, repo acme/app. It has no data binding.", "highlights": [],
                "actions": ["open", "refresh"], "stateStatus": "idle"
            }],
            "temporal": {
                "timestamp": "1970-01-01T00:00:00+00:00", "timezone": "UTC", "dayOfWeek": "thursday",
                "timeOfDay": "night", "isWorkHours": false
            },
            "workspace": {
                "id": "ws_1", "name": "Work", "activeViewId": "view_1",
                "savedViews": [{"id": "view_1", "name": "Monday", "description": "What to do", "componentCount": 2}],
                "componentCount": 1, "gridUtilization": 0.125
            },
            "budget": {
                "maxTokens": 4000, "usedTokens": tokens(&context), "maxComponents": 20, "summarizationLevel": "full"
            }
        })
    );
    assert_eq!(aliases.resolve("c1"), Some(&workspace.canvas.components[0].id));
}

#[test]
fn hostile_content_is_cut() {
    let long = "wide \u{1F600}\u{202E}".repeat(1_000_000);
    let mut deep = json!(1);
    for _ in 0..100 {
        deep = json!([deep]);
    }
    let one = with(|one| {
        one.meta.label = Some(long.clone());
        one.config = from(json!({ "a": long, long.clone(): 1, "deep": deep }));
        let data =
            json!({ "a": long, "items": [long, {"title": long, "state": long, "number": long}], "z": deep });
        state(one, json!({"status": "ready", "data": data, "fetchedAt": 1}));
    });
    let context = shown(one, 4_000);
    let [component] = context.components.as_slice() else { panic!("one component") };
    assert!(component.summary.split_whitespace().count() < 50);
    assert!(component.summary.chars().count() <= 320);
    assert!(component.highlights.iter().all(|highlight| highlight.chars().count() <= 120));
    // A budget is a number in JSON.
    assert_eq!(
        shown(component_with_error(&long), u64::MAX).budget.max_tokens,
        canvas_lease::safe_integer::MAX
    );
}

fn component_with_error(message: &str) -> ComponentInstance {
    with(|one| {
        let error = json!({"code": "UNKNOWN", "message": message, "source": "s", "retryable": true});
        state(one, json!({"status": "error", "error": error, "attemptedAt": 1}));
    })
}

#[test]
fn twenty_thousand_components() {
    let components: Vec<_> = (0..20_000).map(|at| component(&format!("cmp_{at}"))).collect();
    let workspace = workspace(components, vec![]);
    let time = now();
    let context = canvas_context(&workspace, &ContextInput::new(&time), types, &ByteEstimate).unwrap();
    assert_eq!((context.components.len(), context.workspace.component_count), (20, 20_000));
    let all = ContextInput { max_components: 20_000, ..ContextInput::new(&time) };
    let Err(ContextError::BudgetTooSmall { needed, fits, .. }) =
        canvas_context(&workspace, &all, types, &ByteEstimate)
    else {
        panic!("too many")
    };
    assert!(needed > 1_000_000 && (20..60).contains(&fits), "{needed} {fits}");
}

#[test]
fn a_counter_that_finds_more_in_the_whole_is_heeded() {
    // Long texts cost twice as many tokens for each byte, so that the parts look cheap.
    let steep = |text: &str| if text.len() < 1_500 { text.len() as u64 / 2 } else { text.len() as u64 };
    let workspace = workspace((0..10).map(|at| component(&format!("cmp_{at}"))).collect(), vec![]);
    let time = now();
    let mut made = 0;
    for max_tokens in (0..6_000).step_by(50) {
        let input = ContextInput { max_tokens, ..ContextInput::new(&time) };
        if let Ok(context) = canvas_context(&workspace, &input, types, &steep) {
            made += 1;
            let used = steep(&serde_json::to_string(&context).unwrap());
            assert!(used <= context.budget.used_tokens && context.budget.used_tokens <= max_tokens);
        }
    }
    assert!(made > 40, "{made}");
}

fn text() -> impl Strategy<Value = String> {
    // People mostly write letters; the other characters break lines, JSON strings and byte counts.
    prop_oneof![4 => "[a-z ]{0,40}", 1 => "[\"\\\\\n\t\u{0}é漢\u{1F600}]{0,60}"]
}

fn states() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({"status": "idle"})),
        Just(json!({"status": "loading", "startedAt": 1})),
        (text(), 0_u32..99).prop_map(|(title, value)| json!({
            "status": "ready", "data": {"value": value, "items": [{"title": title}]}, "fetchedAt": 1
        })),
        (text(), any::<bool>()).prop_map(|(message, retryable)| json!({
            "status": "error", "attemptedAt": 1,
            "error": {"code": "NETWORK", "message": message, "source": "s", "retryable": retryable}
        })),
    ]
}

/// Ids are sometimes repeated, because a handmade workspace may have that, too.
fn components() -> impl Strategy<Value = Vec<ComponentInstance>> {
    let one =
        (0_u32..24, states(), proptest::option::of(text()), any::<(bool, bool)>(), 0_u32..20, 1_u32..12);
    let one = one.prop_map(|(number, data, label, (pinned, known), at, size)| {
        let mut one = component(&format!("cmp_{number}"));
        state(&mut one, data);
        (one.meta.label, one.meta.pinned) = (label, pinned);
        (one.position.row, one.size.cols) = (at, size);
        if !known {
            one.type_id = TypeId::new("unknown.type").unwrap();
        }
        one
    });
    proptest::collection::vec(one, 0..12)
}

fn views() -> impl Strategy<Value = Vec<View>> {
    proptest::collection::vec((0_u32..9, text(), proptest::option::of(text())), 0..4).prop_map(|views| {
        let view = |(id, name, description): (u32, String, Option<String>)| View {
            id: ViewId::new(&format!("view_{id}")).unwrap(),
            name,
            description,
            snapshot: workspace(vec![], vec![]).canvas,
            trigger_ids: vec![],
            created_at: canvas_lease::Timestamp::from_millis(1),
        };
        views.into_iter().map(view).collect()
    })
}

proptest! {
    /// The whole JSON keeps to the budget and states its size. The budget that an error asks for is enough, and one
    /// token less is not. Every displayed error has its code and message.
    #[test]
    fn a_context_keeps_to_its_budget(
        components in components(), views in views(), max_tokens in 0_u64..3_000, max_components in 0_usize..14,
        recent in proptest::collection::vec(0_u32..24, 0..20),
    ) {
        let workspace = workspace(components, views);
        let time = now();
        let recent: Vec<_> =
            recent.into_iter().map(|at| ComponentId::new(&format!("cmp_{at}")).unwrap()).collect();
        let make = |max_tokens, max_components| {
            let input = ContextInput { max_tokens, max_components, recent: &recent, ..ContextInput::new(&time) };
            canvas_context(&workspace, &input, types, &ByteEstimate)
        };
        match make(max_tokens, max_components) {
            Ok(context) => {
                prop_assert!(tokens(&context) == context.budget.used_tokens);
                prop_assert!(context.budget.used_tokens <= max_tokens);
                prop_assert_eq!(context.components.len(), max_components.min(workspace.canvas.components.len()));
                // The rest of the budget buys no more, as far as the parts tell. A step costs less than this.
                let full = context.budget.summarization_level == SummarizationLevel::Full;
                prop_assert!(full || max_tokens - context.budget.used_tokens < 250);
                for shown in &context.components {
                    prop_assert!(shown.summary.split_whitespace().count() < 50);
                    if shown.state_status == LoadingStatus::Error {
                        prop_assert!(shown.highlights[0].starts_with("error NETWORK: "));
                    }
                }
                prop_assert_eq!(make(max_tokens, max_components).unwrap(), context);
            }
            Err(ContextError::BudgetTooSmall { needed, max, fits }) => {
                prop_assert_eq!(max, max_tokens);
                prop_assert!(needed > max);
                prop_assert_eq!(make(needed, max_components).unwrap().budget.used_tokens, needed);
                prop_assert!(make(needed - 1, max_components).is_err());
                prop_assert!(fits <= max_components);
                if fits > 0 {
                    prop_assert!(make(max_tokens, fits).is_ok());
                }
            }
        }
    }

    /// Applied to the context shown before, the changes result in the current one. They are never longer than the
    /// whole.
    #[test]
    fn changes_lead_from_one_context_to_another(
        before in components(), fresh in components(), keep in any::<u16>(),
        (old_views, new_views) in (views(), views()), max_tokens in 2_000_u64..6_000, alias in any::<bool>(),
    ) {
        // A part of the old components, with new ones before and after them.
        let mut after: Vec<ComponentInstance> = Vec::new();
        for (at, one) in before.iter().chain(&fresh).enumerate() {
            if keep >> (at % 16) & 1 == 1 {
                after.insert(if at % 3 == 0 { 0 } else { after.len() }, one.clone());
            }
        }
        let time = now();
        let mut aliases = Aliases::default();
        let mut make = |components, views| {
            let workspace = workspace(components, views);
            aliases.learn(&workspace.canvas);
            let aliases = alias.then_some(&aliases);
            let input = ContextInput { max_tokens: 2 * max_tokens, aliases, ..ContextInput::new(&time) };
            canvas_context(&workspace, &input, types, &ByteEstimate).unwrap()
        };
        let (before, after) = (make(before, old_views), make(after, new_views));
        let changes = diff_contexts(&before, &after);
        let mut value = json!(before);
        let patch: ::json_patch::Patch = from(json!(changes));
        ::json_patch::patch(&mut value, &patch).unwrap();
        prop_assert_eq!(&value, &json!(after));
        let whole = json!([{"op": "replace", "path": "", "value": after}]);
        prop_assert!(json!(changes).to_string().len() <= whole.to_string().len());
        prop_assert_eq!(changes.is_empty(), before == after);
    }
}

#[test]
fn a_small_change_is_a_small_patch() {
    let three = ["cmp_a", "cmp_b", "cmp_c"].map(component);
    let time = now();
    let make = |components: &[ComponentInstance]| {
        canvas_context(
            &workspace(components.to_vec(), vec![]),
            &ContextInput::new(&time),
            types,
            &ByteEstimate,
        )
        .unwrap()
    };
    let paths = |before: &CanvasContext, after: &CanvasContext| -> Vec<String> {
        let said = diff_contexts(before, after);
        said.iter()
            .map(|change| json!(change))
            .map(|change| format!("{} {}", change["op"].as_str().unwrap(), change["path"].as_str().unwrap()))
            .collect()
    };
    let before = make(&three);
    let used = "replace /budget/usedTokens";
    let count = "replace /workspace/componentCount";
    for (after, expected) in [
        (make(&three), vec![]),
        (make(&three[1..]), vec!["remove /components/0", used, count]),
        (
            make(&[component("cmp_n"), three[0].clone(), three[1].clone(), three[2].clone()]),
            vec!["add /components/0", used, count],
        ),
        (
            make(&[with(|one| one.position.row = 1), three[1].clone(), three[2].clone()]),
            vec![used, "replace /components/0/position/row", "replace /workspace/gridUtilization"],
        ),
    ] {
        assert_eq!(paths(&before, &after), expected);
    }
    // Twenty removed components have longer names than the little that remains.
    let twenty: Vec<_> = (0..20).map(|at| component(&format!("cmp_{at}"))).collect();
    assert_eq!(paths(&make(&twenty), &make(&[])), ["replace "]);
}

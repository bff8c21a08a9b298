use std::collections::BTreeSet;
use std::sync::LazyLock;

use canvas_core::testing::block_on;
use proptest::prelude::*;
use serde_json::Map;

use super::*;

static SOURCE: LazyLock<MockGithub> = LazyLock::new(MockGithub::new);
const NOON: u64 = 20_000 * DAY + DAY / 2;

fn ask(kind: &str, params: Value, now: u64) -> Result<DataResult, DataError> {
    let Value::Object(params) = params else { panic!("parameters are an object") };
    let query = DataQuery { kind: kind.to_owned(), params };
    block_on(SOURCE.execute(&query, Timestamp::from_millis(now)))
}

#[test]
fn queries_answer_what_their_schemas_say() {
    let source = MockGithub::default();
    assert_eq!(source.id().as_str(), "mock-github");
    let kinds: Vec<_> = source.queries().iter().map(|query| query.kind.as_str()).collect();
    assert_eq!(kinds, ["pull_requests", "issues", "stats", "activity"]);
    for query in source.queries() {
        let result = Schema::compile(&query.result_schema).unwrap();
        for repo in ["a/b", "some-owner/some.repo", "0/0"] {
            let mut params = json!({"repo": repo});
            if query.kind == "stats" {
                params["metric"] = json!("open_prs");
            }
            let answer = ask(&query.kind, params.clone(), NOON).unwrap();
            assert_eq!(result.validate(&answer.data), []);
            assert_eq!(answer.meta.fetched_at.as_millis(), NOON);
            assert_eq!(Value::Object(answer.meta.query.params), params);
            assert!(answer.meta.ttl > 0 && !answer.meta.stale);
            assert_eq!(answer.meta.pagination.is_some(), query.kind != "stats");
        }
    }
}

#[test]
fn errors_are_provoked_by_name() {
    use DataErrorCode::{
        Forbidden, InvalidQuery, Network, NotFound, RateLimited, SourceUnavailable, Timeout, Unauthorized,
        Unknown,
    };
    for (kind, params, code, retryable) in [
        ("stars", json!({"repo": "a/b"}), InvalidQuery, false),
        ("", json!({}), InvalidQuery, false),
        ("issues", json!({}), InvalidQuery, false),
        ("issues", json!({"repo": 7}), InvalidQuery, false),
        ("issues", json!({"repo": "a"}), InvalidQuery, false),
        ("issues", json!({"repo": "a/"}), InvalidQuery, false),
        ("issues", json!({"repo": "a/b/c"}), InvalidQuery, false),
        ("issues", json!({"repo": "a /b"}), InvalidQuery, false),
        ("issues", json!({"repo": "a/b\n"}), InvalidQuery, false),
        ("issues", json!({"repo": "a/b", "limit": 0}), InvalidQuery, false),
        ("issues", json!({"repo": "a/b", "offset": -1}), InvalidQuery, false),
        ("issues", json!({"repo": "a/b", "state": "new"}), InvalidQuery, false),
        ("issues", json!({"repo": "a/b", "sort": "new"}), InvalidQuery, false),
        ("stats", json!({"repo": "a/b"}), InvalidQuery, false),
        ("stats", json!({"repo": "a/b", "metric": "wins"}), InvalidQuery, false),
        ("activity", json!({"repo": "a/b", "types": ["x"]}), InvalidQuery, false),
        ("issues", json!({"repo": "mock-error/not-found"}), NotFound, false),
        ("issues", json!({"repo": "mock-error/anything"}), NotFound, false),
        ("pull_requests", json!({"repo": "Mock-Error/Unauthorized"}), Unauthorized, false),
        ("activity", json!({"repo": "mock-error/forbidden"}), Forbidden, false),
        ("stats", json!({"repo": "mock-error/rate-limited", "metric": "stars"}), RateLimited, true),
        ("issues", json!({"repo": "mock-error/network"}), Network, true),
        ("issues", json!({"repo": "mock-error/timeout"}), Timeout, true),
        ("issues", json!({"repo": "mock-error/source-unavailable"}), SourceUnavailable, true),
        ("issues", json!({"repo": "mock-error/unknown"}), Unknown, false),
    ] {
        let error = ask(kind, params.clone(), NOON).expect_err(&params.to_string());
        assert_eq!((error.code, error.retryable), (code, retryable), "{kind} {params}");
        assert_eq!(error.retry_after.is_some(), code == RateLimited);
        assert!(!error.message.is_empty());
    }
}

#[test]
fn messages_name_a_place_where_there_is_one() {
    for (params, expected) in [
        (json!({}), "the parameters are wrong: \"repo\" is a required property"),
        (json!({"repo": "a/b", "limit": 0}), "the parameters are wrong: /limit: 0 is less than"),
    ] {
        let error = ask("issues", params, NOON).unwrap_err();
        assert!(error.message.starts_with(expected), "{}", error.message);
    }
}

#[test]
fn answers_are_the_same_everywhere() {
    let answer = ask("issues", json!({"repo": "rust-lang/rust", "limit": 100}), NOON).unwrap();
    let line = |issue: &Value| {
        format!("{} {} {} {}\n", issue["id"], issue["title"], issue["labels"], issue["updatedAt"])
    };
    let text: String = answer.data.as_array().unwrap().iter().map(line).collect();
    // Changes only where the source's data do: say so in the changelog, because hosts test against them.
    assert_eq!(&blake3::hash(text.as_bytes()).to_hex()[..16], "56af636a732b0d22", "{text}");
}

#[test]
fn states_labels_and_metrics_agree() {
    let count = |kind: &str, state: &str| {
        let answer = ask(kind, json!({"repo": "a/b", "state": state}), NOON).unwrap();
        answer.meta.pagination.unwrap().total
    };
    for (kind, metric) in [("pull_requests", "open_prs"), ("issues", "open_issues")] {
        assert_eq!(count(kind, "open") + count(kind, "closed"), count(kind, "all"));
        assert!(count(kind, "open") > 0 && count(kind, "closed") > 0);
        let stat = ask("stats", json!({"repo": "a/b", "metric": metric}), NOON).unwrap();
        assert_eq!(stat.data["value"], json!(count(kind, "open")));
    }
    let bugs = ask("issues", json!({"repo": "a/b", "labels": ["bug"], "limit": 100}), NOON).unwrap();
    let bugs = bugs.data.as_array().unwrap();
    assert!(!bugs.is_empty() && bugs.iter().all(|i| i["labels"].as_array().unwrap().contains(&json!("bug"))));
    let pushes = ask("activity", json!({"repo": "a/b", "types": ["push"]}), NOON).unwrap();
    assert!(pushes.data.as_array().unwrap().iter().all(|entry| entry["type"] == "push"));
    assert_eq!(ask("activity", json!({"repo": "a/b", "types": []}), NOON).unwrap().data, json!([]));
}

proptest! {
    /// Pages put together are the whole; the same day has the same data; all lies in the past, newest first.
    #[test]
    fn pages_are_parts_of_one_list(
        kind in prop::sample::select(vec!["pull_requests", "issues", "activity"]), repo in "[a-c]/[a-z]{1,2}",
        limit in 1..60_u64, at in 0..DAY, day in 0..30_000_u64,
    ) {
        let now = day * DAY + at;
        let mut together = Vec::new();
        let mut offset = 0;
        loop {
            let params = json!({"repo": repo, "limit": limit, "offset": offset});
            let answer = ask(kind, params.clone(), now).unwrap();
            prop_assert_eq!(&ask(kind, params, day * DAY).unwrap().data, &answer.data);
            let page = answer.meta.pagination.unwrap();
            let Value::Array(items) = answer.data else { panic!("a list") };
            prop_assert_eq!(page.offset, offset);
            prop_assert!(items.len() as u64 <= page.limit && page.limit <= limit);
            prop_assert_eq!(page.has_more, offset + (items.len() as u64) < page.total);
            offset += items.len() as u64;
            together.extend(items);
            if !page.has_more {
                prop_assert_eq!(together.len() as u64, page.total);
                break;
            }
        }
        let ids: BTreeSet<_> = together.iter().map(|item| item["id"].as_str().unwrap()).collect();
        prop_assert_eq!(ids.len(), together.len());
        let times: Vec<_> = together
            .iter()
            .map(|item| item.get("createdAt").or_else(|| item.get("timestamp")).and_then(Value::as_u64).unwrap())
            .collect();
        prop_assert!(times.is_sorted_by(|a, b| a >= b) && times.iter().all(|&time| time <= now));
        let past = json!({"repo": repo, "offset": 1_000_000});
        prop_assert_eq!(ask(kind, past, now).unwrap().data, json!([]));
    }

    /// Whatever it is asked, it answers or says what is wrong.
    #[test]
    fn no_query_panics(kind in "pull_requests|issues|stats|activity|\\PC*", repo in ".*", limit in any::<f64>()) {
        let params = Map::from_iter([("repo".to_owned(), json!(repo)), ("limit".to_owned(), json!(limit))]);
        let _ = SOURCE.answer(&DataQuery { kind, params }, Timestamp::from_millis(u64::MAX));
        for number in [1.0, 3.0, 1e300, 18_446_744_073_709_551_615.0] {
            let params = json!({"repo": "a/b", "limit": number, "offset": number});
            prop_assert!(ask("issues", params, 0).is_ok());
        }
    }
}

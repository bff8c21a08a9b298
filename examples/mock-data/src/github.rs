//! A source that looks like GitHub and never asks it.

#[cfg(test)]
mod tests;

use std::future::Future;

use canvas_core::board::{
    DataError, DataErrorCode, DataMeta, DataQuery, DataResult, DataSource, DataSourceId, PaginationMeta,
    QueryDefinition,
};
use canvas_core::lease::Timestamp;
use canvas_core::schema::Schema;
use serde_json::{Value, json};

/// The source `mock-github`. The same query on the same day (UTC) has the same data, everywhere.
///
/// It takes `pull_requests`, `issues`, `stats` and `activity` with the parameters of appendix B, and `offset` for lists. A
/// list has 50 entries at most, 100 of issues and activity; a repository has up to 120 of each kind.
///
/// A query of another kind, or whose parameters its schema refuses, is `INVALID_QUERY`. These repositories provoke an
/// error each: `mock-error/not-found`, `unauthorized`, `forbidden`, `rate-limited` (with `retryAfter`), `network`,
/// `timeout`, `source-unavailable`, `unknown`.
#[derive(Debug, Clone)]
pub struct MockGithub {
    id: DataSourceId,
    queries: Vec<QueryDefinition>,
    params: Vec<Schema>,
}

/// The owner of repositories that provoke errors.
const ERRORS: &str = "mock-error";
const DAY: u64 = 24 * 60 * 60 * 1_000;
const MINUTE: u64 = 60_000;

impl MockGithub {
    /// The source. Compiles a schema for each kind of query: make it once.
    ///
    /// # Panics
    ///
    /// Never: the schemas are constants, and a test compiles them.
    pub fn new() -> Self {
        let queries = definitions();
        let params = queries
            .iter()
            .map(|query| Schema::compile(&query.params_schema).expect("its schemas have no fault"))
            .collect();
        Self { id: DataSourceId::new("mock-github").expect("a constant"), queries, params }
    }

    /// Answers at once.
    ///
    /// # Errors
    ///
    /// As the type says.
    pub fn answer(&self, query: &DataQuery, now: Timestamp) -> Result<DataResult, DataError> {
        let Some(kind) = self.queries.iter().position(|known| known.kind == query.kind) else {
            let known: Vec<_> = self.queries.iter().map(|known| known.kind.as_str()).collect();
            let message = format!("there is no such query: ask one of {}", known.join(", "));
            return Err(self.error(DataErrorCode::InvalidQuery, message));
        };
        let params = Value::Object(query.params.clone());
        if let Some(fault) = self.params[kind].validate(&params).first() {
            let message = format!("the parameters are wrong: {fault}");
            return Err(self.error(DataErrorCode::InvalidQuery, message));
        }
        let repo = params["repo"].as_str().unwrap_or_default().to_ascii_lowercase();
        if let Some((ERRORS, name)) = repo.split_once('/') {
            return Err(self.provoked(name));
        }
        let world = World { repo, today: now.as_millis() / DAY * DAY };
        let limit = |default: u64| number(&params, "limit").unwrap_or(default);
        let (data, pagination, ttl) = match query.kind.as_str() {
            "pull_requests" => {
                let all = world.pull_requests(state(&params));
                page(all, &params, limit(10), 50, MINUTE)
            }
            "issues" => {
                let mut all = world.issues(state(&params));
                let wanted = params["labels"].as_array().map_or(&[][..], Vec::as_slice);
                all.retain(|issue| {
                    let labels = issue["labels"].as_array().map_or(&[][..], Vec::as_slice);
                    wanted.iter().all(|label| labels.contains(label))
                });
                page(all, &params, limit(20), 100, MINUTE)
            }
            "activity" => {
                let mut all = world.activity();
                if let Some(types) = params["types"].as_array() {
                    all.retain(|entry| types.contains(&entry["type"]));
                }
                page(all, &params, limit(20), 100, MINUTE)
            }
            _ => (world.stat(params["metric"].as_str().unwrap_or_default()), None, 5 * MINUTE),
        };
        let meta = DataMeta {
            fetched_at: now,
            source: self.id.clone(),
            query: query.clone(),
            pagination,
            stale: false,
            ttl,
        };
        Ok(DataResult { data, meta })
    }

    fn error(&self, code: DataErrorCode, message: String) -> DataError {
        use DataErrorCode::{Network, RateLimited, SourceUnavailable, Timeout};
        let retryable = matches!(code, Network | RateLimited | SourceUnavailable | Timeout);
        let retry_after = (code == RateLimited).then_some(MINUTE);
        DataError { code, message, source: self.id.clone(), retryable, retry_after }
    }

    fn provoked(&self, name: &str) -> DataError {
        let (code, message) = match name {
            "unauthorized" => (DataErrorCode::Unauthorized, "the source wants credentials: sign in"),
            "forbidden" => {
                (DataErrorCode::Forbidden, "the credentials do not open this repository: ask its owner")
            }
            "rate-limited" => (DataErrorCode::RateLimited, "too many queries: wait for a minute"),
            "network" => (DataErrorCode::Network, "the source was not reached: try again"),
            "timeout" => (DataErrorCode::Timeout, "the source did not answer in time: try again"),
            "source-unavailable" => (DataErrorCode::SourceUnavailable, "the source is down: try again later"),
            "unknown" => (DataErrorCode::Unknown, "something went wrong at the source"),
            _ => (DataErrorCode::NotFound, "there is no such repository: look at its name"),
        };
        self.error(code, message.to_owned())
    }
}

impl Default for MockGithub {
    fn default() -> Self {
        Self::new()
    }
}

impl DataSource for MockGithub {
    fn id(&self) -> &DataSourceId {
        &self.id
    }

    fn name(&self) -> &'static str {
        "Mock GitHub"
    }

    fn description(&self) -> &'static str {
        "Made-up pull requests, issues, numbers and activity of any repository"
    }

    fn queries(&self) -> &[QueryDefinition] {
        &self.queries
    }

    fn execute(
        &self,
        query: &DataQuery,
        now: Timestamp,
    ) -> impl Future<Output = Result<DataResult, DataError>> + Send {
        std::future::ready(self.answer(query, now))
    }
}

/// A repository on a day. Its entries are the same in each query.
struct World {
    repo: String,
    today: u64,
}

const PULLS: [&str; 32] = [
    "Add the settings page",
    "Export tables as CSV",
    "Write one log line per request",
    "Cache parsed templates",
    "Load plugins on first use",
    "Keep the column order in exports",
    "Retry failed uploads",
    "Drop the legacy config reader",
    "Show the version in the footer",
    "Rate-limit the search endpoint",
    "Translate the sign-in page",
    "Fix a flaky time zone test",
    "Upgrade the HTTP client",
    "Stream large downloads",
    "Warn about unknown settings",
    "Document the deploy script",
    "Validate settings on save",
    "Shorten the health check",
    "Sort results by relevance",
    "Remove unused feature flags",
    "Batch writes to the audit log",
    "Add a dark theme",
    "Fix the focus order in dialogs",
    "Compress archived logs",
    "Make the sidebar resizable",
    "Reuse database connections",
    "Test exports of empty tables",
    "Move fixtures out of the tree",
    "Support custom date formats",
    "Hide disabled accounts",
    "Paginate the member list",
    "Log slow queries",
];
/// Each with the label that suits it.
const ISSUES: [(&str, &str); 32] = [
    ("CSV export drops the last row", "bug"),
    ("Settings page resets the language", "bug"),
    ("Search is slow on large projects", "enhancement"),
    ("Sign-in fails after a reset", "bug"),
    ("Uploads stop at 2 GB", "bug"),
    ("Dates show in the wrong time zone", "bug"),
    ("Links are unreadable in the dark theme", "bug"),
    ("Each request is logged twice", "bug"),
    ("Add keyboard shortcuts", "enhancement"),
    ("Describe the settings file", "documentation"),
    ("A tooltip covers the save button", "bug"),
    ("No export button on phones", "bug"),
    ("Startup takes ten seconds", "enhancement"),
    ("Support single sign-on", "enhancement"),
    ("Filter members by role", "enhancement"),
    ("Crash on an empty config file", "bug"),
    ("Notifications arrive twice", "bug"),
    ("Going back loses the filters", "bug"),
    ("Add a page for the changelog", "documentation"),
    ("Column widths are not saved", "bug"),
    ("Explain the error codes", "documentation"),
    ("Memory grows during imports", "bug"),
    ("Sort order is not stable", "bug"),
    ("Undo after a bulk delete", "enhancement"),
    ("Health check ignores the database", "bug"),
    ("Old links return 404", "bug"),
    ("Emoji break the search index", "bug"),
    ("Session expires while typing", "bug"),
    ("Allow longer project names", "enhancement"),
    ("Import skips quoted commas", "bug"),
    ("Print view cuts off tables", "bug"),
    ("Show who changed a setting", "question"),
];
const PEOPLE: [&str; 12] =
    ["ana", "ben", "chloe", "dan", "emil", "fatima", "grace", "hugo", "ines", "jonas", "kim", "leo"];
const LABELS: [&str; 5] = ["bug", "documentation", "enhancement", "good first issue", "question"];
const ACTIVITY: [&str; 5] = ["push", "pr", "issue", "release", "comment"];

impl World {
    fn pull_requests(&self, state: &str) -> Vec<Value> {
        let entry = |n: u64, rank: u64| {
            let dice = self.dice("pull", n);
            let open = dice[0] < 100;
            let created = self.ago(rank, dice[1]);
            json!({
                "id": format!("pr-{n}"),
                "number": n,
                "title": self.title(&PULLS, n),
                "state": if open { "open" } else { "closed" },
                "draft": open && dice[4] < 50,
                "merged": !open && dice[4] < 200,
                "author": pick(&PEOPLE, dice[5]),
                // Nobody reviews their own.
                "reviewers": some(dice[6] % 3, |k| json!(pick(&PEOPLE, dice[5] % 12 + 1 + dice[7] % 5 * 2 + k))),
                "labels": some(dice[8] % 2, |_| json!(pick(&LABELS, dice[9]))),
                "comments": dice[10] % 20,
                "createdAt": created,
                "updatedAt": self.since(created, dice[11]),
            })
        };
        self.entries("pull", state, entry)
    }

    fn issues(&self, state: &str) -> Vec<Value> {
        let entry = |n: u64, rank: u64| {
            let dice = self.dice("issue", n);
            let created = self.ago(rank, dice[1]);
            let (title, label) = self.title(&ISSUES, n);
            json!({
                "id": format!("issue-{n}"),
                "number": n,
                "title": title,
                "state": if dice[0] < 150 { "open" } else { "closed" },
                "author": pick(&PEOPLE, dice[4]),
                "assignees": some(dice[5] % 3, |k| json!(pick(&PEOPLE, dice[6] % 12 + k))),
                "labels": some(dice[7] % 3, |k| json!(if k == 0 { label } else { "good first issue" })),
                "comments": dice[9] % 20,
                "createdAt": created,
                "updatedAt": self.since(created, dice[10]),
            })
        };
        self.entries("issue", state, entry)
    }

    fn activity(&self) -> Vec<Value> {
        let entry = |n: u64, rank: u64| {
            let dice = self.dice("activity", n);
            let kind = pick(&ACTIVITY, dice[0]);
            let (pull, issue) = (self.title(&PULLS, n), self.title(&ISSUES, n).0);
            let title = match kind {
                "push" => match dice[2] % 5 {
                    0 => "Pushed a commit to main".to_owned(),
                    more => format!("Pushed {} commits to main", more + 1),
                },
                "pr" => format!("Opened “{pull}”"),
                "issue" => format!("Reported “{issue}”"),
                "release" => format!("Released version 1.{}.{}", n / 10, n % 10),
                _ => format!("Commented on “{issue}”"),
            };
            json!({
                "id": format!("activity-{n}"), "type": kind, "title": title, "actor": pick(&PEOPLE, dice[4]),
                "timestamp": self.ago(rank, dice[5]),
            })
        };
        self.entries("activity", "all", entry)
    }

    fn stat(&self, metric: &str) -> Value {
        let open = |entries: Vec<Value>| entries.len() as u64;
        let dice = self.dice("stats", 0);
        let large = u64::from(dice[0]) * 256 + u64::from(dice[1]);
        let value = match metric {
            "open_prs" => open(self.pull_requests("open")),
            "open_issues" => open(self.issues("open")),
            "stars" => large,
            "forks" => large / 8 + u64::from(dice[2] % 8),
            _ => u64::from(dice[3]) % 90 + 1,
        };
        // Some are opened and some are closed in a week; the others only grow.
        let dice = u64::from(self.dice(&format!("before {metric}"), self.today / DAY)[4]);
        let most = (value / 4).clamp(1, 10);
        let before = match metric {
            "open_prs" | "open_issues" => (value + dice % (2 * most + 1)).saturating_sub(most),
            _ => value.saturating_sub(dice % (most + 1)),
        };
        json!({"repo": self.repo, "metric": metric, "value": value, "previousValue": before})
    }

    /// The title of an entry. 32 that follow each other have 32 titles.
    fn title<T: Copy>(&self, titles: &[T; 32], n: u64) -> T {
        let first = u64::from(self.dice("titles", 0)[0]);
        titles[usize::try_from((first + n * 11) % 32).expect("less than 32")]
    }

    /// Newest first, and numbered in the order of their making.
    fn entries(&self, kind: &str, state: &str, entry: impl Fn(u64, u64) -> Value) -> Vec<Value> {
        let count = u64::from(self.dice(kind, 0)[0]) % 116 + 5;
        let mut all: Vec<Value> = (1..=count).rev().map(|n| entry(n, count - n)).collect();
        all.retain(|entry| state == "all" || entry["state"] == state);
        all
    }

    /// 32 numbers that only this entry of this repository has.
    fn dice(&self, kind: &str, n: u64) -> [u8; 32] {
        *blake3::hash(format!("{}\n{kind}\n{n}", self.repo).as_bytes()).as_bytes()
    }

    /// A time before today: 8 hours and some minutes for each entry that is newer.
    fn ago(&self, rank: u64, dice: u8) -> u64 {
        self.today.saturating_sub((rank * 8 * 60 + u64::from(dice)) * MINUTE)
    }

    fn since(&self, created: u64, dice: u8) -> u64 {
        created + (self.today.saturating_sub(created)) / 256 * u64::from(dice)
    }
}

fn page(
    all: Vec<Value>,
    params: &Value,
    limit: u64,
    most: u64,
    ttl: u64,
) -> (Value, Option<PaginationMeta>, u64) {
    let total = all.len() as u64;
    let (limit, offset) = (limit.min(most), number(params, "offset").unwrap_or(0));
    let skip = usize::try_from(offset).unwrap_or(usize::MAX);
    let take = usize::try_from(limit).unwrap_or(usize::MAX);
    let items: Vec<Value> = all.into_iter().skip(skip).take(take).collect();
    let has_more = offset.saturating_add(items.len() as u64) < total;
    (Value::Array(items), Some(PaginationMeta { total, offset, limit, has_more }), ttl)
}

/// Also one that was written as 3.0, or past what counts.
fn number(params: &Value, name: &str) -> Option<u64> {
    let value = params.get(name)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "its schema excludes less than 0"
    )]
    value.as_u64().or_else(|| value.as_f64().map(|number| number as u64))
}

fn state(params: &Value) -> &str {
    params["state"].as_str().unwrap_or("open")
}

fn pick<'a>(choices: &[&'a str], dice: u8) -> &'a str {
    choices[usize::from(dice) % choices.len()]
}

fn some(count: u8, one: impl Fn(u8) -> Value) -> Vec<Value> {
    (0..count).map(one).collect()
}

fn definitions() -> Vec<QueryDefinition> {
    let repo = json!({"type": "string", "pattern": "^[A-Za-z0-9._-]{1,100}/[A-Za-z0-9._-]{1,100}$"});
    let state = json!({"type": "string", "enum": ["open", "closed", "all"], "default": "open"});
    let limit = |default: u64| json!({"type": "integer", "minimum": 1, "default": default});
    let offset = json!({"type": "integer", "minimum": 0, "default": 0});
    let text = json!({"type": "string"});
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let count = json!({"type": "integer", "minimum": 0});
    let query = |kind: &str, description: &str, required: &[&str], params: Value, result_schema: Value| {
        QueryDefinition {
            kind: kind.to_owned(),
            description: description.to_owned(),
            params_schema: json!({
                "type": "object", "properties": params, "required": required, "additionalProperties": false,
            }),
            result_schema,
        }
    };
    let object = |properties: Value| {
        let required: Vec<_> =
            properties.as_object().into_iter().flat_map(|map| map.keys().cloned()).collect();
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    };
    let list = |properties: Value| json!({"type": "array", "items": object(properties)});
    let entry = json!({"type": "string", "enum": ["open", "closed"]});
    let flag = json!({"type": "boolean"});
    vec![
        query(
            "pull_requests",
            "List PRs",
            &["repo"],
            json!({"repo": repo, "state": state, "limit": limit(10), "offset": offset}),
            list(json!({
                "id": text, "number": count, "title": text, "state": entry, "draft": flag, "merged": flag,
                "author": text, "reviewers": texts, "labels": texts, "comments": count, "createdAt": count,
                "updatedAt": count,
            })),
        ),
        query(
            "issues",
            "List issues",
            &["repo"],
            json!({"repo": repo, "state": state, "labels": texts, "limit": limit(20), "offset": offset}),
            list(json!({
                "id": text, "number": count, "title": text, "state": entry, "author": text, "assignees": texts,
                "labels": texts, "comments": count, "createdAt": count, "updatedAt": count,
            })),
        ),
        query(
            "stats",
            "Repository stats",
            &["repo", "metric"],
            json!({
                "repo": repo,
                "metric": {"type": "string", "enum": ["open_prs", "open_issues", "stars", "forks", "contributors"]},
            }),
            object(json!({"repo": text, "metric": text, "value": count, "previousValue": count})),
        ),
        query(
            "activity",
            "Recent activity",
            &["repo"],
            json!({
                "repo": repo,
                "types": {"type": "array", "items": {"type": "string", "enum": ACTIVITY}},
                "limit": limit(20),
                "offset": offset,
            }),
            list(json!({"id": text, "type": text, "title": text, "actor": text, "timestamp": count})),
        ),
    ]
}

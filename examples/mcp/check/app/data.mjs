// What the views are shown: a document, and a board whose components have data. Both have markup in them.

export const HOSTILE = '<img src=x onerror="window.top.broken=1"> and <script>window.broken=1</script>';
export const DOCUMENT = `# Release plan

What has to happen before **version 2** goes out. Owner of each line in brackets.

## Scope

- [x] Import of old boards [docs]
- [ ] Offline mode, behind a flag
  - storage in the browser
  - conflicts shown, never merged silently
- [ ] ~~Themes~~ moved to 2.1

> A release is ready when the list below is empty, not when the date is here.

## Steps

1. Freeze the branch
2. Run \`cargo test --workspace\`
3. Publish

| Check | Who | State |
| --- | --- | --- |
| Licence texts | docs | done |
| Upgrade from 1.9 | ops | open |

\`\`\`rust
fn main() {
    println!("ready: {}", list.is_empty());
}
\`\`\`

See [the notes](https://example.org/notes), or this: ${HOSTILE}
`;

// A board with data and with markup in its configs. It is given to the view in the server's place: no tool puts
// markup into a label, nor a type that nobody registered on a board.
export function boardWithData() {
  const now = Date.UTC(2026, 5, 1);
  const component = (id, typeId, col, row, cols, rows, config, data, meta = {}) => ({
    id,
    typeId,
    position: { col, row },
    size: { cols, rows },
    config,
    meta: { createdAt: now, createdBy: "assistant", pinned: false, ...meta },
    dataBinding: data === undefined ? null : { source: "mock-github", query: { type: "x", params: {} }, refreshInterval: null },
    dataState: data === undefined ? { status: "idle" } : { status: "ready", data, fetchedAt: now },
  });
  const pulls = ["Fix the parser", "Speed up the export", "Simplify the settings page", "Test the cache", "Fix the login page"].map(
    (title, k) => ({
      number: 40 - k,
      title,
      state: k % 3 === 2 ? "closed" : "open",
      merged: k % 3 === 2,
      draft: k === 3,
      author: `user-${k + 1}`,
      comments: k * 2,
    }),
  );
  const issues = ["The build is slow", "The search has no tests", "The export fails on empty input"].map((title, k) => ({
    number: 90 - k,
    title,
    state: "open",
    labels: k ? ["bug"] : ["enhancement", "question"],
  }));
  const feed = [
    ["push", "Pushed 3 commits to the parser"],
    ["release", "Released version 1.4.2"],
    ["comment", "Commented on the cache"],
    ["pr", "Opened a pull request for the build"],
  ].map(([type, title], k) => ({ type, title, actor: `user-${k + 3}`, timestamp: now - k * 4e7 }));
  const grid = { columns: 12, rows: 8, gap: 8, cellWidth: 80, cellHeight: 64 };
  return {
    id: "ws_1",
    name: "Plan",
    threadId: "t",
    views: [],
    triggers: [],
    settings: { theme: "system", grid },
    createdAt: now,
    updatedAt: now,
    canvas: {
      grid,
      components: [
        component("cmp_pulls", "github.pr-list", 0, 0, 4, 3, { repo: "octo/plan", state: "open", limit: 10 }, pulls),
        component(
          "cmp_stars",
          "github.stat-tile",
          4,
          0,
          2,
          1,
          { repo: "octo/plan", metric: "stars" },
          { value: 12840, previousValue: 12801 },
        ),
        component(
          "cmp_open",
          "github.stat-tile",
          4,
          1,
          2,
          1,
          { repo: "octo/plan", metric: "open_issues" },
          { value: 31, previousValue: 34 },
          { pinned: true },
        ),
        component("cmp_feed", "github.activity-timeline", 8, 0, 4, 4, { repo: "octo/plan" }, feed, { label: HOSTILE }),
        component("cmp_issues", "github.issue-grid", 0, 3, 4, 3, { repo: "octo/plan" }, issues),
        component("cmp_other", "acme.note", 4, 4, 3, 2, { text: HOSTILE, colour: "yellow" }),
      ],
    },
  };
}

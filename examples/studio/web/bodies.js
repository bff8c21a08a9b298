// What a component shows of its data, by its type.
import { el, icon } from "./ui.js";

const SHOWN = 100; // entries of a list that are drawn

const METRICS = {
  __proto__: null,
  open_prs: "Open PRs",
  open_issues: "Open issues",
  stars: "Stars",
  forks: "Forks",
  contributors: "Contributors",
};

const PULL =
  "M5 5.5v5M11 10.5V7a2 2 0 0 0-2-2H8M5 2.5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3zM5 10.5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3zM11 10.5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3z";
const ISSUE = "M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zM8 7.8v.4";
const KINDS = {
  __proto__: null,
  push: "M8 13V4M4.5 7.5 8 4l3.5 3.5",
  pr: PULL,
  issue: ISSUE,
  release: "M3 3h5l5 5-5 5-5-5zM6 6v.1",
  comment: "M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2z",
};

/** Any JSON as words. */
export const words = (value) =>
  typeof value === "string" ? value : Array.isArray(value) ? value.slice(0, 20).map(words).join(", ") : (JSON.stringify(value) ?? "");
export const object = (value) => (value && typeof value === "object" && !Array.isArray(value) ? value : {});
const count = (value) => (typeof value === "number" ? value.toLocaleString() : words(value));
const names = (value) => (Array.isArray(value) ? value.map(words) : []);
const joined = (...parts) =>
  parts
    .filter((part) => part != null && part !== "")
    .map(words)
    .join(" · ");

/** The name of a component for people. */
export const titleOf = ({ typeId, config, meta }, definition) =>
  meta.label || (typeId === "github.stat-tile" && METRICS[config.metric]) || definition?.name || typeId;

/** A point in time, as short as it can be told from others. */
export function when(time) {
  const date = new Date(time);
  if (time == null || Number.isNaN(date.valueOf())) return "";
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday
    ? date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" })
    : date.toLocaleDateString(undefined, { month: "short", day: "numeric" });
}

const reviews = ({ length }) => (length === 0 ? "" : length === 1 ? "1 review" : `${length} reviews`);
const standing = ({ state, draft, merged }) => (draft ? "draft" : merged ? "merged" : words(state ?? ""));
const chips = (labels) =>
  names(labels)
    .slice(0, 4)
    .map((label) => el("span", { class: "chip" }, label));

// The content of an option, by type.
const ROWS = {
  __proto__: null,
  "github.pr-list": (row) => [
    el(
      "span",
      { class: "state", "data-state": standing(row), title: standing(row) },
      icon(PULL),
      el("span", { class: "quiet" }, standing(row)),
    ),
    el("b", {}, words(row.title)),
    el(
      "small",
      {},
      joined(
        `#${row.number ?? ""}`,
        row.author,
        reviews(names(row.reviewers)),
        when(row.updatedAt),
      ),
    ),
  ],
  "github.issue-grid": (row) => [
    el(
      "span",
      { class: "state", "data-state": standing(row), title: standing(row) },
      icon(ISSUE),
      el("span", { class: "quiet" }, standing(row)),
    ),
    el("b", {}, words(row.title)),
    el("small", {}, joined(`#${row.number ?? ""}`, names(row.assignees).join(", "))),
    el("span", { class: "chips" }, ...chips(row.labels)),
  ],
  "github.activity-timeline": (row) => [
    el("span", { class: "state", title: words(row.type) }, icon(KINDS[row.type] ?? ISSUE), el("span", { class: "quiet" }, words(row.type))),
    el("b", {}, words(row.title)),
    el("small", {}, joined(row.actor, when(row.timestamp))),
  ],
};
const LOOKS = { __proto__: null, "github.pr-list": "rows", "github.issue-grid": "tiles", "github.activity-timeline": "line" };

/** What identifies an entry of a list, for selections and clicks. */
export const itemId = (row, number) => words(row.id ?? row.number ?? number).slice(0, 200);

/**
 * The parts of a card's body. Lists are list boxes, whose options carry `data-item`, the number of the entry.
 *
 * @param {{typeId: string, config: object, dataState: object}} item
 */
export function bodyOf({ id, typeId, config, dataState }, title) {
  const { status, data, error } = dataState;
  const hasData = data !== undefined && data !== null;
  if (status === "error" && !hasData) return [problem(object(error))];
  if (status === "loading" && !hasData) return [waiting()];
  if (hasData) return [shown(id, typeId, data, title)];
  if (typeId === "github.stat-tile") return [el("p", { class: "figure" }, "–", el("small", {}, "no data yet"))];
  const { repo, ...rest } = config; // the head has it
  return [facts(rest, "No data yet.")];
}

function shown(id, typeId, data, title) {
  if (typeId === "github.stat-tile") return figure(object(data));
  const row = ROWS[typeId];
  if (!row || !Array.isArray(data)) return facts(object(data), Array.isArray(data) ? words(data) : "Nothing to show.");
  if (data.length === 0) return el("p", { class: "muted" }, "Nothing to show.");
  const option = (value, number) =>
    el("li", { role: "option", id: `${id}-item-${number}`, "aria-selected": "false", "data-item": number }, ...row(object(value)));
  return el(
    "ul",
    { class: `list ${LOOKS[typeId]}`, role: "listbox", tabindex: 0, "aria-label": `Entries of ${title}`, "aria-multiselectable": "true" },
    ...data.slice(0, SHOWN).map(option),
  );
}

function figure({ value, previousValue }) {
  const change = typeof value === "number" && typeof previousValue === "number" ? value - previousValue : 0;
  const sign = change > 0 ? "+" : "−";
  return el("p", { class: "figure" }, count(value ?? "–"), change !== 0 && el("small", {}, `${sign}${count(Math.abs(change))} in 7 days`));
}

function facts(values, none) {
  const known = Object.entries(values)
    .filter(([, value]) => words(value) !== "")
    .slice(0, 12);
  if (known.length === 0) return el("p", { class: "muted" }, none);
  return el("dl", {}, ...known.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, words(value).slice(0, 300))]));
}

const problem = ({ message, code }) =>
  el("p", { class: "problem" }, words(message ?? "The data could not be fetched."), code && el("small", {}, words(code)));

const waiting = () =>
  el("div", { class: "waiting" }, el("span", { class: "quiet" }, "Loading"), ...[0, 1, 2].map(() => el("i", { "aria-hidden": "true" })));

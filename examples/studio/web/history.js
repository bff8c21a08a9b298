// Undo and redo of the person's changes, the list of all changes, and the theme: the tools of the bar.
import { NO_NAME, who } from "./person.js";
import { drawer, el, icon, iconButton } from "./ui.js";
import { mountVersions } from "./versions.js";

const UNDO = "M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6M3 6.5 6 3.5M3 6.5l3 3";
const REDO = "M13 6.5H6.5a3.5 3.5 0 0 0 0 7H10M13 6.5l-3-3M13 6.5l-3 3";
const THEME = "M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11";

const LIST = "M8 2.5a5.5 5.5 0 1 1-5.2 3.7M2.5 2.5v3.7h3.7M8 5v3.2l2 1.3";

// What a change was of. Places are on the board for everybody to see.
function what(summary) {
  const lines = /^\+(\d+) −(\d+), /.exec(summary);
  if (lines) return `the document (${lines[1]} added, ${lines[2]} removed)`;
  return String(summary ?? "").replace(/ (?:at|to) \(\d+, \d+\)(?:, \d+x\d+)?/g, "").replace(/\.$/, "");
}

// An entry of the history for people: whose change it was, and of what.
function words({ author, by, summary }) {
  if (!summary) return "";
  const whose = author === "assistant" || by?.conversation ? "the assistant's change" : "your change";
  return summary.startsWith("+") ? `${whose} of ${what(summary)}` : `${whose}: ${what(summary)}`;
}

export function mountHistory(root, studio) {
  const ways = {
    undo: { label: "Undo", done: "Undone", key: "Ctrl+Z", button: null, entries: [] },
    redo: { label: "Redo", done: "Redone", key: "Ctrl+Shift+Z", button: null, entries: [] },
  };
  let isBusy = false;

  async function walk(name) {
    const way = ways[name];
    if (isBusy || way.button.disabled) return;
    isBusy = true;
    const result = await studio.act(`history.${name}`);
    isBusy = false;
    const what = result?.entries?.map(words).filter(Boolean);
    if (what?.length) studio.say(`${way.done}: ${what.join(", ")}`);
  }
  for (const [name, way] of Object.entries(ways)) {
    way.button = iconButton(way.label, name === "undo" ? UNDO : REDO, {
      "data-testid": name,
      "aria-keyshortcuts": name === "undo" ? "Control+Z" : "Control+Shift+Z",
      disabled: true,
      onclick: () => walk(name),
    });
  }

  studio.walk = walk;

  const list = el("ul", { "data-testid": "changes" });
  const versions = el("section", { "aria-labelledby": "versions-title" });
  const all = el("section", { "aria-labelledby": "changes-title" }, el("h3", { id: "changes-title" }, "Changes"), list);
  const changes = drawer(icon(LIST), "history", "History", versions, all);
  changes.classList.add("history");
  changes.firstChild.setAttribute("aria-label", "History");
  changes.firstChild.title = "History: versions, and who changed what";
  mountVersions(versions, studio);

  // What the person in this window can undo and redo. The server knows it of a named person who was here when it was sent.
  function ofMe(history) {
    if (studio.me === NO_NAME) return history;
    return Object.hasOwn(history?.of ?? {}, studio.me) ? history.of[studio.me] : null;
  }

  const draw = (history) => {
    const own = ofMe(history);
    for (const [name, way] of Object.entries(ways)) {
      way.entries = Array.isArray(own?.[name]) ? own[name] : [];
      const [next] = way.entries;
      way.button.disabled = own !== null && !next;
      way.button.title = next?.summary ? `${way.label}: ${words(next)} (${way.key})` : `${way.label} (${way.key})`;
    }
    const all = Array.isArray(history?.changes) ? history.changes : [];
    list.replaceChildren(...(all.length ? all.map(row) : [el("li", { class: "muted" }, "Nothing was changed yet.")]));
  };

  function row({ change, kind, summary, at, by, revision }) {
    const actor = by ?? {};
    const of = what(summary).replace(/^the document \((\d+) added, (\d+) removed\)$/, "Document: +$1 −$2");
    const text = kind === "revert" ? `Taken back: ${of}` : of;
    const takeBack = async (event) => {
      event.currentTarget.disabled = true;
      // The list is drawn anew, so the focus would be lost.
      changes.firstChild.focus();
      if (!(await studio.act("history.undo", { change }))) studio.resync();
    };
    const compare = () => studio.compare({ revision }, `this change: ${text}`);
    const mayTake = actor.person === studio.me || actor.person === undefined;
    return el(
      "li",
      { "data-change": change },
      who(actor, studio.me),
      el("span", { title: typeof at === "number" ? new Date(at).toLocaleString() : null }, text),
      el(
        "div",
        { class: "acts" },
        of.startsWith("Document:") && el("button", { class: "line small", type: "button", "aria-label": `What changed since: ${text}`, onclick: compare }, "Compare"),
        mayTake && el("button", { class: "line small", type: "button", "aria-label": `Take back: ${text}`, onclick: takeBack }, "Take back"),
      ),
    );
  }
  studio.on("snapshot", ({ history }) => draw(history));
  studio.on("canvas.history.updated", ({ history }) => draw(history));

  // Fields keep their own undo.
  window.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return;
    if (event.target.closest?.("input:not([type=checkbox]), textarea, select, [contenteditable], dialog")) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    walk(key === "y" || event.shiftKey ? "redo" : "undo");
  });

  const theme = iconButton("Theme", THEME, { onclick: () => turn(isDark() ? "light" : "dark") });
  const isDark = () =>
    (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const label = () => {
    const text = isDark() ? "Light theme" : "Dark theme";
    theme.setAttribute("aria-label", text);
    theme.title = text;
  };
  function turn(to) {
    document.documentElement.dataset.theme = to;
    try {
      localStorage.setItem("canvas-studio.theme", to);
    } catch {
      // Without storage it lasts as long as the page.
    }
    label();
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", label);
  label();
  root.append(ways.undo.button, ways.redo.button, changes, el("span", { class: "sep" }), theme);
}

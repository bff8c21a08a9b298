// Undo and redo of the whole canvas, and the theme: the tools of the bar.
import { el, iconButton } from "./ui.js";

const UNDO = "M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6M3 6.5 6 3.5M3 6.5l3 3";
const REDO = "M13 6.5H6.5a3.5 3.5 0 0 0 0 7H10M13 6.5l-3-3M13 6.5l-3 3";
const THEME = "M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11";

// An entry of the history for people: whose change it was, and of what. Places are on the board for everybody to see.
function words({ author, summary }) {
  if (!summary) return "";
  const whose = author === "assistant" ? "the assistant's change" : "your change";
  const lines = /^\+(\d+) −(\d+), /.exec(summary);
  if (lines) return `${whose} of the document (${lines[1]} added, ${lines[2]} removed)`;
  return `${whose}: ${summary.replace(/ (?:at|to) \(\d+, \d+\)(?:, \d+x\d+)?/g, "").replace(/\.$/, "")}`;
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

  const draw = (history) => {
    for (const [name, way] of Object.entries(ways)) {
      way.entries = Array.isArray(history?.[name]) ? history[name] : [];
      const [next] = way.entries;
      way.button.disabled = !next;
      way.button.title = next?.summary ? `${way.label}: ${words(next)} (${way.key})` : `${way.label} (${way.key})`;
    }
  };
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
  root.append(ways.undo.button, ways.redo.button, el("span", { class: "sep" }), theme);
}

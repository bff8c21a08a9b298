// The past of the text: what a window last showed, who wrote the lines that somebody points at, and which lines are selected.
import { digitsOf } from "./draft.js";
import { who } from "./person.js";
import { ago, el } from "./ui.js";

const KEY = "canvas-studio.seen";
const REST = 150; // ms of rest before the server is asked
const WRITERS = 3; // that are named for a block

/** The revision that windows of a person last showed of a canvas. */
export const lastSeen = {
  get: ({ canvas, me }) => {
    try {
      return localStorage.getItem(JSON.stringify([KEY, canvas, me]));
    } catch {
      // Without storage nobody knows it.
      return null;
    }
  },
  set: ({ canvas, me }, revision) => {
    try {
      localStorage.setItem(JSON.stringify([KEY, canvas, me]), revision);
    } catch {
      // As above.
    }
  },
};

/** The numbers of the lines, from 1, between two positions of a text. */
export function linesBetween(text, from, to) {
  const count = (end) => text.slice(0, end).split("\n").length;
  // A selection that ends at the beginning of a line has none of it.
  return [count(from), count(to > from && text[to - 1] === "\n" ? to - 1 : to)];
}

/** Says in `root` who wrote the lines that the pointer or the caret is at. */
export function mountWriters(root, { view, drawn, editor, draft, studio }) {
  let timer = 0;
  let asked = "";
  const known = new Map();

  const point = (find) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const lines = draft.isLoaded && !draft.isDirty && draft.hasSameLines ? find() : null;
      if (lines) show(lines);
    }, REST);
  };
  const inView = ({ target }) => point(() => drawn.text === draft.text && drawn.linesOf(target));
  view.addEventListener("pointermove", inView);
  view.addEventListener("focusin", inView);
  document.addEventListener("selectionchange", () => {
    if (document.activeElement !== editor) return;
    point(() => document.activeElement === editor && linesBetween(editor.value, editor.selectionStart, editor.selectionStart));
  });

  async function show([startLine, endLine]) {
    const revision = digitsOf(draft.revision);
    const key = `${revision} ${startLine} ${endLine}`;
    asked = key;
    if (!known.has(key)) {
      if (known.size > 200) known.clear();
      const params = { canvasId: studio.canvas, startLine, endLine: Math.min(endLine, startLine + 999) };
      const answer = await studio.connection.request("history.blame", params).catch(() => null);
      if (!answer || digitsOf(answer.revisionId) !== revision) return;
      known.set(key, answer.lines);
    }
    if (asked === key) draw(known.get(key), startLine, endLine);
  }

  function draw(lines, first, last) {
    const writers = new Map();
    for (const { writer } of lines) if (writer) writers.set(writer.change, writer);
    const newest = [...writers.values()].sort((a, b) => b.at - a.at);
    const isOld = lines.some(({ writer }) => !writer);
    const parts = newest.slice(0, WRITERS).map(({ by, author, at }) => {
      const isOfOther = author?.conversation !== undefined && by?.conversation === undefined;
      return el("span", {}, who(by, studio.me), isOfOther && " accepted the assistant\u2019s text", " ", ago(at, studio.skew));
    });
    if (newest.length > WRITERS) parts.push(`${newest.length - WRITERS} earlier changes`);
    if (isOld) parts.push(newest.length ? "the rest is older than the history" : "older than the history");
    root.replaceChildren(el("span", {}, first === last ? `Line ${first}:` : `Lines ${first} to ${last}:`), ...parts);
  }
}

/** Tells `selected({startLine, endLine, baseRevisionId})` of lines that the person selects, and `selected(null)` when none are. */
export function mountSelection({ view, drawn, editor, draft, selected }) {
  let timer = 0;
  document.addEventListener("selectionchange", () => {
    clearTimeout(timer);
    timer = setTimeout(take, REST);
  });
  let isWaiting = false;
  async function take() {
    let lines = selectedLines();
    if (lines === undefined) return;
    if (lines && draft.isDirty) {
      // Until the server has the text, no lines of it can be named.
      selected(null);
      if (isWaiting) return;
      isWaiting = true;
      await draft.settle();
      isWaiting = false;
      lines = selectedLines();
    }
    const isKnown = lines && !draft.isDirty && draft.hasSameLines;
    if (lines !== undefined) selected(isKnown ? { startLine: lines[0], endLine: lines[1], baseRevisionId: draft.revision } : null);
  }
  // Undefined while the person is elsewhere, so that a selection lasts until the message.
  function selectedLines() {
    if (document.activeElement === editor) {
      const { selectionStart: from, selectionEnd: to } = editor;
      return from === to ? null : linesBetween(editor.value, from, to);
    }
    const { anchorNode, focusNode, isCollapsed } = getSelection();
    if (!view.contains(anchorNode) || !view.contains(focusNode)) return undefined;
    if (isCollapsed || drawn.text !== draft.text) return null;
    const ends = [drawn.linesOf(anchorNode), drawn.linesOf(focusNode)];
    if (!ends[0] || !ends[1]) return null;
    return [Math.min(...ends.flat()), Math.max(...ends.flat())];
  }
}

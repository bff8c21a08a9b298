import { CanvasError, Engine, StaleEdit, positions, redline } from "canvas-engine";

import { follow } from "./follow.js";
import { ScriptedModel } from "./model.js";

/** @import { Span } from "canvas-engine" */
/** @import { Proposal, ProposedPart } from "canvas-engine/types" */

const START = `# Porto

Two days in May, for four people 🚋

## Getting there

We fly on Friday evening and come back on Sunday.

## Places

- Livraria Lello
- Ribeira
- Port wine lodges

## Budget

About 900 € in all.
`;
const CANVAS = "plan";
const PERSON = "you";
/** What was typed and is not saved, because of a conflict. */
const DRAFT = "draft";
/** Milliseconds after the last key. */
const PAUSE = 400;

/** @template {HTMLElement} E @param {string} id @param {new () => E} kind */
function part(id, kind) {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) {
    throw new Error(`the page has no ${id}`);
  }
  return element;
}
const area = part("text", HTMLTextAreaElement);
const [status, caret] = [part("status", HTMLElement), part("caret", HTMLElement)];
const [proposals, none] = [part("proposals", HTMLOListElement), part("none", HTMLElement)];
const [conflict, difference] = [part("conflict", HTMLElement), part("difference", HTMLElement)];
const button = (/** @type {string} */ id) => part(id, HTMLButtonElement);

const engine = new Engine({ policy: { mergeWords: true } });
/** The revision on which the text of the page was written. */
let base = engine.create(CANVAS, localStorage.getItem(CANVAS) ?? START, { person: PERSON });
/** The text of that revision. What differs from it is not saved. */
let saved = engine.document(CANVAS).markdown;
const model = new ScriptedModel(engine.join(CANVAS, "chat"), () => engine.document(CANVAS).markdown);
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** Saves what was typed, which is merged with all that changed since. Returns false if both changed the same words. */
function save() {
  clearTimeout(timer);
  let merged = 0;
  if (!conflict.hidden && area.value !== engine.document(CANVAS).markdown) {
    // Until the person decides.
    showConflict();
    return false;
  }
  if (area.value !== saved) {
    try {
      merged = engine.edit(CANVAS, area.value, { base, person: PERSON }).merged.length;
    } catch (error) {
      if (error instanceof StaleEdit) {
        showConflict();
        return false;
      }
      throw error;
    }
  }
  show(merged > 0 ? "Saved, merged with the model’s words" : "Saved");
  return true;
}

/** Shows the document. The caret keeps its words. @param {string} said */
function show(said) {
  const { markdown, revisionId } = engine.document(CANVAS);
  if (markdown !== area.value) {
    const spans = redline(area.value, markdown);
    const { selectionStart, selectionEnd, selectionDirection, scrollTop } = area;
    area.value = markdown;
    area.setSelectionRange(follow(spans, selectionStart), follow(spans, selectionEnd), selectionDirection);
    area.scrollTop = scrollTop;
  }
  [base, saved] = [revisionId, markdown];
  localStorage.setItem(CANVAS, markdown);
  localStorage.removeItem(DRAFT);
  conflict.hidden = true;
  status.textContent = said;
  showCaret();
  showProposals();
}

function showConflict() {
  localStorage.setItem(DRAFT, area.value);
  localStorage.setItem(CANVAS, engine.document(CANVAS).markdown);
  conflict.hidden = false;
  difference.replaceChildren(...marked(excerpt(redline(engine.document(CANVAS).markdown, area.value))));
  status.textContent = "Not saved: decide about the conflict";
}

function showCaret() {
  try {
    const [at] = positions(area.value, [{ utf16: area.selectionStart }]);
    caret.textContent = at === undefined ? "" : `Line ${at.line}, column ${at.scalarColumn + 1}`;
  } catch {
    // Inside a character, where a key cannot lead.
    caret.textContent = "";
  }
}

function showProposals() {
  const { proposals: open } = /** @type {{ proposals: Proposal[] }} */ (
    /** @type {unknown} */ (engine.call("proposal.list", { canvas: CANVAS }))
  );
  const parts = open.flatMap((proposal) => proposal.parts);
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["key"] : undefined;
  proposals.replaceChildren(...parts.map(card));
  none.hidden = parts.length > 0;
  if (focused !== undefined) {
    // A new list has new buttons. That of a decided part is gone.
    const again = proposals.querySelector(`[data-key="${focused}"]`) ?? proposals.querySelector("button:enabled");
    (again instanceof HTMLElement ? again : button("propose")).focus();
  }
}

/** @param {ProposedPart} one */
function card(one) {
  const isStale = one.state === "stale";
  const lines = one.start_line === one.end_line ? `Line ${one.start_line}` : `Lines ${one.start_line} to ${one.end_line}`;
  const item = document.createElement("li");
  item.className = "card";
  const where = paragraph("lines", lines);
  const change = document.createElement("div");
  change.className = "redline";
  change.append(...marked(redline(one.before, one.after)));
  const buttons = document.createElement("div");
  buttons.className = "buttons";
  const name = `the change of ${lines.toLowerCase()}`;
  const accept = action("Accept", name, one, () => decide({ accept: [one.id], seen: { [one.id]: one.after } }, "Accepted"));
  accept.className = "primary";
  accept.disabled = isStale;
  buttons.append(accept, action("Reject", name, one, () => decide({ reject: [one.id] }, "Rejected")));
  item.append(where, change, ...(isStale ? [paragraph("stale", "You changed these words, so it no longer fits.")] : []), buttons);
  return item;
}

/** @param {string} word @param {string} name @param {ProposedPart} one @param {() => void} act */
function action(word, name, one, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = word;
  made.setAttribute("aria-label", `${word} ${name}`);
  made.dataset["key"] = `${word} ${one.id}`;
  made.addEventListener("click", act);
  return made;
}

/** @param {string} kind @param {string} text */
function paragraph(kind, text) {
  const made = document.createElement("p");
  made.className = kind;
  made.textContent = text;
  return made;
}

/** Leaves out the lines that are far from a change. @param {readonly Span[]} spans @returns {Span[]} */
function excerpt(spans) {
  return spans.map(({ kind, text }, index) => {
    const lines = text.split("\n");
    if (kind !== "keep" || lines.length < 5) {
      return { kind, text };
    }
    // Two lines after the change before, and two before the next change.
    const [head, tail] = [index === 0 ? [] : lines.slice(0, 2), index === spans.length - 1 ? [] : lines.slice(-2)];
    return { kind, text: [...head, "…", ...tail].join("\n") };
  });
}

/** @param {readonly Span[]} spans */
function marked(spans) {
  return spans.map(({ kind, text }) => {
    if (kind === "keep") {
      return document.createTextNode(text);
    }
    const made = document.createElement(kind === "insert" ? "ins" : "del");
    made.textContent = text;
    return made;
  });
}

/** @param {import("canvas-engine").Fields} decision @param {string} said */
function decide(decision, said) {
  // The parts follow what was typed, so that goes first.
  if (!save()) {
    return;
  }
  try {
    engine.call("proposal.decide", { canvas: CANVAS, person: PERSON, ...decision });
    show(said);
  } catch (error) {
    if (!(error instanceof CanvasError)) {
      throw error;
    }
    // For example, another part took its place.
    show(error.message);
  }
}

/** @param {boolean} direct */
function ask(direct) {
  const acted = model.step(direct);
  if (save() && !acted) {
    status.textContent = "The model has no more ideas";
  }
}

area.addEventListener("input", (event) => {
  clearTimeout(timer);
  // A text that is being composed must not change. Its end is an input too.
  if (!(event instanceof InputEvent && event.isComposing)) {
    status.textContent = "Typing…";
    timer = setTimeout(save, PAUSE);
  }
});
area.addEventListener("compositionend", () => (timer = setTimeout(save, PAUSE)));
document.addEventListener("selectionchange", showCaret);
addEventListener("pagehide", save);
button("propose").addEventListener("click", () => ask(false));
button("write").addEventListener("click", () => ask(true));
button("mine").addEventListener("click", () => {
  const { revisionId } = engine.document(CANVAS);
  engine.edit(CANVAS, area.value, { base: revisionId, person: PERSON });
  show("Saved with your text");
});
button("theirs").addEventListener("click", () => show("Saved with the model’s text"));
button("reset").addEventListener("click", () => {
  removeEventListener("pagehide", save);
  localStorage.clear();
  location.reload();
});

const draft = localStorage.getItem(DRAFT);
area.value = draft ?? saved;
area.setSelectionRange(0, 0);
area.disabled = button("propose").disabled = button("write").disabled = false;
if (draft === null) {
  show("Saved");
} else {
  showConflict();
  showCaret();
}

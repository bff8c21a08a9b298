// The document: an editor beside what it reads like, under a lock that can be taken.
import { Draft, digitsOf } from "./draft.js";
import { mountKept } from "./kept.js";
import { Marks } from "./marks.js";
import { mountInPlace } from "./in-place.js";
import { lastSeen, mountSelection, mountWriters } from "./past.js";
import { who } from "./person.js";
import { mountProposals, ProposedMarks } from "./proposals.js";
import { move } from "./text.js";
import { iconButton, CLOSE, el } from "./ui.js";
import { View } from "./view.js";

const ACTORS = 4; // that the title of a comparison names
const TOOLTIP = "Assistant editing canvas…";

export function mountDocument(root, studio) {
  const editor = el("textarea", {
    id: "doc",
    "data-testid": "doc",
    "aria-label": "Document as Markdown",
    "aria-describedby": "doc-lock",
    spellcheck: "true",
    readonly: true,
  });
  const flow = el("div", { class: "flow" });
  const view = el("article", { class: "prose", "data-testid": "doc-view", "aria-label": "Document as it reads", tabindex: 0 }, flow);
  const lock = el("span", { id: "doc-lock", class: "lock", "data-testid": "lock", role: "status", hidden: true });
  const take = el(
    "button",
    { class: "line small", type: "button", "data-testid": "take-control", hidden: true, onclick: takeControl },
    "Take control",
  );
  const saved = el("span", { class: "saved" });
  const changes = el("div", { class: "changes", hidden: true });
  const reviewRoot = el("div", { class: "review" });
  const keptRoot = el("div", { class: "kept" });
  const writers = el("p", { class: "writers", "data-testid": "writers" }, "Point at a line to see who wrote it.");
  root.append(
    el("header", {}, el("h2", { id: "document-title" }, "Document"), lock, take, el("div", { class: "end" }, saved, tabs(root))),
    changes,
    reviewRoot,
    el("div", { class: "panes" }, el("div", { class: "pane write" }, editor), el("div", { class: "pane read" }, view)),
    writers,
    keptRoot,
  );
  root.dataset.show = "read";

  const marks = new Marks();
  const proposed = new ProposedMarks();
  // What the assistant has changed, and what would change.
  const all = {
    get isEmpty() {
      return marks.isEmpty && proposed.isEmpty;
    },
    within: (...range) => [...marks.within(...range), ...proposed.within(...range)].sort((a, b) => a.from - b.from),
  };
  const drawn = new View(flow);
  const review = mountProposals(reviewRoot, studio, () => view.focus());
  const state = { lock: {}, isTurn: false, isComposing: false, isRefused: false, until: 0, compared: null };

  const draft = new Draft({
    send: (params) => studio.connection.request("document.edit", { canvasId: studio.canvas, ...params }, { onRetry }),
    reload: () => studio.resync(),
    changed,
    settled() {
      drawSaved();
      draw();
    },
    refused(error) {
      state.isRefused = true;
      studio.say(`The document did not take your text: ${error.message} (${error.code}). It stays in the editor.`, { error: true });
      drawSaved();
    },
  });
  const kept = mountKept(keptRoot, { text: () => draft.text, put, say: studio.say });

  mountWriters(writers, { view, drawn, editor, draft, studio });
  mountSelection({ view, drawn, editor, draft, selected: (lines) => studio.select(lines) });
  mountInPlace(view, drawn, {
    async find(node) {
      if (isLocked()) return void studio.say("The assistant is editing. Take control to change this now.");
      const text = draft.text;
      const line = drawn.text === text ? drawn.lineOf(node) : null;
      await draft.settle();
      if (line && !draft.isDirty && draft.text === text)
        return { line, expect: text.split("\n")[line - 1], baseRevisionId: draft.revision };
      if (line) studio.say("The document has changed meanwhile. Try again.");
    },
    // Gives whether it was done, and then the page shows it.
    async change(place, change) {
      if (isLocked()) return void studio.say("The assistant is editing. Take control to change this now.");
      const isThere = !draft.isDirty && draft.text.split("\n")[place.line - 1] === place.expect;
      const baseRevisionId = isThere ? draft.revision : place.baseRevisionId;
      const done = await studio.act("document.structure", { ...place, baseRevisionId, change });
      for (let left = 100; done && left > 0; left -= 1) {
        if (draft.hasSeen(done.revisionId) && drawn.text === draft.text) break;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return done !== undefined;
    },
  });

  // What comes while a word is composed waits until it is whole, since to write into the field would end it.
  let later = [];
  const incoming = (act) => (state.isComposing ? later.push(act) : act());
  editor.addEventListener("compositionstart", () => (state.isComposing = true));
  editor.addEventListener("compositionend", () => {
    state.isComposing = false;
    typed();
    for (const act of later.splice(0)) act();
  });

  studio.on("snapshot", (snapshot) =>
    incoming(() => {
      drawLock(snapshot.lock);
      state.isTurn = snapshot.chat?.running === true;
      state.hasDocument = Boolean(snapshot.document);
      const seen = draft.isLoaded ? null : lastSeen.get(studio);
      if (snapshot.document) draft.load(snapshot.document);
      const number = /^r(\d+)-/.exec(seen)?.[1];
      if (number && digitsOf(seen) !== digitsOf(draft.revision)) {
        state.isLooking = true;
        compare({ revision: Number(number) }, null, { seen }).finally(() => {
          state.isLooking = false;
          draw();
        });
      }
      takeProposals(snapshot.proposals);
      draw();
      drawSaved();
    }),
  );
  studio.on("canvas.document.updated", (event) => incoming(() => draft.receive(event)));
  studio.on("canvas.proposals.updated", ({ proposals }) => incoming(() => takeProposals(proposals)));
  studio.on("canvas.lock.updated", ({ lock: now }) => drawLock(now));
  studio.on("canvas.chat.turn", ({ running }) => {
    if (running && !state.isTurn && !state.compared) hideMarks();
    state.isTurn = running;
  });
  studio.connection.on("state", drawSaved);

  editor.addEventListener("input", () => state.isComposing || typed());
  editor.addEventListener("blur", () => draft.flush());
  document.addEventListener("visibilitychange", () => document.hidden && draft.flush());
  window.addEventListener("beforeunload", (event) => {
    draft.flush();
    // What the server cannot have yet would be lost.
    if (!kept.isEmpty || (draft.isDirty && (studio.connection.state !== "open" || isLocked() || state.isRefused)))
      event.preventDefault();
  });
  for (const kind of ["keydown", "paste", "drop", "cut"]) {
    editor.addEventListener(kind, (event) => {
      if (!isLocked() || (kind === "keydown" && !isWriting(event))) return;
      state.waits ??= studio.say("The assistant is editing, so your text waits here. Take control to send it now.", { stays: true });
    });
  }

  // The history is one, of the document and of all other faces: what the browser keeps of this field is not used, but for what
  // the server cannot have yet.
  const isOwn = () => draft.isDirty && (isLocked() || studio.connection.state !== "open" || state.isRefused);
  const walk = async (name) => {
    await draft.settle();
    studio.walk(name);
  };
  editor.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || isOwn()) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    walk(key === "y" || event.shiftKey ? "redo" : "undo");
  });
  editor.addEventListener("beforeinput", (event) => {
    if (!/^history(Undo|Redo)$/.test(event.inputType) || isOwn()) return;
    event.preventDefault();
    walk(event.inputType === "historyUndo" ? "undo" : "redo");
  });

  function takeProposals(proposals) {
    proposed.take(proposals ?? { marks: [] });
    review.draw(Array.isArray(proposals?.list) ? proposals.list : []);
    draw();
  }

  function onRetry(error) {
    studio.say(`${error.message} (${error.code}) Your text is kept here and sent again.`, { error: true });
  }

  function typed() {
    const one = draft.typed(editor.value, editor.selectionEnd);
    if (!one) return;
    state.isRefused = false;
    marks.follow([one]);
    proposed.follow([one]);
    kept.follow([one]);
    if (!state.isTurn) hideMarks();
    drawSaved();
    draw();
  }

  function put(at, end, text) {
    editor.setRangeText(text, at, end, "end");
    editor.focus();
    typed();
    return true;
  }

  // Others have written. The caret, the selection and what is in sight stay with the words that they were at. Of what others
  // have put in place of selected words nothing is selected.
  function changed({ text, splices, conflicts, met, event, place }) {
    const [from, to, before] = [editor.selectionStart, editor.selectionEnd, editor.value];
    const isTouched = splices.some(({ at, remove }) => at < to && at + remove > from);
    const end = move(to, splices);
    const start = from === to || isTouched ? end : Math.min(move(from, splices, true), end);
    const isAbove =
      editor.scrollTop > 0 && splices.some(({ at }) => at / Math.max(editor.value.length, 1) < editor.scrollTop / editor.scrollHeight);
    const height = isAbove ? editor.scrollHeight : 0;
    if (splices.length > 50 || editor.value === "") editor.value = text;
    else for (const { at, remove, insert } of splices.toReversed()) editor.setRangeText(insert, at, at + remove, "preserve");
    if (editor.value !== text) editor.value = text;
    editor.setSelectionRange(start, end, editor.selectionDirection);
    if (isAbove) editor.scrollTop += editor.scrollHeight - height;

    kept.follow(splices);
    marks.followOthers(splices);
    proposed.follow(splices);
    if (state.compared) {
      draw();
      compareAgain();
    } else if (event?.actor === "assistant" && Array.isArray(event.words)) {
      marks.add(event.words, place, before, text);
      draw(true);
    } else {
      marks.recall(text);
      draw();
    }
    if (conflicts.length > 0) {
      kept.add(conflicts);
      studio.say("You and somebody else changed the same place. The document has their text; yours is kept below it.", { error: true });
    } else if (met > 0) studio.say("You and somebody else wrote at the same place; the document has both texts.");
    drawSaved();
  }

  let frame = 0;
  let isToShow = false;
  function draw(showChange = false) {
    isToShow ||= showChange;
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      proposed.settle(draft);
      flow.toggleAttribute("data-proposed", !proposed.isEmpty);
      drawn.draw(draft.text, all);
      drawChanges();
      // Frames come only while the window is shown.
      if (draft.isLoaded && !state.isLooking && state.seen !== draft.revision) lastSeen.set(studio, (state.seen = draft.revision));
      if (isToShow) showFirst();
      isToShow = false;
    });
  }
  function drawChanges() {
    const { compared } = state;
    changes.hidden = marks.isEmpty && !compared;
    flow.toggleAttribute("data-testid", false);
    if (changes.hidden) return;
    if (!marks.isEmpty) flow.setAttribute("data-testid", "diff");
    const count = (number, word) => `${number} ${word}`;
    const title = !compared ? "Changes by the assistant" : compared.label ? `Since ${compared.label}` : "Changed since you looked";
    const sums = [el("span", { class: "plus" }, count(marks.added, "added")), ", ", el("span", { class: "minus" }, count(marks.removed, "removed"))];
    const actors = compared?.actors.slice(0, ACTORS).map((actor) => who(actor, studio.me)) ?? [];
    if (compared?.actors.length > ACTORS) actors.push("and others");
    changes.replaceChildren(
      el("span", { class: "sums" }, el("span", {}, `${title}: `, ...(compared?.isTooLong ? [`${compared.count} changes, too many to mark`] : sums)), ...actors),
      ...(compared?.label
        ? [el("button", { class: "line small", type: "button", "data-testid": "restore", onclick: () => restore(compared.from) }, "Restore")]
        : []),
      iconButton("Hide the changes", CLOSE, { onclick: hideMarks }),
    );
  }
  function hideMarks() {
    comparison += 1;
    if (marks.isEmpty && !state.compared) return;
    state.compared = null;
    marks.clear();
    draw();
  }

  // The number of the newest comparison. An older one that still waits for an answer shows nothing.
  let comparison = 0;
  // Marks what has changed since a revision or version. Without a label it is the revision `seen` that the person last saw
  // here, and that is shown only if others changed it.
  async function compare(from, label, { seen, isAgain = false } = {}) {
    const own = (comparison += 1);
    for (let left = 20; left > 0; left -= 1) {
      if (draft.isDirty && (isLocked() || state.isRefused)) break;
      await draft.settle();
      if (own !== comparison) return;
      const params = { canvasId: studio.canvas, from };
      const diff = label ? await studio.act("history.diff", { from }) : await studio.connection.request("history.diff", params).catch(() => null);
      if (own !== comparison) return;
      // A canvas that was made again has other texts under the same numbers.
      if (!diff || (seen && digitsOf(diff.fromRevisionId) !== digitsOf(seen))) return hideMarks();
      if (draft.isDirty || digitsOf(diff.revisionId) !== digitsOf(draft.revision)) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        if (own !== comparison) return;
        continue;
      }
      if (!label && diff.actors.every(({ person }) => person === studio.me)) return hideMarks();
      if (label && diff.changes === 0) {
        hideMarks();
        return void (isAgain || studio.say(`The document is the same as ${label}.`));
      }
      state.compared = { from, label, actors: diff.actors, count: diff.changes, isTooLong: !diff.words };
      marks.show(diff.words ?? [], draft.places());
      return draw(!isAgain);
    }
    if (isAgain) hideMarks();
    else if (label) studio.say("The document changes too fast to compare it, or your text is not saved yet. Try again.");
  }
  let again = 0;
  function compareAgain() {
    clearTimeout(again);
    again = setTimeout(() => state.compared && compare(state.compared.from, state.compared.label, { isAgain: true }), 300);
  }

  async function restore(to) {
    if (!isLocked()) await draft.settle();
    if (!(await studio.act("versions.restore", { to }))) return;
    hideMarks();
    studio.say("Restored. Undo takes it back.");
  }
  studio.compare = compare;
  studio.restore = restore;
  studio.settle = () => (isLocked() ? undefined : draft.settle());
  // Without moving the page itself.
  function showFirst() {
    const first = drawn.firstChange;
    if (!first || document.activeElement === view) return;
    const top = first.getBoundingClientRect().top - view.getBoundingClientRect().top;
    if (top < 0 || top > view.clientHeight - 60) view.scrollTo({ top: view.scrollTop + top - 40, behavior: "auto" });
  }

  const isLocked = () => state.lock.locked === true && state.lock.blocksTyping !== false;
  function drawLock(now) {
    const was = state.lock.locked === true;
    state.lock = now ?? {};
    const isHeld = state.lock.locked === true;
    const tooltip = state.lock.tooltip || TOOLTIP;
    root.classList.toggle("locked", isHeld);
    lock.hidden = !isHeld;
    lock.textContent = isHeld ? tooltip : "";
    take.hidden = !isHeld || state.lock.canTakeControl === false;
    for (const node of [lock, editor, view]) {
      if (isHeld) node.title = tooltip;
      else node.removeAttribute("title");
    }
    draft.hold(isLocked());
    if (!isLocked()) {
      state.waits?.();
      state.waits = null;
    }
    if (was !== isHeld) drawSaved();
    clearTimeout(state.until);
    if (isHeld && typeof state.lock.until === "number") {
      // An expiry is nobody's act, so look again then.
      const left = state.lock.until - (Date.now() + studio.skew) + 500;
      state.until = setTimeout(() => studio.resync(), Math.min(Math.max(left, 500), 3_600_000));
    }
  }

  async function takeControl() {
    take.disabled = true;
    const result = await studio.act("document.take_control");
    take.disabled = false;
    if (!result) return;
    studio.say("You have control. What the assistant still has under way is refused.");
    root.dataset.show = "write";
    editor.focus();
  }

  function drawSaved() {
    editor.readOnly = !state.hasDocument;
    const isOnline = studio.connection.state === "open";
    saved.textContent = !draft.isLoaded
      ? ""
      : !draft.isDirty
        ? "Saved"
        : state.isRefused
          ? "Not saved, kept here"
          : !isOnline
            ? "Kept here until the connection is back"
            : isLocked()
              ? "Kept here until the assistant is done"
              : "Saving…";
  }
}

// Keys that would write.
const isWriting = ({ key, ctrlKey, metaKey, altKey }) =>
  (key.length === 1 || key === "Enter" || key === "Backspace" || key === "Delete") && !ctrlKey && !metaKey && !altKey;

// Where both do not fit side by side, one of them shows.
function tabs(root) {
  const button = (show, label) => {
    const node = el(
      "button",
      { class: "small", type: "button", "aria-pressed": String(show === "read"), onclick: () => (root.dataset.show = show) },
      label,
    );
    new MutationObserver(() => node.setAttribute("aria-pressed", String(root.dataset.show === show))).observe(root, {
      attributeFilter: ["data-show"],
    });
    return node;
  };
  return el("div", { class: "tabs", role: "group", "aria-label": "Write or read" }, button("write", "Write"), button("read", "Read"));
}

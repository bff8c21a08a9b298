// Edits that wait for a decision: a list with what stands there and what would, and marks in the text as it reads.
import { digitsOf } from "./draft.js";
import { who } from "./person.js";
import { move } from "./text.js";
import { el } from "./ui.js";

const SHOWN = 4_000; // characters of a part that are shown

/** What would go and what would come, in the text of the editor: `{from, to, ins}`. */
export class ProposedMarks {
  #list = [];
  #news = null;

  get isEmpty() {
    return this.#list.length === 0;
  }

  /** Takes the marks of the server, which are of the document of one revision. */
  take(news) {
    this.#news = news;
  }

  /** Keeps the marks where they are while the text changes. */
  follow(splices) {
    this.#list = this.#list.map((one) => {
      const from = move(one.from, splices, true);
      return { ...one, from, to: Math.max(from, move(one.to, splices)) };
    });
  }

  /** Shows the newest marks once the editor has the document that they are of. */
  settle(draft) {
    const { marks, revisionId, length } = this.#news ?? {};
    if (!Array.isArray(marks)) return;
    if (marks.length === 0) this.#list = [];
    else if (!draft.isDirty && digitsOf(draft.revision) === digitsOf(revisionId) && draft.text.length === length)
      this.#list = marks.map(({ at, remove, insert }) => ({ from: at, to: at + remove, ins: insert }));
  }

  /** The marks of a range of the text, its end included where `isLast`. */
  within(start, stop, isLast = false) {
    return this.#list.filter(({ from, to }) => (from < stop || (isLast && from === stop)) && (to > start || from >= start));
  }
}

/** The list of what waits. `decided()` is told when the last part is decided. */
export function mountProposals(root, studio, decided) {
  // The rows of parts, by the parts.
  let rows = new Map();
  let isBusy = false;
  root.dataset.testid = "review";
  root.hidden = true;

  function draw(list) {
    const parts = list.flatMap(({ owner, parts: own }) => own.map((part) => ({ ...part, owner })));
    // A row whose part is the same keeps what the person types there, and the focus.
    const old = rows;
    const active = root.contains(document.activeElement) ? document.activeElement : null;
    rows = new Map(parts.map((part) => [JSON.stringify(part), part]).map(([key, part]) => [key, old.get(key) ?? row(part)]));
    if ([...rows.keys()].join("\n") === [...old.keys()].join("\n")) return;
    const pending = parts.filter(({ state }) => state === "pending").length;
    const [one, several] = pending ? ["change waits for you", "changes wait for you"] : ["change no longer fits", "changes no longer fit"];
    const count = pending || parts.length;
    const all = el("button", { class: "line small", type: "button", "data-testid": "accept-all", onclick: () => decide({ accept: "all" }, parts) }, "Accept all");
    root.hidden = parts.length === 0;
    root.replaceChildren(
      el("header", {}, el("h3", { tabindex: -1 }, `${count} ${count === 1 ? one : several}`), pending > 1 && all),
      el("ol", { tabindex: 0, "aria-label": "Proposed changes" }, ...rows.values()),
    );
    if (!active) return;
    if (root.contains(active)) active.focus();
    else if (root.hidden) decided();
    else root.querySelector("h3").focus();
  }

  function row(part) {
    const { id, state, owner, reason, before, after, start_line: start, end_line: end } = part;
    const isStale = state === "stale";
    const lines = end > start ? `lines ${start} to ${end}` : end === start ? `line ${start}` : `before line ${start}`;
    const note = el("input", { type: "text", maxlength: 256, placeholder: "Why, for the assistant", "aria-label": `Why ${id} is rejected`, hidden: true });
    const reject = () => decide({ reject: [id], ...(note.value.trim() ? { note: note.value.trim() } : {}) }, [part]);
    const ask = () => {
      if (!note.hidden) return reject();
      note.hidden = false;
      note.focus();
    };
    const no = el("button", { class: "line small", type: "button", "data-testid": `reject-${id}`, onclick: ask }, "Reject");
    note.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.isComposing) reject();
      else if (event.key === "Escape") {
        note.hidden = true;
        no.focus();
      }
    });
    const said = [isStale && "The document has changed there since, so this can only be rejected.", part.rejected_before && "This was rejected before.", reason];
    return el(
      "li",
      { "data-testid": `part-${id}` },
      el("p", {}, who(owner, studio.me), `, ${lines}`),
      el("div", { class: "both" }, before !== "" && el("pre", { class: "goes" }, el("del", {}, cut(before))), after !== "" && el("pre", { class: "comes" }, el("ins", {}, cut(after)))),
      ...said.filter(Boolean).map((text) => el("p", { class: "muted" }, text)),
      el(
        "div",
        { class: "acts" },
        !isStale && el("button", { class: "strong small", type: "button", "data-testid": `accept-${id}`, onclick: () => decide({ accept: [id] }, [part]) }, "Accept"),
        no,
        note,
      ),
    );
  }

  async function decide(choice, parts) {
    if (isBusy) return;
    isBusy = true;
    // The person decides on what is shown, and not on what it has become since.
    const seen = Object.fromEntries(parts.map(({ id, after }) => [id, after]));
    const done = await studio.act("proposals.decide", { ...choice, seen });
    isBusy = false;
    if (!done) return void studio.resync();
    studio.say(`Accepted ${done.accepted.length}, rejected ${done.rejected.length}.`);
  }

  return { draw };
}

const cut = (text) => text.replace(/\r?\n$/, "").slice(0, SHOWN);

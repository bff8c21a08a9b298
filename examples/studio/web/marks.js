// What the assistant has changed, in the text of the editor, and how it is drawn in place.
import { blocks } from "./markdown.js";
import { el } from "./ui.js";
import { move } from "./text.js";

const CHANGES = 15; // that undo and redo find their marks of

/** A list of `{from, to, del}`: what stands at `from..to` is new, and `del` stood there before. */
export class Marks {
  #list = [];
  // The marks before and after each change of the assistant, with the texts then: undo and redo lead back to these texts.
  #made = [];

  get isEmpty() {
    return this.#list.length === 0;
  }
  get added() {
    return this.#list.filter(({ from, to }) => to > from).length;
  }
  get removed() {
    return this.#list.filter(({ del }) => del !== "").length;
  }

  clear() {
    this.#list = [];
    this.#made = [];
  }

  /** Keeps the marks where they are while the text changes. */
  follow(splices) {
    this.#list = this.#list
      .map((one) => ({ ...one, from: move(one.from, splices, true), to: Math.max(move(one.from, splices, true), move(one.to, splices)) }))
      .filter(({ from, to, del }) => to > from || del !== "");
  }

  /** Keeps the marks where they are while others change the text, but for those whose words they change. */
  followOthers(splices) {
    const isTouched = ({ from, to, del }) =>
      splices.some(({ at, remove, insert }) =>
        from < to ? at < to && at + remove > from : at <= from && at + remove >= from && (remove > 0 || insert === del),
      );
    this.#list = this.#list.filter((one) => !isTouched(one));
    this.follow(splices);
  }

  /** Shows the marks that there were when the text was this one: before a change that was undone, after one that was redone. */
  recall(text) {
    const before = this.#made.findLast((one) => one.before === text);
    const after = this.#made.findLast((one) => one.after === text);
    if (before) this.#list = before.was;
    else if (after) this.#list = after.is;
  }

  /** Shows these words `{del, ins, at}` alone. `place` takes positions of theirs, in order, to the text. */
  show(words, place) {
    this.clear();
    this.#list = words.map(({ del, ins, at }) => ({ from: place(at), to: place(at + ins.length), del }));
  }

  /**
   * Adds words `{del, ins, at}`, by which the text `before` became `after`; `place` gives where a position of theirs is in the
   * text. Older marks give way.
   */
  add(words, place, before, after) {
    const was = this.#list;
    const fresh = words.map(({ del, ins, at }) => ({ from: place(at), to: place(at) + ins.length, del }));
    const isApart = (old) => fresh.every(({ from, to }) => old.to < from || old.from > to);
    this.#list = [...this.#list.filter(isApart), ...fresh].sort((a, b) => a.from - b.from);
    this.#made = [...this.#made.slice(-CHANGES), { before, after, was, is: this.#list }];
  }

  /** The marks of a range of the text, its end included where `isLast`. */
  within(start, stop, isLast = false) {
    return this.#list.filter(({ from, to }) => (from < stop || (isLast && from === stop)) && (to > start || from >= start));
  }
}

/** A piece of the text as it reads, with its marks: removed words struck out, new ones coloured. */
export function drawMarked(text, start, stop, marks) {
  const parts = partsOf(text, start, stop, marks);
  return drawRead(parts) ?? drawRaw(parts);
}

// The piece as `{tag, text}`, where words without a mark have no tag.
function partsOf(text, start, stop, marks) {
  const parts = [];
  const push = (tag, words) => words !== "" && parts.push({ tag, text: words });
  let at = start;
  for (const { from, to, del, ins } of marks) {
    const [first, last] = [Math.max(from, at), Math.min(to, stop)];
    push(null, text.slice(at, first));
    if (ins !== undefined) {
      // A proposal: the words are still there, and what would come is not.
      if (last > first) push("del", text.slice(first, last));
      if (to <= stop) push("ins", ins);
      at = Math.max(at, last);
      continue;
    }
    if (del && from >= start) push("del", del);
    if (last > first) push("ins", text.slice(first, last));
    at = Math.max(at, last);
  }
  push(null, text.slice(at, stop));
  return parts;
}

const drawRaw = (parts) => el("div", { class: "change raw" }, ...parts.map(({ tag, text }) => (tag ? el(tag, {}, text) : text)));

// Noncharacters, which stand for the ends of marks while the Markdown is read. No text of people has them.
const SIGNS = { del: ["\ufdd0", "\ufdd1"], ins: ["\ufdd2", "\ufdd3"] };
const SIGN = /[\ufdd0-\ufdd3]/;
// The signs of Markdown at the beginning of a line; a mark of a whole line begins behind them.
const LEAD = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?|#{1,6}\s+|>\s?)?/;
const IN_LEAD = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s*(?:\[[ xX]?\]?)?|#{1,6}|>)$/;

// Null where the marks cannot be put into what the Markdown reads like, such as those of an address.
function drawRead(parts) {
  if (parts.some(({ text }) => SIGN.test(text))) return null;
  let whole = "";
  let count = 0;
  for (const [number, { tag, text }] of parts.entries()) {
    const line = whole.slice(whole.lastIndexOf("\n") + 1).replace(/[\ufdd0-\ufdd3]/g, "");
    if (!tag) {
      whole += text;
      continue;
    }
    if (IN_LEAD.test(line)) return null;
    for (const [row, words] of text.split("\n").entries()) {
      if (row > 0) whole += "\n";
      const lead = row > 0 || line === "" ? LEAD.exec(words)[0] : "";
      whole += lead;
      if (words === lead) continue;
      whole += SIGNS[tag][0] + words.slice(lead.length) + SIGNS[tag][1];
      count += 1;
    }
    // A line that another has taken the place of is a line of its own.
    const next = parts[number + 1];
    if (tag === "del" && next?.tag === "ins" && line === "" && !text.endsWith("\n") && LEAD.exec(next.text)[0] !== "") whole += "\n";
  }
  const node = el("div", { class: "change" }, ...blocks(whole.split("\n")).map((block) => block.make()));
  return putMarks(node) === count ? node : null;
}

// Puts elements around what stands between signs; gives how many marks it found, or -1 where they are not in order.
function putMarks(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  let open = null;
  let found = 0;
  for (const node of texts) {
    if (open === null && !SIGN.test(node.data)) continue;
    const fresh = [];
    for (const part of node.data.split(/([\ufdd0-\ufdd3])/)) {
      const tag = Object.keys(SIGNS).find((name) => SIGNS[name].includes(part));
      if (!tag) {
        if (part !== "") fresh.push(open ? el(open, {}, part) : part);
        continue;
      }
      const opens = part === SIGNS[tag][0];
      if (opens ? open !== null : open !== tag) return -1;
      open = opens ? tag : null;
      if (opens) found += 1;
    }
    node.replaceWith(...fresh);
  }
  return open === null ? found : -1;
}

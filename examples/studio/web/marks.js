// What the assistant has changed, in the text of the editor, and how it is drawn in place.
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

/** A piece of the text with its marks: as it is written, removed words struck out, new ones underlined. */
export function drawMarked(text, start, stop, marks) {
  const node = el("div", { class: "change" });
  let at = start;
  for (const { from, to, del } of marks) {
    const [first, last] = [Math.max(from, at), Math.min(to, stop)];
    node.append(text.slice(at, first));
    if (del && from >= start) node.append(el("del", {}, del));
    if (last > first) node.append(el("ins", {}, text.slice(first, last)));
    at = Math.max(at, last);
  }
  node.append(text.slice(at, stop));
  return node;
}

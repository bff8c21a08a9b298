// What the assistant has changed, in the text of the editor, and how it is drawn in place.
import { el } from "./ui.js";
import { move } from "./text.js";

/** A list of `{from, to, del}`: what stands at `from..to` is new, and `del` stood there before. */
export class Marks {
  #list = [];

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
  }

  /** Keeps the marks where they are while the text changes. */
  follow(splices) {
    this.#list = this.#list
      .map((one) => ({ ...one, from: move(one.from, splices, true), to: Math.max(move(one.from, splices, true), move(one.to, splices)) }))
      .filter(({ from, to, del }) => to > from || del !== "");
  }

  /** Adds words `{del, ins, at}`; `place` gives where a position of theirs is in the text. Older marks give way. */
  add(words, place) {
    const fresh = words.map(({ del, ins, at }) => ({ from: place(at), to: place(at) + ins.length, del }));
    const isApart = (old) => fresh.every(({ from, to }) => old.to < from || old.from > to);
    this.#list = [...this.#list.filter(isApart), ...fresh].sort((a, b) => a.from - b.from);
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

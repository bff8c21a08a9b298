// The document as it reads: blocks of Markdown, those that the assistant has changed with their marks.
import { blocks } from "./markdown.js";
import { drawMarked } from "./marks.js";
import { el } from "./ui.js";

// Characters that are drawn at once. Of a longer document the rest comes when it is asked for.
const SHOWN = 400_000;
// Blocks of the first frame, and of each after it, so that a long document is soon to be seen.
const FIRST = 120;
const MORE = 400;

/** Draws into `root`, and again only what has changed since the last time. */
export class View {
  #root;
  #drawn = []; // {key, node, start, lines}; without `start`, nothing can be changed there
  #isWhole = false;
  #last = null;
  #frame = 0;

  constructor(root) {
    this.#root = root;
  }

  draw(text, marks) {
    this.#last = [text, marks];
    const isCut = !this.#isWhole && text.length > SHOWN;
    const cut = isCut ? text.slice(0, text.lastIndexOf("\n", SHOWN) + 1 || SHOWN) : text;
    const lines = cut.split("\n");
    const wanted = this.#wanted(cut, lines, marks);
    const upTo = this.#drawn.length === 0 ? FIRST : this.#drawn.length + MORE;
    const active = document.activeElement;
    const held = this.lineOf(active);
    this.#replace(wanted.slice(0, upTo));
    if (held && document.activeElement !== active) this.#focusAgain(active, held);
    if (upTo < wanted.length) this.#goOn();
    this.#root.querySelector(".rest")?.remove();
    this.#root.querySelector(".empty")?.remove();
    if (wanted.length === 0) this.#root.append(el("p", { class: "empty" }, "An empty document. Write, or ask the assistant."));
    if (isCut)
      this.#root.append(el("button", { class: "line rest", type: "button", onclick: () => this.#drawAll() }, "Show the whole document"));
  }

  // What had the focus was moved, or was drawn again and still stands at its line.
  #focusAgain(active, line) {
    const now = active.isConnected ? active : this.nodeAt(line);
    const name = (node) => `${node.tagName} ${node.getAttribute("aria-label")}`;
    if (now && name(now) === name(active)) now.focus({ preventScroll: true });
  }

  /** The text that it shows. */
  get text() {
    return this.#last?.[0];
  }

  /** The number of the line that an element begins at, from 1, or null where nothing can be changed. */
  lineOf(node) {
    const placed = this.#root.contains(node) ? node.closest("[data-line]") : null;
    const block = placed && this.#drawn.find((one) => one.node.contains(placed));
    return block?.start === undefined || !block ? null : block.start + Number(placed.dataset.line) + 1;
  }

  /** The first and last line of the block around a node, from 1. */
  linesOf(node) {
    return this.#drawn.find((one) => one.node.contains(node))?.lines;
  }

  /** The element that begins at a line. */
  nodeAt(line) {
    const block = this.#drawn.findLast(({ start }) => start < line);
    const inside = block ? [block.node, ...block.node.querySelectorAll("[data-line]")] : [];
    return inside.find(({ dataset }) => Number(dataset.line) === line - 1 - block.start);
  }

  /** The first block with a mark. */
  get firstChange() {
    return this.#root.querySelector(".change");
  }

  #goOn() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.draw(...this.#last);
    });
  }

  #drawAll() {
    this.#isWhole = true;
    this.draw(...this.#last);
  }

  // What is to stand there: a key that tells equal blocks, and how to draw one.
  #wanted(text, lines, marks) {
    const found = blocks(lines);
    // A block that ends with the text has no line behind its last line break.
    const last = lines.length - (lines.length > 1 && lines.at(-1) === "" ? 1 : 0);
    const place = (start, end) => [start + 1, Math.min(end, last)];
    if (marks.isEmpty) return found.map(({ start, end, make }) => ({ key: lines.slice(start, end).join("\n"), make, start, lines: place(start, end) }));
    const starts = [0];
    for (const line of lines) starts.push(starts[starts.length - 1] + line.length + 1);
    const out = [];
    let seen = 0;
    const between = (stop) => {
      const left = marks.within(seen, stop).filter(({ from }) => from >= seen);
      if (left.length > 0) out.push(changed(text, seen, Math.max(seen, stop - 1), left));
    };
    for (const { start, end, make } of found) {
      between(starts[start]);
      const [from, stop] = [starts[start], Math.min(starts[end], text.length)];
      const inside = marks.within(from, stop, end === lines.length);
      if (inside.length > 0) out.push({ ...changed(text, from, text[stop - 1] === "\n" ? stop - 1 : stop, inside), lines: place(start, end) });
      else out.push({ key: text.slice(from, Math.max(from, starts[end] - 1)), make, start, lines: place(start, end) });
      seen = stop;
    }
    if (found.length === 0 || seen < text.length) between(text.length + 1);
    return out;
  }

  // Blocks at both ends that are as they were stay; what lies between is drawn, or taken from what was there.
  #replace(wanted) {
    const drawn = this.#drawn;
    let head = 0;
    while (head < drawn.length && head < wanted.length && drawn[head].key === wanted[head].key) head += 1;
    let tail = 0;
    const most = Math.min(drawn.length, wanted.length) - head;
    while (tail < most && drawn[drawn.length - 1 - tail].key === wanted[wanted.length - 1 - tail].key) tail += 1;
    const old = drawn.slice(head, drawn.length - tail);
    const spare = new Map(old.map((one) => [one.key, one.node]));
    const fresh = wanted.slice(head, wanted.length - tail).map(({ key, make, start }) => {
      const node = spare.get(key) ?? (start === undefined ? make() : enabled(make()));
      spare.delete(key);
      return { key, node };
    });
    const before = drawn[drawn.length - tail]?.node ?? null;
    for (const { node } of old) node.remove();
    const nodes = document.createDocumentFragment();
    nodes.append(...fresh.map(({ node }) => node));
    this.#root.insertBefore(nodes, before);
    this.#drawn = [...drawn.slice(0, head), ...fresh, ...drawn.slice(drawn.length - tail)];
    for (const [index, { start, lines }] of wanted.entries()) Object.assign(this.#drawn[index], { start, lines });
  }
}

// Tasks can be checked where the text has no marks.
function enabled(node) {
  for (const box of node.querySelectorAll("input[data-line]")) box.disabled = false;
  return node;
}

const changed = (text, from, stop, marks) => ({
  key: `\0${text.slice(from, stop)}\0${JSON.stringify(marks.map((one) => [one.from - from, one.to - from, one.del, one.ins]))}`,
  make: () => drawMarked(text, from, stop, marks),
});

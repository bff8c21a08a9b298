// Markdown that people write, as elements. What it does not know stays text; addresses become links, and pictures are
// named, since nothing may be fetched.
import { el } from "./ui.js";

const DEEPEST = 12; // of lists and quotes; deeper ones stay text
const LONGEST = 20_000; // of a paragraph whose inline marks are read
// Each part looks a bounded way ahead, so that reading takes as long as the text is.
const INLINE = new RegExp(
  [
    /\\([\\`*_{}[\]()#+.!~|<>-])/, // 1 escape
    /(`+)([^`]|[^`][^]{0,600}?[^`])\2(?!`)/, // 2 3 code
    /!\[([^\]]{0,300})\]\([^)]{0,2000}\)/, // 4 picture
    /\[([^\]]{1,300})\]\( *<?([^\s)>]{0,2000})>?[^)]{0,300}\)/, // 5 6 link
    /(\*\*|__)(?=\S)([^]{0,600}?\S)\7(?![*_])/, // 7 8 strong
    // An underscore inside a word is a letter of it.
    /(\*|(?<!\w)_)(?=[^\s*_])([^]{0,600}?[^\s*_])\9(?!\w)/, // 9 10 emphasis
    /~~(?=\S)([^]{0,600}?\S)~~/, // 11 struck out
    /<?\b(https?:\/\/[^\s<>]{0,2000}[^\s<>.,;:!?)\]'"])>?/, // 12 address
    /( {2,20}\n|\\\n)/, // 13 line break
  ]
    .map((part) => part.source)
    .join("|"),
  "g",
);

// A link leaves this page where it is.
const OUTSIDE = { rel: "noopener noreferrer", target: "_blank" };

function inline(parent, text, depth = 0) {
  if (text.length > LONGEST || depth > DEEPEST) return void parent.append(text);
  let from = 0;
  const inside = (tag, content, attrs) => {
    const node = el(tag, attrs);
    inline(node, content, depth + 1);
    return node;
  };
  for (const found of text.matchAll(INLINE)) {
    const [all, escaped, , code, picture, label, target, , strong, , emphasis, struck, address, line] = found;
    parent.append(text.slice(from, found.index));
    from = found.index + all.length;
    if (escaped) parent.append(escaped);
    else if (code) parent.append(el("code", {}, code.replace(/\n/g, " ").replace(/^ (.+) $/, "$1")));
    else if (picture !== undefined) parent.append(el("span", { class: "picture" }, picture || "picture"));
    else if (label)
      parent.append(
        /^(https?:|mailto:)/i.test(target) ? inside("a", label, { href: target, ...OUTSIDE }) : inside("span", label, { title: target }),
      );
    else if (strong) parent.append(inside("strong", strong));
    else if (emphasis) parent.append(inside("em", emphasis));
    else if (struck) parent.append(inside("s", struck));
    else if (address) parent.append(el("a", { href: address, ...OUTSIDE }, address));
    else if (line) parent.append(el("br"));
  }
  parent.append(text.slice(from));
}

const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})\s*(\S*)/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])( {1,4}(?=\S)| *$)/;
const TABLE = /^ {0,3}\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
const blank = (line) => line.trim() === "";
// The Markdown of each cell, for whoever edits it.
const sources = new WeakMap();
export const sourceOf = (cell) => sources.get(cell);
// A backslash escapes the character behind it, also another one.
function cells(line) {
  const row = line.trim();
  const found = [""];
  for (let at = row.startsWith("|") ? 1 : 0; at < row.length; at += 1) {
    if (row[at] === "|") found.push("");
    else found.push(found.pop() + (row[at] === "\\" ? row[at] + (row[++at] ?? "") : row[at]));
  }
  // Behind the last pipe is no cell.
  if (found.length > 1 && found[found.length - 1] === "") found.pop();
  return found.map((cell) => cell.trim().replace(/\\\|/g, "|"));
}

const opens = (line) => FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || ITEM.test(line);
const INDENTED = /^(?: {4}|\t)/;

/**
 * Blocks with the lines that they stand on: `{make, start, end}`, end not included. `make` draws one, so that a block
 * that was drawn before need not be drawn again. What a person may change has its line in `data-line`, counted from the
 * first line of its outermost block, on which `first` lines stand above `lines`.
 */
export function blocks(lines, depth = 0, first = 0) {
  const made = [];
  const above = (start) => (depth === 0 ? 0 : first + start);
  const push = (start, end, make) => made.push({ start, end, make });
  let at = 0;
  if (depth === 0 && lines[0] === "---") {
    const end = lines.indexOf("---", 1);
    if (end > 0) {
      push(0, end + 1, () => el("div", { class: "front" }, lines.slice(1, end).join("\n")));
      at = end + 1;
    }
  }
  while (at < lines.length) {
    const start = at;
    const line = lines[at];
    let found;
    if (blank(line)) {
      at += 1;
    } else if ((found = FENCE.exec(line))) {
      const close = new RegExp(`^ {0,3}${found[1][0]}{${found[1].length},}\\s*$`);
      const language = found[2];
      do at += 1;
      while (at < lines.length && !close.test(lines[at]));
      const inner = lines.slice(start + 1, at);
      at = Math.min(at + 1, lines.length);
      push(start, at, () => code(inner, language));
    } else if ((found = HEADING.exec(line))) {
      const [, signs, title = ""] = found;
      at += 1;
      push(start, at, () => words(`h${signs.length}`, title.trim().replace(/(^|\s)#+$/, "")));
    } else if (RULE.test(line)) {
      at += 1;
      push(start, at, () => el("hr"));
    } else if (INDENTED.test(line)) {
      while (at < lines.length && (INDENTED.test(lines[at]) || (blank(lines[at]) && INDENTED.test(lines[at + 1] ?? "")))) at += 1;
      const inner = lines.slice(start, at).map((one) => one.replace(INDENTED, ""));
      push(start, at, () => code(inner));
    } else if (QUOTE.test(line) && depth < DEEPEST) {
      while (at < lines.length && !blank(lines[at]) && (QUOTE.test(lines[at]) || !opens(lines[at]))) at += 1;
      const inner = lines.slice(start, at).map((one) => one.replace(QUOTE, ""));
      push(start, at, () => el("blockquote", {}, ...blocks(inner, depth + 1, above(start)).map((block) => block.make())));
    } else if (ITEM.test(line) && depth < DEEPEST) {
      const read = items(lines, at);
      at = read.at;
      push(start, read.end, () => list(read, depth, above(start)));
    } else if (isTable(line, lines[at + 1])) {
      for (at += 2; at < lines.length && lines[at].includes("|"); ) at += 1;
      const body = lines.slice(start + 2, at);
      push(start, at, () => table(line, body, above(start)));
    } else {
      let under;
      do at += 1;
      while (
        at < lines.length &&
        !blank(lines[at]) &&
        !(under = /^ {0,3}(=+|-+)\s*$/.exec(lines[at])) &&
        (depth >= DEEPEST || !opens(lines[at]))
      );
      const text = lines
        .slice(start, at)
        .map((one) => one.trimStart())
        .join("\n");
      const tag = under ? (under[1][0] === "=" ? "h1" : "h2") : "p";
      if (under) at += 1;
      push(start, at, () => words(tag, text));
    }
  }
  return made;
}

function words(tag, text, attrs) {
  const node = el(tag, attrs);
  inline(node, text);
  return node;
}

// Focusable, so that the keyboard can scroll what is wider than the page.
const code = (lines, language) =>
  el("pre", { tabindex: 0, role: "region", "aria-label": language ? `Code, ${language}` : "Code" }, el("code", {}, lines.join("\n")));

// The items of a list, each with its lines without their indentation and how far below the list's first line it begins; `end`
// leaves out blank lines behind the last.
function items(lines, start) {
  const [, , first] = ITEM.exec(lines[start]);
  const sign = first.slice(-1);
  const inside = [];
  let at = start;
  let end = at;
  for (let found; at < lines.length && (found = ITEM.exec(lines[at])) && found[2].slice(-1) === sign && !RULE.test(lines[at]); ) {
    const indent = found[0].length || 1;
    const outdent = new RegExp(`^ {0,${indent}}`);
    const below = at - start;
    const inner = [lines[at].slice(found[0].length)];
    for (at += 1; at < lines.length; at += 1) {
      const isDeeper = lines[at].startsWith("\t") || lines[at].length - lines[at].trimStart().length >= Math.min(indent, 2);
      if (!blank(lines[at]) && !isDeeper && (opens(lines[at]) || blank(lines[at - 1]))) break;
      inner.push(lines[at].replace(/^\t+/, (tabs) => "    ".repeat(tabs.length)).replace(outdent, ""));
    }
    while (inner.length > 1 && blank(inner[inner.length - 1])) inner.pop();
    inside.push({ inner, below });
    for (end = at; end > start && blank(lines[end - 1]); ) end -= 1;
  }
  return { inside, number: first.length > 1 ? parseInt(first, 10) : null, at, end };
}

function list({ inside, number }, depth, above) {
  const node = el(number === null ? "ul" : "ol", number !== null && number !== 1 ? { start: number } : {});
  for (const { inner, below } of inside) {
    const [first, ...rest] = inner;
    const line = above + below;
    const task = /^\[([ xX])\]\s+/.exec(first);
    const item = el("li", task ? { class: "task" } : {});
    if (task) {
      const words = first.slice(task[0].length).slice(0, 200) || "Task";
      item.append(el("input", { type: "checkbox", disabled: true, checked: task[1] !== " ", "aria-label": words, "data-line": line }));
    }
    const parts = blocks([task ? first.slice(task[0].length) : first, ...rest], depth + 1, line).map((block) => block.make());
    // The first paragraph of an item stands beside its sign.
    item.append(...parts.flatMap((part, index) => (index === 0 && part.tagName === "P" ? [...part.childNodes] : [part])));
    node.append(item);
  }
  return node;
}

const isTable = (head, under) =>
  head.includes("|") && under?.length < 1_000 && TABLE.test(under) && cells(head).length === cells(under).length;

function table(head, body, above) {
  const cell = (source) => {
    const node = words("td", source);
    sources.set(node, source);
    return node;
  };
  // Below the header and the row of its dashes.
  const row = (line, index) => el("tr", { "data-line": above + 2 + index }, ...cells(line).map(cell));
  const header = el("tr", {}, ...cells(head).map((title) => words("th", title, { scope: "col" })));
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table", "data-line": above },
    el("table", {}, el("thead", {}, header), el("tbody", {}, ...body.map(row))),
  );
}

// Edits from one text to another, and the rules of `canvas_patch::merge_words` for edits of two sides.
//
// The rules are written again here, because `traces.mjs` has to know which merges are refused. Markdown is not parsed, so
// that nothing is refused for its blocks and markup.

import { diffArrays } from "diff";

/** Says whether edits are joined by `lines` or by `words`, or `refused`, as `diff::weave` does. */
export function rule(base, texts) {
  const clusters = [];
  for (const edit of inOrder(texts.map((text) => lineEdits(base, text)))) {
    const last = clusters.at(-1);
    if (!last || (last.end <= edit.at && last.at < edit.end)) clusters.push({ at: edit.at, end: edit.end, edits: [edit] });
    else last.edits.push(edit), (last.end = Math.max(last.end, edit.end));
  }
  let result = "lines";
  for (const { at, end, edits } of clusters) {
    const [mine, theirs] = [0, 1].map((side) => edits.filter((edit) => edit.side === side));
    if (!mine.length || !theirs.length || (edits.length === 2 && isSame(...edits))) continue;
    if (at === end) {
      const [a, b] = [mine[0].now, theirs[0].now].map((text) => text.split("\n").map((line) => line.trim()).filter(Boolean));
      const [x, y] = [a.at(-1), b.at(-1)];
      const isTwice = a.some((line) => b.includes(line)) || (x && y && (x.startsWith(y) || y.startsWith(x)));
      if (!theirs[0].now.endsWith("\n") || isTwice) return "refused";
      continue;
    }
    const text = base.slice(at, end);
    const sides = [mine, theirs].map((edits) => apply(text, edits.map((edit) => [edit.at - at, edit.end - edit.at, edit.now])));
    if (isTouching(text, inOrder(sides.map((side) => wordEdits(text, side))))) return "refused";
    result = "words";
  }
  return result;
}

/** Whether two edits of different sides lack a word between them in one line, or one of them changes line breaks there. */
function isTouching(base, edits) {
  const last = [{ isAbove: true }, { isAbove: true }];
  let before = 0;
  return edits.some((edit, n) => {
    if (edits[n - 1] && isSame(edits[n - 1], edit)) return false;
    const kept = base.slice(before, edit.at);
    for (const side of last) (side.hasWord ||= /[\p{L}\p{N}]/u.test(kept)), (side.isAbove ||= kept.includes("\n"));
    const overlaps = edit.at < before;
    before = edit.end;
    if (overlaps) return true;
    if (edits[n + 1] && isSame(edit, edits[n + 1])) return false;
    const breaks = (base.slice(edit.at, edit.end) + edit.now).includes("\n");
    const other = last[1 - edit.side];
    last[edit.side] = { breaks };
    return !other.isAbove && (!other.hasWord || breaks || other.breaks);
  });
}

const isSame = (a, b) => a.at === b.at && a.end === b.end && a.now === b.now;
const inOrder = (sides) => {
  const all = sides.flatMap((edits, side) => edits.map(([at, gone, now]) => ({ at, end: at + gone, now, side })));
  return all.sort((a, b) => a.at - b.at || a.end - b.end || a.side - b.side);
};

/** Returns [was, is, text] of each part as edits. What is kept between two is in one edit with them if it fits `gap`. */
function collect(parts, gap = /^$/) {
  const edits = [];
  let [at, kept] = [0, ""];
  for (const [was, is, text] of parts) {
    if (was && is) kept += text;
    else {
      if (edits.length && gap.test(kept)) edits.at(-1)[1] += kept.length, (edits.at(-1)[2] += kept);
      else edits.push([at, 0, ""]);
      kept = "";
      edits.at(-1)[was ? 1 : 2] += was ? text.length : text;
    }
    at += was ? text.length : 0;
  }
  return edits;
}

const diff = (split, from, to, gap) =>
  collect(diffArrays(split(from), split(to)).flatMap((run) => run.value.map((text) => [!run.added, !run.removed, text])), gap);
const lineEdits = (from, to) => diff((text) => text.match(/.*\n|.+$/g) ?? [], from, to);
export const wordEdits = (from, to) => diff((text) => text.match(/[\p{L}\p{N}]+|\n|[^\S\n]+|./gsu) ?? [], from, to, /^[^\S\n]*$/);
export const apply = (text, edits) => edits.reduceRight((text, [at, gone, now]) => text.slice(0, at) + now + text.slice(at + gone), text);

// Changes of texts. A splice is `{at, remove, insert}`, in UTF-16 code units; a list of splices is in order, without
// overlaps, and every `at` counts in the text before all of them.

/** @typedef {{at: number, remove: number, insert: string}} Splice */

const isLow = (code) => code >= 0xdc00 && code <= 0xdfff;
const isHigh = (code) => code >= 0xd800 && code <= 0xdbff;

export const splice = (text, { at, remove, insert }) => text.slice(0, at) + insert + text.slice(at + remove);

export function apply(text, splices) {
  const parts = [];
  let from = 0;
  for (const { at, remove, insert } of splices) {
    parts.push(text.slice(from, at), insert);
    from = at + remove;
  }
  parts.push(text.slice(from));
  return parts.join("");
}

/**
 * The one splice that leads from a text to another, or null where they are the same. Where several would do, as for a
 * letter among equal ones, it is the one that ends at the caret. It never cuts a surrogate pair.
 */
export function difference(before, after, caret = after.length) {
  if (before === after) return null;
  const shorter = Math.min(before.length, after.length);
  const most = Math.min(shorter, after.length - Math.min(caret, after.length));
  let tail = commonTail(before, after, most);
  let head = 0;
  while (head < shorter - tail && before.charCodeAt(head) === after.charCodeAt(head)) head += 1;
  // What the caret kept out of the tail, where nothing depends on it any more.
  tail = commonTail(before, after, shorter - head, tail);
  if (head > 0 && isHigh(before.charCodeAt(head - 1))) head -= 1;
  if (tail > 0 && isLow(before.charCodeAt(before.length - tail))) tail -= 1;
  return { at: head, remove: before.length - tail - head, insert: after.slice(head, after.length - tail) };
}

function commonTail(before, after, most, tail = 0) {
  while (tail < most && before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)) tail += 1;
  return tail;
}

// Pairs of lines that are compared for the places of several changes; of more one change is made.
const COMPARED = 250_000;

/** The splices that lead from a text to another. Places that are lines apart are splices of their own. */
export function changes(before, after, caret) {
  const whole = difference(before, after, caret);
  if (!whole) return [];
  const removed = before.slice(whole.at, whole.at + whole.remove);
  if (!removed.includes("\n") || !whole.insert.includes("\n")) return [whole];
  const was = lines(removed);
  const is = lines(whole.insert);
  if (was.length * is.length > COMPARED) return [whole];
  const found = [];
  let at = whole.at;
  for (const { a, b, isSame } of lineRuns(was, is)) {
    if (!isSame) {
      const one = difference(a.join(""), b.join(""));
      if (one) found.push({ ...one, at: one.at + at });
    }
    at += a.reduce((sum, line) => sum + line.length, 0);
  }
  return found;
}

const lines = (text) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

// Runs of lines that both have, and of lines that differ, by the longest common subsequence.
function lineRuns(was, is) {
  const width = is.length + 1;
  const common = new Uint32Array((was.length + 1) * width);
  for (let i = was.length - 1; i >= 0; i -= 1)
    for (let j = is.length - 1; j >= 0; j -= 1)
      common[i * width + j] =
        was[i] === is[j] ? common[(i + 1) * width + j + 1] + 1 : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
  const runs = [];
  const run = (isSame) => {
    const last = runs[runs.length - 1];
    if (last?.isSame === isSame) return last;
    runs.push({ a: [], b: [], isSame });
    return runs[runs.length - 1];
  };
  for (let i = 0, j = 0; i < was.length || j < is.length; ) {
    if (i < was.length && j < is.length && was[i] === is[j]) {
      const same = run(true);
      same.a.push(was[i++]);
      same.b.push(is[j++]);
    } else if (i < was.length && (j === is.length || common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      run(false).a.push(was[i++]);
    } else {
      run(false).b.push(is[j++]);
    }
  }
  return runs;
}

const end = ({ at, remove }) => at + remove;
const isEqual = (a, b) => a.at === b.at && a.remove === b.remove && a.insert === b.insert;

// Two changes of one text conflict where they remove a common unit, or one inserts into what the other removes.
const conflict = (a, b) => {
  if (a.remove === 0 && b.remove === 0) return false;
  if (a.remove === 0) return a.at > b.at && a.at < end(b);
  if (b.remove === 0) return b.at > a.at && b.at < end(a);
  return a.at < end(b) && b.at < end(a);
};

/**
 * Two lists of splices of one text, each made to fit what the other leads to.
 *
 * `mine` fits the text with theirs, `theirs` the text with mine; of insertions at one place theirs comes first, and `met`
 * counts these. What both do alike is done once. Where they conflict, `mine` leaves its part out, and `conflicts` has a
 * row: the range `at..end` in the text with theirs, what stands there (`theirs`), and what mine would have there.
 */
export function merge(base, mine, theirs) {
  const out = { mine: [], theirs: [], conflicts: [], met: 0 };
  let m = 0;
  let t = 0;
  let byMine = 0; // units that mine has added so far
  let byTheirs = 0;
  const grow = (one) => one.insert.length - one.remove;
  while (m < mine.length || t < theirs.length) {
    const own = mine[m];
    const other = theirs[t];
    if (own && other && isEqual(own, other) && own.remove > 0) {
      byMine += grow(own);
      byTheirs += grow(other);
      m += 1;
      t += 1;
    } else if (own && other && conflict(own, other)) {
      const row = cluster(base, mine, theirs, m, t);
      out.conflicts.push({ at: row.at + byTheirs, end: row.at + byTheirs + row.theirs.length, mine: row.mine, theirs: row.theirs });
      // In the text with mine, theirs takes the whole place.
      out.theirs.push({ at: row.at + byMine, remove: row.mine.length, insert: row.theirs });
      for (; m < row.m; m += 1) byMine += grow(mine[m]);
      for (; t < row.t; t += 1) byTheirs += grow(theirs[t]);
    } else if (!own || (other && isBefore(other, own))) {
      if (own && own.at === other.at && own.remove === 0 && other.remove === 0) out.met += 1;
      out.theirs.push({ ...other, at: other.at + byMine });
      byTheirs += grow(other);
      t += 1;
    } else {
      out.mine.push({ ...own, at: own.at + byTheirs });
      byMine += grow(own);
      m += 1;
    }
  }
  return out;
}

const isBefore = (other, own) => end(other) <= own.at || (other.at === own.at && other.remove === 0);

// All changes that are bound together by conflicts, from the first on, and their whole place in both texts.
function cluster(base, mine, theirs, m, t) {
  const from = { m, t };
  let at = Math.min(mine[m].at, theirs[t].at);
  let stop = Math.max(end(mine[m]), end(theirs[t]));
  m += 1;
  t += 1;
  const isIn = (one) => one && (one.at < stop || conflict(one, { at, remove: stop - at, insert: "" }));
  while (isIn(mine[m]) || isIn(theirs[t])) {
    if (isIn(mine[m])) stop = Math.max(stop, end(mine[m++]));
    else stop = Math.max(stop, end(theirs[t++]));
  }
  const place = base.slice(at, stop);
  const inside = (list, first, last) =>
    apply(
      place,
      list.slice(first, last).map((one) => ({ ...one, at: one.at - at })),
    );
  return { at, mine: inside(mine, from.m, m), theirs: inside(theirs, from.t, t), m, t };
}

/** The splices of a list and of one more that was made in the text after them. It joins those that it touches. */
export function compose(base, list, one) {
  const text = apply(base, list);
  const stop = end(one);
  const before = [];
  const touched = [];
  const behind = [];
  let shift = 0; // of what stands before
  let within = 0; // of what is touched
  for (const other of list) {
    const from = other.at + shift + within;
    const to = from + other.insert.length;
    const grown = other.insert.length - other.remove;
    if (to < one.at) {
      before.push(other);
      shift += grown;
    } else if (from <= stop) {
      touched.push({ ...other, from, to });
      within += grown;
    } else behind.push(other);
  }
  const first = touched[0];
  const last = touched[touched.length - 1];
  const from = Math.min(one.at, first?.from ?? one.at);
  const to = Math.max(stop, last?.to ?? stop);
  const at = from - shift;
  const made = { at, remove: to - shift - within - at, insert: text.slice(from, one.at) + one.insert + text.slice(stop, to) };
  return [...before, ...(made.remove > 0 || made.insert ? [made] : []), ...behind];
}

/** Where a position is after splices. With `after`, it goes behind what is inserted at it. */
export function move(position, splices, after = false) {
  let shift = 0;
  for (const one of splices) {
    if (one.at > position || (one.at === position && one.remove === 0 && !after)) break;
    if (one.at < position && end(one) > position) return one.at + shift + one.insert.length;
    if (one.at === position && one.remove > 0) return one.at + shift + (after ? one.insert.length : 0);
    shift += one.insert.length - one.remove;
  }
  return position + shift;
}

/** A text as a text area has it, which knows one kind of line end. */
export const shown = (text) => (text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text);

/** A splice of the shown text, as one of the text itself. New lines end as most of the text's do. */
export function ofSource(text, one) {
  if (!text.includes("\r")) return one;
  const returns = text.match(/\r\n/g)?.length ?? 0;
  const feeds = text.match(/(?<!\r)\n/g)?.length ?? 0;
  const at = sourceAt(text, one.at);
  const stop = sourceAt(text, one.at + one.remove);
  const insert = returns >= feeds ? one.insert.replace(/\n/g, "\r\n") : one.insert;
  // A line end of its own must not become half of one.
  if (text[at - 1] === "\r" && insert.startsWith("\n")) return { at, remove: stop - at, insert: `\r${insert}` };
  if (text[at - 1] === "\r" && insert === "" && text[stop] === "\n") return { at, remove: stop + 1 - at, insert: "\r\n" };
  return { at, remove: stop - at, insert };
}

function sourceAt(text, position) {
  let at = 0;
  for (let left = position; left > 0; left -= 1) at += text[at] === "\r" && text[at + 1] === "\n" ? 2 : 1;
  return at;
}

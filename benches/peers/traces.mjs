// Merges what people typed at once in recorded sessions with Yjs and Automerge, at the joins of the binary `traces`.
//
//     node traces.mjs [--json]
//
// Needs `npm ci`, and the folder `traces` in CANVAS_DATA. Takes 80 seconds of processor time.
//
// Each library gets the text before both sides, and each side's edits in a replica of its own:
//
// * `words`: the words in which the side's text differs. The binary merges the same texts, so these rows compare with it.
// * `keys`: the recorded keystrokes, those at one place as one edit. They lead to the record except at places where this
//   joining loses their order among deleted characters, and where several joins in one merge hide what a side had seen.
//
// `by lines`, `by words` and `refused` are of all merges, as the binary counts them. No library refuses an edit. To save
// time, it gets only each SAMPLE-th merge, and all that are refused here. The columns after `edits` have two numbers, of the
// sample and of the refused. `neither` counts texts with a word, up to white space, that neither side's text has. The rows
// `record` tell how many such the record has. The sessions are plain notes, so broken markup is not sought.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import * as A from "@automerge/automerge";
import * as Y from "yjs";
import { play } from "./traces/recorded.mjs";
import { apply, rule, wordEdits } from "./traces/rule.mjs";

const SESSIONS = ["friendsforever", "clownschool"];
/** Numbers of joins for each merge, and how many merges there are for each that the libraries get besides those refused. */
const SAVES = [1, 5, 20, 100];
const SAMPLE = { 1: 10, 5: 4, 20: 1, 100: 1 };
const data = process.env.CANVAS_DATA ?? new URL("../../../shared/data", import.meta.url).pathname;

/** Merge two lists of edits, each [at, length, text] in the order of the base. */
const subjects = {
  yjs(base, sides) {
    const replica = (clientID, ...from) => {
      const doc = Object.assign(new Y.Doc({ guid: "" }), { clientID });
      from.forEach((other) => Y.applyUpdate(doc, Y.encodeStateAsUpdate(other)));
      return doc;
    };
    const common = replica(1);
    common.getText().insert(0, base);
    const edited = sides.map((edits, n) => {
      const doc = replica(n + 2, common);
      const text = doc.getText();
      doc.transact(() => edits.toReversed().forEach(([at, gone, now]) => (text.delete(at, gone), text.insert(at, now))));
      return doc;
    });
    return replica(4, ...edited).getText().toString();
  },
  automerge(base, sides) {
    const common = A.from({ text: base }, { actor: "01" });
    const [mine, theirs] = sides.map((edits, n) =>
      A.change(A.clone(common, { actor: `0${n + 2}` }), (doc) =>
        edits.toReversed().forEach(([at, gone, now]) => A.splice(doc, ["text"], at, gone, now)),
      ),
    );
    return A.merge(mine, theirs).text;
  },
};

/** Judges a text by the record, with both sides' texts. */
function judge(text, record, sides) {
  const left = new Map();
  for (const char of text) left.set(char, (left.get(char) ?? 0) + 1);
  const lacks = [...record].some((char) => left.set(char, (left.get(char) ?? 0) - 1).get(char) < 0);
  const known = new Set(sides.join("\n").split(/\s+/));
  const order = text === record ? "as recorded" : lacks ? "without a keystroke" : "in another order";
  return [order, ...(text.split(/\s+/).every((word) => known.has(word)) ? [] : ["neither"])];
}

const rows = new Map();
const rowOf = (session, every, subject, edits) => {
  const key = [session, every, subject, edits].join();
  const none = () => ({ merges: 0, "as recorded": 0, "in another order": 0, "without a keystroke": 0, neither: 0 });
  if (!rows.has(key)) rows.set(key, { session, every, subject, edits, lines: 0, words: 0, refused: 0, sample: none(), of_refused: none() });
  return rows.get(key);
};

for (const session of SESSIONS) {
  const trace = JSON.parse(gunzipSync(readFileSync(`${data}/traces/concurrent_${session}.json.gz`)));
  const merges = {};
  play(trace, SAVES, (every, all, keys) => {
    if (!keys[0].length || !keys[1].length) return;
    // Merges only the lines from the first edit to the last, and one on each side, because other lines cannot differ.
    const at = Math.min(...keys.flat().map(([at]) => at));
    const end = Math.max(...keys.flat().map(([at, gone]) => at + gone));
    const start = at < 2 ? 0 : all.lastIndexOf("\n", all.lastIndexOf("\n", at - 1) - 1) + 1;
    const base = all.slice(start, all.indexOf("\n", (all.indexOf("\n", end) + 1 || all.length)) + 1 || undefined);
    keys.flat().forEach((edit) => (edit[0] -= start));
    const [mine, theirs, record] = keys.map((edits) => apply(base, edits));
    if (mine === base || theirs === base) return;
    const ruling = rule(base, [mine, theirs]);
    const nth = (merges[every] = (merges[every] ?? 0) + 1);
    const groups = [...(nth % SAMPLE[every] === 0 ? ["sample"] : []), ...(ruling === "refused" ? ["of_refused"] : [])];
    const count = (subject, edits, merge) => {
      const row = rowOf(session, every, subject, edits);
      row[ruling] += 1;
      const found = groups.length ? ["merges", ...judge(merge(), record, [mine, theirs])] : [];
      for (const group of groups) for (const column of found) row[group][column] += 1;
    };
    count("record", "", () => record);
    const words = groups.length ? [mine, theirs].map((text) => wordEdits(base, text)) : [];
    for (const [subject, merge] of Object.entries(subjects)) {
      count(subject, "words", () => merge(base, words));
      count(subject, "keys", () => merge(base, keys.slice(0, 2)));
    }
  });
}
const columns = ["merges", "as recorded", "in another order", "without a keystroke", "neither"];
const line = (cells) => console.log(`| ${cells.join(" | ")} |`);
const isJson = process.argv.includes("--json");
if (!isJson) line(["session", "every", "by lines", "by words", "refused", "library", "edits", ...columns]), line(new Array(12).fill("---"));
for (const row of rows.values()) {
  const { session, every, lines, words, refused, subject, edits, sample, of_refused } = row;
  if (isJson) console.log(JSON.stringify(row));
  else line([session, every, lines, words, refused, subject, edits, ...columns.map((name) => `${sample[name]}, ${of_refused[name]}`)]);
}

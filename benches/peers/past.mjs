// Reads a history from standard input, as { text, edits: [[at, gone, now]], after }, with offsets in UTF-16 units. Prints
// [median, fastest] in nanoseconds for each of these:
//
// * automerge's `view` of the document before all edits
// * automerge's `diff` from there to the newest document, which is patches without authors
// * yjs' text of a snapshot before all edits
// * yjs' difference from there to the newest text, whose pieces name their authors
// * yjs' authors of the whole newest text

import { readFileSync } from "node:fs";
import * as A from "@automerge/automerge";
import * as Y from "yjs";

const { text, edits, after } = JSON.parse(readFileSync(0, "utf8"));
const seconds = 2;

/** Checks a result, and times calls for some seconds, at least three. */
function timed(run, isRight) {
  if (!isRight(run())) throw new Error(`another result: ${run}`);
  const samples = [];
  const begin = performance.now();
  while (samples.length < 3 || (performance.now() - begin < seconds * 1e3 && samples.length < 1_000)) {
    const start = performance.now();
    run();
    samples.push((performance.now() - start) * 1e6);
  }
  samples.sort((a, b) => a - b);
  return [samples[samples.length >> 1], samples[0]];
}

let merged = A.from({ text });
const first = A.getHeads(merged);
for (const [at, gone, now] of edits) merged = A.change(merged, (doc) => A.splice(doc, ["text"], at, gone, now));
if (merged.text !== after) throw new Error("automerge has another text");

// Without collection of what is deleted, which a snapshot needs.
const doc = new Y.Doc({ gc: false });
const shared = doc.getText();
shared.insert(0, text);
const before = Y.snapshot(doc);
edits.forEach(([at, gone, now], n) => {
  doc.clientID = 1 + (n % 3);
  doc.transact(() => (shared.delete(at, gone), shared.insert(at, now)));
});
if (shared.toString() !== after) throw new Error("yjs has another text");
const newest = Y.snapshot(doc);
const author = (type, { client }) => ({ type, client });

console.log(
  JSON.stringify([
    timed(() => A.view(merged, first).text, (past) => past === text),
    timed(() => A.diff(merged, first, A.getHeads(merged)), (patches) => patches.length > edits.length / 2),
    timed(() => Y.createDocFromSnapshot(doc, before).getText().toString(), (past) => past === text),
    timed(() => shared.toDelta(newest, before, author), (pieces) => pieces.length > edits.length / 2),
    timed(() => shared.toDelta(newest, Y.emptySnapshot, author), (pieces) => pieces.length > edits.length / 2),
  ]),
);

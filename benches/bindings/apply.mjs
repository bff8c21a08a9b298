// Applies patches by the npm package and by its peers, side by side, and prints a table. Reads the works from a file of
// JSON lines, which the program `bindings` writes.
//
//   node apply.mjs WORKS
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";

import { apply } from "canvas-engine/text";
import { applyPatch, parsePatch } from "diff";
import DiffMatchPatch from "diff-match-patch";
import * as Y from "yjs";

const ROUNDS = 40;
/** Milliseconds of a round. */
const SLOT = 20;
/** How much slower than Rust it may be. */
const TARGET = 2;

const works = (await readFile(process.argv[2], "utf8")).trim().split("\n").map((line) => JSON.parse(line));
console.log(row("work", "size", "subject", "median", "fastest", "× canvas"));
for (const work of works) {
  const size = `${Math.round(Buffer.byteLength(work.before) / 1000)} KB`;
  const timed = sideBySide(subjects(work));
  const [ours] = timed;
  for (const { name, median, fastest, flaw } of timed) {
    const times = median / ours.median;
    console.log(flaw === undefined
      ? row(work.work, size, name, duration(median), duration(fastest), times.toFixed(2))
      : `${row(work.work, size, name)}not timed: ${flaw}`);
  }
  console.log(`${work.work}: canvas takes ${ratio(ours.median / work.rust_whole_ns)} Rust with the same results, target ${TARGET}; ` +
    `${ratio(ours.median / work.rust_ns)} Rust for the text alone\n`);
}
console.log("imported and ready in milliseconds, each in a process of its own:");
for (const name of ["canvas-engine/text", "canvas-engine", "diff", "diff-match-patch", "yjs"]) {
  const script = `const began = performance.now(); await import(${JSON.stringify(name)}); console.log(performance.now() - began);`;
  const one = () => Number(execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }));
  console.log(`  ${name.padEnd(20)} ${medianOf(Array.from({ length: 7 }, one)).toFixed(1).padStart(7)}`);
}

/** What does the work. `prepare` makes what a call changes, and does not count. */
function subjects({ before, after, patch }) {
  const dmp = new DiffMatchPatch();
  const dmpPatch = dmp.patch_toText(dmp.patch_make(before, after));
  const [start, update] = yjs(before, patch);
  return [
    { name: "canvas", run: () => apply(before, patch).text },
    { name: "jsdiff", run: () => applyPatch(before, patch) },
    { name: "diff-match-patch", run: () => dmp.patch_apply(dmp.patch_fromText(dmpPatch), before)[0] },
    {
      // A peer that has the document gets the edit.
      name: "yjs update",
      prepare() {
        const doc = new Y.Doc();
        Y.applyUpdate(doc, start);
        return doc;
      },
      run(doc) {
        Y.applyUpdate(doc, update);
        return doc.getText("text").toString();
      },
    },
  ].map((subject) => ({ ...subject, after }));
}

/** A document of Yjs, and the update of a patch. */
function yjs(before, patch) {
  const doc = new Y.Doc();
  const text = doc.getText("text");
  text.insert(0, before);
  const [start, state] = [Y.encodeStateAsUpdate(doc), Y.encodeStateVector(doc)];
  const starts = [0];
  for (const line of before.split("\n")) {
    starts.push(starts.at(-1) + line.length + 1);
  }
  doc.transact(() => {
    let moved = 0;
    for (const { oldStart, lines } of parsePatch(patch)[0].hunks) {
      let at = starts[oldStart - 1] + moved;
      for (const line of lines) {
        const length = line.length;
        if (line.startsWith("+")) {
          text.insert(at, `${line.slice(1)}\n`);
          [at, moved] = [at + length, moved + length];
        } else if (line.startsWith("-")) {
          text.delete(at, length);
          moved -= length;
        } else {
          at += length;
        }
      }
    }
  });
  return [start, Y.encodeStateAsUpdate(doc, state)];
}

/** Times the subjects in turns, so that drift of the machine hits all of them alike. */
function sideBySide(all) {
  const timed = all.map((subject) => ({ ...subject, samples: [], flaw: flawOf(subject) }));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { prepare, run, samples } of timed.filter(({ flaw }) => flaw === undefined)) {
      const until = performance.now() + SLOT;
      do {
        const input = prepare?.();
        const began = process.hrtime.bigint();
        run(input);
        samples.push(Number(process.hrtime.bigint() - began));
      } while (performance.now() < until);
    }
  }
  return timed.map(({ name, flaw, samples }) => ({ name, flaw, median: medianOf(samples), fastest: Math.min(...samples) }));
}

function flawOf({ prepare, run, after }) {
  try {
    return run(prepare?.()) === after ? undefined : "gives another result";
  } catch (error) {
    return `refuses: ${error.message}`;
  }
}

function medianOf(values) {
  return values.toSorted((one, other) => one - other)[values.length >> 1];
}

function ratio(times) {
  return `${times.toFixed(2)} ×`;
}

function duration(ns) {
  return ns < 1e6 ? `${(ns / 1e3).toFixed(1)} µs` : `${(ns / 1e6).toFixed(2)} ms`;
}

function row(work, size, subject, ...columns) {
  return `${work.padEnd(12)} ${size.padStart(6)}  ${subject.padEnd(18)} ${columns.map((column) => column.padStart(10)).join(" ")}`;
}

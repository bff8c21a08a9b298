import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import test from "node:test";
import { Worker } from "node:worker_threads";

import * as engine from "canvas-engine";
import * as text from "canvas-engine/text";

import { testsOf } from "./all.js";
import { MapStore, faultTests, storedTests } from "./stored.js";
import { play } from "./transcript.js";

for (const [entry, canvas] of Object.entries({ engine, text })) {
  for (const [name, run] of Object.entries(testsOf(canvas))) {
    test(`${entry}: ${name}`, run);
  }
}

const answer = (file, workerData) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL(file, import.meta.url), { workerData });
    worker.once("message", resolve);
    worker.once("error", reject);
  });

for (const entry of ["canvas-engine", "canvas-engine/text"]) {
  test(`a worker: ${entry}`, async () => {
    const { count, failed } = await answer("./worker.js", entry);
    assert.deepEqual(failed, []);
    assert.ok(count > 10);
  });
}

const stores = new Map();
const open = async (name) => stores.get(name) ?? stores.set(name, new MapStore()).get(name);
for (const [name, run] of Object.entries({ ...storedTests(engine, open), ...faultTests(engine) })) {
  test(`a store in memory: ${name}`, run);
}

test("a module that has trapped, and one that is not loaded", async () => {
  const wasm = createRequire(import.meta.url).resolve("canvas-engine/engine.wasm");
  const { unloaded, none, trapped } = await answer("./trap.js", wasm);
  assert.deepEqual(unloaded, ["NOT_LOADED", "NOT_LOADED"]);
  assert.equal(none, "INVALID_ARGUMENTS");
  assert.deepEqual(trapped, ["INTERNAL", "INTERNAL", "INTERNAL", "INTERNAL", null]);
});

test("a transcript of the bridge has the same replies", async () => {
  const { same, objects } = play(engine, await readFile("transcript.jsonl", "utf8"));
  console.log(`${same} requests have the same replies, ${objects} of them through public objects`);
});

test("each entry has its types, and no more names than they have", async () => {
  assert.equal(await import("canvas-engine/engine"), engine);
  const slim = await import("canvas-engine/slim");
  assert.deepEqual([...Object.keys(engine), "init"].sort(), Object.keys(slim).sort());
  const files = ["api.d.ts", "stored.d.ts"].map((file) => readFile(new URL(file, import.meta.resolve("canvas-engine")), "utf8"));
  const types = (await Promise.all(files)).join("\n");
  for (const name of Object.keys(engine)) {
    assert.match(types, new RegExp(`export (class|function) ${name}\\b`));
  }
});

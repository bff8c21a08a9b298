// Runs the tests of the package in Chromium: in a page and in a module worker, without a bundler.
//
//   node browser.mjs FOLDER CHROMIUM      FOLDER has `tests` and `node_modules`
import { chromium } from "playwright-core";

import { served } from "./serve.mjs";

const [folder, executablePath] = process.argv.slice(2);
const { server, origin } = await served(folder);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
let isWrong = false;
try {
  for (const entry of ["engine", "text"]) {
    for (const place of ["page", "worker"]) {
      const tab = await browser.newPage();
      await tab.goto(origin);
      const { count, failed, loaded, played } = await tab.evaluate(async ({ entry, place }) => {
        const url = `/node_modules/canvas-engine/${entry}.js`;
        if (place === "worker") {
          const worker = new Worker("/tests/worker.js", { type: "module" });
          const result = await new Promise((resolve, reject) => {
            worker.onmessage = ({ data }) => resolve(data);
            worker.onerror = ({ message }) => reject(new Error(message));
            worker.postMessage(url);
          });
          worker.terminate();
          return result;
        }
        const began = performance.now();
        const canvas = await import(url);
        const loaded = performance.now() - began;
        const { testsOf } = await import("/tests/all.js");
        const { failures } = await import("/tests/run.js");
        const { play } = await import("/tests/transcript.js");
        const played = entry === "engine" ? play(canvas, await (await fetch("/transcript.jsonl")).text()).same : 0;
        return { ...failures(testsOf(canvas)), loaded, played };
      }, { entry, place });
      const time = loaded === undefined ? "" : `, loaded in ${Math.round(loaded)} ms`;
      console.log(`Chromium ${browser.version()}: ${entry} in a ${place}: ${count} tests, ${failed.length} failed${time}`);
      if (played) {
        console.log(`${played} requests of the transcript have the same replies`);
      }
      failed.forEach((failure) => console.log(failure));
      isWrong ||= failed.length > 0 || count < 10;
      await tab.close();
    }
  }
  // Tabs of one context share the database.
  const context = await browser.newContext();
  const tab = await context.newPage();
  await tab.goto(origin);
  const { count, failed } = await tab.evaluate(async () => {
    const canvas = await import("/node_modules/canvas-engine/engine.js");
    const { IndexedDbStore } = await import("/node_modules/canvas-engine/indexeddb.js");
    const { storedTests } = await import("/tests/stored.js");
    const { rejections } = await import("/tests/run.js");
    const engine = await canvas.StoredEngine.open({ store: await IndexedDbStore.open() });
    await engine.create("plan", "# Plan\n");
    return rejections(storedTests(canvas, (name) => IndexedDbStore.open(name)));
  });
  const other = await context.newPage();
  await other.goto(origin);
  const found = await other.evaluate(async () => {
    const { StoredEngine } = await import("/node_modules/canvas-engine/engine.js");
    const { IndexedDbStore } = await import("/node_modules/canvas-engine/indexeddb.js");
    const store = await IndexedDbStore.open();
    const engine = await StoredEngine.open({ store });
    const { markdown } = await engine.document("plan");
    store.close();
    const closed = await engine.document("plan").catch(({ code }) => code);
    return [markdown, closed];
  });
  if (JSON.stringify(found) !== JSON.stringify(["# Plan\n", "STORE_UNAVAILABLE"])) {
    failed.push(`another tab: ${JSON.stringify(found)}`);
  }
  console.log(`IndexedDB: ${count + 1} tests, ${failed.length} failed`);
  failed.forEach((failure) => console.log(failure));
  isWrong ||= failed.length > 0 || count < 5;
} finally {
  await browser.close();
  server.close();
}
process.exitCode = isWrong ? 1 : 0;

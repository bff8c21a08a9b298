// Runs the tests of the package in Chromium: in a page and in a module worker, without a bundler.
//
//   node browser.mjs FOLDER CHROMIUM      FOLDER has `tests` and `node_modules`
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

import { chromium } from "playwright-core";

const [folder, executablePath] = process.argv.slice(2);
const types = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
const page = "<!doctype html><meta charset=utf-8><title>canvas-engine</title>";
const server = createServer(async ({ url }, response) => {
  const path = normalize(decodeURIComponent(new URL(url, "http://localhost").pathname));
  try {
    const body = path === "/" ? page : await readFile(join(folder, path));
    response.writeHead(200, { "content-type": types[path === "/" ? ".html" : extname(path)] ?? "application/octet-stream" });
    response.end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const origin = `http://127.0.0.1:${server.address().port}`;
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
} finally {
  await browser.close();
  server.close();
}
process.exitCode = isWrong ? 1 : 0;

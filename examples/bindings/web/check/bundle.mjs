// Bundles the package by esbuild in each way of the README, and runs the tests of the package in the bundles, in Chromium and in
// Node.
//
//   node bundle.mjs FOLDER CHROMIUM      FOLDER has `tests` and `node_modules`
import { cp, stat } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { build } from "esbuild";
import { chromium } from "playwright-core";

import { served } from "./serve.mjs";

const [folder, executablePath] = process.argv.slice(2);
const main = (entry) => `import * as canvas from "${entry}";`;
const slim = (bytes) => `import wasm from "canvas-engine/engine.wasm"; import * as canvas from "canvas-engine/slim"; await canvas.init(${bytes});`;
const ways = [
  // The folder `wasm` goes beside the bundle.
  { name: "engine", code: main("canvas-engine"), copied: true, places: ["browser", "node"] },
  { name: "text", code: main("canvas-engine/text"), copied: true, places: ["browser", "node"] },
  { name: "slim, the file inside", code: slim("wasm"), loader: "binary", places: ["browser", "node"] },
  { name: "slim, the file beside", code: slim("await (await fetch(new URL(wasm, import.meta.url))).arrayBuffer()"), loader: "file", places: ["browser"] },
];

const { server, origin } = await served(folder);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
let isWrong = false;
try {
  for (const [number, { name, code, copied, loader, places }] of ways.entries()) {
    for (const platform of places) {
      const path = `bundles/${platform}-${number}`;
      await build({
        stdin: {
          contents: `${code}
            import { testsOf } from "./tests/all.js";
            import { failures } from "./tests/run.js";
            export const { count, failed } = failures(testsOf(canvas));`,
          resolveDir: folder,
        },
        bundle: true,
        // The package has a top-level await.
        format: "esm",
        target: "es2022",
        platform,
        loader: loader === undefined ? {} : { ".wasm": loader },
        minify: true,
        outfile: join(folder, path, "bundle.js"),
        logLevel: "warning",
      });
      if (copied) {
        await cp(join(folder, "node_modules/canvas-engine/wasm"), join(folder, path, "wasm"), { recursive: true });
      }
      const { count, failed } = platform === "node"
        ? await import(pathToFileURL(join(folder, path, "bundle.js")))
        : await inPage(`/${path}/bundle.js`);
      const { size } = await stat(join(folder, path, "bundle.js"));
      console.log(`esbuild for ${platform}: ${name}: ${count} tests, ${failed.length} failed, ${size} bytes of JavaScript`);
      failed.forEach((failure) => console.log(failure));
      isWrong ||= failed.length > 0 || count < 10;
    }
  }
} finally {
  await browser.close();
  server.close();
}
process.exitCode = isWrong ? 1 : 0;

async function inPage(url) {
  const tab = await browser.newPage();
  await tab.goto(origin);
  const result = await tab.evaluate(async (url) => {
    const { count, failed } = await import(url);
    return { count, failed };
  }, url);
  await tab.close();
  return result;
}

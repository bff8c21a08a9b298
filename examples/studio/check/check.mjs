// The studio in a browser: each scene, in two windows, and what must be refused.
//
//     npm ci && node check.mjs --studio PATH/TO/canvas-studio [--shots FOLDER] [--chromium PATH] [--figures]
//
// Prints a line for each check and exits with 1 where one fails. With --shots, the screenshots stay there.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { boards } from "./board.mjs";
import { documents } from "./document.mjs";
import { figures } from "./figures.mjs";
import { frames, sockets } from "./hostile.mjs";
import { judges } from "./judges.mjs";
import { check, equal, failed, seconds, that } from "./report.mjs";
import { restarts } from "./restart.mjs";
import { client as connect, start } from "./studio.mjs";
import { surfaces } from "./surface.mjs";

const { values: options } = parseArgs({
  options: {
    studio: { type: "string" },
    shots: { type: "string" },
    chromium: { type: "string", default: "/usr/bin/chromium" },
    only: { type: "string" },
    figures: { type: "boolean", default: false },
  },
});
if (!options.studio) throw new Error("name the program: --studio PATH/TO/canvas-studio");

const folder = await mkdtemp(join(tmpdir(), "canvas-studio-"));
const shots = options.shots ?? join(folder, "shots");
await mkdir(shots, { recursive: true });
const browser = await chromium.launch({
  executablePath: options.chromium,
  // A name that is not this machine's is never looked up.
  args: ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
});
const strays = [];
const errors = [];
let hostile = false;

const scene = { binary: options.studio, folder, browser };
scene.start = async (args) => {
  scene.studio = await start(options.studio, args);
  scene.client = await connect(scene.studio);
  return scene.studio;
};
scene.open = async (name, { theme = "light", width = 1280, height = 900 } = {}) => {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
  const page = await context.newPage();
  page.setDefaultTimeout(6_000);
  page.on("request", (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (hostname !== "127.0.0.1" && protocol !== "data:" && protocol !== "about:" && protocol !== "blob:") strays.push(`${name}: ${request.url()}`);
  });
  page.on("console", (message) => {
    // A server that is away on purpose refuses connections.
    const isAway = name.startsWith("restart") && message.text().includes("ERR_CONNECTION_REFUSED");
    if (message.type() === "error" && !hostile && !isAway) errors.push(`${name}: ${message.text()}`);
  });
  page.on("pageerror", (error) => errors.push(`${name}: ${error.message}`));
  await page.goto(scene.studio.url);
  await page.getByTestId("doc-view").waitFor();
  const close = page.close.bind(page);
  page.close = async () => {
    await close();
    await context.close();
  };
  return page;
};
scene.shot = async (page, name, { full = false, theme } = {}) => {
  const size = page.viewportSize();
  // What is out of sight is not drawn, so the window is made as high as the page.
  if (full) await page.setViewportSize({ width: size.width, height: await page.evaluate(() => document.documentElement.scrollHeight) });
  for (const one of theme ? [theme] : ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: one });
    await page.waitForTimeout(full ? 400 : 120);
    await page.screenshot({ path: join(shots, `${name}-${one}.png`) });
  }
  if (full) await page.setViewportSize(size);
  if (!theme) await page.emulateMedia({ colorScheme: "light" });
};

const parts = { documents, boards, surfaces, restarts, sockets, judges, frames };
const wanted = options.only?.split(",") ?? Object.keys(parts);
try {
  await scene.start(["--port", "0", "--db", join(folder, "studio.db")]);
  await check("the address is the only line of output", () => equal(scene.studio.lines.length, 1, "lines"));
  for (const name of wanted) {
    hostile = name === "frames";
    await check(`${name}: the scene goes to its end`, () => parts[name](scene));
  }
  await check("requests that leave this machine: 0", () => equal(strays, [], "requests"));
  await check("errors of the console: 0", () => equal(errors, [], "errors"));
  if (options.figures) await figures(scene);
  await check("the studio ends within a second when it is told to", async () => {
    const from = performance.now();
    const { code } = await scene.studio.stop();
    equal(code, 0, "exit code");
    that(performance.now() - from < 3_000, "it takes long");
    return `${((performance.now() - from) / 1000).toFixed(2)} s`;
  });
} finally {
  await scene.studio?.stop("SIGKILL");
  await browser.close();
  await rm(folder, { recursive: true, force: true });
}
console.log(`${failed ? `${failed} checks failed` : "all checks passed"}, ${seconds()} s`);
process.exit(failed ? 1 : 0);

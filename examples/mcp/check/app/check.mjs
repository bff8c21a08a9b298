// Both views in a browser, in a host made of the official AppBridge, at a real server.
//
//     npm ci && node check.mjs --server PATH/TO/canvas-mcp [--pages FOLDER] [--shots FOLDER] [--chromium PATH]
//
// Prints a line for each check and exits with 1 where one fails. With --pages, the views are made of the files in that
// folder instead of what the server was built with; with --shots, the screenshots stay there.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import Ajv from "ajv/dist/2020.js";
import { chromium } from "playwright-core";
import { boardWithData, DOCUMENT, HOSTILE } from "./data.mjs";
import { check, equal, failed, PATIENCE, seconds, that, told, until } from "./report.mjs";
import { web } from "./web.mjs";

const require = createRequire(import.meta.url);
const { values: options } = parseArgs({
  options: {
    server: { type: "string" },
    pages: { type: "string" },
    shots: { type: "string" },
    chromium: { type: "string", default: "/usr/bin/chromium" },
  },
});

// What each view is joined of, where the files are taken in place of what the server gives.
const PARTS = {
  document: ["shared.html", "../../studio/web/markdown.js", "document.html"],
  board: ["shared.html", "board.html"],
};
// A module becomes a script, as the server does it.
const part = async (path) => {
  const text = await readFile(join(options.pages, path), "utf8");
  if (!path.endsWith(".js")) return text;
  return `<script>\n"use strict";\n${text.replace(/^import .*\n/gm, "").replace(/^export /gm, "")}\n</script>\n`;
};
const NARROW = 360;
const WIDE = 1280;

const ends = [];

// --- the server ---
async function serve(file, own) {
  if (!options.server) throw new Error("name the server: --server PATH/TO/canvas-mcp");
  await writeFile(file, DOCUMENT);
  // A lease that outlives its scene, however slow the machine is.
  const more = ["--http", "127.0.0.1:0", "--document", file, "--ttl", "86400", ...own];
  const child = spawn(options.server, more, { stdio: ["pipe", "pipe", "pipe"] });
  const end = (resolve) => {
    if (child.exitCode !== null || child.pid === undefined) return resolve();
    child.on("exit", resolve);
    child.kill("SIGTERM");
    setTimeout(() => child.kill("SIGKILL"), PATIENCE).unref();
  };
  ends.push(() => new Promise(end));
  let log = "";
  child.stderr.on("data", (chunk) => {
    log = (log + chunk).slice(-4_000);
  });
  return new Promise((resolve, reject) => {
    createInterface(child.stdout).once("line", (address) => resolve(address.trim()));
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`the server ended with ${code}: ${log}`)));
  });
}

// Fills the board by the model's own tools.
async function fill() {
  const create = async (type_id, config, position, size) => {
    const result = await model("create_component", { type_id, config, position, size });
    that(!result.isError, `create_component: ${JSON.stringify(result.content)}`);
  };
  await create("github.pr-list", { repo: "octo/plan" }, { col: 0, row: 0 }, { cols: 4, rows: 3 });
  await create("github.stat-tile", { repo: "octo/plan", metric: "stars" }, { col: 4, row: 0 }, { cols: 2, rows: 1 });
  await create("github.stat-tile", { repo: "octo/plan", metric: "open_issues" }, { col: 4, row: 1 }, { cols: 2, rows: 1 });
  await create("github.activity-timeline", { repo: "octo/plan" }, { col: 8, row: 0 }, { cols: 4, rows: 4 });
  await create("github.issue-grid", { repo: "octo/plan", labels: [] }, { col: 0, row: 3 }, { cols: 4, rows: 3 });
}

// --- the browser ---
const seen = { strays: [], errors: [] };
const views = {};
let page, port;
const model = (name, args) => page.evaluate(([n, a]) => window.host.model(n, a), [name, args]);
const state = async () => (await model("app_state", {})).structuredContent;
const view = () => page.frames().find((frame) => views[frame.url().split("/").pop()]);
const at = (id) => page.frameLocator("iframe").getByTestId(id);
const contexts = () => page.evaluate(() => window.host.contexts);
const lastContext = async () => (await contexts()).at(-1)?.content?.[0]?.text ?? "";
const send = (method, params) => page.evaluate(([m, p]) => window.host.bridge[m](p), [method, params]);
const component = async (id) => (await state()).board.canvas.components.find((one) => one.id === id);
const CAPABILITIES = { serverTools: {}, openLinks: {}, updateModelContext: { text: {} } };
const open = (name, context = {}, capabilities = CAPABILITIES, answers = null) =>
  Promise.race([
    page.evaluate(
      ([url, it]) => window.host.open(url, it),
      [`http://localhost:${port}/${name}`, { capabilities, answers, context: { theme: "light", displayMode: "inline", ...context } }],
    ),
    new Promise((_, reject) => {
      setTimeout(() => reject(new Error(`the view ${name} did not start`)), PATIENCE).unref();
    }),
  ]);
// Waits until the frame has the height that its page asked for last, and all of it is drawn.
const rest = () =>
  until(
    async () =>
      (await view().evaluate(
        () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(true)))),
      )) &&
      page.evaluate(() => {
        const asked = window.host.messages.filter(({ data }) => data.method === "ui/notifications/size-changed").at(-1);
        const { height } = document.querySelector("iframe").style;
        return !asked?.data.params.height || height === "" || height === `${asked.data.params.height}px`;
      }),
    "the frame at rest",
  );
let shots;
const shot = async (name, width) => {
  await page.setViewportSize({ width, height: 900 });
  await rest();
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
};
const axe = async () => {
  await view().evaluate(await readFile(require.resolve("axe-core/axe.min.js"), "utf8"));
  const { violations } = await view().evaluate(() =>
    window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"], resultTypes: ["violations"] }),
  );
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const places = (nodes) => nodes.map((node) => `${node.target} ${node.any?.[0]?.message ?? ""}`).slice(0, 4).join(" | ");
  that(serious.length === 0, serious.map(({ id, nodes }) => `${id}: ${places(nodes)}`).join("\n"));
  return violations.length ? `minor: ${violations.map(({ id }) => id).join(", ")}` : "";
};

async function main() {
  const folder = await mkdtemp(join(tmpdir(), "canvas-app-"));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  shots = options.shots ?? join(folder, "shots");
  await mkdir(shots, { recursive: true });
  const proposed = join(folder, "proposed.md");
  const servers = {
    "/mcp": await serve(join(folder, "plan.md"), ["--tools", "document,board,directive,surface"]),
    "/proposing": await serve(proposed, ["--propose"]),
  };
  const browser = await chromium.launch({
    executablePath: options.chromium,
    args: ["--no-sandbox", "--disable-gpu", "--disable-features=IsolateSandboxedIframes,IsolateOrigins,site-per-process"],
    timeout: PATIENCE,
  });
  ends.push(() => browser.close());
  const host = await web(views, servers);
  port = host.port;
  ends.push(host.end);
  page = await browser.newPage({ viewport: { width: WIDE, height: 900 } });
  page.setDefaultTimeout(PATIENCE);
  const { strays, errors } = seen;
  page.on("request", (request) => {
    const own = new URL(request.url());
    const isView = request.frame() !== page.mainFrame();
    if (
      isView
        ? !(request.isNavigationRequest() && (own.protocol === "about:" || views[own.pathname.slice(1)]))
        : own.port !== String(port) && own.protocol !== "data:"
    )
      strays.push(request.url());
  });
  page.on("console", (message) => {
    if (message.type() === "error" && !message.location().url.endsWith("/mcp")) errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.waitForFunction(() => window.host?.connect);
  await page.evaluate(() => window.host.connect("/mcp"));

  await check("each view is one file of the server's, within its size", async () => {
    const notes = [];
    for (const name of ["document", "board"]) {
      const { text, mimeType } = await page.evaluate((n) => window.host.page(n), name);
      equal(mimeType, "text/html;profile=mcp-app", "type");
      views[name] = options.pages
        ? (await Promise.all(PARTS[name].map(part))).join("")
        : text;
      that(
        !/<(link|img|iframe|object|embed|base)\b|<script[^>]+src=|@import|url\(/i.test(views[name].replace(/\/url\\\(\/i/g, "")),
        "it asks for something from elsewhere",
      );
      that(views[name].length <= 64 * 1024, `${name} has ${views[name].length} characters, more than 65,536`);
      notes.push(`${name} ${(views[name].length / 1024).toFixed(0)} KiB`);
    }
    return notes.join(", ");
  });
  await check("the board is filled by the model's tools", fill);

  // --- document ---
  await open("document");
  await at("doc-view").getByRole("heading", { name: "Release plan" }).waitFor();
  await check("document: rendered, HTML in it is text", async () => {
    await until(async () => (await at("doc-view").innerText()).includes(HOSTILE), "the markup as text");
    equal(await view().evaluate(() => document.querySelectorAll("article img, article script").length), 0, "elements made of markup");
    equal(await view().evaluate(() => window.broken === undefined), true, "inert");
  });
  await check("document: a link asks the host", async () => {
    await at("doc-view").getByRole("link", { name: "the notes" }).click();
    await until(() => page.evaluate(() => window.host.links[0] === "https://example.org/notes"), "the link");
  });
  for (const theme of ["light", "dark"]) {
    await send("sendHostContextChange", { theme });
    await check(`document: axe, ${theme}`, axe);
    for (const width of [NARROW, WIDE]) await shot(`document-${theme}-${width}`, width);
  }
  await send("sendHostContextChange", { theme: "light" });

  let lease;
  await check("document: a lease shows as outline, tooltip and Take control", async () => {
    lease = (await model("canvas_check_out", {})).structuredContent.lease_id;
    await at("lock").waitFor();
    equal(await at("lock").getAttribute("title"), "Assistant editing canvas…", "tooltip");
    that((await view().evaluate(() => getComputedStyle(document.querySelector("main")).boxShadow)).includes("inset"), "no outline");
    await at("take-control").waitFor();
    await at("edit").click();
    await until(async () => (await at("notice").innerText()).includes("Take control"), "a notice for who wants to type");
    that(await at("doc").isHidden(), "typing is possible");
    for (const theme of ["light", "dark"]) {
      await send("sendHostContextChange", { theme });
      await shot(`document-locked-${theme}-${NARROW}`, NARROW);
    }
    await page.setViewportSize({ width: WIDE, height: 900 });
    await send("sendHostContextChange", { theme: "light" });
  });
  const patch =
    "@@ -3,1 +3,1 @@\n-What has to happen before **version 2** goes out. Owner of each line in brackets.\n+What has to happen before **version 2** goes out, by June.\n@@ -18,3 +18,4 @@\n 1. Freeze the branch\n-2. Run `cargo test --workspace`\n+2. Run every check\n+3. Ask ops\n 3. Publish\n";
  await check("document: a patch is previewed while it streams, and gone with its result", async () => {
    const seen = [];
    const shown = async () =>
      JSON.stringify([await at("diff").count(), await view().locator(".diff ins").count(), await view().locator(".diff del").count()]);
    for (const [part, expected] of [
      [20, "[0,0,0]"],
      [110, null],
      [150, null],
      [260, null],
      [patch.length - 4, "[2,3,2]"],
    ]) {
      await send("sendToolInputPartial", { arguments: { lease_id: lease, patch: patch.slice(0, part) } });
      if (expected) await until(async () => (await shown()) === expected, `${expected} after ${part} characters`);
      // Hunk by hunk: the first one is shown before the second one has begun.
      if (part === 110) await until(async () => (await view().locator(".diff del").count()) === 1, "one hunk");
      seen.push(JSON.parse(await shown()));
    }
    await send("sendToolInput", { arguments: { lease_id: lease, patch } });
    for (const theme of ["light", "dark"]) {
      await send("sendHostContextChange", { theme });
      await shot(`document-preview-${theme}-${WIDE}`, WIDE);
      await shot(`document-preview-${theme}-${NARROW}`, NARROW);
    }
    await send("sendHostContextChange", { theme: "light" });
    await page.setViewportSize({ width: WIDE, height: 900 });
    const result = await model("canvas_apply_patch", { lease_id: lease, patch });
    that(!result.isError, JSON.stringify(result.content));
    await send("sendToolResult", result);
    await until(
      async () => (await at("diff").count()) === 0 && (await at("doc-view").innerText()).includes("Ask ops"),
      "the new text without a diff",
    );
    return JSON.stringify(seen);
  });
  await check("document: a cancelled call clears its preview", async () => {
    await send("sendToolInputPartial", { arguments: { patch: "@@\n-3. Publish\n+3. Wait" } });
    await at("diff").waitFor();
    await send("sendToolCancelled", { reason: "user" });
    await until(async () => (await at("diff").count()) === 0, "no diff");
  });
  await check("document: Take control ends the lease, a late patch is STALE_EPOCH", async () => {
    await at("take-control").click();
    await at("lock").waitFor({ state: "hidden" });
    const late = await model("canvas_apply_patch", { lease_id: lease, patch: "@@\n-3. Publish\n+3. Wait\n" });
    equal([late.isError, late.structuredContent.error.code], [true, "STALE_EPOCH"], "late patch");
    await shot(`document-control-light-${NARROW}`, NARROW);
    await page.setViewportSize({ width: WIDE, height: 900 });
  });
  const handBack = async () => {
    await at("hand-back").click();
    await at("hand-back").waitFor({ state: "hidden" });
    equal((await state()).turn_open, true, "turn_open");
  };
  await check("document: handed back", handBack);

  await check("document: the user's edit is saved, and the model's context told", async () => {
    await at("edit").click();
    await at("doc").fill((await at("doc").inputValue()).replace("# Release plan", "# Release plan, revised"));
    for (const theme of ["light", "dark"]) {
      await send("sendHostContextChange", { theme });
      await check(`document: axe, ${theme}, editing`, axe);
      await shot(`document-edit-${theme}-${WIDE}`, WIDE);
      await shot(`document-edit-${theme}-${NARROW}`, NARROW);
    }
    await page.setViewportSize({ width: WIDE, height: 900 });
    await send("sendHostContextChange", { theme: "light" });
    await at("save").click();
    await at("doc-view").getByRole("heading", { name: "Release plan, revised" }).waitFor();
    await until(async () => (await state()).markdown.startsWith("# Release plan, revised"), "the new text at the server");
    await until(async () => (await lastContext()).startsWith("Canvas update (do not display to user)"), "a context");
  });
  await check("document: undo and redo", async () => {
    await at("undo").click();
    await until(async () => (await state()).markdown.startsWith("# Release plan\n"), "undone");
    await at("redo").click();
    await until(async () => (await state()).markdown.startsWith("# Release plan, revised\n"), "redone");
    await until(async () => (await at("doc-view").innerText()).startsWith("Release plan, revised"), "shown");
  });
  await check("document: typed text stays while the assistant has the lock", async () => {
    await at("edit").click();
    const mine = (await at("doc").inputValue()).replace("3. Publish", "3. Publish on Monday");
    await at("doc").fill(mine);
    lease = (await model("canvas_check_out", {})).structuredContent.lease_id;
    await until(async () => !(await at("doc").isEditable()), "typing blocked");
    await at("save").click();
    await until(async () => (await at("notice").innerText()).includes("kept"), "a notice");
    equal(await at("doc").inputValue(), mine, "typed text");
    await at("notice").getByRole("button", { name: "Take control" }).click();
    await until(() => at("doc").isEditable(), "typing again");
    await at("save").click();
    await until(async () => (await state()).markdown.includes("Publish on Monday"), "saved");
    await handBack();
  });
  await check("document: a refused edit keeps the text and offers a way on", async () => {
    await at("edit").click();
    const mine = (await at("doc").inputValue()).replace("# Release plan, revised", "# Mine");
    await at("doc").fill(mine);
    const now = await state();
    await model("app_edit", { markdown: now.markdown.replace("# Release plan, revised", "# Theirs"), base_revision_id: now.revision_id });
    await at("save").click();
    await until(async () => (await at("notice").innerText()).includes("kept in the editor"), "a notice");
    equal(await at("doc").inputValue(), mine, "typed text");
    await at("diff").waitFor();
    await shot(`document-refused-light-${WIDE}`, WIDE);
    await at("notice").getByRole("button", { name: "Save mine over it" }).click();
    await until(async () => (await state()).markdown.startsWith("# Mine\n"), "saved");
  });
  await check("document: the host's colours and full screen are followed, its addresses are not", async () => {
    // The schema asks for every variable. "initial" is none, so the view's own value holds.
    const schema = require("@modelcontextprotocol/ext-apps/schema.json").$defs.McpUiStyleVariableKey;
    const variables = Object.fromEntries((schema.enum ?? schema.anyOf.map((key) => key.const)).map((key) => [key, "initial"]));
    Object.assign(variables, {
      "--color-background-primary": "rgb(1, 2, 3)",
      "--color-text-primary": "rgb(250, 250, 250)",
      "--color-background-secondary": "url(https://example.org/stray.png)",
    });
    const css = { fonts: "@import url('https://example.org/stray.css');" };
    await open("document", { styles: { variables, css }, displayMode: "fullscreen" });
    await at("doc-view").getByRole("heading", { name: "Mine" }).waitFor();
    const [colour, scrolls, raised] = await view().evaluate(() => [
      getComputedStyle(document.body).backgroundColor,
      getComputedStyle(document.querySelector("main")).overflowY,
      document.documentElement.style.getPropertyValue("--color-background-secondary"),
    ]);
    equal([colour, scrolls, raised], ["rgb(1, 2, 3)", "auto", ""]);
  });
  await check("document: a host without tools gets a sentence", async () => {
    await open("document", {}, {});
    await until(async () => (await at("notice").innerText()).includes("cannot change it"), "a notice");
    that(await at("undo").isDisabled(), "undo is offered");
  });

  // --- board ---
  const answer = (structuredContent, isError = false) => ({ content: [{ type: "text", text: "" }], structuredContent, isError });
  await open("board", {}, CAPABILITIES, {
    app_state: answer({ canvas: "plan", markdown: "", lock: { locked: false }, board: boardWithData(), changes: null }),
  });
  await check("board: data drawn by type, HTML in configs is text", async () => {
    await at("cmp-cmp_pulls").getByText("Speed up the export").waitFor();
    that((await at("board").innerText()).includes(HOSTILE), "the markup is not shown");
    equal(await view().evaluate(() => document.querySelectorAll(".grid img, .grid script").length), 0, "elements made of markup");
    equal(await view().evaluate(() => window.broken === undefined), true, "inert");
  });
  for (const theme of ["light", "dark"]) {
    await send("sendHostContextChange", { theme });
    await check(`board: axe, ${theme}, with data`, axe);
    for (const width of [NARROW, WIDE]) await shot(`board-data-${theme}-${width}`, width);
  }
  await page.setViewportSize({ width: WIDE, height: 900 });
  await open("board");
  await until(async () => (await view().locator(".card").count()) > 4, "cards");
  const found = (await state()).board.canvas.components;
  const ids = Object.fromEntries(found.map((one) => [`${one.typeId}${one.config.metric ? `:${one.config.metric}` : ""}`, one.id]));
  const [stars, pulls, feed] = [ids["github.stat-tile:stars"], ids["github.pr-list"], ids["github.activity-timeline"]];
  await check("board: drawn", () => at(`cmp-${pulls}`).getByRole("heading", { name: "PR List" }).waitFor());
  for (const theme of ["light", "dark"]) {
    await send("sendHostContextChange", { theme });
    await check(`board: axe, ${theme}`, axe);
    for (const width of [NARROW, WIDE]) await shot(`board-${theme}-${width}`, width);
  }
  await send("sendHostContextChange", { theme: "light" });
  await page.setViewportSize({ width: WIDE, height: 900 });
  // The server may have changed before the page has its answer, and until then the page takes neither keys nor pointer.
  const answered = () => until(() => view().evaluate(() => app.busy === 0), "the act answered");
  // Single keys, sent without a wait between them: a pause over a free place puts the component down.
  const keys = (...names) => Promise.all(names.map((name) => page.keyboard.press(name)));
  const drag = async (id, cols, rows, { grip = false, before } = {}) => {
    await answered();
    // The frame follows the height of its page: where things are is only sure when they no longer move.
    const where = async () => JSON.stringify(await at(`cmp-${id}`).boundingBox());
    await until(async () => {
      const before = await where();
      await rest();
      return before === (await where());
    }, "the component at rest");
    const box = await at(`cmp-${id}`).boundingBox(),
      area = await at("board").boundingBox();
    const [x, y] = grip ? [box.x + box.width - 6, box.y + box.height - 6] : [box.x + 20, box.y + 14];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 8, y + 4);
    await page.mouse.move(x + (cols * (area.width + 8)) / 12, y + rows * 72, { steps: 4 });
    await before?.();
    await page.mouse.up();
  };
  await check("board: dragged by pointer, the server's board moved, the model's context told", async () => {
    await drag(stars, 0, 2, {
      before: async () => {
        for (const theme of ["light", "dark"]) {
          await send("sendHostContextChange", { theme });
          await shot(`board-drag-${theme}-${WIDE}`, WIDE);
        }
        await send("sendHostContextChange", { theme: "light" });
      },
    });
    await until(async () => (await component(stars)).position.row === 2, "moved");
    equal((await component(stars)).position, { col: 4, row: 2 }, "place");
    return JSON.stringify((await until(lastContext, "a context")).split("\n").at(-1)).slice(0, 70);
  });
  await check("board: resized by pointer", async () => {
    await drag(stars, 1, 0, { grip: true });
    await until(async () => (await component(stars)).size.cols === 3, "resized");
  });
  await check("board: moved and resized by keys", async () => {
    await answered();
    await at(`cmp-${stars}`).focus();
    await keys("ArrowDown", "ArrowRight", "Enter");
    await until(async () => (await component(stars)).position.row === 3, "moved");
    equal((await component(stars)).position, { col: 5, row: 3 }, "place");
    await answered();
    await until(() => view().evaluate((id) => document.activeElement?.dataset.testid === `cmp-${id}`, stars), "focus kept");
    await page.keyboard.press("Shift+ArrowLeft");
    await page.keyboard.press("Enter");
    await until(async () => (await component(stars)).size.cols === 2, "resized");
    await answered();
    await until(() => view().evaluate((id) => document.activeElement?.dataset.testid === `cmp-${id}`, stars), "focus kept");
    await keys("ArrowLeft", "Escape");
    equal((await component(stars)).position, { col: 5, row: 3 }, "place after Escape");
  });
  await check("board: a refused drop shows the free places, one of them takes it", async () => {
    await drag(stars, -4, 0);
    await until(async () => (await view().locator("[data-testid^=free-]").count()) > 0, "free places");
    that((await at("notice").innerText()).includes("free places"), "no notice");
    equal((await component(stars)).position, { col: 5, row: 3 }, "place");
    for (const theme of ["light", "dark"]) {
      await send("sendHostContextChange", { theme });
      await shot(`board-refused-${theme}-${WIDE}`, WIDE);
      await shot(`board-refused-${theme}-${NARROW}`, NARROW);
    }
    await page.setViewportSize({ width: WIDE, height: 900 });
    await send("sendHostContextChange", { theme: "light" });
    const first = view().locator("[data-testid^=free-]").first();
    const [, col, row] = (await first.getAttribute("data-testid")).split("-").map(Number);
    await first.click();
    await until(async () => JSON.stringify((await component(stars)).position) === JSON.stringify({ col, row }), "moved there");
    return `free-${col}-${row}`;
  });
  await check("board: Escape lets go of what the pointer carries", async () => {
    const before = JSON.stringify((await component(stars)).position);
    await drag(stars, 3, 3, { before: () => page.keyboard.press("Escape") });
    await drag(stars, 0, 0);
    equal(await view().evaluate(() => [board.pressed, board.carry]), [false, null], "in the hand");
    equal(JSON.stringify((await component(stars)).position), before, "place");
  });
  await check("board: pinned, dismissed, undone, redone", async () => {
    await at(`cmp-${pulls}`).hover();
    await at(`cmp-${pulls}`).getByRole("button", { name: "Pin" }).click();
    await until(async () => (await component(pulls)).meta.pinned, "pinned");
    await answered();
    await at(`cmp-${feed}`).focus();
    await page.keyboard.press("Delete");
    await until(async () => !(await component(feed)), "dismissed");
    await until(() => at("undo").isEnabled(), "undo");
    await at("undo").click();
    await until(() => component(feed), "back");
    await until(() => at("redo").isEnabled(), "redo");
    await at("redo").click();
    await until(async () => !(await component(feed)), "gone again");
  });

  // --- bad input ---
  const shows = async (name, answers, sentence, more) => {
    await open(name, {}, CAPABILITIES, answers);
    await until(async () => (await view().locator("body").innerText()).includes(sentence), `${name}: ${sentence}`);
    await more?.();
  };
  await check("bad input: a sentence, and the view goes on", async () => {
    for (const name of ["document", "board"]) {
      await shows(name, {}, "The host refuses app_state");
      await shows(name, { app_state: { content: [] } }, "no canvas in it");
      await shows(name, { app_state: answer({}) }, "no canvas in it");
      await shows(name, { app_state: { content: [{ type: "text", text: "The file is gone." }], isError: true } }, "The file is gone.");
      await shows(
        name,
        { app_state: answer({ markdown: 7, board: 7, lock: 7, changes: 7, canvas: 7 }) },
        name === "board" ? "no board yet" : "An empty document",
      );
    }
    const parts = [
      null,
      7,
      {},
      { id: "a" },
      {
        id: "b",
        position: { col: -1, row: "x" },
        size: {},
        config: 7,
        meta: [],
        dataState: { status: "ready", data: [null, 7, {}] },
        typeId: "github.pr-list",
      },
      {
        id: 'c"]',
        position: { col: 900, row: 2 },
        size: { cols: 1e9, rows: 1 },
        typeId: "github.stat-tile",
        dataState: { status: "error" },
      },
      { id: "e", typeId: "constructor", position: { col: 0, row: 6 }, dataState: { status: "ready", data: { a: 1 } } },
      { id: "d", position: { col: 0, row: 4 }, size: { cols: 2, rows: 1 }, typeId: 7, dataState: { status: "stale", data: 7 } },
    ];
    await shows(
      "board",
      { app_state: answer({ canvas: "x", board: { canvas: { grid: { columns: 0 }, components: parts } } }) },
      "Not refreshed for a while",
    );
    const many = Array.from({ length: 1_000 }, (_, k) => ({
      id: `cmp_${k}`,
      typeId: "acme.note",
      position: { col: (k % 6) * 2, row: Math.floor(k / 6) },
      size: { cols: 2, rows: 1 },
      config: { k },
      meta: {},
    }));
    await shows(
      "board",
      { app_state: answer({ canvas: "x", board: { canvas: { grid: { columns: 12, rows: 8 }, components: many } } }) },
      "300 of 1,000 components are shown",
      async () => {
        // By key: the frame still grows to its height, and the button moves with it.
        await view().getByRole("button", { name: "Show all" }).press("Enter");
        await until(async () => (await view().locator(".card").count()) === 1_000, "all of them");
      },
    );
    const long = `# Long\n\n${"A line of *text*, [a link](https://example.org) and `code` **that goes on.\n\n".repeat(40_000)}`;
    await shows(
      "document",
      { app_state: answer({ canvas: "x", revision_id: "r1", markdown: long, board: null }) },
      "Show all 80,003 lines",
    );
    const hard = [
      "*a ".repeat(40_000),
      ...Array(6).fill("*a ".repeat(6_000)),
      "[".repeat(19_000),
      "`".repeat(19_000),
      "> ".repeat(3_000),
      `${"  ".repeat(3_000)}- x`,
      "- ".repeat(3_000),
      `|${" ".repeat(50_000)}|\n|-|`,
      `#${" ".repeat(50_000)}x`,
    ].join("\n\n");
    const began = performance.now();
    await shows(
      "document",
      { app_state: answer({ canvas: "x", revision_id: "r1", markdown: `${hard}\n\nthe end`, board: null }) },
      "the end",
    );
    return `the hardest text is drawn in ${Math.round(performance.now() - began)} ms`;
  });
  await check("document: unsaved text is sent when the host takes the view away", async () => {
    await open("document");
    await at("edit").click();
    await at("doc").fill(`${await at("doc").inputValue()}\nTyped last.\n`);
    await send("teardownResource", {});
    that((await state()).markdown.endsWith("Typed last.\n"), "it is lost");
  });

  // --- proposals ---
  await page.evaluate(() => window.host.connect("/proposing"));
  const onDisk = () => readFile(proposed, "utf8");
  await open("document");
  await at("doc-view").getByRole("heading", { name: "Release plan" }).waitFor();
  await check("proposals: what a model edits waits, and the file is as it was", async () => {
    await model("canvas_read_all", {});
    const three =
      "@@\n-# Release plan\n+# Release plan of version 2\n@@\n-1. Freeze the branch\n+1. Freeze the branch on Monday\n@@\n-3. Publish\n+3. Publish <b>now</b>\n+4. Rest\n";
    const result = await model("canvas_apply_patch", { patch: three });
    that(!result.isError, JSON.stringify(result.content));
    equal(result.structuredContent.proposed.parts, ["p1", "p2", "p3"], "parts");
    equal(await onDisk(), DOCUMENT, "the file");
    await at("part-p3").waitFor();
    that((await at("part-p3").innerText()).includes("<b>now</b>"), "markup is text");
    for (const theme of ["light", "dark"]) {
      await send("sendHostContextChange", { theme });
      await check(`proposals: axe, ${theme}`, axe);
      for (const width of [NARROW, WIDE]) await shot(`proposals-${theme}-${width}`, width);
    }
    await send("sendHostContextChange", { theme: "light" });
  });
  await check("proposals: accepted and rejected by keys, with a note", async () => {
    await at("accept-p2").focus();
    await page.keyboard.press("Enter");
    await at("part-p2").waitFor({ state: "detached" });
    equal(await onDisk(), DOCUMENT.replace("the branch", "the branch on Monday"), "the file");
    await at("reject-p1").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("keep the title short");
    await shot(`proposals-note-light-${NARROW}`, NARROW);
    await page.setViewportSize({ width: WIDE, height: 900 });
    await page.keyboard.press("Enter");
    await at("part-p1").waitFor({ state: "detached" });
    const read = await model("canvas_grep", { query: "Release" });
    that(read.content.at(-1).text.endsWith('Rejected (lines 1-1): "keep the title short"'), JSON.stringify(read.content));
  });
  await check("proposals: a part that has changed is shown again before it is accepted", async () => {
    const { meta } = await page.evaluate(() => window.host.client.callTool({ name: "app_state", arguments: {} }).then(({ _meta }) => ({ meta: _meta })));
    const stolen = await model("app_decide", { permit: meta["canvas/permit"], accept: ["p3"], seen: { p3: "other" } });
    equal(stolen.structuredContent.error.code, "PART_CHANGED", "a decision on another text");
    equal((await model("app_decide", { accept: "all" })).structuredContent.error.code, "DECISION_BY_MODEL", "without a permit");
    await model("app_edit", { markdown: (await state()).markdown.replace("3. Publish", "3. Announce") });
    await until(async () => (await at("part-p3").innerText()).includes("can only be rejected"), "a stale part");
    await shot(`proposals-stale-dark-${NARROW}`, NARROW);
    await page.setViewportSize({ width: WIDE, height: 900 });
    await at("undo").click();
    await until(async () => !(await at("part-p3").innerText()).includes("can only be rejected"), "it fits again");
    await at("accept-p3").click();
    await at("review").waitFor({ state: "hidden" });
    that((await onDisk()).includes("3. Publish <b>now</b>\n4. Rest"), "the file");
  });

  // --- over everything ---
  await check("every ui/* message is valid by the schema of ext-apps", async () => {
    const messages = await page.evaluate(() => window.host.messages);
    const ajv = new Ajv({ strict: false, validateFormats: false });
    const schema = require("@modelcontextprotocol/ext-apps/schema.json");
    // It refers to a definition of "any JSON" that its generator left out.
    schema.$defs.__schema0 ??= {};
    ajv.addSchema(schema, "ext-apps");
    const asked = new Map(),
      byMethod = new Map(
        Object.entries(schema.$defs).flatMap(([name, { properties }]) =>
          properties?.method?.const ? [[properties.method.const, name]] : [],
        ),
      );
    let judged = 0;
    for (const {
      from,
      data: { jsonrpc, id, ...message },
    } of messages) {
      equal(jsonrpc, "2.0", "jsonrpc");
      const other = from === "view" ? "host" : "view";
      if (message.method && id !== undefined) asked.set(`${from}${id}`, message.method);
      const method = message.method ?? asked.get(`${other}${id}`);
      if (!method?.startsWith("ui/")) continue;
      const name = message.method ? byMethod.get(method) : "error" in message ? null : byMethod.get(method)?.replace(/Request$/, "Result");
      that(name !== undefined, `${method} is not in the schema`);
      if (!name || !schema.$defs[name]) continue;
      const validate = ajv.getSchema(`ext-apps#/$defs/${name}`);
      that(
        validate(message.method ? message : message.result),
        `${from} ${name}: ${ajv.errorsText(validate.errors)} ${JSON.stringify(message).slice(0, 200)}`,
      );
      judged += 1;
    }
    const bad = ajv.getSchema("ext-apps#/$defs/McpUiUpdateModelContextRequest");
    that(!bad({ method: "ui/update-model-context", params: { content: "text" } }), "the judge lets everything pass");
    return `${judged} messages`;
  });
  told("requests that leave the page", strays.length ? strays.join("\n") : null, String(strays.length));
  if (errors.length === 0) told("console errors", null, "0");
}

try {
  await main();
} catch (fault) {
  told("the check itself", fault.stack ?? fault);
} finally {
  if (seen.errors.length) told("console errors", seen.errors.join("\n"), String(seen.errors.length));
  for (const end of ends.reverse()) await Promise.resolve(end()).catch(() => {});
}
console.log(`${failed ? `${failed} failed` : "all passed"} in ${seconds()} s`);
process.exit(failed ? 1 : 0);

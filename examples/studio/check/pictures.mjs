// The pictures of the studio, made of one canvas, the plan of a release; and that of the quickstart, made of its output.
//
//     node pictures.mjs --studio PATH/TO/canvas-studio [--quickstart PATH/TO/quickstart] [--chromium PATH] [--into FOLDER] [--draft]
//     node pictures.mjs --check
//
// `.ci/pictures` runs it. `--root` names the folder `examples`, if this file is a copy elsewhere.
//
// Each picture is made in both themes, as NAME.png and NAME-dark.png. Beside them stays `inputs.json`, a hash of each file that
// they show something of; `--check` compares it, and exits with 1 if a file has changed since. A picture fails if anything
// in it is cut off; a draft is made all the same.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const NAMES = ["document", "board", "surface", "recipe"];
const SIZE = { width: 1280, height: 800 };
const MOST = 400_000; // bytes of a picture
const FULL = 300_000; // bytes up to which a picture keeps all its colours
const COMPONENTS = 7; // of the board, in each picture

const { values: options } = parseArgs({
  options: {
    studio: { type: "string" },
    quickstart: { type: "string" },
    chromium: { type: "string", default: "/usr/bin/chromium" },
    root: { type: "string", default: join(dirname(fileURLToPath(import.meta.url)), "../..") },
    into: { type: "string" },
    check: { type: "boolean", default: false },
    draft: { type: "boolean", default: false },
  },
});

const STUDIO = join(options.root, "studio");
const SCENE = join(STUDIO, "check/scene");
const QUICKSTART = join(options.root, "examples/quickstart");
const INTO = options.into ?? join(STUDIO, "pictures");

if (options.check) await compare();
else if (options.studio) await make();
else {
  console.error("name the server: --studio PATH/TO/canvas-studio, or --check");
  process.exit(2);
}

// The files that the pictures show something of. Comments and empty lines of them are not in a picture.
async function inputs() {
  const web = (await readdir(join(STUDIO, "web"))).filter((name) => /\.(css|js|html)$/.test(name)).map((name) => join(STUDIO, "web", name));
  const scene = (await readdir(SCENE)).map((name) => join(SCENE, name));
  const others = ["scripts/demo.md", "src/demo.rs", "../mock-data/src/github.rs"].map((name) => join(STUDIO, name));
  const hashes = {};
  const quickstart = ["report.rs", "terminal.rs", "runbook.md", "turn_1.json"].map((name) => join(QUICKSTART, name));
  for (const path of [...web, ...scene, ...others, ...quickstart].sort()) {
    const text = (await readFile(path, "utf8"))
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "" && !/^(\/\/|\/\*|\*(?!\{))/.test(line))
      .join("\n");
    hashes[relative(options.root, path)] = createHash("sha256").update(text).digest("hex").slice(0, 16);
  }
  return hashes;
}

async function compare() {
  const [now, then] = [await inputs(), JSON.parse(await readFile(join(INTO, "inputs.json"), "utf8"))];
  const other = [...new Set([...Object.keys(now), ...Object.keys(then)])].filter((path) => now[path] !== then[path]);
  const names = NAMES.flatMap((one) => [`${one}.png`, `${one}-dark.png`]);
  for (const path of [...names.map((name) => join(INTO, name)), join(QUICKSTART, "picture.png"), join(QUICKSTART, "picture-dark.png")])
    await stat(path);
  if (other.length === 0) return;
  console.error(`the pictures of the studio are older than ${other.join(", ")}: run .ci/pictures, and look at them`);
  process.exit(1);
}

async function make() {
  const { chromium } = await import("playwright-core");
  const { smaller } = await import("./png.mjs");
  const { start } = await import("./studio.mjs");
  const { until } = await import("./report.mjs");
  const { Client } = await import("./wire.mjs");

  const folder = await mkdtemp(join(tmpdir(), "canvas-pictures-"));
  const more = ["--script", join(SCENE, "script.json")];
  const db = join(folder, "studio.db");
  process.env.CANVAS_STUDIO_WEB = join(STUDIO, "web");
  let studio = await start(options.studio, { db, more });
  const browser = await chromium.launch({
    executablePath: options.chromium,
    args: ["--no-sandbox", "--font-render-hinting=none"],
  });
  try {
    let client = await Client.at(studio.page);
    const { repo, commands } = JSON.parse(await readFile(join(SCENE, "board.json"), "utf8"));
    const components = async () => (await client.get()).board.canvas.components;
    const command = async (one) => {
      const result = await client.request("board.command", { canvasId: "studio", command: one });
      if (!result.success) throw new Error(JSON.stringify(result));
    };
    for (const one of commands) {
      if (one.payload.config) one.payload.config.repo = repo;
      await command(one);
    }
    const asset = (name) => readFile(join(SCENE, name), "utf8");
    await client.request("canvas.upsert", {
      canvasId: "studio",
      title: "Deploy cockpit",
      assets: { "assets/index.html": await asset("cockpit.html"), "assets/cockpit.css": await asset("cockpit.css") },
    });
    // The versions before the one of the plan.
    for (const version of ["1.2.8", "1.2.9"]) {
      await client.request("canvas.patch", { canvasId: "studio", patch: [{ op: "replace", path: "/version", value: version }] });
      const params = { canvasId: "studio", actionId: "deploy" };
      const plan = await client.request("canvas.action", params).catch(({ data }) => data.data?.confirmation ?? data.confirmation);
      await client.request("canvas.action", { ...params, confirmation: { digest: plan.digest, plannedAt: plan.plannedAt } });
    }
    await client.request("canvas.action", { canvasId: "studio", actionId: "refreshLogs" });

    const context = await browser.newContext({ viewport: SIZE, deviceScaleFactor: 2, colorScheme: "light", reducedMotion: "reduce", locale: "en-GB" });
    const page = await context.newPage();
    const at = (id) => page.getByTestId(id);
    const open = async () => {
      await page.goto(`${studio.page}/`);
      await page.waitForFunction(() => document.querySelector("[data-testid=offline]")?.hidden === true);
      await page.locator(".card[data-status=ready]").first().waitFor();
    };
    const idle = () => until(async () => !(await client.get()).chat.running, "the end of the turn");
    const say = async (text) => {
      await at("chat-input").fill(text);
      await at("send").click();
    };
    // A face alone, and the chat from one message on.
    const show = async (face, message) => {
      await page.locator(`#bar nav a[href="#${face}"]`).click();
      await page.evaluate((text) => {
        const items = document.querySelector("#chat .items");
        const first = [...items.children].find((item) => item.textContent.includes(text));
        const room = document.createElement("div");
        room.style.cssText = `flex: none; height: ${items.clientHeight}px`;
        items.append(room);
        items.scrollTop = first.offsetTop - items.offsetTop - 9;
        document.activeElement?.blur();
      }, message);
      await page.mouse.move(SIZE.width - 4, SIZE.height - 4);
    };
    const picture = async (name, expected) => {
      await until(async () => (await page.locator("#status .say").count()) === 0, "no sentence over the picture");
      const cut = await page.evaluate(cutOff);
      const problem = `${name}: cut off: ${cut.join(" | ")}`;
      if (cut.length > 0 && !options.draft) throw new Error(problem);
      if (cut.length > 0) console.log(problem);
      await take(page, join(INTO, name));
    };
    // In both themes, as `PATH.png` and `PATH-dark.png`.
    const take = async (of, path) => {
      for (const theme of ["light", "dark"]) {
        await of.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
        const taken = await of.screenshot({ animations: "disabled" });
        const bytes = taken.length > FULL ? smaller(taken) : taken;
        const file = `${path}${theme === "dark" ? "-dark" : ""}.png`;
        if (bytes.length > MOST) throw new Error(`${file} has ${bytes.length} bytes`);
        await writeFile(file, bytes);
        console.log(`${relative(options.root, file)}: ${bytes.length} bytes`);
      }
      await of.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    };

    await open();
    const TIDY = "Please tidy the scope.";
    await say(TIDY);
    await at("lock").waitFor();
    await at("diff").waitFor();
    await show("document", TIDY);
    await picture("document");
    await at("take-control").click();
    await idle();

    const VERSION = "Set the next version on the surface.";
    await say(VERSION);
    await idle();
    await show("surface", VERSION);
    await page.frameLocator("[data-testid=surface-frame]").getByRole("button", { name: "Deploy" }).click();
    await at("confirm-yes").and(page.locator(":enabled")).waitFor();
    await picture("surface");
    await at("confirm-no").click();

    const ASK = "Add the open pull requests, and keep them current without me.";
    await say(ASK);
    await idle();
    const list = (await components()).find(({ typeId }) => typeId === "github.pr-list");
    await command({ type: "component.update", payload: { componentId: list.id, meta: { label: "Pull requests" } } });
    await until(async () => (await page.locator(".card[data-status=ready]").count()) === COMPONENTS, "all data");
    await show("board", ASK);
    await picture("board");

    // The tool that the list is made by is another one from now on.
    await studio.end();
    studio = await start(options.studio, { db, more: [...more, "--tools-version", "2"] });
    client = await Client.at(studio.page);
    await open();
    await at("refresh-recipe").click();
    await page.locator("[data-testid^=stale-]").waitFor();
    await until(async () => (await page.locator(".card[data-status=ready], .card.marked").count()) === COMPONENTS, "all data");
    await show("board", ASK);
    await picture("recipe");

    if (options.quickstart) {
      const terminal = await context.newPage();
      await terminal.setContent(await terminalPage());
      const [wide, high] = await terminal.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]);
      if (wide > SIZE.width || high > SIZE.height) throw new Error(`the quickstart has ${wide} x ${high} pixels`);
      await take(terminal, join(options.into ?? QUICKSTART, "picture"));
    }
    await writeFile(join(INTO, "inputs.json"), `${JSON.stringify(await inputs(), null, 1)}\n`);
  } finally {
    await browser.close();
    await studio.end();
    await rm(folder, { recursive: true, force: true });
  }
}

// A terminal with what the quickstart prints in its first turn: what the person asks for, and all from the refused patch on.
async function terminalPage() {
  const out = execFileSync("script", ["-qec", options.quickstart, "/dev/null"], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  const lines = out.replaceAll("\r", "").split("\n");
  const find = (text, from = 0) => {
    const at = lines.findIndex((line, number) => number >= from && line.replace(/\x1b\[[\d;]*m/g, "").includes(text));
    if (at < 0) throw new Error(`the quickstart does not print ${text}`);
    return at;
  };
  const turn = find("Turn 1");
  const refused = find("PATCH_REJECTED", turn);
  const end = find("end of turn", refused);
  const shown = [lines[turn + 1], "         \x1b[2m ⋮\x1b[0m", ...lines.slice(refused - 1, end)];
  const html = shown.map(coloured).join("\n");
  const style = await readFile(join(SCENE, "terminal.css"), "utf8");
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Quickstart</title><style>${style}</style>
<main><header><i></i><i></i><i></i><p>cargo run -p canvas-examples --example quickstart</p></header><pre>${html}</pre></main></html>`;
}

// The colours of a terminal as classes.
function coloured(line) {
  const names = { 1: "bold", 2: "dim", 31: "red", 32: "green", 33: "yellow", 34: "blue", 36: "cyan" };
  let open = 0;
  const html = line.replace(/[&<>]/g, (letter) => `&#${letter.charCodeAt(0)};`).replace(/\x1b\[([\d;]*)m/g, (_, codes) => {
    const classes = codes.split(";").map((code) => names[code]).filter(Boolean);
    if (classes.length === 0) {
      const all = "</span>".repeat(open);
      open = 0;
      return all;
    }
    open += 1;
    return `<span class="${classes.join(" ")}">`;
  });
  return html + "</span>".repeat(open);
}

// Runs in the page: what is to be seen and is not to be seen whole.
function cutOff() {
  const found = [];
  const view = { top: document.querySelector("#bar").offsetHeight, bottom: innerHeight };
  const seen = (box) => box.height > 0 && box.bottom > view.top && box.top < view.bottom;
  const note = (node, what) => found.push(`${what}: ${node.className || node.tagName} ${node.textContent.slice(0, 40)}`);
  const lines = ".card h3, .card .of, .card .body, .card .list, .list b, .list small, .chips, .figure, .mark p, .saved, .lock, .hint, select, dialog, dialog dl, .preview, #chat .act span, pre code, .scroll";
  for (const node of document.querySelectorAll(lines)) {
    if (!seen(node.getBoundingClientRect()) || node.closest("[hidden]")) continue;
    if (node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).display !== "inline") note(node, "too wide");
    if (node.scrollHeight > node.clientHeight + 1 && getComputedStyle(node).display !== "inline") note(node, "too high");
  }
  for (const node of document.querySelectorAll("main > .face, .card, #chat, #surface iframe")) {
    const box = node.getBoundingClientRect();
    if (seen(box) && (box.top < view.top || box.bottom > view.bottom)) note(node, `outside (${Math.round(box.top)} to ${Math.round(box.bottom)})`);
  }
  const items = document.querySelector("#chat .items").getBoundingClientRect();
  for (const node of document.querySelectorAll("#chat .item")) {
    const box = node.getBoundingClientRect();
    if (box.bottom > items.top && box.top < items.bottom && (box.top < items.top || box.bottom > items.bottom)) note(node, "in the chat");
  }
  return found;
}

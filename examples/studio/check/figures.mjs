// Figures, reported and never judged: first paint, press to the second window, frames a second while dragging.
import { part, until } from "./report.mjs";
import { drag } from "./board.mjs";
import { Client } from "./wire.mjs";

const COMPONENTS = 200;
const BYTES = 100 << 10;
const PRESSES = 100;

const share = (order, of) => order[Math.min(order.length - 1, Math.floor(order.length * of))];
const sorted = (numbers) => [...numbers].sort((a, b) => a - b);
const tell = (name, text) => console.log(`       ${name}: ${text}`);

/** A canvas of its own, with a long document and a full board. */
async function fill(client) {
  const { document, board } = await client.get();
  const section = (k) => `## Section ${k}\n\n${"A line of *text* with [a link](https://example.org) and `code` in it. ".repeat(6)}\n\n- one\n- two\n  - three\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n`;
  let markdown = "# A long document\n\n";
  for (let k = 0; markdown.length < BYTES; k += 1) markdown += section(k);
  await client.request("document.edit", { canvasId: "studio", baseRevisionId: document.revisionId, markdown });
  const run = async (command) => {
    const result = await client.request("board.command", { canvasId: "studio", command });
    if (!result.success) throw new Error(JSON.stringify(result.error ?? result));
  };
  await run({ type: "canvas.clear", payload: { preservePinned: false } });
  const { columns } = board.canvas.grid;
  const metrics = ["open_prs", "open_issues", "stars", "forks", "contributors"];
  for (let from = 0; from < COMPONENTS; from += 20) {
    const commands = Array.from({ length: 20 }, (_, k) => {
      const n = from + k;
      return {
        type: "component.create",
        payload: { typeId: "github.stat-tile", config: { repo: "octo/plan", metric: metrics[n % 5] }, position: { col: (n * 2) % columns, row: Math.floor((n * 2) / columns) }, size: { cols: 2, rows: 1 } },
      };
    });
    await run({ type: "batch", payload: { commands, description: "Many components" } });
  }
  return markdown.length;
}

export async function figures({ windows, server }) {
  part("figures (of a debug build, where the server is one)");
  const studio = await server({});
  const client = await Client.at(studio.page);
  let characters;
  try {
    characters = await fill(client);
  } catch (fault) {
    return tell("the board could not be filled", fault.message);
  }
  const paints = [];
  for (let k = 0; k < 3; k += 1) {
    const window = await windows.window();
    await window.page.goto(`${studio.page}/`);
    await until(async () => (await window.page.locator(".card").count()) === COMPONENTS, "all components", 15_000);
    await window.page.locator("[data-testid=doc-view] h2").last().waitFor({ state: "attached" });
    paints.push(
      await window.page.evaluate(() => {
        return { first: performance.getEntriesByName("first-contentful-paint")[0]?.startTime, shown: performance.now() };
      }),
    );
    await window.close();
  }
  tell(`first paint, ${characters} characters and ${COMPONENTS} components, goal 1,000 ms`, paints.map(({ first }) => `${Math.round(first)} ms`).join(", "));
  tell("all of it drawn, at the latest", paints.map(({ shown }) => `${Math.round(shown)} ms`).join(", "));

  const [a, b] = [await windows.window(`${studio.page}/`), await windows.window(`${studio.page}/`)];
  for (const window of [a, b]) await until(async () => (await window.page.locator(".card").count()) === COMPONENTS, "all components", 15_000);
  const id = (await a.page.locator(".card").first().getAttribute("data-testid")).slice(4);
  const times = [];
  // The clock of both windows is the machine's.
  for (let k = 0; k < PRESSES; k += 1) {
    const seen = b.page.evaluate(
      (card) =>
        new Promise((resolve) => {
          const pin = document.querySelector(`[data-testid="cmp-${card}-pin"]`);
          new MutationObserver((_, observer) => {
            observer.disconnect();
            requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now()));
          }).observe(pin, { attributes: true, attributeFilter: ["aria-pressed"] });
        }),
      id,
    );
    await b.page.evaluate(() => 0);
    const pressed = await a.page.evaluate((card) => {
      const now = performance.timeOrigin + performance.now();
      document.querySelector(`[data-testid="cmp-${card}-pin"]`).click();
      return now;
    }, id);
    times.push((await seen) - pressed);
  }
  const order = sorted(times);
  tell(`press to the second window, ${PRESSES} presses, goal 250 ms`, `median ${share(order, 0.5).toFixed(0)} ms, 99th percentile ${share(order, 0.99).toFixed(0)} ms`);
  await b.close();

  await a.page.evaluate(() => {
    window.counted = { frames: [], long: [] };
    new PerformanceObserver((list) => window.counted.long.push(...list.getEntries().map(({ duration }) => duration))).observe({ entryTypes: ["longtask"] });
  });
  await drag(a, id, 4, 4, {
    during: async () => {
      await a.page.evaluate(() => {
        const { counted } = window;
        const step = (now) => {
          counted.frames.push(now);
          counted.request = requestAnimationFrame(step);
        };
        counted.request = requestAnimationFrame(step);
      });
      const board = await a.at("board").boundingBox();
      for (let k = 0; k < 240; k += 1) {
        const angle = (k / 240) * Math.PI * 6;
        await a.page.mouse.move(board.x + 400 + 300 * Math.cos(angle), Math.max(board.y, 0) + 250 + 180 * Math.sin(angle));
      }
      await a.page.evaluate(() => cancelAnimationFrame(window.counted.request));
      await a.page.keyboard.press("Escape");
    },
  });
  const counted = await a.page.evaluate(() => window.counted);
  const gaps = sorted(counted.frames.slice(1).map((now, k) => now - counted.frames[k]));
  const seconds = (counted.frames.at(-1) - counted.frames[0]) / 1_000;
  tell(`frames a second while dragging among ${COMPONENTS}, goal 60`, `${((counted.frames.length - 1) / seconds).toFixed(1)} over ${seconds.toFixed(1)} s; between frames: median ${share(gaps, 0.5).toFixed(1)} ms, 99th percentile ${share(gaps, 0.99).toFixed(1)} ms; tasks over 50 ms: ${counted.long.length}`);
  await a.close();
  await client.end();
  await studio.end();
}

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

/** A long document, on the server. */
async function fill(client) {
  const { document } = await client.get();
  const section = (k) =>
    `## Section ${k}\n\n${"A line of *text* with [a link](https://example.org) and `code` in it. ".repeat(6)}\n\n- one\n- two\n  - three\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n`;
  let markdown = "# A long document\n\n";
  for (let k = 0; markdown.length < BYTES; k += 1) markdown += section(k);
  await client.request("document.edit", { canvasId: "studio", baseRevisionId: document.revisionId, markdown });
  return markdown.length;
}

/**
 * Has a window get more components than the grid of the studio's canvas has places for: they are put into the answer of
 * `canvas.get` on its way, each with data.
 */
async function crowd(window) {
  await window.page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((text) => {
      const message = JSON.parse(text);
      const board = message.result?.board;
      if (!board) return socket.send(text);
      const { grid, components } = board.canvas;
      grid.rows = Math.ceil((COMPONENTS * 2 * 2) / grid.columns) + 4;
      board.canvas.components = Array.from({ length: COMPONENTS }, (_, k) => {
        const one = components[k % components.length];
        const position = { col: (k * 2) % grid.columns, row: 2 * Math.floor((k * 2) / grid.columns) };
        return { ...one, id: `cmp_crowd${k}`, position, size: { cols: 2, rows: 2 } };
      });
      socket.send(JSON.stringify(message));
    });
  });
}

export async function figures({ windows, server }) {
  part("figures (of a debug build, where the server is one)");
  const studio = await server({});
  const client = await Client.at(studio.page);
  const characters = await fill(client);
  const paints = [];
  for (let k = 0; k < 3; k += 1) {
    const window = await windows.window();
    await crowd(window);
    await window.page.goto(`${studio.page}/`);
    await until(async () => (await window.page.locator(".card").count()) === COMPONENTS, "all components");
    await window.page.locator("[data-testid=doc-view] h2").last().waitFor({ state: "attached" });
    paints.push(
      await window.page.evaluate(() => {
        return { first: performance.getEntriesByName("first-contentful-paint")[0]?.startTime, shown: performance.now() };
      }),
    );
    await window.close();
  }
  tell(
    `first paint, ${characters} characters and ${COMPONENTS} components, goal 1,000 ms`,
    paints.map(({ first }) => `${Math.round(first)} ms`).join(", "),
  );
  tell("all of it drawn, at the latest", paints.map(({ shown }) => `${Math.round(shown)} ms`).join(", "));

  const [a, b] = [await windows.window(`${studio.page}/`), await windows.window(`${studio.page}/`)];
  for (const window of [a, b]) await window.page.locator(".card").first().waitFor();
  const id = (await a.page.locator(".card").first().getAttribute("data-testid")).slice(4);
  const times = [];
  // When a window shows it, by the clock of the machine.
  const shown = (window) =>
    window.page.evaluate(
      (card) =>
        new Promise((resolve, reject) => {
          setTimeout(() => reject(new Error("it was not shown within 5 s")), 5_000);
          new MutationObserver((_, observer) => {
            observer.disconnect();
            requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now()));
          }).observe(document.querySelector(`[data-testid="cmp-${card}-pin"]`), { attributes: true, attributeFilter: ["aria-pressed"] });
        }),
      id,
    );
  for (let k = 0; k < PRESSES; k += 1) {
    const [seen, own] = [shown(b), shown(a)];
    await b.page.evaluate(() => 0);
    const pressed = await a.page.evaluate((card) => {
      const now = performance.timeOrigin + performance.now();
      document.querySelector(`[data-testid="cmp-${card}-pin"]`).click();
      return now;
    }, id);
    times.push((await seen) - pressed);
    await own;
  }
  const order = sorted(times);
  tell(
    `press to the second window, ${PRESSES} presses, goal 250 ms`,
    `median ${share(order, 0.5).toFixed(0)} ms, 99th percentile ${share(order, 0.99).toFixed(0)} ms`,
  );
  await Promise.all([a.close(), b.close()]);

  const c = await windows.window();
  await crowd(c);
  await c.page.goto(`${studio.page}/`);
  await until(async () => (await c.page.locator(".card").count()) === COMPONENTS, "all components");
  await c.page.evaluate(() => {
    window.counted = { frames: [], long: [] };
    new PerformanceObserver((list) => window.counted.long.push(...list.getEntries().map(({ duration }) => duration))).observe({
      entryTypes: ["longtask"],
    });
  });
  await drag(c, "cmp_crowd7", 4, 4, {
    during: async () => {
      await c.page.evaluate(() => {
        const { counted } = window;
        const step = (now) => {
          counted.frames.push(now);
          counted.request = requestAnimationFrame(step);
        };
        counted.request = requestAnimationFrame(step);
      });
      const board = await c.at("board").boundingBox();
      for (let k = 0; k < 240; k += 1) {
        const angle = (k / 240) * Math.PI * 6;
        await c.page.mouse.move(board.x + 400 + 300 * Math.cos(angle), Math.max(board.y, 0) + 250 + 180 * Math.sin(angle));
      }
      await c.page.evaluate(() => cancelAnimationFrame(window.counted.request));
      await c.page.keyboard.press("Escape");
    },
  });
  const counted = await c.page.evaluate(() => window.counted);
  const gaps = sorted(counted.frames.slice(1).map((now, k) => now - counted.frames[k]));
  const seconds = (counted.frames.at(-1) - counted.frames[0]) / 1_000;
  tell(
    `frames a second while dragging among ${COMPONENTS}, goal 60`,
    `${((counted.frames.length - 1) / seconds).toFixed(1)} over ${seconds.toFixed(1)} s; between frames: median ${share(gaps, 0.5).toFixed(1)} ms, 99th percentile ${share(gaps, 0.99).toFixed(1)} ms; tasks over 50 ms: ${counted.long.length}`,
  );
  await c.close();
  await client.end();
  await studio.end();
}

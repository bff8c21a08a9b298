// Figures, reported and never judged: first paint, press to the second window, frames while dragging.
import { equal } from "./report.mjs";

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

export async function figures({ open, client }) {
  const { document, board } = await client.ask("canvas.get");
  const paragraph = `${"The quick brown fox jumps over the lazy dog. ".repeat(8)}\n\n`;
  await client.ask("document.edit", { baseRevisionId: document.revisionId, markdown: `# Long\n\n${paragraph.repeat(100 * 1024 / paragraph.length)}` });
  const made = board.canvas.components.length;
  await client.ask("board.command", { command: { type: "canvas.clear", payload: { preservePinned: false } } });
  const page = await open("figures");
  const paint = await page.evaluate(() => performance.getEntriesByType("paint").map(({ name, startTime }) => [name, Math.round(startTime)]));
  console.log(`       first paint with 100 KB and ${made} components: ${JSON.stringify(paint)}`);
  const times = [];
  for (let i = 0; i < 100; i += 1) {
    const now = await client.ask("canvas.get");
    const seen = page.evaluate((word) => new Promise((resolve) => {
      const look = () => (document.querySelector("[data-testid=doc]").value.startsWith(word) ? resolve(performance.timeOrigin + performance.now()) : requestAnimationFrame(look));
      look();
    }), `${i}|`);
    const from = Date.now();
    await client.ask("document.edit", { baseRevisionId: now.document.revisionId, splice: { at: 0, remove: i ? `${i - 1}|`.length : 0, insert: `${i}|` } });
    times.push((await seen) - from);
  }
  times.sort((a, b) => a - b);
  console.log(`       press to the second window: median ${at(times, 0.5).toFixed(0)} ms, 99th percentile ${at(times, 0.99).toFixed(0)} ms`);
  equal(times.length, 100, "presses");
  await page.close();
}

// The whole page: what axe says of it, from a telephone to a wide screen, in both themes.
import { check, that } from "./report.mjs";

const WIDTHS = [360, 768, 2560]; // the other scenes have one between the last two

export async function judgeScenes({ windows, studio, client }) {
  for (const width of WIDTHS) {
    await check(`page: ${width} pixels, both themes: axe, nothing wider than the window`, async () => {
      const window = await windows.window(`${studio.page}/`, { size: { width, height: width < 800 ? 3_600 : 1_800 } });
      await window.ready();
      await window.at("doc-view").getByRole("heading").first().waitFor();
      await window.frame.locator("h1").waitFor();
      const { canvas } = (await client.get()).board;
      await window.at(`cmp-${canvas.components[0].id}`).waitFor();
      const notes = new Set();
      for (const theme of ["light", "dark"]) {
        await window.theme(theme);
        notes.add(await window.axe("html"));
        const [page, view] = await window.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        that(page <= view, `the page has ${page} pixels`);
        await window.shot(`page-${width}`, { only: [theme] });
      }
      await window.close();
      return [...notes].filter(Boolean).join("; ");
    });
  }
}

// What others say of the page: axe, Google's evaluator of policies.
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import { CspEvaluator } from "csp_evaluator/dist/evaluator.js";
import { CspParser } from "csp_evaluator/dist/parser.js";
import { Severity } from "csp_evaluator/dist/finding.js";
import { check, that } from "./report.mjs";

const require = createRequire(import.meta.url);

export async function judges({ open, shot, studio, client }) {
  const source = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
  for (const theme of ["light", "dark"]) {
    for (const width of [360, 1280]) {
      const page = await open(`axe-${theme}-${width}`, { theme, width });
      await check(`axe: no serious finding, ${theme}, ${width} pixels`, async () => {
        const session = await page.context().newCDPSession(page);
        await session.send("Page.setBypassCSP", { enabled: true });
        await page.reload();
        await page.getByTestId("doc-view").getByRole("heading").first().waitFor();
        await page.waitForTimeout(700);
        await page.evaluate(source);
        const { violations } = await page.evaluate(() =>
          window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"], resultTypes: ["violations"], iframes: false }),
        );
        const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
        const places = (nodes) => nodes.map((node) => `${node.target} ${node.any?.[0]?.message ?? ""}`).slice(0, 4).join(" | ");
        that(serious.length === 0, serious.map(({ id, nodes }) => `${id}: ${places(nodes)}`).join("\n"));
        return violations.length ? `minor: ${violations.map(({ id }) => id).join(", ")}` : "";
      });
      await check(`no horizontal scroll, ${theme}, ${width} pixels`, async () => {
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        that(wide <= 0, `${wide} pixels too wide`);
      });
      await shot(page, `whole-${width}`, { full: true, theme });
      await page.close();
    }
  }
  await check("csp_evaluator: no high finding in either policy", async () => {
    const { frameOrigin } = (await client.request("hello", { clientId: "csp" })).result;
    const notes = [];
    for (const url of [studio.url, `${frameOrigin}/gsv.js`]) {
      const policy = (await fetch(url)).headers.get("content-security-policy");
      const found = new CspEvaluator(new CspParser(policy).csp).evaluate();
      const high = found.filter(({ severity }) => severity === Severity.HIGH);
      that(high.length === 0, `${url}: ${high.map(({ description, directive, value }) => `${directive} ${value}: ${description}`).join("\n")}`);
      notes.push(`${found.length} findings`);
    }
    return notes.join(", ");
  });
}

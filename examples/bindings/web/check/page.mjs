// Uses the example page in Chromium, in a light and in a dark theme.
//
//   node page.mjs FOLDER CHROMIUM [PICTURES]      FOLDER has `examples` and `node_modules`
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { chromium } from "playwright-core";

const [folder, executablePath, pictures] = process.argv.slice(2);
const server = spawn(process.execPath, ["examples/page/serve.mjs", "0"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
const [line] = await once(server.stdout, "data");
const origin = String(line).trim();
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });

/** Opens the page for one test, which fails if the page has an error. */
async function opened(colorScheme, test) {
  const context = await browser.newContext({ colorScheme, viewport: { width: 1200, height: 860 } });
  const tab = await context.newPage();
  const errors = [];
  tab.on("pageerror", (error) => errors.push(String(error)));
  tab.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await tab.goto(origin);
  const page = {
    tab,
    text: tab.getByRole("textbox", { name: "Your text" }),
    button: (name) => tab.getByRole("button", { name }),
    proposals: tab.getByRole("list", { name: "Proposals" }).getByRole("listitem"),
    async says(words) {
      await tab.getByRole("status").filter({ hasText: words }).waitFor({ timeout: 10_000 });
    },
    /** Puts the caret before some words. */
    before: (words) => page.text.evaluate((area, words) => {
      const at = area.value.indexOf(words);
      area.focus();
      area.setSelectionRange(at, at);
    }, words),
    /** The text after the caret. */
    after: () => page.text.evaluate((area) => area.value.slice(area.selectionStart)),
    picture: (name) => (pictures === undefined ? undefined : tab.screenshot({ path: join(pictures, `${name}-${colorScheme}.png`), fullPage: true })),
  };
  await page.says("Saved");
  await test(page);
  assert.deepEqual(errors, []);
  await context.close();
}

const stories = {
  async "what is typed is saved, and there after a reload"({ tab, text, says, before }) {
    await before("four people");
    await tab.keyboard.type("all of us 🚲, ");
    await says("Saved");
    await tab.reload();
    await says("Saved");
    assert.match(await text.inputValue(), /for all of us 🚲, four people/);
  },
  async "an accepted proposal keeps the caret at its words"({ tab, text, says, before, after, button, proposals }) {
    await button("Ask for a proposal").click();
    await button("Ask for a proposal").click();
    assert.equal(await proposals.count(), 2);
    assert.equal(await proposals.first().locator("ins").first().isVisible(), true);
    // Not saved yet when the proposal above it is accepted.
    await before("Port wine");
    await tab.keyboard.type("🍷 ");
    const words = await after();
    await button(/^Accept the change of line 7/).click();
    await says("Accepted");
    assert.equal(await after(), words);
    const value = await text.inputValue();
    assert.match(value, /night train on Friday/);
    assert.match(value, /- 🍷 Port wine lodges/);
    await button(/^Reject/).click();
    await says("Rejected");
    assert.equal(await proposals.count(), 0);
    assert.equal((await text.inputValue()).includes("sunset"), false);
  },
  async "typing and the model's writing are merged"({ tab, text, says, before, after, button }) {
    await before("Livraria");
    await tab.keyboard.type("The ");
    const words = (await after()).split("\n")[0];
    await button("Let it write").click();
    await says("Saved");
    assert.match(await text.inputValue(), /- The Livraria Lello[^]*About 850 €/);
    assert.equal((await after()).split("\n")[0], words);
    // Words of one line, too.
    await before("About");
    await tab.keyboard.type("Well: ");
    await button("Let it write").click();
    await says("merged");
    assert.match(await text.inputValue(), /Well: About 850 € in all, with breakfast\./);
  },
  async "a conflict loses neither text"({ tab, text, says, before, button, picture }) {
    const conflicted = async () => {
      await before("900");
      await text.evaluate((area) => area.setSelectionRange(area.selectionStart, area.selectionStart + 3));
      await tab.keyboard.type("1200");
      await button("Let it write").click();
      await says("Not saved");
    };
    await conflicted();
    const alert = tab.getByRole("alert");
    assert.match(await alert.innerText(), /850[^]*1200|1200[^]*850/);
    // Without a scroll.
    assert.ok(await alert.locator("del").first().evaluate((one) => one.offsetTop - one.parentElement.offsetTop < one.parentElement.clientHeight));
    assert.match(await text.inputValue(), /1200/);
    await picture("conflict");
    await tab.reload();
    await says("Not saved");
    assert.match(await text.inputValue(), /1200/);
    await button("Keep my text").click();
    await says("Saved with your text");
    assert.match(await text.inputValue(), /About 1200 €/);
    assert.equal(await alert.isVisible(), false);
    await button("Start again").click();
    await says("Saved");
    await conflicted();
    await button("Take the model’s text").click();
    await says("Saved with the model’s text");
    assert.match(await text.inputValue(), /About 850 €/);
  },
  async "a proposal whose words a person changed no longer fits"({ tab, text, says, before, button, proposals }) {
    await button("Ask for a proposal").click();
    await text.evaluate((area) => {
      const at = area.value.indexOf("We fly");
      area.focus();
      area.setSelectionRange(at, area.value.indexOf("\n", at));
    });
    await tab.keyboard.type("We walk.");
    await says("Saved");
    await proposals.getByText("no longer fits").waitFor();
    assert.equal(await button(/^Accept/).isDisabled(), true);
    await button(/^Reject/).click();
    assert.equal(await proposals.count(), 0);
  },
  async "each control has a name, and the keyboard reaches it"({ tab, button, says, picture }) {
    for (let count = 0; count < 3; count += 1) {
      await button("Ask for a proposal").click();
    }
    const nameless = await tab.$$eval("button, textarea", (all) =>
      all.filter((one) => !(one.getAttribute("aria-label") ?? one.labels?.[0]?.textContent ?? "").trim() && !one.textContent.trim()).length);
    assert.equal(nameless, 0);
    await picture("page");
    await button(/^Accept/).first().focus();
    await tab.keyboard.press("Enter");
    await says("Accepted");
    assert.equal(await tab.evaluate(() => document.activeElement?.closest("#proposals") !== null), true);
  },
};

let failed = 0;
try {
  for (const colorScheme of ["light", "dark"]) {
    for (const [name, test] of Object.entries(stories)) {
      try {
        await opened(colorScheme, test);
      } catch (error) {
        failed += 1;
        console.error(`${colorScheme}: ${name}: ${error?.stack ?? error}`);
      }
    }
  }
  console.log(`the page: ${Object.keys(stories).length} tests in 2 themes, ${failed} failed`);
} finally {
  await browser.close();
  server.kill();
}
process.exitCode = failed > 0 ? 1 : 0;

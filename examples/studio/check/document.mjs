// The document: lock, live diff, two windows, chat.
import { check, equal, that, until } from "./report.mjs";

export async function documents({ open, shot, client }) {
  const one = await open("one");
  const two = await open("two");
  const at = (page, id) => page.getByTestId(id);
  const say = async (page, text) => {
    await at(page, "chat-input").fill(text);
    await at(page, "send").click();
  };
  const text = (page) => at(page, "doc").inputValue();
  const idle = async () => until(async () => !(await client.ask("canvas.get")).chat.running, "the turn is over", 15_000);

  await check("document: the lock shows as outline and tooltip, typing is blocked", async () => {
    await say(one, "a slow edit, please");
    for (const page of [one, two]) {
      await at(page, "lock").waitFor();
      that((await page.locator("[title='Assistant editing canvas…'], [aria-description='Assistant editing canvas…']").count()) > 0, "no tooltip");
      that(!(await at(page, "doc").isEditable()), "typing is possible");
    }
    const before = await text(two);
    await at(two, "doc").focus();
    await two.keyboard.type("x");
    equal(await text(two), before, "typed text");
    await shot(one, "document-locked");
  });
  await check("document: Take control ends the turn, a late patch is STALE_EPOCH", async () => {
    await at(two, "take-control").click();
    for (const page of [one, two]) await until(async () => at(page, "doc").isEditable(), "typing again");
    await until(async () => (await at(one, "chat").innerText()).includes("STALE_EPOCH"), "STALE_EPOCH in the chat");
    await idle();
    that(!(await text(one)).includes("three times"), "the late patch was applied");
  });
  await check("document: the assistant's edit is a live diff of words, in both windows", async () => {
    await say(one, "tidy the scope");
    for (const page of [one, two]) {
      await at(page, "diff").first().waitFor({ timeout: 15_000 });
      that((await page.locator("[data-testid=diff] ins, ins[data-testid=diff], ins").count()) > 0, "no inserted words");
    }
    await shot(one, "document-diff");
    await idle();
    that((await text(two)).includes("- [ ] The new settings page"), "the text");
    await until(async () => (await at(one, "chat").innerText()).includes("The scope is tidy"), "the answer");
  });
  await check("document: two windows type in different paragraphs, and both stay", async () => {
    const type = async (page, before, words) => {
      await at(page, "doc").evaluate((area, before) => {
        const place = area.value.indexOf(before) + before.length;
        area.focus();
        area.setSelectionRange(place, place);
      }, before);
      for (const letter of words) {
        await page.keyboard.type(letter);
        await page.waitForTimeout(15);
      }
    };
    await Promise.all([type(one, "beside it.", " One window writes here."), type(two, "order of the table.", " The other one writes there.")]);
    for (const page of [one, two])
      await until(async () => {
        const now = await text(page);
        return now.includes("beside it. One window writes here.") && now.includes("table. The other one writes there.");
      }, "both texts in both windows");
    equal((await client.ask("canvas.get")).document.markdown, await text(one), "the stored text");
  });
  await check("document: two windows type in one place: nothing is lost", async () => {
    const type = async (page, words) => {
      await at(page, "doc").evaluate((area) => {
        const place = area.value.indexOf("## Dates") + "## Dates".length;
        area.focus();
        area.setSelectionRange(place, place);
      });
      for (const letter of words) {
        await page.keyboard.type(letter);
        await page.waitForTimeout(10);
      }
    };
    await Promise.all([type(one, " QWERTZUIOP"), type(two, " asdfghjkl")]);
    await one.waitForTimeout(1_500);
    const shown = async (page) => (await text(page)) + (await page.locator("body").innerText());
    const [first, second] = [await shown(one), await shown(two)];
    const has = (letters) => [...letters].every((letter) => first.includes(letter) || second.includes(letter));
    that(has("QWERTZUIOP") && has("asdfghjkl"), "letters are lost");
    await until(async () => (await text(one)) === (await text(two)), "the windows agree", 8_000);
  });
  await check("document: undo and redo reach the text of both windows", async () => {
    const before = await text(one);
    await at(one, "undo").click();
    await until(async () => (await text(two)) !== before, "undone in the other window");
    await at(one, "redo").click();
    await until(async () => (await text(two)) === before, "redone in the other window");
  });
  await check("chat: patch edits, an applied directive and a refused one with advice", async () => {
    await at(one, "patch-edits").check({ force: true });
    await until(async () => (await client.ask("canvas.get")).chat.usePatchEdits, "switched on");
    await say(one, "a directive");
    await until(async () => (await text(two)).includes("and where?"), "the directive's text", 10_000);
    await idle();
    await say(one, "a stale one");
    await until(async () => (await one.getByTestId("notice").allInnerTexts()).join().includes("re-sync"), "a notice with advice", 10_000);
    await shot(one, "chat-refused");
    await idle();
    await at(one, "patch-edits").uncheck({ force: true });
  });
  await check("chat: hidden messages are not shown", async () => {
    for (const page of [one, two]) that(!(await page.content()).includes("do not display to user"), "a hidden message is in the page");
  });
  await check("document: a reload shows the same", async () => {
    const before = await text(one);
    await one.reload();
    await until(async () => (await text(one)) === before, "the text");
  });
  await Promise.all([one.close(), two.close()]);
}

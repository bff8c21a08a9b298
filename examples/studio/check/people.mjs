// Two people: whose changes undo takes, who is here, names that are no good, and the assistant that works while people edit.
import { rest, send, typeBehind } from "./document.mjs";
import { check, equal, that, until } from "./report.mjs";
import { axe } from "./windows.mjs";
import { Client } from "./wire.mjs";

const MARKUP = "<img src=x onerror=window.broken=1>";
const SERVICE = "The next version of the service.";
const QUESTION = "- Is one more version enough for the old file?";

export async function peopleScenes({ windows, studio, client }) {
  const open = async (person) => {
    const query = person === undefined ? "" : `?person=${encodeURIComponent(person)}`;
    const window = await windows.window(`${studio.page}/${query}`);
    await window.ready();
    await until(async () => (await window.at("doc").inputValue()).includes(SERVICE), "the document");
    return window;
  };
  const present = (window) => window.at("present").locator(".who").allInnerTexts();
  const shows = (window, names) =>
    until(async () => equal(await present(window), names, `people of ${window.name}`) ?? true, `${names} in ${window.name}`);
  const textOf = async () => (await client.get()).document.markdown;
  const press = async (window, keys) => {
    await window.page.evaluate(() => document.activeElement?.blur());
    await window.page.keyboard.press(keys);
  };
  const openMenu = (window, id) => window.at(id).locator("summary").click();
  const rename = async (window, name) => {
    await openMenu(window, "people-menu");
    await window.at("person-name").fill(name);
    await window.at("person-use").click();
  };
  const changes = (window) => window.at("changes").locator("li").evaluateAll((rows) => rows.map((row) => row.querySelector(".who bdi")?.textContent));

  const [anna, bert] = [await open("Anna"), await open()];
  await check("people: a name comes from the address or from the form, and both windows show both people", async () => {
    await shows(anna, ["Anna (you)", "No name"]);
    await rename(bert, "  Bert ");
    await shows(bert, ["Bert (you)", "Anna"]);
    await shows(anna, ["Anna (you)", "Bert"]);
    const colour = (window, nth) => window.at("present").locator("i").nth(nth).evaluate((dot) => getComputedStyle(dot).backgroundColor);
    const [own, other] = [await colour(anna, 0), await colour(anna, 1)];
    that(own !== other, `both have ${own}`);
    equal(await colour(bert, 1), own, "the colour of Anna in the other window");
  });
  await check("people: undo by key takes back one's own change; the other person's later one stays", async () => {
    const before = await textOf();
    await typeBehind(anna, SERVICE, " By Anna.");
    await until(async () => (await textOf()).includes("By Anna."), "Anna's text");
    await typeBehind(bert, QUESTION, " By Bert.");
    await until(async () => (await textOf()).includes("By Bert."), "Bert's text");
    await until(async () => (await changes(anna))[0] === "Bert", "Bert's change in Anna's list");
    await press(anna, "Control+z");
    await until(async () => !(await textOf()).includes("By Anna."), "undone");
    that((await textOf()).includes("By Bert."), "Bert's change is gone");
    await until(async () => await anna.at("redo").isEnabled(), "something to redo");
    await press(anna, "Control+Shift+z");
    await until(async () => (await textOf()).includes("By Anna."), "redone");
    await bert.at("undo").click();
    await until(async () => (await textOf()) === before.replace(SERVICE, `${SERVICE} By Anna.`), "Bert's change undone");
    await until(async () => await bert.at("undo").isDisabled(), "nothing of Bert is left to undo");
    await bert.at("redo").click();
    await until(async () => (await textOf()).includes("By Bert."), "redone");
  });
  await check("people: the list of changes names who made each, and a message has its name", async () => {
    await send(anna, "please tidy the scope");
    await rest(client);
    await bert.at("chat").locator(".item.user .who", { hasText: "Anna" }).waitFor();
    await until(async () => (await changes(bert))[0] === "assistant", "the assistant in the list");
    const names = await changes(bert);
    that(names.includes("Anna") && names.includes("Bert (you)"), `names: ${names}`);
    await openMenu(bert, "history");
    const rows = bert.at("changes").locator("li");
    equal(await rows.filter({ hasText: "Anna" }).getByRole("button", { name: /^Take back/ }).count(), 0, "buttons to take back Anna's change");
    await bert.shot("people-changes");
    const tidied = await textOf();
    await rows.first().getByRole("button", { name: /^Take back/ }).click();
    await until(async () => (await textOf()) !== tidied, "the assistant's change is taken back");
    await bert.page.keyboard.press("Escape");
    that(await rows.first().isHidden(), "the panel is open");
    await until(async () => await bert.at("redo").isEnabled(), "something to redo");
    await press(bert, "Control+Shift+z");
    await until(async () => (await textOf()) === tidied, "redone");
  });
  await check("people: a reload is the same person, with the same undo", async () => {
    for (const [window, names] of [
      [anna, ["Anna (you)", "Bert"]],
      [bert, ["Bert (you)", "Anna"]],
    ]) {
      await window.page.reload();
      await window.ready();
      await shows(window, names);
      await until(async () => await window.at("undo").isEnabled(), "one's own changes");
    }
  });
  for (const window of [anna, bert]) {
    await openMenu(window, "people-menu");
    await window.shot(`people-${window === anna ? "anna" : "bert"}`);
  }
  await axe(anna, "people: axe, with the panel open", "#bar");
  await openMenu(bert, "history");
  await axe(bert, "changes: axe, with the panel open", "#bar");
  for (const window of [anna, bert]) await window.page.keyboard.press("Escape");

  await check("people: all at once: the assistant goes on while both edit, and each person has a chat", async () => {
    await openMenu(anna, "people-menu");
    await anna.at("work-mode").selectOption("collaborative");
    for (const window of [anna, bert]) await window.at("own-chat").waitFor();
    await anna.shot("people-mode");
    await anna.page.keyboard.press("Escape");
    await send(anna, "a slow edit, please");
    await anna.at("stop").waitFor();
    await typeBehind(bert, "## Dates", " and times");
    await until(async () => (await textOf()).includes("## Dates and times"), "Bert's edit");
    that(await anna.at("lock").isHidden(), "a lock keeps people from typing");
    await send(bert, "hello");
    await until(async () => (await textOf()).includes("three times this month"), "the assistant's edit");
    await until(async () => await anna.at("stop").isHidden(), "the end of the turn");
    that((await textOf()).includes("## Dates and times"), "Bert's edit is gone");
    const said = (window) => window.at("chat").locator(".item.text.user").allInnerTexts();
    equal([await said(anna), await said(bert)], [["a slow edit, please"], ["hello"]], "chats");
    equal(await anna.at("chat").locator(".act.refused").count(), 0, "refused calls");
    await anna.shot("people-at-once");
    await openMenu(bert, "people-menu");
    await bert.at("work-mode").selectOption("exclusive");
    await until(async () => await anna.at("own-chat").isHidden(), "the chat of all");
    await bert.page.keyboard.press("Escape");
  });

  await check("bad input: a name that is refused is said, and the window goes on", async () => {
    for (const name of ["user", "Assistant", "\u202eannA", "An\u0000na", "x".repeat(65), "\u200b", "   "]) {
      const window = await open(name);
      await until(async () => /(INVALID_NAME|NAME_RESERVED)\) You work without a name/.test(await window.says()), `a sentence for ${JSON.stringify(name)}`);
      await shows(window, ["You", "Anna", "Bert"]);
      await window.close();
    }
    await rename(bert, "user");
    await until(async () => /NAME_RESERVED/.test(await bert.says()), "a sentence");
    await bert.page.keyboard.press("Escape");
    await shows(bert, ["Bert (you)", "Anna"]);
  });
  await check("bad input: markup in a name is text, in each list", async () => {
    const window = await open(MARKUP);
    await shows(window, [`${MARKUP} (you)`, "Anna", "Bert"]);
    await shows(anna, ["Anna (you)", MARKUP, "Bert"]);
    await typeBehind(window, SERVICE, " By markup.");
    await until(async () => (await changes(anna))[0] === MARKUP, "the name in Anna's list");
    await window.at("undo").click();
    await until(async () => !(await textOf()).includes("By markup."), "undone");
    for (const one of [window, anna]) {
      equal(await one.page.evaluate(() => [window.broken ?? null, document.querySelectorAll("#bar img, #chat img").length]), [null, 0], "markup that ran");
    }
    const same = await Client.at(studio.page, undefined, "Anna");
    await same.request("canvas.open", { canvasId: "studio" });
    await shows(window, [`${MARKUP} (you)`, "Anna", "Bert"]);
    await window.close();
    await same.end();
    await shows(anna, ["Anna (you)", "Bert"]);
  });
  await check("people: a window without a name undoes none of theirs, and leaves the list when it closes", async () => {
    const window = await open();
    await shows(bert, ["Bert (you)", "Anna", "No name"]);
    await typeBehind(window, SERVICE, " By nobody.");
    await until(async () => (await textOf()).includes("By nobody."), "the text");
    await typeBehind(anna, QUESTION, " Last.");
    await until(async () => (await textOf()).includes("Last."), "Anna's text");
    await window.at("undo").click();
    await until(async () => !(await textOf()).includes("By nobody."), "undone");
    that((await textOf()).includes("Last."), "Anna's change is gone");
    await window.close();
    await shows(bert, ["Bert (you)", "Anna"]);
    await rename(bert, "");
    await shows(bert, ["You", "Anna"]);
    await bert.page.keyboard.press("Escape");
  });
  await Promise.all([anna.close(), bert.close()]);
}

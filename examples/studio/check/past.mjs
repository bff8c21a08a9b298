// The past: versions with names, comparison and the way back, who wrote a line, what changed since a reload, selected lines.
import { typeBehind } from "./document.mjs";
import { check, equal, that, until } from "./report.mjs";
import { axe } from "./windows.mjs";
import { Client } from "./wire.mjs";

const SERVICE = "The next version of the service.";
const QUESTION = "- Is one more version enough for the old file?";
const MARKUP = "<img src=x onerror=window.broken=1>";

export async function pastScenes({ windows, studio, client }) {
  const open = async (person) => {
    const window = await windows.window(`${studio.page}/?person=${person}`);
    await window.ready();
    await until(async () => (await window.at("doc").inputValue()).includes(SERVICE), "the document");
    return window;
  };
  const textOf = async () => (await client.get()).document.markdown;
  const drawer = (window) => window.at("history").locator("summary").click();
  const versions = (window) => window.at("versions").locator("strong").allTextContents();
  const press = (window, name) => window.at("versions").getByRole("button", { name }).click();
  const name = async (window, label) => {
    await window.at("version-label").fill(label);
    await window.at("version-name").click();
  };
  const words = (window, tag) => window.at("diff").locator(tag).allInnerTexts();
  const title = (window) => window.page.locator(".changes").innerText();

  const [anna, bert] = [await open("Anna"), await open("Bert")];
  const before = await textOf();
  await check("past: a version gets a name, and both windows list it", async () => {
    await drawer(anna);
    await name(anna, "Sent to review");
    await until(async () => equal(await versions(anna), ["Sent to review"], "versions") ?? true, "the version");
    await drawer(bert);
    await until(async () => equal(await versions(bert), ["Sent to review"], "versions") ?? true, "the version for Bert");
    equal(await anna.at("version-label").inputValue(), "", "the field");
  });
  await check("past: a comparison marks what has changed since, and names who changed it", async () => {
    await typeBehind(bert, SERVICE, " It starts faster.");
    await until(async () => (await textOf()).includes("It starts faster."), "Bert's text");
    await press(anna, "Compare: Sent to review");
    await until(async () => (await words(anna, "ins")).join("").includes("It starts faster."), "the inserted words");
    that(/Since “Sent to review”/.test(await title(anna)) && /Bert/.test(await title(anna)), await title(anna));
    // What comes meanwhile is marked too.
    await typeBehind(bert, QUESTION, " Yes.");
    await until(async () => (await words(anna, "ins")).join("").includes("Yes."), "the later words");
    await anna.shot("past-compare");
  });
  await axe(anna, "past: axe, with the drawer and a comparison");
  await check("past: whoever points at a line sees who wrote it", async () => {
    const line = anna.at("doc-view").getByText("It starts faster.").first();
    await line.hover();
    await until(async () => /Lines? .*:\s*Bert/.test(await anna.at("writers").innerText()), "the writer");
    await anna.at("doc-view").getByRole("heading", { name: "Release 1.3" }).hover();
    await until(async () => /older than the history/.test(await anna.at("writers").innerText()), "no writer");
    await anna.page.evaluate((text) => {
      const editor = document.querySelector("[data-testid=doc]");
      editor.focus();
      editor.setSelectionRange(editor.value.indexOf(text), editor.value.indexOf(text));
    }, QUESTION);
    await until(async () => /Lines? .*:\s*Bert/.test(await anna.at("writers").innerText()), "the writer at the caret");
    await anna.shot("past-writers");
  });
  await check("past: restore is one change, which undo takes back", async () => {
    const changed = await textOf();
    await anna.at("restore").click();
    await until(async () => (await textOf()) === before, "the restored text");
    await until(async () => (await anna.at("doc").inputValue()) === before, "the editor");
    await anna.at("undo").click();
    await until(async () => (await textOf()) === changed, "undone");
    await anna.at("changes").getByRole("button", { name: /^What changed since/ }).last().click();
    await until(async () => /Since this change/.test(await title(anna)), "the comparison with a change");
    await press(anna, "Compare: Sent to review");
    await until(async () => /Sent to review/.test(await title(anna)), "the comparison");
    await anna.page.getByRole("button", { name: "Hide the changes" }).click();
    await until(async () => anna.page.locator(".changes").isHidden(), "hidden");
  });
  await check("past: after a reload, a window shows what others changed since, and not what the person did", async () => {
    await until(async () => (await anna.at("doc").inputValue()) === (await textOf()), "Anna's window");
    await anna.page.goto("about:blank");
    await typeBehind(bert, "## Dates", " and places");
    await until(async () => (await textOf()).includes("## Dates and places"), "Bert's text");
    await anna.page.goto(`${studio.page}/?person=Anna`);
    await anna.ready();
    await until(async () => (await words(anna, "ins")).join("").includes("and places"), "the marked words");
    that(/Changed since you looked/.test(await title(anna)) && /Bert/.test(await title(anna)), await title(anna));
    equal(await anna.at("restore").count(), 0, "buttons to restore");
    await anna.shot("past-since");
    // Bert changes the document elsewhere meanwhile.
    await bert.page.goto("about:blank");
    const elsewhere = await Client.at(studio.page, undefined, "Bert");
    await elsewhere.request("canvas.open", { canvasId: "studio" });
    const { document: now } = await elsewhere.get();
    const splice = { at: now.markdown.length, remove: 0, insert: "\nBy Bert, elsewhere.\n" };
    await elsewhere.request("document.edit", { canvasId: "studio", baseRevisionId: now.revisionId, splice });
    await elsewhere.end();
    const count = () => bert.sent.filter(({ method }) => method === "history.diff").length;
    const asked = count();
    await bert.page.goto(`${studio.page}/?person=Bert`);
    await bert.ready();
    const seen = () => bert.page.evaluate(() => Object.values({ ...localStorage }).join(" "));
    const { revisionId } = (await client.get()).document;
    await until(async () => count() > asked && (await seen()).includes(revisionId), "the comparison");
    that(await bert.page.locator(".changes").isHidden(), "Bert's own change is marked");
  });
  await check("past: selected lines go with the next message, once", async () => {
    const sent = () => anna.sent.filter(({ method }) => method === "chat.send").at(-1)?.params;
    const at = (await textOf()).slice(0, (await textOf()).indexOf(QUESTION)).split("\n").length;
    await anna.page.evaluate((text) => {
      const editor = document.querySelector("[data-testid=doc]");
      editor.focus();
      editor.setSelectionRange(editor.value.indexOf(text), editor.value.indexOf(text) + text.length);
    }, QUESTION);
    await anna.at("selected").waitFor();
    equal(await anna.at("selected").innerText(), `Line ${at} goes with your message`, "the lines");
    await anna.shot("past-selected");
    await anna.at("chat-input").fill("hello");
    await anna.at("send").click();
    await until(async () => sent()?.selection?.startLine === at && sent()?.selection?.endLine === at, "the lines in the request");
    await until(async () => anna.at("selected").isHidden(), "no lines");
    // In the text as it reads.
    await anna.at("doc-view").getByText(SERVICE).first().click({ clickCount: 3 });
    await anna.at("selected").waitFor();
    await anna.at("selected").getByRole("button").click();
    await anna.at("chat-input").fill("hello again");
    await anna.at("send").click();
    await until(async () => sent()?.text === "hello again", "the message");
    equal(sent().selection, undefined, "lines that were taken out");
  });
  await check("bad input: labels that are there already, that are no labels, and that are markup", async () => {
    await drawer(anna);
    for (const [label, code] of [
      ["Sent to review", "VERSION_EXISTS"],
      ["\u202eweiver", "INVALID_ARGUMENTS"],
      ["ä".repeat(100), "INVALID_ARGUMENTS"],
    ]) {
      await name(anna, label);
      await until(async () => (await anna.says()).includes(code), code);
      equal(await anna.at("version-label").inputValue(), label, "what was typed");
    }
    await name(anna, MARKUP);
    await until(async () => (await versions(bert))[0] === MARKUP, "the version");
    equal(await anna.page.evaluate(() => [window.broken ?? null, document.querySelectorAll("#bar img").length]), [null, 0], "markup that ran");
    await anna.shot("past-drawer");
    await press(anna, `Remove: ${MARKUP}`);
    await anna.at("confirm-yes").click();
    await until(async () => equal(await versions(bert), ["Sent to review"], "versions") ?? true, "removed");
  });
  await check("past: the drawer closes by Escape and by its button, and gives the focus back", async () => {
    for (const close of [() => anna.page.keyboard.press("Escape"), () => anna.page.getByRole("button", { name: "Close: History" }).click()]) {
      if (await anna.at("versions").isHidden()) await drawer(anna);
      await anna.at("version-label").focus();
      await close();
      that(await anna.at("versions").isHidden(), "the drawer is open");
      equal(await anna.page.evaluate(() => document.activeElement?.getAttribute("aria-label")), "History", "the focus");
    }
  });
  await Promise.all([anna.close(), bert.close()]);
}

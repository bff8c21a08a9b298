// The document: its lock, its diffs, the chat beside it, and two windows that write at once.
import { check, equal, that, until } from "./report.mjs";
import { axe } from "./windows.mjs";

const SCOPE = "- [ ] Quieter logs";

// The whole of a chat's items, as the server has them.
const items = async (client) => (await client.get()).chat.items;
const textOf = async (client) => (await client.get()).document.markdown;

export async function send(window, text) {
  await window.at("chat-input").fill(text);
  await window.at("send").click();
}
export const rest = (client) => until(async () => !(await client.get()).chat.running, "the end of the turn");

/** Puts the caret behind the first place of a text, and types. */
export async function typeBehind(window, place, text) {
  await window.page.evaluate((words) => {
    const editor = document.querySelector("[data-testid=doc]");
    const at = editor.value.indexOf(words);
    if (at < 0) throw new Error(`${words} is not in the editor`);
    editor.focus();
    editor.setSelectionRange(at + words.length, at + words.length);
  }, place);
  await window.page.keyboard.type(text, { delay: 15 });
}

export async function documentScenes({ a, b, client, studio }) {
  await check("document: both windows show it, as Markdown and as it reads", async () => {
    for (const window of [a, b]) {
      await window.at("doc-view").getByRole("heading", { name: "Release 1.3" }).waitFor();
      that((await window.at("doc").inputValue()).includes(SCOPE), "the editor has another text");
    }
    await a.shot("document");
  });

  await check("document: a lease shows as outline and tooltip in both windows", async () => {
    await send(a, "please tidy the scope");
    for (const window of [a, b]) {
      await window.at("lock").waitFor();
      equal(await window.at("lock").getAttribute("title"), "Assistant editing canvas…", "tooltip");
      equal(await window.at("doc").getAttribute("title"), "Assistant editing canvas…", "tooltip of the editor");
      const outline = await window.page.evaluate(() => {
        const { boxShadow, outlineStyle } = getComputedStyle(document.querySelector("#document"));
        return `${boxShadow} ${outlineStyle}`;
      });
      that(!/^none none$/.test(outline), `no outline: ${outline}`);
      await window.at("take-control").waitFor();
    }
  });
  await check("document: the assistant's edit shows as a live diff of words, in both windows", async () => {
    for (const window of [a, b]) {
      await window.at("diff").waitFor();
      const words = (tag) => window.at("diff").locator(tag).allInnerTexts();
      await until(async () => (await words("ins")).join(" ").includes("The"), "the inserted word");
      const [ins, del] = [await words("ins"), await words("del")];
      that(del.join(" ").includes("teh") && ins.join("").includes("one line per request"), `ins ${ins}, del ${del}`);
      that((await window.at("diff").locator("li.task ins").count()) === 2, "the changed list does not read as a list");
      // A word, not its line.
      that(!ins.some((text) => text.includes("settings page")), `more than words: ${ins}`);
    }
    await a.shot("document-diff");
    await rest(client);
    await until(async () => await a.at("lock").isHidden(), "no lock after the turn");
  });
  await check("document: marks go with the change that made them, through undo and redo", async () => {
    const marks = async () => await a.at("doc-view").locator("ins, del").allInnerTexts();
    const [text, shown] = [await textOf(client), await marks()];
    that(shown.length > 0, "no marks");
    await a.at("undo").click();
    await until(async () => (await textOf(client)) !== text, "undone");
    await until(async () => (await marks()).length === 0, "no marks of a change that is undone");
    await a.at("redo").click();
    await until(async () => (await textOf(client)) === text, "redone");
    await until(async () => JSON.stringify(await marks()) === JSON.stringify(shown), "the marks are back");
  });
  await check("chat: directives and calls show by icon, summary and preview", async () => {
    const all = await items(client);
    const edit = all.find((item) => item.kind === "edit" && item.preview?.length);
    that(edit, `no edit among ${all.map((item) => item.kind)}`);
    equal(edit.status, "applied", "status");
    that(edit.preview.length <= 12, `${edit.preview.length} lines of preview`);
    const shown = a.at("chat").locator(".item.edit").filter({ hasText: edit.summary });
    await shown.first().locator("svg").first().waitFor();
    that((await shown.last().locator("del, ins").count()) >= 2, "no preview of what changed");
    return edit.summary;
  });
  await check("chat: hidden messages are nowhere in the page", async () => {
    for (const window of [a, b]) {
      const text = await window.page.evaluate(() => document.documentElement.textContent);
      that(!/do not display to user/i.test(text), "the page shows a hidden message");
    }
    that(!/do not display/i.test(JSON.stringify(await client.get())), "the answer of canvas.get has a hidden message");
  });

  const waiting = "Typed under the lock. ";
  await check("document: what is typed while the assistant has the lock waits, with a sentence", async () => {
    await send(a, "a slow edit, please");
    await a.at("lock").waitFor();
    await a.page.evaluate(() => {
      const editor = document.querySelector("[data-testid=doc]");
      editor.focus();
      editor.setSelectionRange(0, 0);
    });
    await a.page.keyboard.type(waiting);
    that((await a.at("doc").inputValue()).startsWith(waiting), "the text in the editor");
    that(!(await textOf(client)).includes(waiting), "the server has it already");
    await until(async () => /text waits here/i.test(await a.says()), "a sentence");
    await a.shot("document-locked");
  });
  await axe(a, "document: axe, locked", "#document");
  await check("document: Take control ends the turn; the late patch is STALE_EPOCH", async () => {
    const epoch = (await client.get()).epoch;
    await b.at("take-control").click();
    await until(async () => await a.at("lock").isHidden(), "no lock in the other window");
    await rest(client);
    that((await client.get()).epoch > epoch, "the epoch is the same");
    const late = await until(
      async () => (await items(client)).find((item) => item.code === "STALE_EPOCH"),
      "the refused patch in the chat",
    );
    equal([late.kind, late.status], ["edit", "refused"], "the late patch");
    await a.at("chat").getByText("did not have the lock").first().waitFor();
    that((await textOf(client)).includes("**CSV** twice this month"), "the late patch was taken");
    await until(async () => (await textOf(client)).startsWith(waiting), "what was typed under the lock");
    that(!/text waits here/i.test(await a.says()), "a notice that is no longer true");
    await a.shot("document-control");
  });

  await check("two windows type in different paragraphs at once: both stay", async () => {
    await Promise.all([
      typeBehind(a, "The next version of the service.", " Ours, written first."),
      typeBehind(b, "- Is one more version enough for the old file?", " Theirs, written last."),
    ]);
    const whole = await until(async () => {
      const text = await textOf(client);
      return text.includes("service. Ours, written first. What") && text.includes("old file? Theirs, written last.") && text;
    }, "both texts on the server");
    for (const window of [a, b])
      await until(async () => (await window.at("doc").inputValue()) === whole.replaceAll("\r", ""), "the same text in each window");
  });
  await check("two windows type at one place at once: a sentence, nothing is lost", async () => {
    const write = (window, text) =>
      window.page.evaluate(
        ([words, mine]) => {
          const editor = document.querySelector("[data-testid=doc]");
          const at = editor.value.indexOf(words);
          editor.focus();
          editor.setRangeText(mine, at, at + words.length, "end");
          editor.dispatchEvent(new InputEvent("input", { bubbles: true }));
          editor.blur();
        },
        ["Customers asked for **CSV** twice this month.", text],
      );
    // At once for the server: it hears of both when it goes on.
    studio.child.kill("SIGSTOP");
    try {
      await write(a, "Nobody asked for the red export.");
      await write(b, "Somebody asked for a blue one.");
    } finally {
      studio.child.kill("SIGCONT");
    }
    const said = async (window) => /somebody else|both/i.test(await window.says());
    await until(async () => (await said(a)) || (await said(b)), "a sentence in one of the windows");
    await until(async () => {
      const everywhere = `${await textOf(client)} ${await a.page.evaluate(() => document.body.innerText)} ${await b.page.evaluate(() => document.body.innerText)}`;
      return everywhere.includes("red export") && everywhere.includes("blue one");
    }, "both texts");
    for (const window of [a, b]) {
      const selected = await window.page.evaluate(() => {
        const editor = document.querySelector("[data-testid=doc]");
        return editor.value.slice(editor.selectionStart, editor.selectionEnd);
      });
      equal(selected, "", "nothing of the other person is selected");
    }
    const keeper = (await a.at("kept").count()) > 0 ? a : b;
    if ((await keeper.at("kept").count()) === 0) return "the document has both";
    await keeper.shot("document-kept", { full: true });
    const other = (await textOf(client)).includes("red export") ? "blue one" : "red export";
    await keeper.at("kept-use").first().click();
    await until(async () => (await textOf(client)).includes(other), "the kept text, put in its place");
    return `kept: ${other}`;
  });
  await check("document: an emoji, a line of CRLF and markup are text", async () => {
    const hostile = '<img src=x onerror="window.broken=1"> <script>window.broken=2</script> [x](javascript:window.broken=3) 🎉';
    const { document } = await client.get();
    await client.request("document.edit", {
      canvasId: "studio",
      baseRevisionId: document.revisionId,
      splice: { at: document.markdown.length, remove: 0, insert: `\n\n${hostile}\n` },
    });
    for (const window of [a, b]) {
      await until(async () => (await window.at("doc-view").innerText()).includes("onerror"), "the markup as text");
      equal(
        await window.page.evaluate(() => [
          window.broken,
          document.querySelectorAll("#document :is(img, script, [href^='javascript:'])").length,
        ]),
        [null, 0],
        "inert",
      );
    }
  });

  await check("chat: how the assistant edits is the canvas's, in both windows", async () => {
    await a.at("edits").selectOption("patches");
    await until(async () => (await client.get()).chat.edits === "patches", "the setting");
    await until(async () => (await b.at("edits").inputValue()) === "patches", "the other window");
  });
  await check("document: long typing in one window while the assistant answers with a directive: nothing typed is lost", async () => {
    const long = " Typed on and on, without a pause, while the assistant writes its own words into another paragraph of the same document.";
    await send(a, "a directive, please");
    await typeBehind(b, "## Dates", long);
    await until(async () => (await textOf(client)).includes(`## Dates${long}\n`), "all that was typed");
    await rest(client);
    // A directive is for the version that the assistant has read: on a later one it is refused, and asked for again.
    const isRefused = !(await textOf(client)).includes("and where?");
    if (isRefused) {
      that((await items(client)).findLast(({ kind }) => kind === "edit").status === "refused", "it was neither applied nor refused");
      await send(a, "the directive again, please");
      await until(async () => (await textOf(client)).includes("and where?"), "the directive's edit");
      await rest(client);
    }
    for (const window of [a, b])
      await until(async () => (await window.at("doc").inputValue()) === (await textOf(client)), "the same text in each window");
    that(
      (await items(client)).some((item) => item.kind === "edit" && item.status === "applied" && item.icon === "patch"),
      "no applied patch in the chat",
    );
    return isRefused ? "the directive was for an older version, and taken the second time" : "";
  });
  await check("chat: a stale edit is refused in a sentence without codes, and can be tried again", async () => {
    const before = await textOf(client);
    await send(a, "a stale one now");
    await a.at("try-again").last().waitFor();
    await rest(client);
    const refused = (await items(client)).findLast((item) => item.kind === "edit");
    equal([refused.status, refused.code], ["refused", "STALE_VERSION"], "the item");
    const shown = await a.page.locator("#chat").innerText();
    that(shown.includes("changed in the meantime, so nothing was written"), `the chat says: ${shown}`);
    that(!/STALE_|stale patch|\br\d+-[0-9a-f]{8}|document_snapshot/.test(shown), `words for machines: ${shown}`);
    equal(await textOf(client), before, "the document");
    await a.shot("chat-refused");
    const said = (await items(client)).length;
    await a.at("try-again").last().click();
    await until(async () => (await items(client)).length > said, "a new message");
    await rest(client);
  });
  await axe(a, "chat: axe with a refusal", "#chat");
  await a.at("edits").selectOption("tools");
  await check("chat: an edit of the assistant is taken back by its button", async () => {
    const before = await textOf(client);
    that(before.includes("and where?"), "the directive's edit");
    const change = (await items(client)).findLast((item) => item.kind === "edit" && item.change !== undefined).change;
    await a.at(`take-back-${change}`).click();
    await until(async () => !(await textOf(client)).includes("and where?"), "it is taken back");
    await a.at("undo").click();
    await until(async () => (await textOf(client)) === before, "undone again");
  });
  await check("document: undo and redo of what was typed", async () => {
    await a.page.evaluate(() => document.activeElement?.blur());
    const before = await textOf(client);
    await typeBehind(a, "# Release 1.3", ", undone soon");
    await until(async () => (await textOf(client)).includes("undone soon"), "typed");
    await until(() => a.at("undo").isEnabled(), "undo");
    const history = async () => JSON.stringify((await client.get()).history);
    while ((await textOf(client)) !== before) {
      const was = await history();
      await a.at("undo").click();
      await until(async () => (await history()) !== was, "one step back");
    }
    await a.at("redo").click();
    await until(async () => (await textOf(client)) !== before, "something is redone");
    await a.at("undo").click();
    await until(async () => (await textOf(client)) === before, "undone again");
  });
  await check("document: a task is checked and a cell is edited where the document reads", async () => {
    const before = await textOf(client);
    const view = b.at("doc-view");
    const has = (part) => until(async () => (await textOf(client)).includes(part), part);
    const focused = () => b.page.evaluate(() => document.activeElement.getAttribute("aria-label"));
    const box = (window) => window.at("doc-view").getByRole("checkbox", { name: "Export as CSV" });
    await box(b).focus();
    await b.page.keyboard.press("Space");
    await has("- [x] Export as CSV");
    for (const window of [a, b]) await until(() => box(window).isChecked(), "the box is checked");
    equal(await focused(), "Export as CSV", "the focus");

    await view.getByRole("cell", { name: "Friday" }).click();
    await b.at("cell").fill("Sunday | noon");
    await b.shot("document-cell");
    // The table is drawn again below what is written.
    await typeBehind(a, "| Translation |", " perhaps");
    await until(async () => (await view.innerText()).includes("perhaps"), "the other's words");
    equal(await b.at("cell").inputValue(), "Sunday | noon", "what was written");
    await b.at("cell").press("Enter");
    await has("| Release | Sunday \\| noon | planned |");
    await has("| perhaps");
    equal([await b.at("cell").count(), await focused()], [0, "Table"], "the editor, and the focus");

    // From one cell to another, and a focus that does not go to another task.
    await view.getByRole("cell", { name: "planned" }).click();
    await b.at("cell").fill("soon");
    await view.getByRole("cell", { name: "done" }).click();
    await has("| Sunday \\| noon | soon |");
    await until(async () => (await b.at("cell").inputValue()) === "done", "the other cell");
    await b.at("cell").press("Escape");
    await box(b).focus();
    await typeBehind(a, "## Scope\n", "\n- [ ] Above\n");
    await until(async () => (await view.innerText()).includes("Above"), "the task above");
    that(["Export as CSV", null].includes(await focused()), `the focus is on ${await focused()}`);

    // Nothing is sent of what was not changed, or was left by Escape.
    const revision = (await client.get()).document.revisionId;
    await view.getByRole("region", { name: "Table" }).press("Enter");
    equal(await b.at("cell").inputValue(), "Feature freeze", "the first cell");
    await b.at("cell").press("Enter");
    await view.getByRole("cell", { name: "soon" }).click();
    await b.at("cell").fill("over");
    await b.at("cell").press("Escape");
    equal([await b.at("cell").count(), (await client.get()).document.revisionId], [0, revision], "nothing was sent");
    while ((await textOf(client)) !== before) {
      const was = await textOf(client);
      await a.at("undo").click();
      await until(async () => (await textOf(client)) !== was, "one step back");
    }
  });
  await check("document: Ctrl+Z in the editor and the button are one history", async () => {
    const before = await textOf(client);
    await typeBehind(a, "# Release 1.3", ", typed");
    await until(async () => (await textOf(client)).includes("1.3, typed"), "typed");
    await a.at("doc").focus();
    while ((await textOf(client)) !== before) {
      const was = await textOf(client);
      await a.page.keyboard.press("Control+z");
      await until(async () => (await textOf(client)) !== was, "one step back");
    }
    await until(async () => (await a.at("doc").inputValue()) === before, "the editor");
    await a.page.keyboard.press("Control+Shift+z");
    await until(async () => (await textOf(client)) !== before, "redone by its key");
    await a.at("undo").click();
    await until(async () => (await textOf(client)) === before, "undone by the button");
    await until(async () => /Undone: your change of the document \(\d+ added, \d+ removed\)/.test(await a.says()), "whose change it was");
  });
}

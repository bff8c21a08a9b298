// The server is killed and started again, on the same port and file: nothing is lost, and what was not answered is.
import { check, equal, that, until, withoutLogs } from "./report.mjs";
import { rest, send } from "./document.mjs";
import { boardOf } from "./board.mjs";
import { stateIn } from "./surface.mjs";
import { Client } from "./wire.mjs";

const MARK = "Typed while nobody listened.";

/** `restart(more)` starts the server on the same port and file, and gives a client of it. */
export async function restartScenes({ a, b, client, studio, restart }) {
  await check("recipe: the assistant records one; it refreshes without the assistant", async () => {
    await send(a, "make a recipe, please");
    await rest(client);
    await until(async () => Object.keys((await client.get()).recipe?.components ?? {}).length > 0, "a component that a recipe feeds");
    await a.at("refresh-recipe").click();
    await until(async () => /Refreshed/.test(await a.says()), "a sentence");
    equal(await a.page.locator("[data-testid^=stale-]").count(), 0, "stale marks");
  });

  const before = await client.get();
  let pinned;
  await check("a request whose answer was lost is answered from the receipt, and done once", async () => {
    const name = `lost-${before.revision}`;
    const one = await Client.at(studio.page, name);
    one.send({
      type: "req",
      id: "x1",
      method: "board.command",
      params: { canvasId: "studio", command: { type: "view.save", payload: { name: "Lost" } } },
    });
    // Gone before it can read the answer.
    await until(async () => (await boardOf(client)).views.some((view) => view.name === "Lost"), "the view");
    one.socket.terminate();
    const two = await Client.at(studio.page, name);
    const command = { type: "view.save", payload: { name: "Lost" } };
    const answer = await two.request("board.command", { canvasId: "studio", command }, "x1");
    equal(answer.success, true, "the answer");
    equal((await boardOf(client)).views.filter((view) => view.name === "Lost").length, 1, "views of that name");
    await two.end();
  });
  await check("server killed while a request waits: both windows say so, and keep what is typed", async () => {
    studio.child.kill("SIGSTOP");
    const id = (await a.page.locator(".card").first().getAttribute("data-testid")).slice(4);
    await a.at(`cmp-${id}`).focus();
    await a.page.keyboard.press("p"); // reaches a server that will never answer
    studio.child.kill("SIGKILL");
    equal((await studio.gone).signal, "SIGKILL", "how it ended");
    for (const window of [a, b]) await window.at("offline").waitFor();
    await b.page.evaluate((text) => {
      const editor = document.querySelector("[data-testid=doc]");
      editor.focus();
      editor.setRangeText(`\n${text}\n`, editor.value.length, editor.value.length, "end");
      editor.dispatchEvent(new InputEvent("input", { bubbles: true }));
    }, MARK);
    await b.at("chat-input").fill("not sent yet");
    that((await b.at("doc").inputValue()).includes(MARK), "the editor lost it");
    await a.shot("offline");
    pinned = id;
  });
  await check("started on the same port and file: windows reconnect, unanswered requests are answered, nothing is lost", async () => {
    const { studio: next, client: again } = await restart();
    equal(next.page, studio.page, "address");
    for (const window of [a, b]) await until(async () => await window.at("offline").isHidden(), "the connection");
    await until(async () => (await again.get()).document.markdown.includes(MARK), "what was typed meanwhile");
    await until(
      async () => (await boardOf(again)).canvas.components.find(({ id }) => id === pinned).meta.pinned === true,
      "the request of before",
    );
    await until(async () => (await a.at("doc").inputValue()).includes(MARK), "what was typed, in the other window");
    equal(await b.at("chat-input").inputValue(), "not sent yet", "the message that was not sent");
    await b.at("chat-input").fill("");
    const after = await again.get();
    that(after.document.markdown.startsWith(before.document.markdown.slice(0, 200)), "the document is another");
    // Its job may have refreshed the logs meanwhile.
    equal(withoutLogs(after.state), withoutLogs(before.state), "state of the surface");
    equal(
      after.board.canvas.components.map((one) => one.id).sort(),
      before.board.canvas.components.map((one) => one.id).sort(),
      "components",
    );
    that(after.history.undo.length >= before.history.undo.length, "the history is shorter");
  });
  await check("001, criterion 6: the canvas persists across reconnects and new sessions", async () => {
    await a.page.reload();
    await a.ready();
    await a.frame.getByRole("button", { name: "Deploy" }).waitFor();
    await until(async () => (await stateIn(a))?.version === before.state.version, "the state in a new session");
    equal((await stateIn(a)).lastDeploy, before.state.lastDeploy, "the last deploy");
    that((await a.at("doc").inputValue()).includes(MARK), "the document");
  });
}

/** After a start with other tools. */
export async function staleScenes({ a, client }) {
  await check("recipe: where a tool has changed, its data show as stale, with the reason", async () => {
    await until(() => a.at("refresh-recipe").isVisible(), "the button");
    await a.at("refresh-recipe").click();
    const mark = a.page.locator("[data-testid^=stale-]").first();
    await mark.waitFor();
    const { components } = (await client.get()).recipe;
    that(/CONTRACT_CHANGED/.test(JSON.stringify(components)), JSON.stringify(components));
    await mark.scrollIntoViewIfNeeded();
    await a.shot("recipe-stale");
    return (await mark.innerText()).replace(/\s+/g, " ");
  });
  await check("recipe: Rebuild sends the escalation to the assistant, and the mark goes", async () => {
    const before = (await client.get()).chat.items.length;
    await a.page.locator("[data-testid^=rebuild-]").first().click();
    await until(async () => (await client.get()).chat.items.length > before, "a turn");
    await rest(client);
    await until(async () => (await a.page.locator("[data-testid^=stale-]").count()) === 0, "no mark any more");
  });
}

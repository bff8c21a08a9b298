// Edits that wait for a decision: listed, marked in the text, accepted and rejected by keys, while two people write.
import { rest, send, typeBehind } from "./document.mjs";
import { check, equal, that, until } from "./report.mjs";
import { axe } from "./windows.mjs";

const textOf = async (client) => (await client.get()).document.markdown;
const listOf = async (client) => (await client.get()).proposals.list.flatMap(({ parts }) => parts);

export async function proposalScenes({ windows, studio, client }) {
  const [a, b] = [await windows.window(`${studio.page}/`), await windows.window(`${studio.page}/?person=Bert`)];
  await Promise.all([a.ready(), b.ready()]);
  const before = await textOf(client);
  await check("proposals: what the assistant edits waits, in both windows, and nothing is locked", async () => {
    await a.at("edits").selectOption("proposals");
    await send(a, "please propose some changes");
    await rest(client);
    equal(await textOf(client), before, "the document");
    for (const window of [a, b]) {
      for (const id of ["p1", "p2", "p3"]) await window.at(`part-${id}`).waitFor();
      that(await window.at("lock").isHidden(), "a lock");
      await until(async () => (await window.at("doc-view").locator(".change ins").count()) >= 2, "marks in the text");
    }
    that((await a.at("doc-view").locator(".change del").first().innerText()).includes("still"), "what would go");
    await a.shot("proposals");
    await b.shot("proposals-named", { only: ["light"] });
  });
  await axe(a, "proposals: axe", "#document");
  await check("proposals: typing moves the parts and their marks", async () => {
    await typeBehind(b, "The next version of the service", " for everybody");
    await until(async () => (await textOf(client)).includes("service for everybody."), "typed");
    await until(async () => (await listOf(client))[0].after.includes("service for everybody. What is open"), "the part has the new words");
    await until(async () => (await a.at("part-p1").innerText()).includes("for everybody. What is open"), "shown");
    that((await a.at("doc-view").locator(".change del").first().innerText()).includes("still"), "the mark is where it was");
  });
  await check("proposals: accepted by a key", async () => {
    await a.at("accept-p1").focus();
    await a.page.keyboard.press("Enter");
    await until(async () => (await textOf(client)).includes("everybody. What is open is listed"), "accepted");
    await b.at("part-p1").waitFor({ state: "detached" });
    equal(await a.page.evaluate(() => document.activeElement?.textContent), "2 changes wait for you", "the focus");
  });
  await check("proposals: rejected by keys with a note, which the next message tells the assistant", async () => {
    await b.at("reject-p3").focus();
    await b.page.keyboard.press("Enter");
    await b.page.keyboard.type("the old sentence is fine");
    await b.shot("proposals-note", { only: ["dark"] });
    await b.page.keyboard.press("Enter");
    await a.at("part-p3").waitFor({ state: "detached" });
    that(!(await textOf(client)).includes("what you saw"), "it is in the document");
  });
  await check("proposals: words in a part make it stale, and undo brings it back", async () => {
    await typeBehind(a, "- [ ] Quieter logs", ", please");
    await until(async () => (await listOf(client))[0]?.state === "stale", "stale");
    await until(async () => (await b.at("part-p2").innerText()).includes("can only be rejected"), "said");
    equal(await b.at("accept-p2").count(), 0, "nobody can accept it");
    await b.shot("proposals-stale");
    while ((await listOf(client))[0].state === "stale") {
      const was = await textOf(client);
      await a.at("undo").click();
      await until(async () => (await textOf(client)) !== was, "one step back");
    }
    await b.at("accept-p2").waitFor();
  });
  await check("proposals: undo of a decision brings its part back", async () => {
    await b.at("accept-p2").focus();
    await b.page.keyboard.press("Space");
    await until(async () => (await textOf(client)).includes("one line per request"), "accepted");
    await until(() => b.at("review").isHidden(), "no list");
    await until(() => b.at("undo").isEnabled(), "undo");
    await b.at("undo").click();
    await until(async () => !(await textOf(client)).includes("one line per request"), "taken back");
    await a.at("accept-p2").waitFor();
  });
  await check("proposals: no decision on what somebody did not see", async () => {
    const refused = await client
      .request("proposals.decide", { canvasId: "studio", accept: ["p2"], seen: { p2: "another text" } })
      .then(() => null, (error) => error);
    equal(refused?.code, "PART_CHANGED", "the code");
    await a.at("accept-p2").click();
    await until(() => a.at("review").isHidden(), "no list");
    equal(await a.at("doc-view").locator(".change").count(), 0, "no marks");
  });
  await Promise.all([a.close(), b.close()]);
}

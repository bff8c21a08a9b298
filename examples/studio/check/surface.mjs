// The surface: its frame, the buttons that it may press, the question before them, and the fields that write back.
import { check, equal, that, until } from "./report.mjs";
import { rest, send } from "./document.mjs";
import { codeOf } from "./wire.mjs";
import { axe } from "./windows.mjs";

/** The page of a surface as its source document writes it. */
const MINIMAL = `<!doctype html>
<html>
  <body>
    <h1 data-gsv-text="state.service"></h1>
    <input data-gsv-model="state.version" />
    <button data-gsv-action="deploy">Deploy</button>
    <button data-gsv-action="refreshLogs">Refresh Logs</button>
    <pre data-gsv-text="state.logsTail.result"></pre>
  </body>
</html>
`;
const SCRIPT = '<script src="/gsv.js"></script>';

/** What a frame knows of the state. */
export const stateIn = (window) => window.frame.locator("html").evaluate(() => window.gsvCanvas.getState());

export async function surfaceScenes({ a, b, client }) {
  const state = async () => (await client.get()).state;
  const press = (window, name) => window.frame.getByRole("button", { name }).click();

  await check("surface: the minimal HTML of 001 runs as it is written", async () => {
    const { frame } = await client.get();
    const text = await (await fetch(client.hello.frameOrigin + frame.path)).text();
    that(text.includes(SCRIPT), "our script is not in it");
    equal(text.replace(SCRIPT, "").trim(), MINIMAL.trim(), "the page");
    for (const window of [a, b]) {
      await window.frame.getByRole("heading", { name: "api" }).waitFor();
      equal(await window.frame.locator("input").inputValue(), "1.2.7", "version");
    }
    equal(await a.at("surface-frame").getAttribute("sandbox"), "allow-scripts", "sandbox");
    await a.at("surface-frame").scrollIntoViewIfNeeded();
    await a.shot("surface");
  });
  await check("surface: its job refreshes the logs by itself", async () => {
    const { logsTail } = await until(async () => ((await state()).logsTail ? state() : null), "logs");
    await until(async () => (await a.frame.locator("pre").innerText()).includes(logsTail.result.trim()), "the logs in the frame");
    await until(async () => (await b.frame.locator("pre").innerText()).includes(logsTail.result.trim()), "the logs in the other frame");
  });
  await check("surface: deploy asks first; No changes nothing", async () => {
    // Its job may refresh the logs meanwhile, which is no entry of the history.
    const all = async () => {
      const { state: { logsTail, ...rest }, history } = await client.get();
      return [rest, history];
    };
    const before = await all();
    await press(a, "Deploy");
    await a.at("confirm").waitFor();
    const asked = await a.at("confirm").innerText();
    for (const words of ["server-a", "Bash", "./deploy", "api", "1.2.7"])
      that(asked.includes(words), `${words} is not in the question: ${asked}`);
    that(await a.at("confirm-no").evaluate((node) => node === document.activeElement), "the focus is not on No");
    await a.shot("surface-confirm");
    await a.at("confirm-no").click();
    await a.at("confirm").waitFor({ state: "detached" });
    // The frame hears that it was declined, and what it asks for after that is answered.
    await until(() => a.frame.locator("html").evaluate(() => window.gsvCanvas.runAction("nothing").catch(() => true)), "an answer");
    equal(await all(), before, "state and history");
    equal(await b.at("confirm").count(), 0, "questions in the other window");
  });
  await check(
    "001, criterion 2: the page renders the surface and triggers an action by its id; confirmed, the state changes in both windows",
    async () => {
      await press(a, "Deploy");
      await a.at("confirm-yes").click();
      const { lastDeploy } = await until(async () => ((await state()).lastDeploy ? state() : null), "the deploy");
      that(JSON.stringify(lastDeploy).includes("api 1.2.7 is live"), JSON.stringify(lastDeploy));
      for (const window of [a, b]) {
        await until(
          async () => JSON.stringify((await stateIn(window)).lastDeploy) === JSON.stringify(lastDeploy),
          "the state in each frame",
        );
      }
      // The other button, by the binding of the page and by its id from the script.
      await press(b, "Refresh Logs");
      await until(async () => (await a.frame.locator("pre").innerText()).includes("api 1.2.7 is live"), "the log in the other window");
      const result = await b.frame.locator("html").evaluate(() => window.gsvCanvas.runAction("refreshLogs"));
      that(JSON.stringify(result).includes("is live"), `runAction gave ${JSON.stringify(result)}`);
      return JSON.stringify(lastDeploy);
    },
  );
  await check("surface: an action that fails is a sentence with its code", async () => {
    const code = await a.frame.locator("html").evaluate(() =>
      window.gsvCanvas.runAction("launch").then(
        () => null,
        (error) => error.code,
      ),
    );
    that(code, "an action that is not there did not fail");
    await until(async () => (await a.at("surface-failures").innerText()).includes(code), "the sentence");
    return (await a.at("surface-failures").innerText()).split("\n")[0];
  });

  await check("surface: a model field writes back: one patch and one undo entry a focus", async () => {
    const [before] = (await client.get()).history.undo;
    const sent = a.sent.length;
    const field = a.frame.locator("input");
    await field.click();
    await a.page.keyboard.press("Control+a");
    await a.page.keyboard.type("1.2.8", { delay: 20 });
    equal((await state()).version, "1.2.7", "the state while the field has the focus");
    await a.page.keyboard.press("Tab");
    await until(async () => (await state()).version === "1.2.8", "written back");
    await until(async () => (await b.frame.locator("input").inputValue()) === "1.2.8", "the field of the other window");
    const patches = a.sent.slice(sent).filter(({ method }) => method === "canvas.patch");
    equal(
      patches.map(({ params }) => params.patch),
      [[{ op: "replace", path: "/version", value: "1.2.8" }]],
      "patches",
    );
    const [entry, next] = (await client.get()).history.undo;
    that(/version|state|surface/i.test(entry.summary) || entry.at !== before?.at, "no undo entry");
    equal(next, before, "the entry before it");
    await a.at("undo").click();
    await until(async () => (await state()).version === "1.2.7", "undone");
    for (const window of [a, b]) await until(async () => (await window.frame.locator("input").inputValue()) === "1.2.7", "the field");
    await a.at("redo").click();
    await until(async () => (await state()).version === "1.2.8", "redone");
  });
  await check("surface: what is typed stays while another window writes; the last one holds", async () => {
    await a.frame.locator("input").fill("2.0");
    await client.request("canvas.patch", { canvasId: "studio", patch: [{ op: "replace", path: "/version", value: "1.9" }] });
    await until(async () => (await b.frame.locator("input").inputValue()) === "1.9", "the other window");
    equal(await a.frame.locator("input").inputValue(), "2.0", "what is typed");
    await a.frame.locator("input").blur();
    await until(async () => (await state()).version === "2.0", "the last one");
  });
  await check("surface: the assistant changes its state", async () => {
    await send(a, "set the version on the surface");
    await rest(client);
    for (const window of [a, b])
      await until(async () => (await window.frame.locator("input").inputValue()) === "1.3.0", "the version in each window");
  });
  await check("bad input: HTML in state is text", async () => {
    const hostile = "</h1><img src=x onerror='parent.broken=1'><script>broken=1</script>";
    await client.request("canvas.patch", { canvasId: "studio", patch: [{ op: "replace", path: "/service", value: hostile }] });
    for (const window of [a, b]) {
      await until(async () => (await window.frame.locator("h1").innerText()) === hostile, "the text");
      equal(await window.frame.locator("html").evaluate((root) => root.querySelectorAll("img").length), 0, "elements");
    }
  });
  await check("bad input: `__proto__` in state is refused or a plain member, and pollutes nothing", async () => {
    const codes = [];
    for (const path of ["/__proto__/polluted", "/constructor/prototype/polluted", "/__proto__"]) {
      codes.push(
        await codeOf(client.request("canvas.patch", { canvasId: "studio", patch: [{ op: "add", path, value: { polluted: 1 } }] })),
      );
    }
    const value = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}');
    codes.push(await codeOf(client.request("canvas.patch", { canvasId: "studio", patch: [{ op: "add", path: "/odd", value }] })));
    // It has gone through both windows once a later value is there.
    await client.request("canvas.patch", { canvasId: "studio", patch: [{ op: "replace", path: "/service", value: "api" }] });
    for (const window of [a, b]) {
      await window.frame.getByRole("heading", { name: "api", exact: true }).waitFor();
      equal(await window.page.evaluate(() => ({}).polluted ?? null), null, "the page's objects");
      equal(await window.frame.locator("html").evaluate(() => ({}).polluted ?? null), null, "the frame's objects");
    }
    return codes.map((code) => code ?? "taken").join(", ");
  });
  await axe(a, "surface: axe", "#surface");
}

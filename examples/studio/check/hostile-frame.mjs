// Hostile surfaces, and windows of another site: what they try, and that nothing comes of it.
import { readFile } from "node:fs/promises";
import { check, equal, pause, that, until, withoutLogs } from "./report.mjs";
import { elsewhere } from "./elsewhere.mjs";
import { UNREACHED } from "./windows.mjs";

/** What browsers say of attempts that they have refused; nothing else may be on a console. */
const PROVOKED = new RegExp(
  [
    UNREACHED.source,
    "Content.Security.Policy",
    "sandbox",
    "Sandbox",
    "permissions policy",
    "Permissions policy",
    "Access to storage is not allowed from this context",
    "Not allowed to (load|navigate)",
    "Failed to execute",
    "Failed to register a ServiceWorker",
    "Unsafe attempt to (initiate navigation|load URL)",
    "Blocked (a frame|script|form|opening|call|autofocusing)",
    "violates the following directive",
    "net::ERR_(BLOCKED_BY_CSP|BLOCKED_BY_RESPONSE|FAILED|ABORTED|NAME_NOT_RESOLVED)",
    "frame-ancestors",
    "Refused to",
    "Ignored call to",
    "Uncaught \\(in promise\\)",
    "requestStorageAccess",
    "Failed to set a named property 'href' on 'Location'",
    "blocked by CORS policy",
  ].join("|"),
);
const HELD = 'Hostile "surface"';

export async function frameScenes({ windows, studio, client }) {
  const nowhere = await elsewhere();
  const ahead = () => `${nowhere.connections} connections opened ahead by Chromium, without a byte`;
  const frames = client.hello.frameOrigin;
  const page = studio.page;
  const spec = (state) => ({
    version: 1,
    mode: "html",
    toolPolicy: { allow: ["server-a__Bash"] },
    state: {
      service: "api",
      version: "1.2.7",
      nested: { list: [1] },
      elsewhere: nowhere.port,
      page,
      lastDeploy: null,
      logsTail: null,
      ...state,
    },
    actions: {
      deploy: {
        kind: "tool.call",
        tool: "server-a__Bash",
        args: { command: "./deploy {{state.service}} {{state.version}}" },
        saveAs: "lastDeploy",
        confirm: "always",
      },
      refreshLogs: {
        kind: "tool.call",
        tool: "server-a__Bash",
        args: { command: "journalctl -u {{state.service}} -n 80" },
        saveAs: "logsTail",
      },
    },
    bindings: { "buttons.deployNow": "deploy" },
  });
  const file = async (name, canvas) => (await readFile(new URL(`frames/${name}`, import.meta.url), "utf8")).replaceAll("CANVAS", canvas);
  let number = 0;
  // A canvas with a hostile surface, in a window of its own.
  async function hostile(script, { html = "forge.html", state = {}, more = {} } = {}) {
    const canvas = `hostile-${(number += 1)}`;
    await client.request("canvas.create", {
      canvasId: canvas,
      title: HELD,
      entryAsset: "assets/index.html",
      spec: spec(state),
      assets: {
        "assets/index.html": await file(html, canvas),
        "assets/page.js": await file(script, canvas),
        "assets/peer.js": await file("peer.js", canvas),
        ...more,
      },
    });
    const window = await windows.window(`${page}/?canvas=${canvas}`, { expects: PROVOKED, size: { width: 1000, height: 800 } });
    await window.ready();
    return { canvas, window, get: () => client.get(canvas) };
  }
  const inside = (window, run, argument) => window.frame.locator("html").evaluate(run, argument);
  const isThere = async (window) => equal(new URL(window.page.url()).origin, page, "the page's address");

  await check("bad input: a frame reaches nothing: no request, socket, storage, window, script of another, WebRTC", async () => {
    const { window } = await hostile("escape.js", { html: "escape.html" });
    await until(() => inside(window, (root) => root.querySelector("body").dataset.done === "yes"), "all attempts");
    const got = JSON.parse(await window.frame.locator("#out").textContent());
    const through = Object.entries(got).filter(([, what]) => what.startsWith("got:"));
    // A frame within that was refused shows an error; a script in one may find nothing there.
    const harmless = new Set([
      "WebRTC of a frame with a script: got: nothing",
      "a frame of elsewhere: got: loaded and closed",
      "a frame of the page: got: loaded and closed",
    ]);
    equal(
      through.map(([name, what]) => `${name}: ${what}`).filter((text) => !harmless.has(text)),
      [],
      "what was got",
    );
    equal(await inside(window, (root) => root.querySelector("body").dataset.inline ?? null), null, "inline scripts that ran");
    equal(window.page.context().pages().length, 1, "windows");
    equal(await window.page.context().cookies(), [], "cookies");
    await isThere(window);
    await pause(300);
    equal(nowhere.hits, [], "what came elsewhere");
    await window.close();
    return `${Object.keys(got).length} attempts; ${ahead()}`;
  });
  await check(
    "001, criterion 5: JavaScript of a surface cannot bypass the policy: no tool, no confirmation of its own, no forged message",
    async () => {
      const { window, get } = await hostile("forge.js");
      await window.frame.getByRole("heading", { name: "api" }).waitFor();
      const before = await get();
      const forged = inside(window, () => window.forge());
      // Two of its messages are what a frame may say, so they ask: whoever sits there says no.
      let asked = 0;
      const answered = setInterval(async () => {
        if (
          (await window
            .at("confirm")
            .count()
            .catch(() => 0)) === 0
        )
          return;
        asked += 1;
        await window
          .at("confirm-no")
          .click({ timeout: 1_000 })
          .catch(() => {});
      }, 50);
      await forged;
      await until(() => inside(window, (root) => root.querySelector("body").dataset.done === "yes"), "all messages");
      await until(async () => /^101: ok/m.test(await window.frame.locator("#out").innerText()), "the answer to what it may do");
      await until(() => asked > 0, "the question before the deploy");
      await until(async () => (await window.at("confirm").count()) === 0, "no question");
      clearInterval(answered);
      const after = await get();
      const said = await window.frame.locator("#out").innerText();
      that(said.includes("the port is taken"), "the attempt itself did not work");
      that(!/answered by a port of its own/.test(said), said);
      // The logs may be refreshed, by the command of the spec and no other.
      equal(
        said.split("\n").filter((text) => / ok/.test(text)),
        ["101: ok "],
        "what was done",
      );
      that(!JSON.stringify(after.state).includes("9.9.9"), "a command of the frame was run");
      for (const line of said.split("\n").filter((text) => /^\d+: (?!ok)/.test(text)))
        that(/: code,message /.test(line), `a frame is told more than a code and a sentence: ${line}`);
      equal(
        [after.state.lastDeploy, after.state.version, after.state.service, after.state.nested],
        [null, "1.2.7", "api", { list: [1] }],
        "state",
      );
      equal(after.spec, before.spec, "spec");
      equal(await window.page.evaluate(() => ({}).polluted ?? null), null, "the page's objects");
      that(asked > 0, "the deploy was not asked for");
      await isThere(window);
      const ignored = await window.at("surface-frame").getAttribute("data-ignored");
      await window.close();
      return `${asked} asked and refused, ${ignored} ignored; told: ${[...new Set(said.match(/[A-Z]+_[A-Z_]+|DECLINED|BUSY/g))].join(", ")}`;
    },
  );

  const other = '<!doctype html><h1 id="other">another page</h1><script src="page.js"></script>';
  const ways = {
    address: "its address",
    asset: "another asset",
    blob: "a blob",
    data: "a data address",
    page: "the studio's own page",
    refresh: "<meta refresh>",
    write: "a document written anew",
    script: "a javascript: address",
    top: "the top's address",
  };
  await check("bad input: a frame that leaves its page is not listened to any more, with a sentence; the page stays", async () => {
    const leave = async ([way, name]) => {
      const { canvas, window, get } = await hostile("leave.js", { state: { way }, more: { "assets/other.html": other } });
      await until(async () => (await get()).state.way === way, "the state");
      const again = window.at("surface-again");
      // These need not leave: they are refused, or the document is the same one.
      if (["top", "script", "refresh", "write"].includes(way)) await pause(1_500);
      else await again.waitFor().catch(() => that(false, `${name}: the page did not notice`));
      await isThere(window);
      const isParted = (await again.count()) > 0;
      if (isParted) {
        that(/left its page/.test(await window.says()), `${name}: no sentence`);
        await client.request("canvas.patch", { canvasId: canvas, patch: [{ op: "replace", path: "/way", value: null }] });
        await again.click();
        await window.frame.getByRole("heading", { name: "api" }).waitFor();
      }
      await window.close();
      return `${way} ${isParted ? "parted" : "refused"}`;
    };
    const all = Object.entries(ways);
    const notes = [];
    while (all.length > 0) notes.push(...(await Promise.all(all.splice(0, 5).map(leave))));
    equal(nowhere.hits, [], "what came elsewhere");
    return `${notes.join(", ")}; ${ahead()}`;
  });
  await Promise.all([
    check("bad input: a frame that asks without end is slowed down, then stopped; the page answers", async () => {
      const { window } = await hostile("flood.js");
      await window.frame.getByRole("heading", { name: "api" }).waitFor();
      await inside(window, () => window.flood(100));
      await until(async () => /20 messages a second/.test(await window.at("surface-failures").innerText()), "the sentence");
      // As often as it takes: a machine that is slow takes fewer of them a second.
      await until(async () => {
        if ((await window.at("surface-again").count()) > 0) return true;
        await inside(window, () => window.flood(5_000));
        return false;
      }, "the end of it");
      await window.at("surface-again").click();
      await window.frame.getByRole("heading", { name: "api" }).waitFor();
      await window.close();
    }),
    check("bad input: a frame that asks for confirmations again and again: one question at a time, then none for a while", async () => {
      const { window, get } = await hostile("flood.js");
      await window.frame.getByRole("heading", { name: "api" }).waitFor();
      await inside(window, () => void window.flood(5, "deploy"));
      await window.at("confirm").waitFor();
      equal(await window.at("confirm").count(), 1, "questions at once");
      await until(async () => (await inside(window, () => window.codes.BUSY)) === 4, "the others are BUSY");
      await window.at("confirm-no").click();
      await inside(window, () => void window.insist());
      for (let refusals = 1; refusals < 3; refusals += 1) {
        await window.at("confirm").waitFor();
        await window.at("confirm-no").click();
      }
      await until(async () => (await inside(window, () => (window.codes.BUSY ?? 0) + (window.codes.DECLINED ?? 0))) >= 5 + 8, "answers");
      equal(await window.at("confirm").count(), 0, "questions");
      equal((await get()).state.lastDeploy, null, "deploys");
      await window.close();
    }),
    check("bad input: a frame that is busy for ever does not hold up the page", async () => {
      const { window } = await hostile("flood.js");
      await window.frame.getByRole("heading", { name: "api" }).waitFor();
      inside(window, () => setTimeout(window.spin)).catch(() => {});
      await pause(300);
      await window.at("chat-input").fill("still here");
      equal(await window.at("chat-input").inputValue(), "still here", "what was typed");
      await window.page.reload();
      await window.ready();
      const isBack = await window.frame
        .getByRole("heading", { name: "api" })
        .waitFor({ timeout: 1_500 })
        .then(
          () => true,
          () => false,
        );
      await window.close();
      return isBack ? "loaded again, it is back" : "loaded again, the frame is not: the browser keeps its process";
    }),
  ]);

  await check("bad input: a window of another site cannot frame the page, connect, read, or speak to it", async () => {
    const script = `
      window.got = [];
      const note = (text) => window.got.push(text);
      window.attack = async () => {
        for (const url of ["${page}/", "${page}/main.js", "${frames}/f/studio/assets/index.html"]) {
          await fetch(url).then((r) => r.text()).then((t) => note("read " + url + t.length)).catch(() => {});
        }
        await new Promise((resolve) => {
          const socket = new WebSocket("${page.replace("http", "ws")}/ws");
          socket.onopen = () => (note("connected"), resolve());
          socket.onerror = resolve;
        });
        for (const src of ["${page}/", "${frames}/f/studio/assets/index.html"]) {
          const frame = document.createElement("iframe");
          frame.src = src;
          document.body.append(frame);
          await new Promise((resolve) => (frame.onload = resolve));
          for (const { port1, port2 } of [new MessageChannel()]) {
            port1.onmessage = ({ data }) => note("a port answered " + JSON.stringify(data));
            frame.contentWindow.postMessage({ type: "gsv.port" }, "*", [port2]);
            port1.postMessage({ type: "state", state: { service: "forged" } });
          }
        }
        addEventListener("message", ({ data }) => note("heard " + JSON.stringify(data)));
        const other = open("${page}/");
        // Until the page is there; on a busy machine that takes a while.
        for (let waited = 0; waited < 120_000 && (waited < 1_500 || !other.closed); waited += 100)
          await new Promise((resolve) => setTimeout(resolve, 100));
        note.other = other;
        try { other.document.title && note("reached its document"); } catch {}
        for (const message of [
          { type: "gsv.port" }, { type: "run", id: 1, actionId: "deploy" },
          { type: "res", id: "r1", ok: true, result: {} },
          { type: "evt", event: "canvas.updated", payload: { canvasId: "studio", state: { service: "forged" } } },
        ]) {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = ({ data }) => note("a port answered " + JSON.stringify(data));
          other.postMessage(message, "*", [port2]);
        }
        await new Promise((resolve) => setTimeout(resolve, 500));
        return { got: window.got, closed: other.closed };
      };`;
    const evil = await elsewhere({
      "/": `<!doctype html><html lang="en"><title>Evil</title><link rel="icon" href="data:,"><body><script>${script}</script>`,
    });
    const before = await client.get();
    const window = await windows.window(`${evil.origin}/`, { expects: PROVOKED });
    const { got, closed } = await window.page.evaluate(() => window.attack());
    equal(got, [], "what it got");
    equal(closed, true, "the handle of the opened window is cut off");
    const opened = await until(
      () =>
        window.page
          .context()
          .pages()
          .find((one) => one.url().startsWith(page)),
      "the studio opens",
    );
    await opened.getByTestId("board").waitFor();
    await opened.frameLocator("[data-testid=surface-frame]").locator("h1").waitFor();
    equal(await opened.evaluate(() => [window.opener, document.querySelectorAll("dialog").length]), [null, 0], "opener and dialogs");
    const after = await client.get();
    equal([withoutLogs(after.state), after.document], [withoutLogs(before.state), before.document], "the canvas");
    await window.close();
    evil.end();
  });
  equal(nowhere.hits, [], "what came elsewhere at the end");
  nowhere.end();
}

// What must be refused: by the socket, by both listeners, from inside a frame.
import { readFile } from "node:fs/promises";
import { request as http } from "node:http";
import { connect } from "node:net";
import { client as connectTo, CANVAS, start } from "./studio.mjs";
import { check, equal, that, until } from "./report.mjs";

/** A request with a path exactly as it is given. */
function ask(port, path, { host = `127.0.0.1:${port}`, method = "GET" } = {}) {
  return new Promise((resolve, reject) => {
    const one = http({ port, host: "127.0.0.1", path, method, headers: { host } }, (response) => {
      let body = "";
      response.on("data", (chunk) => (body += chunk));
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
    one.on("error", reject);
    one.end();
  });
}

/** The status line of what is sent as it is: paths that no client would send. */
function raw(port, path) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`));
    let all = "";
    socket.on("data", (chunk) => (all += chunk));
    socket.on("end", () => resolve({ status: Number(all.split(" ")[1]), body: all }));
    socket.on("error", reject);
  });
}

export async function sockets({ studio, client, binary }) {
  const alive = async () => that((await client.request("canvas.get", { canvasId: CANVAS })).ok, "the server does not answer");

  await check("hostile: a socket of a foreign origin, of none, of a frame, or to a foreign name is refused", async () => {
    const wrong = [
      { origin: "https://example.org" },
      { origin: null },
      { origin: "null" },
      { origin: `http://127.0.0.1:${studio.port + 1}` },
      { headers: { host: `example.org:${studio.port}` } },
      { headers: { host: "example.org" }, origin: "http://example.org" },
    ];
    for (const options of wrong) {
      const got = await connectTo(studio, { ...options, name: null }).then(
        () => "open",
        (error) => error.status ?? error.message,
      );
      that(got === 403 || got === 421 || got === 400, `${JSON.stringify(options)}: ${got}`);
    }
    for (const host of ["example.org", `127.0.0.1:${studio.port + 1}`]) equal((await ask(studio.port, "/", { host })).status, 421, `Host ${host}`);
    await alive();
  });
  await check("hostile: frames that are no requests get an answer each, and the connection goes on", async () => {
    const one = await connectTo(studio);
    const bad = ["no JSON", "[]", "null", "{}", '{"type":"evt"}', '{"type":"req","id":7,"method":"x"}', `{"type":"req","id":"${"x".repeat(65)}","method":"x"}`, '{"type":"req","id":"a","method":"no.such"}'];
    for (const text of bad) one.socket.send(text);
    one.socket.send(Buffer.from([0, 1, 2]));
    await until(() => one.loose.length >= bad.length + 1, "an answer each");
    const codes = one.loose.map((answer) => answer.error.code);
    that(codes.every((code) => ["BAD_REQUEST", "UNKNOWN_METHOD"].includes(code)), codes.join());
    that(one.loose.every((answer) => answer.error.message.includes(":")), "a sentence that says what to do");
    await one.ask("canvas.get");
    one.end();
  });
  await check("hostile: a frame that is too large closes its connection alone", async () => {
    const one = await connectTo(studio);
    one.socket.on("error", () => {});
    one.socket.send("x".repeat(2 << 20));
    const code = await one.closed;
    that([1009, 1006].includes(code), `closed with ${code}`);
    await alive();
    return `closed with ${code}`;
  });
  await check("hostile: a thousand requests at once are answered, each", async () => {
    const one = await connectTo(studio);
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => one.request("history.undo", { canvasId: "no-such" })));
    const codes = new Set(answers.map((answer) => answer.error.code));
    that(answers.every((answer) => !answer.ok), "no such canvas");
    one.end();
    await alive();
    return [...codes].join(", ");
  });
  await check("hostile: wrong parameters and __proto__ in the state change nothing", async () => {
    const before = await client.ask("canvas.get");
    const wrong = [
      ["canvas.patch", { patch: [{ op: "add", path: "/__proto__/x", value: 1 }] }],
      ["canvas.patch", { patch: [{ op: "add", path: "/constructor", value: 1 }] }],
      ["document.edit", { baseRevisionId: before.document.revisionId, splice: { at: 1e9, remove: 0, insert: "x" } }],
      ["document.edit", { baseRevisionId: "r1-00000000", splice: { at: 0, remove: 0, insert: "x" } }],
      ["document.edit", { baseRevisionId: "nonsense", markdown: "x" }],
      ["board.command", { command: { type: "no.such" } }],
      ["board.event", { event: { type: "component.clicked", payload: { componentId: "cmp_none" } } }],
      ["board.event", { event: { type: "component.clicked", payload: { componentId: "cmp_none", data: "x".repeat(20_000) } } }],
      ["chat.send", { text: "" }],
      ["canvas.action", { actionId: "no-such" }],
      ["canvas.get", { canvasId: "../etc" }],
    ];
    for (const [method, params] of wrong) {
      const answer = await client.request(method, { canvasId: CANVAS, ...params });
      that(!answer.ok && answer.error.message, `${method} ${JSON.stringify(params).slice(0, 80)}`);
    }
    const after = await client.ask("canvas.get");
    equal(after.document, before.document, "document");
    equal(after.board.canvas.components.length, before.board.canvas.components.length, "components");
  });
  await check("hostile: paths that climb are refused by both listeners", async () => {
    const frame = Number(new URL((await client.request("hello", { clientId: "paths" })).result.frameOrigin).port);
    const climbs = ["..", "%2e%2e", "%252e%252e", "..%2f..", "..\\..", "%5c..%5c", "%00", "a%00b", ".%2e", "..;", "%c0%ae%c0%ae"];
    for (const climb of climbs) {
      for (const path of [`/f/${CANVAS}/assets/${climb}/spec.json`, `/f/${CANVAS}/${climb}/spec.json`, `/f/${climb}/assets/index.html`, `/${climb}/Cargo.toml`]) {
        for (const port of [studio.port, frame]) {
          const { status, body } = await raw(port, path);
          that(status >= 400 && status < 500, `${path}: ${status}`);
          that(!body.includes("toolPolicy") && !body.includes("[package]"), `${path} gave a file`);
        }
      }
    }
    for (const path of [`/f/${CANVAS}/spec.json`, `/f/${CANVAS}/state/latest.json`, `/f/${CANVAS}/document.md`]) equal((await raw(frame, path)).status, 404, path);
    equal((await ask(studio.port, `/${"x".repeat(9_000)}`)).status >= 400, true, "a long path");
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) equal((await ask(studio.port, "/", { method })).status, 405, method);
    await alive();
  });
  await check("hostile: a port that is taken is said in one sentence", async () => {
    const second = await start(binary, ["--port", String(studio.port)]).then(
      () => "started",
      (error) => error.message,
    );
    that(second.includes(`port ${studio.port} is taken`) && second.includes("ended with 1"), second);
  });
}

export async function frames({ open, client }) {
  const page = await open("hostile");
  const at = (id) => page.getByTestId(id);
  const inside = () => page.frameLocator("[data-testid=surface-frame]");
  const here = new URL("./frames/", import.meta.url);
  const kept = await client.ask("canvas.get");
  const show = async (name) => {
    const assets = {};
    for (const kind of ["html", "js"]) assets[`assets/${name}.${kind}`] = await readFile(new URL(`${name}.${kind}`, here), "utf8");
    await client.ask("canvas.upsert", { assets });
    // The descriptor's entry is what a page shows; the hostile page takes its place.
    await client.ask("canvas.upsert", { assets: { "assets/index.html": assets[`assets/${name}.html`] } });
    await page.reload();
    await at("surface-frame").scrollIntoViewIfNeeded();
  };
  await check("hostile: a frame that forges, fetches, opens sockets, stores and navigates reaches nothing", async () => {
    const before = await client.ask("canvas.get");
    await show("forge");
    await until(async () => (await inside().locator("#out").textContent()).includes('"done": true'), "all was tried", 40_000);
    const got = JSON.parse(await inside().locator("#out").textContent());
    const reached = Object.entries(got).filter(([, value]) => /REACHED|STORED|OPENED|RAN|WRITTEN|STARTED|CONNECTED/.test(String(value)));
    equal(reached, [], "what it reached");
    equal(new URL(page.url()).port, new URL((await client.request("hello", { clientId: "x" })).result.frameOrigin).port === new URL(page.url()).port ? "" : new URL(page.url()).port, "the page is where it was");
    equal(await page.evaluate(() => ({}).polluted === undefined), true, "the page's objects");
    if (await at("confirm").count()) await at("confirm-no").click();
    // What a frame may do is to write one place with one plain value, as a field would.
    const sorted = (state) => Object.entries(state).sort();
    equal(sorted((await client.ask("canvas.get")).state), sorted({ ...before.state, nested: 1 }), "state");
    return Object.entries(got).filter(([name]) => name !== "done").length + " attempts";
  });
  await check("hostile: a frame that leaves its page is seen", async () => {
    await show("nav");
    await at("surface-again").waitFor({ timeout: 8_000 });
  });
  await check("hostile: a frame that floods is stopped with a sentence", async () => {
    await show("flood");
    await page.waitForTimeout(500);
    await inside().locator("#t").click();
    await until(async () => /more than 20/.test(await at("surface-failures").innerText()), "a sentence");
    if (await at("confirm").count()) await at("confirm-no").click();
  });
  await check("hostile: messages of other windows to the page are ignored", async () => {
    const before = await client.ask("canvas.get");
    await page.evaluate(() => {
      for (const data of [{ type: "gsv.port" }, { type: "run", id: 1, actionId: "deploy" }, { type: "confirm", yes: true }, "x", null]) window.postMessage(data, "*");
    });
    await page.waitForTimeout(300);
    equal(await at("confirm").count(), 0, "dialogs");
    equal((await client.ask("canvas.get")).state, before.state, "state");
  });
  const index = kept.assets.length ? await readFile(new URL("./frames/minimal.html", here), "utf8").catch(() => null) : null;
  if (index) await client.ask("canvas.upsert", { assets: { "assets/index.html": index } });
  await page.close();
}

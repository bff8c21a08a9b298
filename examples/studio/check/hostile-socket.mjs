// Bad input on the socket, past every page. The connection, or at least the server, goes on each time.
import { connect } from "node:net";
import { check, equal, that, until } from "./report.mjs";
import { Client, codeOf, fate, open } from "./wire.mjs";

const MIB = 1 << 20;
const MANY = 1_000;

export async function socketScenes({ studio, client }) {
  const { page, port } = studio;
  const frames = client.hello.frameOrigin;
  const goesOn = async () => equal((await client.get()).descriptor.canvasId, "studio", "canvas");

  const origins = {
    "another site": "http://evil.test",
    "no origin": null,
    "the frames'": frames,
    "the origin null": "null",
    "another port": "http://127.0.0.1:1",
    "the page's over TLS": page.replace("http", "https"),
    "one that begins as the page's": `${page}.evil.test`,
    "in capitals, with a path": `${page.toUpperCase()}/`,
  };
  await check("bad input: a socket of another origin is refused", async () => {
    for (const [name, origin] of Object.entries(origins)) {
      const { status, opened } = await fate(open(page, { origin }));
      that(!opened && status >= 400 && status < 500, `${name}: status ${status}`);
    }
    return Object.keys(origins).join(", ");
  });
  await check("bad input: a socket to another host is refused", async () => {
    const hosts = ["evil.test", `evil.test:${port}`, "127.0.0.1", `127.0.0.1.evil.test:${port}`, `[::1]:${port}`, `127.0.0.1:${port + 1}`];
    for (const host of hosts) {
      for (const origin of [page, `http://${host}`]) {
        const { status, opened } = await fate(open(page, { origin, headers: { host } }));
        that(!opened && status >= 400 && status < 500, `${host}: status ${status}, origin ${origin}`);
      }
    }
    return `${hosts.length} hosts`;
  });

  await check("bad input: what is no request is answered, and the connection goes on", async () => {
    const one = await Client.at(page);
    const bad = new Map(
      Object.entries({
        "no JSON": "{",
        nothing: "",
        "a list": "[]",
        null: "null",
        "a number": "7",
        "deep lists": "[".repeat(200_000),
        "no method": '{"type":"req","id":"x"}',
        "an id that is a number": '{"type":"req","id":7,"method":"canvas.get"}',
        "an id that is too long": JSON.stringify({ type: "req", id: "x".repeat(65), method: "canvas.get" }),
        "an answer": '{"type":"res","id":"x","ok":true}',
        "an event": '{"type":"evt","event":"canvas.updated","payload":{}}',
        binary: Buffer.from([0, 255, 1]),
        "a type that is inherited": '{"__proto__":{"type":"req"},"id":"x","method":"canvas.get"}',
      }),
    );
    for (const [name, text] of bad) {
      const heard = one.heard.length;
      one.send(text);
      const answer = await until(() => one.heard.slice(heard).find(({ type }) => type === "res"), `an answer to ${name}`);
      equal([answer.ok, answer.error.code], [false, "BAD_REQUEST"], name);
      that(/\w+ \w+/.test(answer.error.message), `no sentence: ${answer.error.message}`);
    }
    await one.get();
    await one.end();
    return `${bad.size} kinds`;
  });
  await check("bad input: unknown methods and parameters are refused by name", async () => {
    const one = await Client.at(page);
    const at = { canvasId: "studio" };
    const { document } = await one.get();
    const edit = (splice) => ["document.edit", { ...at, baseRevisionId: document.revisionId, splice }];
    const { length } = document.markdown;
    const bad = [
      ["canvas.destroy", at],
      ["__proto__", at],
      ["constructor", {}],
      ["canvas.get", {}],
      ["canvas.get", { canvasId: "../studio" }],
      ["canvas.get", { canvasId: "nobody" }],
      ["canvas.get", { canvasId: { $ne: null } }],
      edit({ at: -1, remove: 0, insert: "x" }),
      edit({ at: length + 1, remove: 0, insert: "x" }),
      edit({ at: 0, remove: length + 1, insert: "" }),
      edit({ at: 1e300, remove: 0, insert: "x" }),
      edit({ at: "0", remove: 0, insert: "x" }),
      ["document.edit", { ...at, baseRevisionId: "r0-nothing", splice: { at: 0, remove: 0, insert: "x" } }],
      ["document.edit", { ...at, baseRevisionId: "r1-01234567", splice: { at: 0, remove: 0, insert: "x" } }],
      ["board.action", { ...at, action: { type: "user.move", componentId: "nobody", position: { col: -1, row: 0 } } }],
      ["board.command", { ...at, command: { type: "component.explode", payload: {} } }],
      ["board.event", { ...at, event: { type: "component.clicked", payload: { componentId: "nobody" } } }],
      ["board.event", { ...at, event: { type: "system.reboot", payload: {} } }],
      ["canvas.action", { ...at, actionId: "server-a__Bash" }],
      ["canvas.action", { ...at, actionId: "deploy", confirmation: { digest: "0", plannedAt: 0 } }],
      ["canvas.action", { ...at, actionId: "deploy", confirmation: { digest: "0".repeat(64), plannedAt: Date.now() } }],
      ["trigger.accept", { ...at, triggerId: "nobody" }],
      ["recipe.rebuild", { ...at, componentId: "nobody" }],
    ];
    const codes = new Set();
    for (const [method, params] of bad) {
      const code = await codeOf(
        one.request(method, params).then((result) => (result?.success === false ? Promise.reject(result.error) : result)),
      );
      that(/^[A-Z][A-Z_]+$/.test(code ?? ""), `${method} ${JSON.stringify(params).slice(0, 120)}: ${code}`);
      codes.add(code);
    }
    equal((await one.get()).document, document, "the document");
    await one.end();
    return [...codes].join(", ");
  });
  await check("bad input: an event of more than 16 KiB is refused", async () => {
    const { canvas } = (await client.get()).board;
    const data = { text: "x".repeat(17 << 10) };
    const event = { type: "component.clicked", payload: { componentId: canvas.components[0].id, data } };
    const code = await codeOf(client.request("board.event", { canvasId: "studio", event }));
    that(code, "it was taken");
    return code;
  });
  await check("bad input: before hello nothing is answered but that", async () => {
    const socket = open(page);
    const answers = [];
    socket.on("message", (data) => answers.push(JSON.parse(data)));
    await fate(socket);
    socket.send('{"type":"req","id":"a","method":"canvas.get","params":{"canvasId":"studio"}}');
    await until(() => answers.length > 0, "an answer");
    equal(answers[0].error?.code, "HELLO_REQUIRED", "code");
    socket.close();
  });
  await check("bad input: a frame of more than 1 MiB closes with 1009", async () => {
    for (const text of [
      "x".repeat(MIB + 1),
      JSON.stringify({ type: "req", id: "a", method: "canvas.get", params: { pad: "x".repeat(4 * MIB) } }),
    ]) {
      const one = await Client.at(page);
      one.send(text);
      equal((await one.closed).code, 1009, "close code");
    }
    await goesOn();
  });
  await check("bad input: a thousand frames at once are each answered", async () => {
    const one = await Client.at(page);
    for (let k = 0; k < MANY; k += 1) one.send({ type: "req", id: `m${k}`, method: "canvas.get", params: { canvasId: "studio" } });
    const answers = await until(
      () => {
        const found = one.heard.filter(({ type, id }) => type === "res" && /^m\d+$/.test(id));
        return found.length === MANY && found;
      },
      "all answers",
    );
    equal(new Set(answers.map(({ id }) => id)).size, MANY, "different ids");
    const refused = answers.filter(({ ok }) => !ok);
    that(
      refused.every(({ error }) => error.code === "TOO_MANY_REQUESTS" && error.retryable),
      "refused for another reason",
    );
    await one.get();
    await one.end();
    return `${MANY - refused.length} done, ${refused.length} TOO_MANY_REQUESTS`;
  });
  await check("bad input: of a hundred requests that wait, those past 64 are refused as TOO_MANY_REQUESTS", async () => {
    const one = await Client.at(page);
    // Each waits for the assistant's answer.
    for (let k = 0; k < 100; k += 1)
      one.send({ type: "req", id: `w${k}`, method: "canvas.action", params: { canvasId: "studio", actionId: "assistantPlan" } });
    const refused = await until(() => {
      const found = one.heard.filter(({ error }) => error?.code === "TOO_MANY_REQUESTS");
      return found.length > 0 && found;
    }, "a refusal");
    that(
      refused.every(({ error }) => error.retryable === true),
      "it is not said that it may be tried again",
    );
    one.socket.terminate();
    await goesOn();
    return `${refused.length} refused`;
  });
  await check("bad input: bytes that are no frames, and one without its mask, end that connection alone", async () => {
    const upgrade = `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: ${page}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`;
    for (const bytes of [
      Buffer.alloc(64, 0xff),
      Buffer.from([0x81, 0x02, 0x7b, 0x7d]),
      Buffer.from([0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]),
    ]) {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => {});
      const gone = new Promise((resolve) => socket.on("close", resolve));
      socket.once("data", () => socket.write(bytes));
      socket.write(upgrade);
      await until(
        () => Promise.race([gone.then(() => true), new Promise((resolve) => setTimeout(resolve, 100, false))]),
        "the end of it",
      );
    }
    await goesOn();
  });
  await check("bad input: one that does not read holds nobody up", async () => {
    const one = await Client.at(page);
    await one.request("canvas.open", { canvasId: "studio" });
    one.socket._socket.pause();
    for (let k = 0; k < 60; k += 1) one.send({ type: "req", id: `s${k}`, method: "canvas.get", params: { canvasId: "studio" } });
    const began = performance.now();
    for (let k = 0; k < 20; k += 1) await client.get();
    one.socket.terminate();
    return `20 answers to another in ${Math.round(performance.now() - began)} ms`;
  });
}

// The surface: what it shows is a frame of another origin, and all that it may do goes through this file.
//
// The frame asks by its port to run an action or to set a member of the state. Confirmations are asked here, in the page,
// by what the server says would run; nothing that a frame sends is taken for a yes.
import { Gate, patchOf, read } from "./port.js";
import { CLOSE, el, iconButton } from "./ui.js";

const RELOAD = "M13 8a5 5 0 1 1-1.6-3.7M13 2.5v2.6h-2.6";
const FAILURES = 3; // that are shown
const PERSISTS = 3; // confirmations refused in a row, after which the frame may not ask for a while
const REST = 30_000; // ms of that while
const SAID = 200; // characters of a result that are said
const ATTEMPTS = 3; // of one action: a plan may have changed while it was read

export function mountSurface(root, studio) {
  const title = el("h2", {}, "Surface");
  const about = el("span", { class: "muted" });
  const running = el("span", { class: "under-way", role: "status", "data-testid": "surface-running" });
  const reload = iconButton("Load the surface again", RELOAD, { "data-testid": "surface-reload", onclick: () => load() });
  const failures = el("ul", { class: "failures", "data-testid": "surface-failures" });
  const holder = el("div", { class: "holder" });
  root.append(el("header", {}, title, about, el("div", { class: "end" }, running, reload)), failures, holder);

  let shown = ""; // what the frame was loaded of
  let path = null;
  let origin = null; // of frames
  let state = null;
  let revision = null;
  let frame = null; // {node, port, gate, loads, ...}
  const under = new Map(); // actions under way in any window: event id -> action id
  let writes = Promise.resolve();
  let isAsking = false;
  const refused = { count: 0, until: 0 };

  studio.on("snapshot", (all) => {
    const { descriptor } = all;
    path = all.frame?.path ?? null;
    title.textContent = descriptor?.title || "Surface";
    reload.hidden = path === null;
    note(all.revision ?? descriptor?.revision);
    setState(all.state);
    const next = JSON.stringify([all.frame, all.assets, all.spec?.version]);
    // A frame that was stopped stays so until a person, or another surface, starts it.
    if (next === shown) return;
    shown = next;
    failures.replaceChildren();
    load();
  });
  studio.on("canvas.updated", (event) => {
    note(event.revision);
    if (event.state !== undefined) setState(event.state);
  });
  studio.on("canvas.action.started", ({ eventId, actionId }) => {
    under.set(eventId, actionId);
    drawRunning();
  });
  studio.on("canvas.action.finished", ({ eventId }) => {
    under.delete(eventId);
    drawRunning();
  });
  studio.on("canvas.action.failed", ({ eventId, actionId, error }) => {
    under.delete(eventId);
    drawRunning();
    // Who pressed it gets the answer, with its words; the others hear that it failed.
    if (!own.has(actionId)) fail(`${actionId} failed${error?.message ? `: ${error.message}` : ""}`, error?.code);
  });

  // What was under way when the connection broke is not heard of any more.
  studio.connection.on("open", () => {
    under.clear();
    drawRunning();
  });

  function note(value) {
    if (value !== undefined && value !== null) revision = value;
    about.textContent = path !== null && revision !== null ? `revision ${revision}` : "";
  }
  function setState(value) {
    state = value ?? null;
    post({ type: "state", state });
  }
  function post(message) {
    frame?.port?.postMessage(message);
  }
  function drawRunning() {
    const names = [...new Set(under.values())];
    running.textContent = names.length ? `${names.join(", ")} running…` : "";
  }
  function fail(sentence, code) {
    const row = el(
      "li",
      {},
      el("p", {}, code ? `${sentence} (${code})` : sentence),
      iconButton("Close this message", CLOSE, { onclick: () => row.remove() }),
    );
    for (const old of [...failures.children]) if (old.textContent === row.textContent) old.remove();
    failures.prepend(row);
    while (failures.children.length > FAILURES) failures.lastChild.remove();
  }

  // The frame.

  function load() {
    stop();
    if (path === null) {
      holder.replaceChildren(el("p", { class: "empty" }, "This canvas has no surface yet. Ask the assistant for one."));
      return;
    }
    // The policy of this page knows the origin of frames that the server had when the page was loaded.
    origin ??= studio.frameOrigin;
    if (origin !== studio.frameOrigin) {
      const again = el("button", { class: "line", type: "button", onclick: () => location.reload() }, "Load the page again");
      holder.replaceChildren(
        el("div", { class: "empty" }, el("p", {}, "The studio was started anew: the surface shows after the page is loaded again."), again),
      );
      return;
    }
    const node = el("iframe", {
      "data-testid": "surface-frame",
      title: title.textContent,
      sandbox: "allow-scripts",
      referrerpolicy: "no-referrer",
      allow: "",
    });
    const current = { node, port: null, gate: new Gate(), loads: 0, ignored: 0, isWarned: false };
    frame = current;
    node.addEventListener("load", () => frame === current && loaded(current));
    node.src = new URL(path, origin).href;
    holder.replaceChildren(node);
  }

  function loaded(current) {
    current.loads += 1;
    if (current.loads > 1) return part("The surface left its page, so it is not listened to any more.", "SURFACE_NAVIGATED");
    const { port1, port2 } = new MessageChannel();
    current.port = port1;
    port1.onmessage = ({ data }) => frame === current && heard(current, data);
    // A frame in a sandbox has no origin that could be named.
    current.node.contentWindow.postMessage({ type: "gsv.port" }, "*", [port2]);
    post({ type: "state", state });
  }

  function stop() {
    frame?.port?.close();
    frame = null;
  }

  // Shows a sentence in place of the frame.
  function part(sentence, code) {
    stop();
    const again = el("button", { class: "line", type: "button", "data-testid": "surface-again", onclick: load }, "Load it again");
    holder.replaceChildren(el("div", { class: "empty" }, el("p", {}, sentence), again));
    fail(sentence, code);
    studio.say(sentence, { error: true });
  }

  function heard(current, data) {
    const verdict = current.gate.pass(performance.now());
    if (verdict === "close") return part("The surface sent messages without end, so it was stopped.", "SURFACE_FLOOD");
    if (verdict === "drop") {
      if (!current.isWarned) {
        current.isWarned = true;
        setTimeout(() => (current.isWarned = false), 5_000);
        fail("The surface sends more than 20 messages a second: the rest is dropped.", "TOO_MANY_MESSAGES");
      }
      // The page of the surface waits for an answer.
      if (data?.type === "run") post(failed(data.id, "TOO_MANY_MESSAGES", "more than 20 messages a second: send fewer"));
      return;
    }
    const message = read(data);
    if (message === null) {
      current.ignored += 1;
      current.node.dataset.ignored = current.ignored;
    } else if (message.type === "model") write(message);
    else run(message);
  }

  const failed = (id, code, message) => ({ type: "ran", id: Number.isSafeInteger(id) ? id : 0, ok: false, error: { code, message } });

  // A field's value. Values are written one after another, and before any action that came later.
  function write({ path: member, value }) {
    writes = writes.then(async () => {
      const patch = patchOf(state, member, value);
      if (!patch) {
        fail(`A field cannot set ${member}: only values that are there, and no lists or objects.`, "MODEL_PATH");
      } else if (!(await studio.act("canvas.patch", { patch }))) {
        fail(`The value of ${member} was not kept.`);
      }
      // What was refused stands in the field until the frame hears of the state again.
      post({ type: "state", state });
    });
  }

  // Actions.

  const own = new Map(); // action id -> how many of this window are under way

  async function run({ id, actionId, input }) {
    await writes;
    own.set(actionId, (own.get(actionId) ?? 0) + 1);
    try {
      const { result } = await perform(actionId, input);
      post({ type: "ran", id, ok: true, result: result ?? null });
      studio.say(`${actionId}: ${typeof result?.result === "string" ? result.result.slice(0, SAID) : "done"}`);
    } catch ({ code = "UNKNOWN", message }) {
      post(failed(id, code, message));
      if (code !== "DECLINED") fail(`${actionId}: ${message}`, code);
    } finally {
      // The event of a failure may come after its answer.
      setTimeout(() => {
        const left = own.get(actionId) - 1;
        if (left > 0) own.set(actionId, left);
        else own.delete(actionId);
      }, 1_000);
    }
  }

  async function perform(actionId, input) {
    const params = { canvasId: studio.canvas, actionId, input };
    let confirmation;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await studio.connection.request("canvas.action", confirmation ? { ...params, confirmation } : params);
      } catch (error) {
        const plan = error.data?.confirmation;
        if (error.code !== "CONFIRMATION_REQUIRED" || !plan || attempt > ATTEMPTS) throw error;
        await confirm(actionId, plan, attempt > 1);
        confirmation = { digest: plan.digest, plannedAt: plan.plannedAt };
      }
    }
  }

  const refusal = (code, message) => Object.assign(new Error(message), { code });

  async function confirm(actionId, plan, isChanged) {
    if (isAsking || document.querySelector("dialog[open]")) throw refusal("BUSY", "another question is open: answer it first");
    if (Date.now() < refused.until) throw refusal("BUSY", "this was refused several times: it may be asked again in half a minute");
    isAsking = true;
    try {
      const isYes = await studio.ask({ title: question(actionId, isChanged), rows: rowsOf(plan), yes: "Run", no: "Don’t run" });
      if (isYes) {
        refused.count = 0;
        return;
      }
    } finally {
      isAsking = false;
    }
    refused.count += 1;
    if (refused.count >= PERSISTS) {
      refused.count = 0;
      refused.until = Date.now() + REST;
    }
    throw refusal("DECLINED", "the person said no");
  }

  const question = (actionId, isChanged) =>
    `${isChanged ? "What would run has changed. " : ""}The surface “${title.textContent}” asks to run ${actionId}`;
}

// What would run, as the server says it: the words of a command each by itself, or the arguments.
function rowsOf({ tool, sessionKey, words, args, expiresAt }) {
  const rows = [];
  // `server__tool` is a tool of a server; the first pair of underscores parts them.
  const [, server, name] = /^(.+?)__(.+)$/s.exec(tool ?? "") ?? [null, "", tool];
  if (server) rows.push(["Server", server]);
  if (tool) rows.push(["Tool", name]);
  if (sessionKey) rows.push(["Message to", sessionKey]);
  if (Array.isArray(words)) rows.push(["Command", words.flatMap((word) => [el("code", { class: "word" }, visible(word)), " "])]);
  if (!Array.isArray(words) || (args && typeof args === "object" && Object.keys(args).length > 1)) {
    rows.push([tool ? "Arguments" : "Text", typeof args === "string" ? spelt(args) : spelt(JSON.stringify(args, null, 2))]);
  }
  if (Number.isFinite(expiresAt)) rows.push(["Valid until", new Date(expiresAt).toLocaleTimeString()]);
  return rows;
}

// Letters that hide or turn others around are spelt out, so that what is read is what runs.
const spelt = (text) =>
  text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu,
    (letter) => `\\u{${letter.codePointAt(0).toString(16)}}`,
  );
const visible = (word) =>
  (/^[\w./:=@%+,-]+$/.test(word) ? word : JSON.stringify(word)).replace(/[^\x20-\x7e]/gu, (letter) =>
    /[\p{L}\p{N}\p{P}\p{S}]/u.test(letter) ? letter : spelt(letter),
  );

// The page: its connection, its canvas, what all faces share.
import { mountBoard } from "./board.js";
import { mountChat } from "./chat.js";
import { connect } from "./connection.js";
import { ask } from "./dialog.js";
import { mountDocument } from "./document.js";
import { mountHistory } from "./history.js";
import { mountPeople } from "./people.js";
import { keepName, keptName, NO_NAME } from "./person.js";
import { mountSurface } from "./surface.js";
import { CLOSE, el, iconButton } from "./ui.js";

const byId = (id) => document.getElementById(id);
const SAID = 4; // sentences that are shown at once
const LASTS = 9_000; // of one that is no error, in ms

const handlers = new Map();
const connection = connect(`ws://${location.host}/ws`, { person: keptName() });

/** What the faces are given. */
const studio = {
  connection,
  canvas: null,
  frameOrigin: null,
  assistant: null,
  /** The id of the person in this window. */
  me: NO_NAME,
  /** The server's clock less this page's, in ms. */
  skew: 0,
  /** Events of the canvas by their name, and `snapshot` with the whole answer of `canvas.get`. */
  on(name, handler) {
    if (!handlers.has(name)) handlers.set(name, new Set());
    handlers.get(name).add(handler);
  },
  say,
  /** Undoes or redoes the person's last change: `undo` or `redo`. */
  walk: undefined,
  /** Marks what has changed in the document since `{revision}` or `{version}`, which `label` describes. */
  compare: undefined,
  /** Makes the document of `{revision}` or `{version}` the present one. */
  restore: undefined,
  /** Resolves when the server has what was typed. */
  settle: undefined,
  /** Sends the lines `{startLine, endLine, baseRevisionId}` with the next message, or none. */
  select: undefined,
  ask,
  resync,
  /** Gives the window's person another name, or none. A refusal is said, and gives false. */
  async rename(name) {
    try {
      await connection.greet(name.trim());
      return true;
    } catch (error) {
      say(sentence(error), { error: true });
      return false;
    }
  },
  /** A request about the canvas. A refusal is said, and gives undefined. */
  async act(method, params = {}) {
    try {
      return await connection.request(method, { canvasId: studio.canvas, ...params });
    } catch (error) {
      say(sentence(error), { error: true });
      return undefined;
    }
  },
};

const sentence = ({ code, message }) => (code === "UNKNOWN" ? message : `${message} (${code})`);

function emit(name, payload) {
  for (const handler of handlers.get(name) ?? []) {
    try {
      handler(payload);
    } catch (error) {
      console.error(error);
    }
  }
}

/** Shows a sentence, and gives what closes it. An error stays until then, and so does what `stays`. */
function say(text, { error = false, stays = error } = {}) {
  const status = byId("status");
  for (const old of [...status.children]) {
    if (old.textContent === text) old.remove();
  }
  const close = () => said.remove();
  const said = el(
    "div",
    { class: error ? "say bad" : "say" },
    el("p", {}, text),
    iconButton("Close this message", CLOSE, { onclick: close }),
  );
  status.append(said);
  while (status.children.length > SAID) status.firstChild.remove();
  if (!stays) setTimeout(close, LASTS);
  return close;
}

// Readings that are asked for while one is under way become one more.
let reading = null;
let isAskedAgain = false;
function resync() {
  if (reading) {
    isAskedAgain = true;
    return reading;
  }
  reading = read().finally(() => {
    reading = null;
    if (isAskedAgain) {
      isAskedAgain = false;
      resync();
    }
  });
  return reading;
}
async function read() {
  const canvas = studio.canvas;
  const state = await studio.act("canvas.get");
  if (state && canvas === studio.canvas) emit("snapshot", state);
}

connection.on("open", async (hello) => {
  const asked = new URLSearchParams(location.search).get("canvas");
  studio.canvas = hello.canvases?.includes(asked) ? asked : hello.canvas;
  studio.frameOrigin = hello.frameOrigin;
  studio.assistant = hello.assistant;
  studio.me = hello.person ?? NO_NAME;
  keepName(studio.me === NO_NAME ? "" : studio.me);
  if (typeof hello.now === "number") studio.skew = hello.now - Date.now();
  byId("canvas-name").textContent = studio.canvas;
  if (await studio.act("canvas.open")) await resync();
});

connection.on("refused", (error) => say(`${sentence(error)} You work without a name.`, { error: true }));

connection.on("state", (state) => {
  byId("offline").hidden = state === "open";
  document.documentElement.classList.toggle("is-offline", state !== "open");
  if (state === "open") emit("online");
});
byId("offline").textContent = "The connection is lost. The page tries again by itself; what you write is kept here and sent then.";

connection.on("*", (name, payload) => {
  if (!payload || payload.canvasId !== studio.canvas) return;
  emit(name, payload);
  if (name === "canvas.resync" || name === "canvas.mode.updated" || (name === "canvas.updated" && payload.state === undefined)) resync();
  else if (name === "canvas.trigger.activated" && payload.mode === "auto") say(`${payload.name}: ${payload.message}`);
  else if (name === "canvas.deleted") say("This canvas was deleted.", { error: true });
});

window.addEventListener("unhandledrejection", ({ reason }) => {
  if (reason?.code) {
    say(sentence(reason), { error: true });
  }
});

mountPeople(byId("people"), studio);
mountHistory(byId("tools"), studio);
mountDocument(byId("document"), studio);
mountChat(byId("chat"), studio);
mountBoard(byId("board"), studio);
mountSurface(byId("surface"), studio);

// A client of the studio's socket: what the server has is asked here, past every page.
import WebSocket from "ws";
import { PATIENCE } from "./report.mjs";

/** What the server refused. */
export class Refused extends Error {
  constructor(error) {
    super(`${error.code}: ${error.message}`);
    this.code = error.code;
    this.data = error;
  }
}

/** Opens a socket as the page would, or with headers of one's own. */
export function open(page, { origin = page, headers } = {}) {
  const socket = new WebSocket(`${page.replace("http", "ws")}/ws`, { origin: origin ?? undefined, headers, maxPayload: 0 });
  // What ends it is told to whoever waits.
  socket.on("error", () => {});
  return socket;
}

/** How a socket ends, or that it opened: `{opened}`, `{status}` of a refusal, `{code}` of a close. */
export function fate(socket) {
  return new Promise((resolve) => {
    socket.on("open", () => resolve({ opened: true }));
    socket.on("unexpected-response", (request, response) => {
      resolve({ status: response.statusCode });
      request.destroy();
    });
    socket.on("error", (error) => resolve({ error: error.message }));
  });
}

/** A client that has said hello. */
export class Client {
  #lastId = 0;
  #waiting = new Map();
  /** Events, and answers that nobody waits for. */
  heard = [];

  static async at(page, clientId = `check-${Math.random().toString(36).slice(2)}`, person = undefined) {
    const client = new Client();
    client.clientId = clientId;
    client.socket = open(page);
    client.closed = new Promise((resolve) => client.socket.on("close", (code, reason) => resolve({ code, reason: String(reason) })));
    client.socket.on("message", (data) => client.#hear(JSON.parse(data)));
    client.closed.then(() => {
      for (const { reject } of client.#waiting.values()) reject(new Error("the connection has ended"));
    });
    await new Promise((resolve, reject) => {
      client.socket.on("open", resolve);
      client.socket.on("error", reject);
    });
    client.hello = await client.request("hello", { clientId, person });
    return client;
  }

  request(method, params = {}, id = `q${(this.#lastId += 1)}`) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method} was not answered within ${PATIENCE} ms`)), PATIENCE);
      this.#waiting.set(id, {
        resolve: (result) => (clearTimeout(timer), resolve(result)),
        reject: (error) => (clearTimeout(timer), reject(error)),
      });
      this.send({ type: "req", id, method, params });
    });
  }

  send(message) {
    this.socket.send(typeof message === "string" || Buffer.isBuffer(message) ? message : JSON.stringify(message));
  }

  /** All of a canvas. */
  get(canvasId = "studio") {
    return this.request("canvas.get", { canvasId });
  }

  end() {
    this.socket.close();
    return this.closed;
  }

  #hear(message) {
    const one = this.#waiting.get(message.id);
    if (message.type !== "res" || !one) return void this.heard.push(message);
    this.#waiting.delete(message.id);
    if (message.ok) one.resolve(message.result);
    else one.reject(new Refused(message.error));
  }
}

/** The code of a refusal, or null where it was none. */
export async function codeOf(promise) {
  try {
    await promise;
    return null;
  } catch (error) {
    return error.code ?? error.message;
  }
}

import { CanvasError, invalid } from "./errors.js";

const METHODS = ["load", "commit", "blobs", "list", "collect"];

/** A store of the page, whose answers are checked and awaited for a limited time. */
export class CheckedStore {
  #store;
  #timeout;

  constructor(store, timeout) {
    for (const method of METHODS) {
      if (typeof store?.[method] !== "function") {
        throw invalid(`the store has no method ${method}: implement ${METHODS.join(", ")}`);
      }
    }
    if (!(Number.isFinite(timeout) && timeout > 0)) {
      throw invalid("timeout is no positive number: pass milliseconds");
    }
    this.#store = store;
    this.#timeout = timeout;
  }

  async load(canvas) {
    return row(await this.#ask("load", canvas));
  }

  async commit(canvas, expected, head, ids, blobs) {
    const pairs = ids.map((id, index) => [id, blobs[index]]);
    const answer = await this.#ask("commit", canvas, { expected: expected ?? null, head, blobs: new Map(pairs) });
    if (typeof answer?.version === "string") {
      return { version: answer.version };
    }
    if (answer?.conflict !== undefined) {
      return { conflict: row(answer.conflict) };
    }
    // It may have written.
    throw new TypeError("commit returned neither a version nor a conflict");
  }

  async blobs(canvas, ids) {
    const found = await this.#ask("blobs", canvas, ids);
    if (!Array.isArray(found) || found.length !== ids.length) {
      throw wrong("blobs", "one Uint8Array or null for each id");
    }
    return found.map((blob) => (blob instanceof Uint8Array ? blob : null));
  }

  async list(after, limit) {
    const found = await this.#ask("list", after ?? null, limit);
    if (!Array.isArray(found) || found.some((id) => typeof id !== "string")) {
      throw wrong("list", "an array of strings");
    }
    return found;
  }

  async collect(canvas, keep, olderThan, version) {
    const done = await this.#ask("collect", canvas, { keep: new Set(keep), olderThan, version });
    return done === null || done === undefined ? null : { blobs: Number(done.blobs), bytes: Number(done.bytes) };
  }

  /** Calls a method, and gives up if its promise does not settle in time. */
  async #ask(method, ...args) {
    let timer;
    const late = new Promise((_, reject) => {
      const message = `${method} of the store has not answered in ${this.#timeout} ms`;
      // A longer time would be none.
      timer = setTimeout(() => reject(new Error(message)), Math.min(this.#timeout, 2 ** 31 - 1));
    });
    const asked = (async () => this.#store[method](...args))();
    try {
      return await Promise.race([asked, late]);
    } catch (reason) {
      throw plain(reason);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** What WebAssembly reads of a reason, which may be anything: the `code` of a `DOMException` is a number. */
function plain(reason) {
  const read = (name) => {
    try {
      const value = reason?.[name];
      return typeof value === "string" && value.isWellFormed() ? value : undefined;
    } catch {
      return undefined;
    }
  };
  return { code: read("code"), message: read("message") };
}

function row(value) {
  if (value === null || value === undefined) {
    return null;
  }
  if (!(value.head instanceof Uint8Array) || typeof value.version !== "string") {
    throw wrong("load", "a row with head, a Uint8Array, and version, a string");
  }
  return { head: value.head, version: value.version };
}

const wrong = (method, expected) => new CanvasError("STORE_FAILED", `${method} of the store must return ${expected}`);

import { CanvasError } from "./lib/errors.js";

const bytesOf = (canvas) => new TextEncoder().encode(canvas);

/** A store in the browser's IndexedDB. Tabs and workers of one origin share it. */
export class IndexedDbStore {
  #database;

  constructor(database) {
    this.#database = database;
    // Another tab wants to delete or upgrade the database.
    database.onversionchange = () => database.close();
  }

  static async open(name = "canvas-engine") {
    const request = begun(() => indexedDB.open(name, 1));
    request.onupgradeneeded = () => {
      // Keys are bytes, because ids are ordered by their bytes.
      request.result.createObjectStore("rows");
      request.result.createObjectStore("blobs");
    };
    return new IndexedDbStore(await answer(request));
  }

  close() {
    this.#database.close();
  }

  async load(canvas) {
    return this.#within("readonly", ["rows"], async (rows) => (await answer(rows.get(bytesOf(canvas)))) ?? null);
  }

  async commit(canvas, { expected, head, blobs }) {
    return this.#within("readwrite", ["rows", "blobs"], async (rows, kept) => {
      const key = bytesOf(canvas);
      const row = (await answer(rows.get(key))) ?? null;
      if ((row?.version ?? null) !== expected) {
        return { conflict: row };
      }
      const version = crypto.getRandomValues(new Uint8Array(16)).join("-");
      const put = Date.now();
      for (const [id, bytes] of blobs) {
        kept.put({ bytes, put }, [key, id]);
      }
      rows.put({ head, version }, key);
      return { version };
    });
  }

  async blobs(canvas, ids) {
    return this.#within("readonly", ["blobs"], (kept) => {
      const key = bytesOf(canvas);
      return Promise.all(ids.map(async (id) => (await answer(kept.get([key, id])))?.bytes ?? null));
    });
  }

  async list(after, limit) {
    return this.#within("readonly", ["rows"], async (rows) => {
      if (limit === 0) {
        return [];
      }
      const range = after === null ? null : IDBKeyRange.lowerBound(bytesOf(after), true);
      const keys = await answer(rows.getAllKeys(range, Math.min(limit, 2 ** 32 - 1)));
      return keys.map((key) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(key));
    });
  }

  async collect(canvas, { keep, olderThan, version }) {
    return this.#within("readwrite", ["rows", "blobs"], async (rows, kept) => {
      const key = bytesOf(canvas);
      if ((await answer(rows.get(key)))?.version !== version) {
        return null;
      }
      const dropped = { blobs: 0, bytes: 0 };
      const request = kept.openCursor(IDBKeyRange.bound([key, ""], [key, "\uffff"]));
      for (let cursor = await answer(request); cursor !== null; cursor = await next(cursor)) {
        const { bytes, put } = cursor.value;
        const isOld = olderThan === 0 || put + olderThan <= Date.now();
        if (isOld && !keep.has(cursor.key[1])) {
          cursor.delete();
          dropped.blobs += 1;
          dropped.bytes += bytes.length;
        }
      }
      return dropped;
    });
  }

  /** Runs one transaction, and returns its result once it is complete. */
  async #within(mode, names, run) {
    const transaction = begun(() => this.#database.transaction(names, mode, { durability: "strict" }));
    // A transaction that aborts has written nothing.
    const complete = new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(failure(transaction.error));
    });
    try {
      const result = await run(...names.map((name) => transaction.objectStore(name)));
      await complete;
      return result;
    } catch (error) {
      complete.catch(() => {});
      try {
        // Otherwise it would write what was asked for before the error.
        transaction.abort();
      } catch {
        // It is over.
      }
      throw error instanceof CanvasError ? error : failure(error);
    }
  }
}

function answer(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(failure(request.error));
  });
}

/** Begins what may fail at once, for example because the database is closed. */
function begun(begin) {
  try {
    return begin();
  } catch (cause) {
    const message = `IndexedDB: ${cause?.message}: open the store again`;
    throw new CanvasError("STORE_UNAVAILABLE", message, {}, { cause });
  }
}

function next(cursor) {
  const { request } = cursor;
  cursor.continue();
  return answer(request);
}

function failure(cause) {
  const code = cause?.name === "QuotaExceededError" ? "STORE_FULL" : "STORE_FAILED";
  return new CanvasError(code, `IndexedDB: ${cause?.message ?? "the transaction was aborted"}`, {}, { cause });
}

// The tests of engines on a store of the page.
import { equal } from "./all.js";

const text = "# Plan\n\n- one\n- two\n";

/** A store in memory, whose connections share it. A method of `faults` runs instead of the store's own one. */
export class MapStore {
  #rows = new Map();
  #blobs = new Map();
  #commits = 0;
  faults = {};

  load = (canvas) => this.#answer("load", () => this.#rows.get(canvas) ?? null);

  commit = (canvas, { expected, head, blobs }) => this.#answer("commit", () => {
    const row = this.#rows.get(canvas) ?? null;
    if ((row?.version ?? null) !== expected) {
      return { conflict: row };
    }
    this.#commits += 1;
    const kept = this.#blobs.get(canvas) ?? new Map();
    this.#blobs.set(canvas, new Map([...kept, ...blobs]));
    this.#rows.set(canvas, { head, version: String(this.#commits) });
    return { version: String(this.#commits) };
  });

  blobs = (canvas, ids) => this.#answer("blobs", () => ids.map((id) => this.#blobs.get(canvas)?.get(id) ?? null));

  list = (after, limit) => this.#answer("list", () => (
    [...this.#rows.keys()].sort().filter((id) => after === null || id > after).slice(0, limit)
  ));

  collect = (canvas, { keep, version }) => this.#answer("collect", () => {
    if (this.#rows.get(canvas)?.version !== version) {
      return null;
    }
    const kept = this.#blobs.get(canvas);
    const dropped = [...kept].filter(([id]) => !keep.has(id));
    dropped.forEach(([id]) => kept.delete(id));
    return { blobs: dropped.length, bytes: dropped.reduce((sum, [, bytes]) => sum + bytes.length, 0) };
  });

  async #answer(method, own) {
    await new Promise((resolve) => setTimeout(resolve));
    const fault = this.faults[method];
    return fault === undefined ? own() : fault(own);
  }
}

async function rejected(promise) {
  try {
    await promise;
  } catch (error) {
    return error.code ?? String(error);
  }
  throw new Error("the promise is fulfilled");
}

/** Tests by name. `open` returns a connection to a store, and the name of each store is new. */
export function storedTests({ StoredEngine, Reply }, open) {
  let number = 0;
  const name = () => `store-${(number += 1)}-${Math.random()}`;
  const started = async (store, options = {}) => {
    const engine = await StoredEngine.open({ store, ...options });
    return engine;
  };
  return {
    async "a later engine has what an earlier one wrote"() {
      const where = name();
      const first = await started(await open(where));
      const revision = await first.create("plan", text);
      const session = first.join("plan");
      equal(await session.message(), null);
      const { lease_id } = (await session.call("canvas_check_out", {})).body;
      const patch = "@@ -3,1 +3,1 @@\n-- one\n+- three\n";
      const reply = await session.call("canvas_apply_patch", { lease_id, patch });
      equal([reply instanceof Reply, reply.ok], [true, true], JSON.stringify(reply.body));
      await session.close();
      await first.close();
      equal([await rejected(first.document("plan")), await rejected(session.call("x"))], ["CLOSED", "CLOSED"]);

      const second = await started(await open(where));
      const { markdown, revisionId } = await second.document("plan");
      equal([markdown, revisionId === revision], [text.replace("one", "three"), false]);
      // Its calls do not have the ids of the first one.
      const { revisionId: later } = await second.edit("plan", text, { base: revisionId });
      equal([(await second.document("plan")).markdown, later !== revisionId], [text, true]);
      equal((await second.call("history.list", { canvas: "plan" })).changes.length, 2);
    },

    async "two engines lose nothing of each other"() {
      const where = name();
      const engines = [await started(await open(where)), await started(await open(where))];
      const base = await engines[0].create("plan", text);
      const edits = Array.from({ length: 40 }, (_, round) => (
        engines[round % 2].edit("plan", `${text}- ${round}\n`, { base }).then(() => round, ({ code }) => code)
      ));
      const kept = (await Promise.all(edits)).filter((one) => typeof one === "number");
      const { markdown } = await engines[1].document("plan");
      equal(kept.filter((one) => !markdown.includes(`- ${one}\n`)), [], "lost");
      equal(markdown.split("\n").length - 5, kept.length, "lines");
    },

    async "canvases are listed by bytes, and names may be of any kind"() {
      const store = await open(name());
      const engine = await started(store);
      const ids = ["a", "a\0b", "z", "\ufeffa", "\uff5e", "\u{1f600}"];
      for (const id of ids.toReversed()) {
        await engine.create(id, id);
      }
      for (const id of ids) {
        equal((await engine.document(id)).markdown, id);
      }
      if (!(store instanceof MapStore)) {
        equal(await store.list(null, 100), ids);
        equal(await store.list("a\0b", 2), ["z", "\ufeffa"]);
        equal(await store.list(null, 0), []);
      }
    },

    async "a collection drops what nothing needs"() {
      const engine = await started(await open(name()));
      let base = await engine.create("plan", text);
      for (let round = 0; round < 5; round += 1) {
        ({ revisionId: base } = await engine.edit("plan", `${text}- ${"x".repeat(2_000)} ${round}\n`, { base }));
      }
      const { removed } = await engine.call("store.collect", { canvas: "plan", keep_entries: 0, older_than: 0 });
      equal(removed > 0, true, `${removed} blobs`);
      equal((await engine.document("plan")).revisionId, base);
    },

    async "wrong arguments reject, and a call that is made first runs first"() {
      const engine = await started(await open(name()));
      const order = [];
      const calls = ["a", "b", "c"].map((id) => engine.create(id, id).then(() => order.push(id)));
      await Promise.all(calls);
      equal(order, ["a", "b", "c"]);
      const session = engine.join("a");
      equal(
        await Promise.all([engine.edit("a", "b", {}), engine.call(1), engine.call("x", []), engine.create("a", "\ud800")].map(rejected)),
        Array(4).fill("INVALID_ARGUMENTS"),
      );
      equal((await session.call("canvas_outline", "{")).code, "INVALID_ARGUMENTS");
      equal(await rejected(StoredEngine.open({ store: {} })), "INVALID_ARGUMENTS");
      equal(await rejected(StoredEngine.open()), "INVALID_ARGUMENTS");
      equal(await rejected(engine.call("canvas.text", { canvas: "a", markdown: "c", op: "user.edit" })), "BAD_REQUEST");
      equal(await rejected((await started(await open(name()))).call("store.open", { kind: "memory" })), "BAD_REQUEST");
      const patient = await started(await open(name()), { timeout: Number.MAX_SAFE_INTEGER });
      await patient.create("a", "b");
      const timeless = await started(await open(name()), { clock: () => NaN });
      equal(await rejected(timeless.create("a", "b")), "INVALID_ARGUMENTS");
    },
  };
}

/** Tests of stores that fail. */
export function faultTests({ StoredEngine }) {
  const faults = {
    "throws": () => { throw new Error("no"); },
    "throws a string": () => { throw "no"; },
    "returns nothing": () => undefined,
    "returns something else": () => 7,
    "writes, and throws": (own) => { own(); throw new Error("no"); },
    "throws a DOMException": () => { throw new DOMException("full", "QuotaExceededError"); },
    "throws what has no words": () => { throw { code: 7, message: 5 }; },
    "throws what cannot be read": () => { throw { get code() { throw new Error("no"); }, message: "\ud800" }; },
    "never settles": () => new Promise(() => {}),
    "writes, and never settles": (own) => { own(); return new Promise(() => {}); },
    "has no room": () => { throw Object.assign(new Error("no"), { code: "STORE_FULL" }); },
    "reports a conflict without a row": () => ({ conflict: null }),
    "returns a row without a head": () => ({ version: 1, conflict: { version: "1" } }),
  };
  const tests = {};
  for (const method of ["load", "commit", "blobs"]) {
    for (const [what, fault] of Object.entries(faults)) {
      tests[`${method} ${what}`] = async () => {
        const store = new MapStore();
        const before = await StoredEngine.open({ store });
        const base = await before.create("plan", text);
        const engine = await StoredEngine.open({ store, timeout: 20 });
        let isOver = false;
        store.faults[method] = (own) => (isOver ? own() : fault(own));
        const result = await engine.edit("plan", `${text}- three\n`, { base }).then(() => "done", ({ code }) => code);
        isOver = true;
        const { markdown, revisionId } = await engine.document("plan");
        // A refusal says whether the text may be there. In any case, the engine goes on.
        equal(markdown === text || markdown === `${text}- three\n`, true, markdown);
        if (result === "done") {
          equal(markdown, `${text}- three\n`, what);
        } else {
          equal(/^(STORE_|CANVAS_|CONTENTION)/.test(result), true, result);
          if (result !== "STORE_INDETERMINATE") {
            equal(markdown, text, `after ${result}`);
          }
        }
        await engine.edit("plan", "# Over\n", { base: revisionId });
        equal((await before.document("plan")).markdown, "# Over\n");
        await engine.close();
      };
    }
  }
  return tests;
}

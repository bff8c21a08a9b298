import { CanvasError, invalid } from "./errors.js";
import { ask, guarded, isBroken, resultOf, written } from "./json.js";
import { CheckedStore } from "./store.js";
import { object } from "./text.js";

/** Sends a checked request, at once or once the store has answered. */
const SEND = Symbol("send");
const RULES = Symbol("rules");
const NOW = Symbol("now");

const closed = () => new CanvasError("CLOSED", "the engine is closed: open another one");

/** Maps what a call returns, or what its promise will be. */
const map = (result, one) => (result instanceof Promise ? result.then(one) : one(result));

/** The classes, over `native`: a function that returns the module of an instance, which has the native classes. */
export function engineClasses(native) {
  class Engine {
    #clock;
    #rules;
    #module;
    #native;

    constructor(options = {}) {
      const { clock = Date.now, policy = {} } = options;
      if (typeof clock !== "function") {
        throw invalid("clock is no function: pass one that returns the milliseconds since 1970");
      }
      this.#clock = clock;
      const { leaseTtl = 15_000, rebase = true, retake = true, mergeWords = false } = object(policy, "policy");
      this.#rules = { lease_ttl: leaseTtl, rebase, retake, merge_words: mergeWords };
      if (new.target === StoredEngine) {
        return;
      }
      this.#module = native();
      this.#native = guarded(this.#module, () => new this.#module.Engine());
      try {
        this[RULES]();
      } catch (error) {
        this.close();
        throw error;
      }
    }

    /** Sets the rules, which needs no time. */
    [RULES]() {
      return this[SEND]("engine.policy", this.#rules, { isTimed: false });
    }

    close() {
      const engine = this.#native;
      this.#native = null;
      // The memory of an instance that has trapped is left alone.
      if (engine !== null && !isBroken(this.#module)) {
        guarded(this.#module, () => engine.free());
      }
    }

    call(op, fields = {}) {
      if (typeof op !== "string") {
        throw invalid("op is no string: pass the name of an operation");
      }
      return this[SEND](op, object(fields, "fields"), { isTimed: true });
    }

    [NOW]() {
      const now = Math.trunc(this.#clock());
      if (!Number.isFinite(now)) {
        throw invalid("the clock returns no number: let it return the milliseconds since 1970");
      }
      return now;
    }

    [SEND](op, fields, { isTimed }) {
      const engine = this.#native;
      if (engine === null) {
        throw closed();
      }
      const timed = isTimed ? { now: this[NOW](), ...fields } : fields;
      return ask((request) => guarded(this.#module, () => engine.call(request)), op, timed);
    }

    create(canvas, markdown = "", { person } = {}) {
      return map(this.call("canvas.create", { canvas, markdown, person }), ({ revision_id }) => revision_id);
    }

    document(canvas) {
      return map(this.call("canvas.text", { canvas }), ({ markdown, revision_id, canvas_epoch, locked }) => (
        { markdown, revisionId: revision_id, epoch: canvas_epoch, isLocked: locked }
      ));
    }

    edit(canvas, markdown, { base, person } = {}) {
      if (base === undefined) {
        throw invalid("base is missing: pass the revision id of the text that was edited, or null to replace any");
      }
      const fields = { canvas, markdown, base_revision_id: base ?? undefined, person };
      return map(this.call("user.edit", fields), ({ revision_id, canvas_epoch, moved, merged }) => (
        { revisionId: revision_id, epoch: canvas_epoch, moved, merged }
      ));
    }

    join(canvas, conversation = "main", { toolset = "document" } = {}) {
      return new Session(this, canvas, conversation, toolset);
    }
  }

  class Session {
    #engine;
    #isClosed = false;

    constructor(engine, canvas, conversation, toolset) {
      this.#engine = engine;
      this.canvas = canvas;
      this.conversation = conversation;
      this.toolset = toolset;
    }

    tools() {
      return map(this.#ask("tool.list", { toolset: this.toolset }), ({ tools }) => tools);
    }

    prompt() {
      return map(this.#ask("tool.prompt", { toolset: this.toolset }), ({ prompt }) => prompt);
    }

    call(name, args = {}, { callId = freshId() } = {}) {
      const { parsed, problem } = argumentsOf(args);
      if (problem !== undefined) {
        return new Reply({ ok: false, error: { code: "INVALID_ARGUMENTS", message: problem, retryable: false } });
      }
      // A model may call only the tools that it was given.
      const toolset = this.toolset;
      const fields = { call_id: callId, name, arguments: parsed, toolset, strict: true };
      return map(this.#of("tool.call", fields), (body) => new Reply(body));
    }

    message({ person } = {}) {
      return map(this.#of("user.message", { person }), ({ hidden_message }) => hidden_message ?? null);
    }

    mode(mode) {
      return map(this.#of("session.mode", { mode }), () => undefined);
    }

    end() {
      return map(this.#of("turn.end", {}), ({ hidden_message, promoted }) => (
        { hiddenMessage: hidden_message ?? null, promoted }
      ));
    }

    cancel({ person } = {}) {
      return map(this.#of("user.cancel", { person }), ({ canvas_epoch }) => canvas_epoch);
    }

    close() {
      if (this.#isClosed) {
        return undefined;
      }
      const over = () => {
        this.#isClosed = true;
      };
      const failed = (error) => {
        over();
        // Neither a closed engine nor one that has trapped has a lease, and what `using` ends with must not hide an error.
        if (!["CANVAS_NOT_FOUND", "CLOSED", "INTERNAL"].includes(error.code)) {
          throw error;
        }
      };
      try {
        const result = this.#of("session.close", {});
        return result instanceof Promise ? result.then(over, failed) : over();
      } catch (error) {
        return failed(error);
      }
    }

    #of(op, fields) {
      return this.#ask(op, { canvas: this.canvas, session: this.conversation, ...fields });
    }

    #ask(op, fields) {
      if (this.#isClosed) {
        throw new CanvasError("CLOSED", "the session is closed: join the canvas again");
      }
      return this.#engine.call(op, fields);
    }
  }

  /** An engine on a store of the page. Its calls run one after the other, and all return promises. */
  class StoredEngine extends Engine {
    #module;
    #native;
    #last = Promise.resolve();
    #wake = () => {};
    #isClosed = false;

    static async open(options) {
      const { store, timeout = 30_000 } = object(options, "options");
      const engine = new StoredEngine(options);
      const module = native();
      const checked = new CheckedStore(store, timeout);
      engine.#module = module;
      engine.#native = guarded(module, () => new module.StoredEngine(checked, freshId(), () => engine.#wake()));
      try {
        await engine[RULES]();
      } catch (error) {
        await engine.close();
        throw error;
      }
      return engine;
    }

    [SEND](op, fields, { isTimed }) {
      if (this.#isClosed || this.#native === undefined) {
        throw closed();
      }
      const request = written({ ...fields, op });
      const answered = this.#last.then(() => {
        // The time is that at which the call runs, because an earlier one may have waited for the store.
        const time = isTimed && fields.now === undefined ? `"now":${this[NOW]()},` : "";
        return this.#run(`{${time}${request.slice(1)}`);
      });
      this.#last = answered.catch(() => {});
      return answered.then(resultOf);
    }

    async #run(request) {
      guarded(this.#module, () => this.#native.begin(request));
      for (;;) {
        const woken = new Promise((resolve) => {
          this.#wake = resolve;
        });
        const answer = guarded(this.#module, () => this.#native.poll());
        if (answer !== undefined) {
          return answer;
        }
        await woken;
      }
    }

    join(canvas, conversation = "main", { toolset = "document" } = {}) {
      return new StoredSession(this, canvas, conversation, toolset);
    }

    /** Waits for the calls that have begun. */
    async close() {
      const isFirst = !this.#isClosed;
      this.#isClosed = true;
      await this.#last;
      if (isFirst && !isBroken(this.#module)) {
        guarded(this.#module, () => this.#native.free());
      }
    }
  }

  class StoredSession extends Session {}

  // A wrong argument rejects the promise too.
  for (const [stored, plain] of [[StoredEngine, Engine], [StoredSession, Session]]) {
    for (const name of Object.getOwnPropertyNames(plain.prototype)) {
      if (name !== "constructor" && !Object.hasOwn(stored.prototype, name)) {
        const value = async function (...args) {
          return plain.prototype[name].apply(this, args);
        };
        Object.defineProperty(stored.prototype, name, { value, configurable: true, writable: true });
      }
    }
  }
  // Not everywhere yet.
  const disposals = [["dispose", [Engine, Session]], ["asyncDispose", [StoredEngine, StoredSession]]];
  for (const [name, kinds] of disposals) {
    if (typeof Symbol[name] === "symbol") {
      for (const kind of kinds) {
        Object.defineProperty(kind.prototype, Symbol[name], { value: kind.prototype.close, configurable: true, writable: true });
      }
    }
  }
  return { Engine, Session, StoredEngine, StoredSession };
}

export class Reply {
  constructor(body) {
    this.body = body;
    Object.freeze(this);
  }

  get ok() {
    return this.body.ok === true;
  }

  get code() {
    return this.body.error?.code ?? null;
  }

  get message() {
    return this.body.error?.message ?? null;
  }

  get text() {
    return JSON.stringify(this.body);
  }
}

/** An id for a call. `crypto.randomUUID` is only there in secure contexts. */
function freshId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Levels of arguments. The engine reads 128, with those of the request. */
const MAX_DEPTH = 100;

/** Reads a model's arguments, which some SDKs have as JSON. */
function argumentsOf(args) {
  if (typeof args !== "string") {
    object(args, "args");
  }
  try {
    const parsed = typeof args === "string" ? JSON.parse(args || "{}") : args;
    const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
    check(parsed, 0);
    return isObject ? { parsed } : { problem: "the arguments are no JSON object: send the call again" };
  } catch (error) {
    return { problem: `the arguments are no JSON (${error.message}): send the call again` };
  }
}

/** Refuses JSON that the engine does not read. */
function check(value, depth) {
  if (depth > MAX_DEPTH) {
    throw new SyntaxError(`they have more than ${MAX_DEPTH} levels`);
  }
  if (typeof value === "string" && !value.isWellFormed()) {
    throw new SyntaxError("they have a lone surrogate");
  }
  if (typeof value === "object" && value !== null) {
    for (const [key, one] of Object.entries(value)) {
      check(key, depth);
      check(one, depth + 1);
    }
  }
}

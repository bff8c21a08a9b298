import { CanvasError, invalid } from "./errors.js";
import { ask, guarded, isBroken } from "./json.js";
import { object } from "./text.js";

/** The classes, over `native`: a function that returns the module of an instance, which has the native class. */
export function engineClasses(native) {
  class Engine {
    #module;
    #native;
    #clock;

    constructor({ clock = Date.now, policy = {} } = {}) {
      if (typeof clock !== "function") {
        throw invalid("clock is no function: pass one that returns the milliseconds since 1970");
      }
      this.#clock = clock;
      this.#module = native();
      this.#native = guarded(this.#module, () => new this.#module.Engine());
      const { leaseTtl = 15_000, rebase = true, retake = true, mergeWords = false } = object(policy, "policy");
      try {
        // Rules need no time.
        this.#send("engine.policy", { lease_ttl: leaseTtl, rebase, retake, merge_words: mergeWords });
      } catch (error) {
        this.close();
        throw error;
      }
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
      const engine = this.#native;
      if (engine === null) {
        throw new CanvasError("CLOSED", "the engine is closed: open another one");
      }
      if (typeof op !== "string") {
        throw invalid("op is no string: pass the name of an operation");
      }
      return this.#send(op, { now: Math.trunc(this.#clock()), ...object(fields, "fields") });
    }

    #send(op, fields) {
      const engine = this.#native;
      return ask((request) => guarded(this.#module, () => engine.call(request)), op, fields);
    }

    create(canvas, markdown = "", { person } = {}) {
      return this.call("canvas.create", { canvas, markdown, person }).revision_id;
    }

    document(canvas) {
      const { markdown, revision_id, canvas_epoch, locked } = this.call("canvas.text", { canvas });
      return { markdown, revisionId: revision_id, epoch: canvas_epoch, isLocked: locked };
    }

    edit(canvas, markdown, { base, person } = {}) {
      if (base === undefined) {
        throw invalid("base is missing: pass the revision id of the text that was edited, or null to replace any");
      }
      const fields = { canvas, markdown, base_revision_id: base ?? undefined, person };
      const { revision_id, canvas_epoch, moved, merged } = this.call("user.edit", fields);
      return { revisionId: revision_id, epoch: canvas_epoch, moved, merged };
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
      return this.#ask("tool.list", { toolset: this.toolset }).tools;
    }

    prompt() {
      return this.#ask("tool.prompt", { toolset: this.toolset }).prompt;
    }

    call(name, args = {}, { callId = freshId() } = {}) {
      const { parsed, problem } = argumentsOf(args);
      if (problem !== undefined) {
        return new Reply({ ok: false, error: { code: "INVALID_ARGUMENTS", message: problem, retryable: false } });
      }
      // A model may call only the tools that it was given.
      const toolset = this.toolset;
      return new Reply(this.#of("tool.call", { call_id: callId, name, arguments: parsed, toolset, strict: true }));
    }

    message({ person } = {}) {
      return this.#of("user.message", { person }).hidden_message ?? null;
    }

    mode(mode) {
      this.#of("session.mode", { mode });
    }

    end() {
      const { hidden_message, promoted } = this.#of("turn.end", {});
      return { hiddenMessage: hidden_message ?? null, promoted };
    }

    cancel({ person } = {}) {
      return this.#of("user.cancel", { person }).canvas_epoch;
    }

    close() {
      if (this.#isClosed) {
        return;
      }
      try {
        this.#of("session.close", {});
      } catch (error) {
        // Neither a closed engine nor one that has trapped has a lease, and what `using` ends with must not hide an error.
        if (!["CANVAS_NOT_FOUND", "CLOSED", "INTERNAL"].includes(error.code)) {
          throw error;
        }
      } finally {
        this.#isClosed = true;
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

  // Not everywhere yet.
  if (typeof Symbol.dispose === "symbol") {
    for (const kind of [Engine, Session]) {
      Object.defineProperty(kind.prototype, Symbol.dispose, { value: kind.prototype.close, configurable: true, writable: true });
    }
  }
  return { Engine, Session };
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

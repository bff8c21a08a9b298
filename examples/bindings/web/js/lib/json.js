import { CanvasError, errorOf, invalid } from "./errors.js";

const BROKEN = "the engine has a bug, and may have made a part of the change: load the module again";

/** Whether a call of each WebAssembly instance has trapped. Its memory may be in any state then. */
const broken = new WeakSet();

/** Calls into an instance. After a trap, neither this call nor a later one has an answer. */
export function guarded(instance, call) {
  if (broken.has(instance)) {
    throw new CanvasError("INTERNAL", BROKEN);
  }
  try {
    return call();
  } catch (cause) {
    broken.add(instance);
    throw new CanvasError("INTERNAL", BROKEN, {}, { cause });
  }
}

export function isBroken(instance) {
  return broken.has(instance);
}

/** Sends a request by `call`, and returns its result. */
export function ask(call, op, fields) {
  return resultOf(call(written({ ...fields, op })));
}

/** Returns the result of an answer, or throws its error. */
export function resultOf(answer) {
  const reply = JSON.parse(answer);
  if (reply.ok !== true) {
    throw errorOf(reply.error);
  }
  return reply.result;
}

/** Writes JSON, and refuses what JSON would lose. */
export function written(value) {
  try {
    return JSON.stringify(value, checked);
  } catch (cause) {
    // A circle is a TypeError, and a value that is nested too deeply a RangeError.
    throw cause instanceof CanvasError ? cause : invalid(`the arguments are no JSON: ${cause?.message}`, cause);
  }
}

function checked(key, value) {
  wellFormed(key);
  switch (typeof value) {
    case "string":
      return wellFormed(value);
    case "number":
      if (Number.isFinite(value)) {
        return value;
      }
      throw invalid(`the arguments are no JSON: they have ${value}`);
    case "bigint":
    case "function":
    case "symbol":
      throw invalid(`the arguments are no JSON: they have a ${typeof value}`);
    default:
      return value;
  }
}

export function wellFormed(text) {
  if (!text.isWellFormed()) {
    throw invalid("the text has a lone surrogate: replace it");
  }
  return text;
}

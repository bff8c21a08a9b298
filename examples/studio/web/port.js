// The one port between the page and a surface's frame. All that comes from the frame may be forged.

const A_SECOND = 20; // messages that are taken
const TOO_MANY = 400; // messages after which the frame is not listened to any more
const BYTES = 64 << 10; // characters of a message's value
const NAMES = 32; // of a path
const FORBIDDEN = new Set(["__proto__", "constructor", "prototype"]);

/** `state.a.b` as its names below the state, or null where it is no such path. */
export function pathOf(path) {
  if (typeof path !== "string" || path.length > 512) return null;
  const [first, ...names] = path.split(".");
  if (first !== "state" || names.length === 0 || names.length > NAMES) return null;
  return names.some((name) => name === "" || FORBIDDEN.has(name)) ? null : names;
}

/**
 * The JSON Patch that sets a member of the state to a value, or null where the path leads to nothing that a field may set:
 * its parent must be there, and what it replaces is no object and no list.
 */
export function patchOf(state, path, value) {
  const names = pathOf(path);
  if (!names) return null;
  let parent = state;
  for (const name of names.slice(0, -1)) {
    if (!isWalkable(parent, name)) return null;
    parent = parent[name];
  }
  const last = names[names.length - 1];
  if (parent === null || typeof parent !== "object") return null;
  const has = Object.hasOwn(parent, last);
  if (Array.isArray(parent) && !(has && /^\d+$/.test(last))) return null;
  if (has && parent[last] !== null && typeof parent[last] === "object") return null;
  const pointer = names.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  return [{ op: has ? "replace" : "add", path: pointer, value }];
}

const isWalkable = (value, name) =>
  value !== null && typeof value === "object" && Object.hasOwn(value, name) && (!Array.isArray(value) || /^\d+$/.test(name));

/** What a message of the frame asks for, or null where it is none of ours. */
export function read(message) {
  if (message === null || typeof message !== "object") return null;
  if (message.type === "run") {
    const { id, actionId, input = {} } = message;
    if (!Number.isSafeInteger(id) || typeof actionId !== "string" || actionId.length > 200) return null;
    const text = jsonOf(input);
    return text === null || text.length > BYTES ? null : { type: "run", id, actionId, input: JSON.parse(text) };
  }
  if (message.type === "model") {
    const { path, value } = message;
    const isScalar = typeof value === "boolean" || (typeof value === "string" && value.length <= BYTES) || Number.isFinite(value);
    return pathOf(path) && isScalar ? { type: "model", path, value } : null;
  }
  return null;
}

// Clones may hold what is no JSON, and rings.
function jsonOf(value) {
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null;
  }
}

/** Counts messages: which are taken, which dropped, and when there is no end to them. */
export class Gate {
  #since = 0;
  #count = 0;

  /** @param now ms that never fall back @returns {"take" | "drop" | "close"} */
  pass(now) {
    if (now - this.#since >= 1_000) {
      this.#since = now;
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count <= A_SECOND) return "take";
    return this.#count <= TOO_MANY ? "drop" : "close";
  }
}

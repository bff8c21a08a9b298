/** Codes of addresses that lead to no place, or to several. */
const OF_ADDRESSES = new Set([
  "ADDRESS_AMBIGUOUS", "ADDRESS_NOT_FOUND", "COLUMN_NOT_FOUND", "KEY_NOT_FOUND", "ROW_NOT_FOUND", "TABLE_NOT_FOUND",
]);

export class CanvasError extends Error {
  constructor(code, message, details = {}, options = undefined) {
    super(message, options);
    this.code = code;
    this.details = details;
  }

  get retryable() {
    return this.details.retryable === true;
  }

  get place() {
    return typeof this.details.place === "string" ? this.details.place : null;
  }
}

export class PatchRejected extends CanvasError {
  get reason() {
    return String(this.details.reason ?? "");
  }

  get conflicts() {
    return objects(this.details.conflicts);
  }
}

export class StaleEdit extends CanvasError {
  get markdown() {
    return this.details.markdown;
  }

  get revisionId() {
    return this.details.revision_id;
  }

  get changes() {
    return this.details.changes ?? null;
  }
}

export class AddressError extends CanvasError {
  get candidates() {
    return objects(this.details.candidates);
  }
}

// Bundlers shorten the names of classes.
for (const [name, kind] of Object.entries({ CanvasError, PatchRejected, StaleEdit, AddressError })) {
  Object.defineProperty(kind.prototype, "name", { value: name, configurable: true, writable: true });
}

/** The error of a refused request. */
export function errorOf({ code, message, ...details }) {
  const isStale = details.reason === "STALE_BASE" && typeof details.markdown === "string";
  const rejected = isStale ? StaleEdit : PatchRejected;
  const kind = code === "PATCH_REJECTED" ? rejected : OF_ADDRESSES.has(code) ? AddressError : CanvasError;
  return new kind(code, message, details);
}

export const invalid = (message, cause) =>
  new CanvasError("INVALID_ARGUMENTS", message, {}, cause === undefined ? undefined : { cause });

function objects(values) {
  return Array.isArray(values) ? values.filter((value) => typeof value === "object" && value !== null) : [];
}

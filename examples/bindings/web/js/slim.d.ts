export * from "./engine.js";

/** Loads the module, from its bytes or compiled. Await it before anything else. A second call has no effect. */
export function init(moduleOrBytes: WebAssembly.Module | BufferSource): Promise<void>;

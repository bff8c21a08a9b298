import * as wasm from "../wasm/engine.js";
import { CanvasError, invalid } from "./errors.js";

let isReady = false;

export async function init(moduleOrBytes) {
  if (moduleOrBytes === undefined || moduleOrBytes === null) {
    throw invalid("nothing to load: pass a WebAssembly.Module or its bytes");
  }
  if (!isReady) {
    const isModule = moduleOrBytes instanceof WebAssembly.Module;
    await wasm.default({ module_or_path: isModule ? moduleOrBytes : await WebAssembly.compile(moduleOrBytes) });
    isReady = true;
  }
}

export function native() {
  if (!isReady) {
    throw new CanvasError("NOT_LOADED", "the module is not loaded: await init first");
  }
  return wasm;
}

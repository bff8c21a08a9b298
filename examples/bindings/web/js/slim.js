import { engineClasses } from "./lib/engine.js";
import { CanvasError, invalid } from "./lib/errors.js";
import { guarded } from "./lib/json.js";
import { textFunctions } from "./lib/text.js";
import * as wasm from "./wasm/engine.js";

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

function native() {
  if (!isReady) {
    throw new CanvasError("NOT_LOADED", "the module is not loaded: await init first");
  }
  return wasm;
}

const call = (request) => guarded(native(), () => wasm.call_text(request));
export const { Engine, Session, StoredEngine, StoredSession } = engineClasses(native);
export const { apply, build, outline, resolve, grep, positions, editStructure, effects, redline } = textFunctions(call);
export { Reply } from "./lib/engine.js";
export { AddressError, CanvasError, PatchRejected, StaleEdit } from "./lib/errors.js";

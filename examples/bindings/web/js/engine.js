import { compiled } from "./lib/load.js";
import { init } from "./slim.js";

await init(await compiled("engine_bg.wasm"));

export {
  AddressError, CanvasError, Engine, PatchRejected, Reply, Session, StaleEdit, StoredEngine, StoredSession,
  apply, build, editStructure, effects, grep, outline, positions, redline, resolve,
} from "./slim.js";

import { compiled } from "./lib/load.js";
import { init } from "./slim.js";

await init(await compiled("engine_bg.wasm"));

export {
  AddressError, CanvasError, Engine, PatchRejected, Reply, Session,
  apply, build, editStructure, grep, outline, positions, resolve,
} from "./slim.js";

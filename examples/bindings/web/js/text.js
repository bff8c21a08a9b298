import { guarded } from "./lib/json.js";
import { compiled } from "./lib/load.js";
import { textFunctions } from "./lib/text.js";
import * as native from "./wasm/text.js";

await native.default({ module_or_path: await compiled("text_bg.wasm") });

const call = (request) => guarded(native, () => native.call_text(request));
export const { apply, build, outline, resolve, grep, positions, editStructure, effects, redline } = textFunctions(call);
export { AddressError, CanvasError, PatchRejected } from "./lib/errors.js";

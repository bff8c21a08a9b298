import * as native from "../wasm/text.js";
import { guarded } from "./json.js";

export const load = async (bytes) => native.default({ module_or_path: await WebAssembly.compile(bytes) });

export const call = (request) => guarded(native, () => native.call_text(request));

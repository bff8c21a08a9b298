import * as wasm from "../wasm/text.js";

export const load = async (bytes) => wasm.default({ module_or_path: await WebAssembly.compile(bytes) });

export const native = () => wasm;

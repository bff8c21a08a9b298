import { readFile } from "node:fs/promises";

import { init } from "./lib/module.js";

await init(await readFile(new URL("./wasm/engine_bg.wasm", import.meta.url)));

export * from "./lib/public.js";

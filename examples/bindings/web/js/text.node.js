import { readFile } from "node:fs/promises";

import { load } from "./lib/text-module.js";

await load(await readFile(new URL("./wasm/text_bg.wasm", import.meta.url)));

export * from "./lib/text-public.js";

import { fetched } from "./lib/load.js";
import { init } from "./lib/module.js";

// Bundlers know this form of a URL.
await init(await fetched(new URL("./wasm/engine_bg.wasm", import.meta.url)));

export * from "./lib/public.js";

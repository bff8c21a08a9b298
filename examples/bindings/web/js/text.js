import { fetched } from "./lib/load.js";
import { load } from "./lib/text-module.js";

// Bundlers know this form of a URL.
await load(await fetched(new URL("./wasm/text_bg.wasm", import.meta.url)));

export * from "./lib/text-public.js";

export { init } from "./lib/module.js";
export * from "./lib/public.js";

export { Engine, Reply, Session } from "./types.js";
export type { CanvasDocument, Edited, Tool, Toolset } from "./types.js";
export * from "./text.js";

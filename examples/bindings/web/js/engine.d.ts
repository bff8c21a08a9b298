export { Engine, Reply, Session, StaleEdit } from "./types.js";
export type { CanvasDocument, Edited, Policy, Tool, Toolset } from "./types.js";
export * from "./text.js";

export { Engine, Reply, Session, StaleEdit } from "./api.js";
export type { CanvasDocument, Edited, Policy, Tool, Toolset } from "./api.js";
export * from "./text.js";
export { StoredEngine, StoredSession } from "./stored.js";
export type { CanvasStore, StoredRow } from "./stored.js";

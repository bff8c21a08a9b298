// What all entries with engines export.
import { engineClasses } from "./engine.js";
import { native } from "./module.js";
import { textFunctions } from "./text.js";

export const { Engine, Session, StoredEngine, StoredSession } = engineClasses(native);
export const { apply, build, outline, resolve, grep, positions, editStructure, effects, redline } = textFunctions(native);
export { Reply } from "./engine.js";
export { AddressError, CanvasError, PatchRejected, StaleEdit } from "./errors.js";

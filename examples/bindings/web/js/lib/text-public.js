// What all entries without engines export.
import { native } from "./text-module.js";
import { textFunctions } from "./text.js";

export const { apply, build, outline, resolve, grep, positions, editStructure, effects, redline } = textFunctions(native);
export { AddressError, CanvasError, PatchRejected } from "./errors.js";

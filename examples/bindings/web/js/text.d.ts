export {
  AddressError, CanvasError, PatchRejected, apply, build, editStructure, grep, outline, positions, resolve,
} from "./types.js";
export type {
  Applied, Fields, Found, Json, JsonObject, Lines, Match, Offset, Place, Position, Repair, Restructured, Section,
} from "./types.js";

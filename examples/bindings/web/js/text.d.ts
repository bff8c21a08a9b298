export {
  AddressError, CanvasError, PatchRejected, apply, build, editStructure, effects, grep, outline, positions, redline, resolve,
} from "./types.js";
export type {
  Applied, Effect, Fields, Found, Json, JsonObject, Lines, Match, Offset, Place, Position, Repair, Restructured, Section, Span,
} from "./types.js";

export {
  AddressError, CanvasError, PatchRejected, apply, build, editStructure, effects, grep, outline, positions, redline, resolve,
} from "./api.js";
export type {
  Applied, Code, Effect, Fields, Found, Json, JsonObject, Lines, Match, Offset, Place, Position, Reason, Repair, Restructured, Section, Span,
} from "./api.js";

/**
 * Moves an offset of a textarea through a change, given as the pieces of `redline`. Both count UTF-16 units. An offset in
 * deleted words goes to their place, and one at the place of new words stays before them.
 *
 * @param {readonly import("canvas-engine").Span[]} spans
 * @param {number} offset
 */
export function follow(spans, offset) {
  let [before, after] = [0, 0];
  for (const { kind, text } of spans) {
    if (before >= offset && kind !== "delete") {
      break;
    }
    if (kind === "insert") {
      after += text.length;
    } else {
      const passed = Math.min(text.length, offset - before);
      before += passed;
      after += kind === "keep" ? passed : 0;
    }
  }
  return after;
}

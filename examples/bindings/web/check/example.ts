// Every type of the package, as a strict program uses it.
import { AddressError, CanvasError, Engine, PatchRejected, type Json, type Reply, type Session } from "canvas-engine";
import { init, positions as slimPositions } from "canvas-engine/slim";
import { apply, build, editStructure, grep, outline, positions, resolve, type Applied, type Position } from "canvas-engine/text";

const applied: Applied = apply("a\n", build("a\n", "b\n", { context: 1 }), { mode: "anchored" });
const lines: number[] = applied.spans.flatMap(({ startLine, endLine }) => [startLine, endLine]);
const [position]: Position[] = positions("a", [{ utf16: 0 }, { line: 1, scalarColumn: 0 }]);
const title: string | undefined = outline("# A\n")[0]?.path[0];
const place: string = resolve("# A\n", { section: ["A"] }).text;
const found: boolean = grep("a", "a", { regex: false }).truncated;
const moved: string = editStructure("# A\n", { shift: { section: ["A"], by: 1 } }, { protect: [{ lines: [1, 1] }] }).inverse;

using engine: Engine = new Engine({ clock: () => 1_000 });
const revision: string = engine.create("plan", "a\n", { person: "anna" });
engine.edit("plan", "b\n", { base: revision });
using session: Session = engine.join("plan", "chat", { toolset: "extended" });
const reply: Reply = session.call("canvas_check_out", {}, { callId: "1" });
const lease: Json | undefined = reply.body["lease_id"];
session.mode("propose");
const hidden: string | null = session.end().hiddenMessage;
try {
  engine.call("history.undo", { canvas: "plan", steps: 1 });
} catch (error) {
  if (error instanceof PatchRejected || error instanceof AddressError) {
    console.log(error.details);
  } else if (error instanceof CanvasError) {
    console.log(error.code, error.retryable, error.place);
  }
}
await init(new Uint8Array());
console.log(lines, position?.utf16, title, place, found, moved, lease, hidden, slimPositions);

// @ts-expect-error There is no such mode.
apply("a", "b", { mode: "loose" });
// @ts-expect-error An edit has a base, or `null`.
engine.edit("plan", "b\n");
// @ts-expect-error A session comes from an engine.
new Session();
// @ts-expect-error An offset has a unit.
positions("a", [{ column: 1 }]);

// Every type of the package, as a strict program uses it.
import { AddressError, CanvasError, Engine, PatchRejected, StaleEdit, type Code, type Json, type Reply, type Session } from "canvas-engine";
import { init, positions as slimPositions } from "canvas-engine/slim";
import { apply, build, editStructure, grep, outline, positions, resolve, type Applied, type Position } from "canvas-engine/text";
import type { Actor, CanvasCommandInput, LockEvent, Proposal } from "canvas-engine/types";

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
  } else if (error instanceof StaleEdit) {
    const diff: string | null | undefined = error.changes?.diff;
    console.log(diff);
  } else if (error instanceof CanvasError) {
    console.log(error.code, error.retryable, error.place);
  }
}
const code: Code | null = reply.code;
switch (code) {
  case "STALE_EPOCH":
  case "CLOSED":
    console.log("again");
}
// Results of other operations have the types of the schemas.
const proposals = engine.call("proposal.list", { canvas: "plan" })["proposals"] as unknown as Proposal[];
const ids: string[] = proposals.flatMap(({ parts }) => parts.map(({ id }) => id));
const actor: Actor = { conversation: "chat", turn: 1 };
const command: CanvasCommandInput = { type: "component.remove", payload: { componentId: "cmp_1" } };
const seen = (event: LockEvent): string => JSON.stringify(event);
console.log(ids, actor, command, seen);
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
// @ts-expect-error There is no such code.
const noCode: Code = "STALE_EPOCHS";
// @ts-expect-error A turn is a number.
const noActor: Actor = { conversation: "chat", turn: "1" };
// @ts-expect-error No command has this type.
const noCommand: CanvasCommandInput = { type: "component.fly", payload: {} };
console.log(noCode, noActor, noCommand);

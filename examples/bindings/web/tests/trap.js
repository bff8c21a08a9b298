// A worker of Node whose module may not grow: a call that needs more memory traps.
import { readFile } from "node:fs/promises";
import { parentPort, workerData } from "node:worker_threads";

const { Engine, apply, init } = await import("canvas-engine/slim");
const codeOf = (act) => {
  try {
    act();
    return null;
  } catch (error) {
    return error.code;
  }
};
const unloaded = [codeOf(() => new Engine()), codeOf(() => apply("", ""))];
const none = await init(undefined).catch(({ code }) => code);
await init(limited(await readFile(workerData)));
await init(new Uint8Array());
// More than the module may have, if it kept what engines leave.
for (let round = 0; round < 1_000; round += 1) {
  const engine = new Engine();
  engine.create("plan", "some text\n".repeat(1_000));
  engine.close();
}
const engine = new Engine();
engine.create("plan", "fits\n");
const trapped = [
  codeOf(() => engine.create("huge", "x".repeat(64 << 20))),
  codeOf(() => engine.document("plan")),
  codeOf(() => new Engine()),
  codeOf(() => apply("", "")),
  codeOf(() => engine.close()),
];
parentPort.postMessage({ unloaded, none, trapped });

/** The bytes of a module whose memory has a maximum, which is 64 pages more than it begins with. */
function limited(bytes) {
  const read = (at) => {
    let [value, shift] = [0, 0];
    for (;;) {
      const byte = bytes[at++];
      value |= (byte & 127) << shift;
      shift += 7;
      if (byte < 128) {
        return [value, at];
      }
    }
  };
  const write = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...write(value >>> 7)]);
  for (let at = 8; at < bytes.length; ) {
    const [length, start] = read(at + 1);
    if (bytes[at] === 5) {
      const [pages] = read(start + 2);
      const memory = [1, 1, ...write(pages), ...write(pages + 64)];
      return Buffer.concat([bytes.subarray(0, at + 1), Buffer.from([memory.length, ...memory]), bytes.subarray(start + length)]);
    }
    at = start + length;
  }
  throw new Error("the module has no memory of its own");
}

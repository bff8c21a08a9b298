// A worker of Node or of a page: runs the tests of an entry.
import { testsOf } from "./all.js";
import { failures } from "./run.js";

const run = async (entry) => failures(testsOf(await import(entry)));

if (globalThis.process?.versions?.node === undefined) {
  onmessage = async ({ data }) => postMessage(await run(data));
} else {
  const { parentPort, workerData } = await import("node:worker_threads");
  parentPort.postMessage(await run(workerData));
}

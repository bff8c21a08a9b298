// The server under test, as a process that this program has started and ends by its id.
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { PATIENCE } from "./report.mjs";

/** Starts `canvas-studio`; `port` 0 takes any. It fails where the program ends before it has said its address. */
export async function start(program, { port = 0, db, more = [] } = {}) {
  const child = spawn(program, ["--port", String(port), ...(db ? ["--db", db] : []), ...more], { stdio: ["ignore", "pipe", "pipe"] });
  // However this program ends.
  process.once("exit", () => child.kill("SIGKILL"));
  const studio = {
    child,
    /** What it wrote to standard output and standard error. */
    out: [],
    log: "",
    get isRunning() {
      return child.exitCode === null && child.signalCode === null;
    },
    gone: new Promise((resolve) => child.on("exit", (code, signal) => resolve({ code, signal }))),
    /** Ends it by its id, and gives how it ended. */
    async end(signal = "SIGTERM") {
      if (studio.isRunning) child.kill(signal);
      const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
      const how = await studio.gone;
      clearTimeout(timer);
      return how;
    },
  };
  child.stderr.on("data", (chunk) => {
    studio.log = (studio.log + chunk).slice(-8_000);
  });
  studio.page = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no address within ${PATIENCE} ms: ${studio.log}`)), PATIENCE);
    createInterface(child.stdout).on("line", (line) => {
      studio.out.push(line);
      clearTimeout(timer);
      resolve(line.trim().replace(/\/$/, ""));
    });
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`the server ended with ${code}: ${studio.log}`)));
  });
  studio.port = Number(new URL(studio.page).port);
  return studio;
}

/** Runs the program until it ends by itself. */
export async function ran(program, more) {
  const child = spawn(program, more, { stdio: ["ignore", "pipe", "pipe"] });
  let [out, log] = ["", ""];
  child.stdout.on("data", (chunk) => (out += chunk));
  child.stderr.on("data", (chunk) => (log += chunk));
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
  const code = await new Promise((resolve) => child.on("exit", resolve));
  clearTimeout(timer);
  return { code, out, log };
}

/** A port that nobody listens at, as far as can be said. */
export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

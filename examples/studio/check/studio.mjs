// The server under test, browsers' pages, and a client of its socket.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import WebSocket from "ws";
import { that } from "./report.mjs";

export const CANVAS = "studio";

/** Starts the studio; ends it by its process id. */
export async function start(binary, args, env = {}) {
  const child = spawn(binary, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
  let log = "";
  child.stderr.on("data", (chunk) => {
    log = (log + chunk).slice(-4_000);
  });
  const ended = new Promise((resolve) => child.on("exit", (code, signal) => resolve({ code, signal, log })));
  const lines = [];
  const url = await new Promise((resolve, reject) => {
    createInterface(child.stdout).on("line", (line) => {
      lines.push(line);
      resolve(line.trim());
    });
    ended.then(({ code, log }) => reject(new Error(`the studio ended with ${code}: ${log}`)));
    child.on("error", reject);
  });
  const stop = async (signal = "SIGTERM") => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return ended;
  };
  return { url, port: Number(new URL(url).port), pid: child.pid, stop, lines, log: () => log };
}

/** A client of the socket; `origin` is the page's unless it is given. */
export async function client(studio, { origin = new URL(studio.url).origin, headers = {}, name = `check-${Math.random()}` } = {}) {
  const socket = new WebSocket(`ws://127.0.0.1:${studio.port}/ws`, { origin: origin ?? undefined, headers });
  const events = [];
  const waiting = new Map();
  const loose = [];
  socket.on("message", (data) => {
    const message = JSON.parse(String(data));
    if (message.type === "evt") events.push(message);
    else if (waiting.has(message.id)) {
      waiting.get(message.id)(message);
      waiting.delete(message.id);
    } else loose.push(message);
  });
  const closed = new Promise((resolve) => socket.on("close", (code) => resolve(code)));
  await new Promise((resolve, reject) => {
    socket.on("open", resolve);
    socket.on("error", reject);
    socket.on("unexpected-response", (_, response) => reject(Object.assign(new Error(`status ${response.statusCode}`), { status: response.statusCode })));
  });
  let made = 0;
  const request = (method, params = {}, id = `q${++made}`) =>
    new Promise((resolve, reject) => {
      waiting.set(id, resolve);
      closed.then(() => reject(new Error("closed")));
      socket.send(JSON.stringify({ type: "req", id, method, params }));
    });
  const ask = async (method, params = {}) => {
    const answer = await request(method, { canvasId: CANVAS, ...params });
    that(answer.ok, `${method}: ${JSON.stringify(answer.error)}`);
    return answer.result;
  };
  if (name) await request("hello", { clientId: name });
  return { socket, events, loose, closed, request, ask, end: () => socket.terminate() };
}

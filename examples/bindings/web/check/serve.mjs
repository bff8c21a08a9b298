import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const types = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
const page = "<!doctype html><meta charset=utf-8><title>canvas-engine</title>";

/** Serves a folder on loopback, and an empty page at its root. Returns the server and its origin. */
export async function served(folder) {
  const server = createServer(async ({ url }, response) => {
    const path = normalize(decodeURIComponent(new URL(url, "http://localhost").pathname));
    try {
      const body = path === "/" ? page : await readFile(join(folder, path));
      response.writeHead(200, { "content-type": types[path === "/" ? ".html" : extname(path)] ?? "application/octet-stream" });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, origin: `http://127.0.0.1:${server.address().port}` };
}

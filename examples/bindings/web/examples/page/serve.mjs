// Serves this folder and the installed package on loopback.
//
//   node serve.mjs [PORT]
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGE = "/canvas-engine/";
const folder = fileURLToPath(new URL(".", import.meta.url));
const installed = fileURLToPath(new URL(".", import.meta.resolve("canvas-engine")));
const types = { ".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

/** The file of a path. A URL has no `..` left. */
function fileOf(path) {
  return path.startsWith(PACKAGE) ? join(installed, path.slice(PACKAGE.length)) : join(folder, path === "/" ? "index.html" : path);
}

const server = createServer(async ({ url }, response) => {
  try {
    const file = fileOf(decodeURIComponent(new URL(url ?? "/", "http://localhost").pathname));
    const type = types[extname(file)];
    // Neither scripts of the server nor other files.
    const body = type === undefined ? undefined : await readFile(file);
    response.writeHead(body === undefined ? 404 : 200, { "content-type": type ?? "text/plain", "cache-control": "no-cache" });
    response.end(body);
  } catch {
    response.writeHead(404).end();
  }
});
server.listen(Number(process.argv[2] ?? 8080), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/`));

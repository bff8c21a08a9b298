// The host's web server: its page, the views under the policy that hosts give them, and the way to the MCP server.

import { createServer, request as forward } from "node:http";
import { build } from "esbuild";

const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'none'; frame-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'";
// Gives the port, and what ends the server.
// `servers` has the address of a server by its path.
export async function web(views, servers) {
  const {
    outputFiles: [bundle],
  } = await build({
    entryPoints: [new URL("host.js", import.meta.url).pathname],
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
    logLevel: "silent",
  });
  const html = `<!doctype html><html lang="en"><title>Host</title><link rel="icon" href="data:,"><style>body { margin: 0 } iframe { border: 0; width: 100%; height: 900px; display: block }</style><body><script type="module" src="/host.js"></script>`;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://host");
    const send = (type, body, more = {}) => response.writeHead(200, { "content-type": type, ...more }).end(body);
    if (pathname === "/") return send("text/html", html);
    if (pathname === "/host.js") return send("text/javascript", bundle.contents);
    if (views[pathname.slice(1)]) return send("text/html; charset=utf-8", views[pathname.slice(1)], { "content-security-policy": POLICY });
    if (!servers[pathname]) return response.writeHead(404).end();
    // The server is asked as a client on this machine would, not as a page.
    const { origin, referer, host, connection, ...headers } = request.headers;
    const onward = forward(servers[pathname], { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const end = () => {
    server.closeAllConnections();
    server.close();
  };
  return { port: server.address().port, end };
}

// A place that nothing of the studio may reach: it listens on one port, by TCP and by UDP, and keeps what comes. It also
// serves the page of another site, for windows that are to be hostile.
import { createSocket } from "node:dgram";
import { createServer } from "node:http";

export async function elsewhere(pages = {}) {
  const hits = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://elsewhere");
    if (pages[pathname]) return response.writeHead(200, { "content-type": "text/html" }).end(pages[pathname]);
    hits.push(`${request.method} ${request.url} of ${request.headers.origin ?? request.headers.referer ?? "nobody"}`);
    response.writeHead(204, { "access-control-allow-origin": "*" }).end();
  });
  server.on("clientError", (error, socket) => {
    if (error.bytesParsed > 0) hits.push(`bytes: ${error.code}`);
    socket.destroy();
  });
  let opened = 0;
  server.on("connection", (socket) => {
    opened += 1;
    socket.on("error", () => {});
  });
  server.on("upgrade", (request, socket) => {
    hits.push(`upgrade ${request.url}`);
    socket.destroy();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  const packets = createSocket("udp4");
  packets.on("message", (_, { port: from }) => hits.push(`a packet from port ${from}`));
  packets.on("error", () => {});
  await new Promise((resolve) => packets.bind(port, "127.0.0.1", resolve));
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    hits,
    /** Connections that were opened, used or not: Chromium opens one ahead of a frame's navigation that it then refuses. */
    get connections() {
      return opened;
    },
    end() {
      packets.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

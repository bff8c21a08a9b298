// Bad input over HTTP: paths that climb, hosts of others, methods, lengths. And what the policies of both origins are worth.
import { connect } from "node:net";
import { CspEvaluator } from "csp_evaluator/dist/evaluator.js";
import { Severity } from "csp_evaluator/dist/finding.js";
import { CspParser } from "csp_evaluator/dist/parser.js";
import { check, equal, PATIENCE, that } from "./report.mjs";

const HIGH = new Set([Severity.HIGH, Severity.HIGH_MAYBE, Severity.SYNTAX]);

/** Sends bytes as they are, and gives status, headers and body of what comes back; status 0 where nothing does. */
export function raw(port, bytes) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    const done = () => {
      socket.destroy();
      const [head, ...body] = text.split("\r\n\r\n");
      resolve({ status: Number(/^HTTP\/1\.\d (\d+)/.exec(head)?.[1] ?? 0), head: head.toLowerCase(), body: body.join("\r\n\r\n") });
    };
    const timer = setTimeout(done, PATIENCE);
    const end = () => (clearTimeout(timer), done());
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (text.length > 1 << 20) end();
    });
    socket.on("close", end);
    socket.on("error", end);
    socket.write(bytes);
  });
}
const get = (port, path, { host = `127.0.0.1:${port}`, method = "GET", more = "" } = {}) =>
  raw(
    port,
    Buffer.from(`${method} ${path} HTTP/1.1\r\n${host === null ? "" : `Host: ${host}\r\n`}${more}Connection: close\r\n\r\n`, "latin1"),
  );

// Ways up from an asset, or from the page's files.
const UP = [
  "../",
  "..%2f",
  "%2e%2e/",
  "%2e%2e%2f",
  "%252e%252e/",
  "%252e%252e%252f",
  "..\\",
  "..%5c",
  "%2e%2e%5c",
  "..%255c",
  ".%2e/",
  "....//",
  "..;/",
  "%c0%ae%c0%ae/",
  "..%c0%af",
  "%uff0e%uff0e/",
  "..%00/",
];
const TARGETS = ["etc/passwd", "Cargo.toml", "studio.db", "index.html"];

export async function httpScenes({ studio, client }) {
  const frames = Number(new URL(client.hello.frameOrigin).port);
  const { port } = studio;
  const goesOn = async () => equal((await get(port, "/")).status, 200, "the page");
  const isRefused = ({ status, body }, what) => {
    that(status === 0 || (status >= 400 && status < 500), `${what}: status ${status}`);
    that(!/root:|\[package\]|SQLite format/.test(body), `${what}: a file of the machine`);
  };

  await check("bad input: paths that climb find nothing, raw, %2e, %252e, backslash, NUL, on both origins", async () => {
    let tried = 0;
    const roots = [
      [port, "/"],
      [port, "/frame/"],
      [frames, "/f/studio/assets/"],
      [frames, "/f/studio/"],
      [frames, "/f/"],
      [frames, "/"],
    ];
    for (const [at, root] of roots) {
      for (const up of UP) {
        for (const target of TARGETS) {
          // One step down and one up may be the same file by another name; more must not be.
          const depth = target === "index.html" ? 2 : 6;
          const path = `${root}${up.repeat(depth)}${target}`;
          isRefused(await get(at, path), path);
          tried += 1;
        }
      }
    }
    for (const path of [
      "/\0",
      "/%00",
      "/index.html%00.js",
      "/index.html\0",
      "//etc/passwd",
      "/C:\\windows\\win.ini",
      "/./index.html",
      "/.git/config",
      "/%",
      "/%zz",
      "/\u00ff",
      `/f/studio/assets/index.html%00.png`,
    ]) {
      for (const at of [port, frames]) {
        isRefused(await get(at, path), path);
        tried += 1;
      }
    }
    for (const asset of [
      "assets/%2e%2e/assets/index.html",
      "assets/./index.html",
      "assets//index.html",
      "ASSETS/index.html",
      "assets%2findex.html/..",
      "spec",
      "../other/assets/index.html",
    ]) {
      const answer = await get(frames, `/f/studio/${asset}`);
      that(answer.status === 404 || answer.status === 400 || answer.body.includes("data-gsv-action"), `${asset}: ${answer.status}`);
      tried += 1;
    }
    await goesOn();
    return `${tried} paths`;
  });
  await check("bad input: another host's name is refused on both origins", async () => {
    for (const at of [port, frames]) {
      for (const host of [
        "evil.test",
        `evil.test:${at}`,
        "127.0.0.1",
        `127.0.0.1:${at + 1}`,
        `127.0.0.1.evil.test:${at}`,
        "",
        null,
        `127.0.0.1:${at}\r\nHost: evil.test`,
        `evil.test\r\nX-Forwarded-Host: 127.0.0.1:${at}`,
      ]) {
        const { status, body } = await get(at, at === port ? "/" : "/gsv.js", { host });
        that(status >= 400 && status < 500, `${JSON.stringify(host)}: status ${status}`);
        that(!body.includes("gsvCanvas") && !body.includes("<section"), "the file came all the same");
      }
      equal((await get(at, at === port ? "/" : "/gsv.js", { host: `localhost:${at}` })).status, 200, "localhost");
    }
  });
  await check("bad input: only GET and HEAD", async () => {
    for (const at of [port, frames]) {
      for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW", "get"]) {
        const { status, body } = await get(at, at === port ? "/" : "/gsv.js", { method, more: "Content-Length: 0\r\n" });
        that(status >= 400 && status < 500, `${method}: status ${status}`);
        that(!body.includes("gsvCanvas"), `${method} gave the file`);
      }
      const { status, body } = await get(at, at === port ? "/" : "/gsv.js", { method: "HEAD" });
      equal([status, body], [200, ""], "HEAD");
    }
    const { status } = await get(port, "/ws", { method: "GET" });
    that(status >= 400 && status < 500, `a GET of the socket: ${status}`);
  });
  await check("bad input: long addresses, many headers, halves of requests, other forms of address", async () => {
    const seen = [];
    for (const at of [port, frames]) {
      const tries = {
        "64 KiB of path": await get(at, `/${"a".repeat(64 << 10)}`),
        "1 MiB of path": await get(at, `/${"a".repeat(1 << 20)}`),
        "1,000 headers": await get(at, "/", { more: Array.from({ length: 1_000 }, (_, k) => `X-${k}: y\r\n`).join("") }),
        "1 MiB in a header": await get(at, "/nothing", { more: `X-A: ${"y".repeat(1 << 20)}\r\n` }),
        garbage: await raw(at, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"),
        "an address of elsewhere": await raw(at, `GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n`),
        "two lengths": await get(at, "/nothing", { more: "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n" }),
      };
      for (const [name, answer] of Object.entries(tries)) {
        isRefused(answer, name);
        seen.push(answer.status);
      }
    }
    // Halves, which hold a connection and nothing else.
    const halves = Array.from({ length: 50 }, () => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => {});
      socket.write("GET / HTTP/1.1\r\nHost: 127");
      return socket;
    });
    await goesOn();
    for (const socket of halves) socket.destroy();
    return [...new Set(seen)].join(", ");
  });

  const wanted = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  };
  for (const [name, at, path] of [
    ["page", port, "/"],
    ["frame", frames, "/f/studio/assets/index.html"],
    ["missing file of the page", port, "/nothing"],
    ["missing file of frames", frames, "/nothing"],
  ]) {
    await check(`headers of the ${name}`, async () => {
      const { head } = await get(at, path);
      for (const [header, value] of Object.entries(wanted)) that(head.includes(`${header}: ${value}`), `no ${header}`);
      that(head.includes("permissions-policy:"), "no permissions-policy");
      const policy = /content-security-policy: (.*)/.exec(head)?.[1] ?? "";
      that(policy.includes("default-src 'none'"), `policy: ${policy}`);
      if (at === frames) {
        for (const part of ["connect-src 'none'", "sandbox allow-scripts", "form-action 'none'"])
          that(policy.includes(part), `no ${part} in ${policy}`);
        that(policy.includes(`frame-ancestors http://127.0.0.1:${port}`), "frame-ancestors");
      } else {
        that(policy.includes(`frame-src http://127.0.0.1:${frames}`), "frame-src");
        that(policy.includes("frame-ancestors 'none'") && policy.includes("require-trusted-types-for 'script'"), policy);
        that(head.includes("cross-origin-opener-policy: same-origin"), "opener policy");
      }
    });
  }
  for (const [name, at, path] of [
    ["page", port, "/"],
    ["frame", frames, "/f/studio/assets/index.html"],
  ]) {
    await check(`csp_evaluator: no high finding for the ${name}`, async () => {
      const { head } = await get(at, path);
      const { csp } = new CspParser(/content-security-policy: (.*)/.exec(head)[1]);
      const findings = new CspEvaluator(csp).evaluate();
      const high = findings.filter(({ severity }) => HIGH.has(severity));
      equal(
        high.map(({ directive, value, description }) => [directive, value, description]),
        [],
        "findings",
      );
      return [...new Set(findings.map(({ description, directive }) => `lower: ${directive}: ${description}`))].join(" ");
    });
  }
}

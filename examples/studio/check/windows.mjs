// The browser and its windows, and what they must never do: ask for anything outside of this machine, or report errors.
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { check, PATIENCE, that } from "./report.mjs";

const require = createRequire(import.meta.url);
// What the names of hostile pages are resolved to, so that the browser's log tells them from what it asks for by itself.
const LEAK = "leak.localhost";
export const WIDE = { width: 1440, height: 1000 };

/** What a browser says of a server that was ended on purpose. */
export const UNREACHED = /^(WebSocket connection to 'ws:\/\/127\.0\.0\.1|Failed to load resource: net::ERR_CONNECTION_REFUSED)/;

export class Windows {
  #opened = 0;
  /** Requests whose host is not this machine. */
  strays = [];
  requests = 0;
  /** Errors of consoles that nobody has announced. */
  errors = [];

  /** `folder` takes the log of the network and, where no other folder is named, the screenshots. */
  static async open(program, folder, shots) {
    const windows = new Windows();
    windows.shots = shots;
    windows.netlog = join(folder, "net.json");
    windows.browser = await chromium.launch({
      executablePath: program,
      args: [
        "--no-sandbox",
        `--host-resolver-rules=MAP *.leak.test ${LEAK}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`,
        `--log-net-log=${windows.netlog}`,
        "--net-log-capture-mode=Default",
      ],
      timeout: PATIENCE,
    });
    return windows;
  }

  /**
   * A window at an address. `expects` says which errors of its console are provoked on purpose.
   */
  async window(address, { expects, theme = "light", size = WIDE, ...more } = {}) {
    const context = await this.browser.newContext({ viewport: size, colorScheme: theme, reducedMotion: "reduce", ...more });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    this.#opened += 1;
    const name = `window ${this.#opened}`;
    const it = new Window(this, page, name, expects);
    context.on("request", (request) => this.#asked(request.url()));
    // What the policy of a page has stopped was not sent.
    context.on("requestfailed", (request) => /csp/i.test(request.failure()?.errorText ?? "") && this.#stopped(request.url()));
    page.on("websocket", (socket) => {
      this.#asked(socket.url());
      socket.on("framesent", ({ payload }) => it.sent.push(JSON.parse(payload)));
    });
    page.on("console", (message) => message.type() === "error" && it.fault(message.text()));
    page.on("pageerror", (error) => it.fault(error.message));
    page.on("dialog", (dialog) => dialog.accept().catch(() => {}));
    if (address) await page.goto(address);
    return it;
  }

  #asked(url) {
    this.requests += 1;
    const { protocol, hostname } = new URL(url);
    if (!["data:", "blob:", "about:"].includes(protocol) && hostname !== "127.0.0.1" && hostname !== "localhost") this.strays.push(url);
  }

  #stopped(url) {
    const at = this.strays.indexOf(url);
    if (at >= 0) this.strays.splice(at, 1);
  }

  /** Ends the browser, and gives the hosts other than this machine that its network was asked for by pages. */
  async end() {
    await this.browser.close();
    const log = await readFile(this.netlog, "utf8");
    const hosts = new Set();
    for (const [, address] of log.matchAll(/"(?:host|url|hostname)":"((?:[^"\\]|\\.)*)"/g)) {
      const name = hostOf(address);
      if (name && !OWN.test(name)) hosts.add(name);
    }
    return [...hosts];
  }
}

// Whom the browser itself asks, whatever it shows: for its parts, its account and its forms.
const OWN = /^(~notfound|([a-z0-9-]+\.)*(google\.com|googleapis\.com|gvt1\.com))$/;

// The host of an address of the log, or nothing where it is this machine or no address of a network.
function hostOf(text) {
  const withScheme = /^[a-z][a-z0-9+.-]*:/i.test(text) && !/^[a-z0-9.-]+:\d+$/i.test(text) ? text : `http://${text}`;
  if (!/^(https?|wss?):/i.test(withScheme) || !URL.canParse(withScheme)) return null;
  const { hostname } = new URL(withScheme);
  return /^(127\.0\.0\.1|localhost|\[::1\]|)$/.test(hostname) ? null : hostname;
}

export class Window {
  #windows;
  /** Errors of the console that were announced. */
  expected = [];
  /** Requests that its page has sent. */
  sent = [];

  constructor(windows, page, name, expects) {
    this.#windows = windows;
    this.page = page;
    this.name = name;
    this.expects = expects;
  }

  fault(text) {
    if (this.expects?.test(text)) this.expected.push(text);
    else this.#windows.errors.push(`${this.name}: ${text}`);
  }

  at(id) {
    return this.page.getByTestId(id);
  }
  get frame() {
    return this.page.frameLocator("[data-testid=surface-frame]");
  }
  /** The sentences that are shown now. */
  async says() {
    return (await this.at("status").innerText()).replace(/\s+/g, " ");
  }
  /** Waits until the page shows what the server has. */
  async ready() {
    await this.page.waitForFunction(() => document.querySelector("[data-testid=offline]")?.hidden === true);
    await this.page.waitForFunction(() => document.querySelector("[data-testid=board]") && document.querySelector("[data-testid=chat]"));
    return this;
  }

  theme(theme) {
    return this.page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
  }
  /** A screenshot in both themes. */
  async shot(name, { full = false, only = ["light", "dark"] } = {}) {
    if (!this.#windows.shots) return;
    for (const theme of only) {
      await this.theme(theme);
      await this.page.screenshot({ path: join(this.#windows.shots, `${name}-${theme}.png`), fullPage: full, animations: "disabled" });
    }
    await this.theme("light");
  }

  /** The findings of axe, of which none may be serious. */
  async axe(what = "html") {
    const source = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
    await this.page.evaluate(source);
    const { violations } = await this.page.evaluate(
      (root) =>
        window.axe.run(root, {
          runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"],
          resultTypes: ["violations"],
          iframes: false,
        }),
      what,
    );
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    const places = (nodes) =>
      nodes
        .map((node) => `${node.target} ${node.any?.[0]?.message ?? ""}`)
        .slice(0, 4)
        .join(" | ");
    that(serious.length === 0, serious.map(({ id, nodes }) => `${id}: ${places(nodes)}`).join("\n"));
    return violations.length ? `minor: ${violations.map(({ id }) => id).join(", ")}` : "";
  }

  close() {
    return this.page.context().close();
  }
}

/** A check that a part of a window has no serious finding, in both themes. */
export async function axe(window, name, part) {
  await check(`${name}, both themes`, async () => {
    const minor = new Set();
    for (const theme of ["light", "dark"]) {
      await window.theme(theme);
      minor.add(await window.axe(part));
    }
    await window.theme("light");
    return [...minor].filter(Boolean).join("; ");
  });
}

// A database that is locked or gone, a port that is taken, arguments that are wrong: a sentence each time, and nothing lost.
import { spawn } from "node:child_process";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { check, equal, that, until } from "./report.mjs";
import { boardOf } from "./board.mjs";
import { ran } from "./studio.mjs";
import { Client } from "./wire.mjs";

const HELD = 600_000; // ms after which a lock is let go in any case

/** Another process that holds a database, until it is told to let go. */
async function lock(db) {
  const script = `import sqlite3, sys
held = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=120)
held.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
sys.stdin.readline()
held.execute("ROLLBACK")`;
  const child = spawn("python3", ["-c", script, db], { stdio: ["pipe", "pipe", "pipe"], timeout: HELD });
  let log = "";
  child.stderr.on("data", (chunk) => (log += chunk));
  const gone = new Promise((resolve) => child.on("exit", resolve));
  await new Promise((resolve, reject) => {
    child.stdout.once("data", resolve);
    gone.then(() => reject(new Error(`nobody has locked the database: ${log}`)));
  });
  return async () => {
    child.stdin.end("\n");
    await gone;
  };
}

const typeAtStart = (window, text) =>
  window.page.evaluate((words) => {
    const editor = document.querySelector("[data-testid=doc]");
    editor.focus();
    editor.setRangeText(words, 0, 0, "end");
    editor.dispatchEvent(new InputEvent("input", { bubbles: true }));
  }, text);

export async function storeScenes({ windows, server, program, folder }) {
  const home = join(folder, "store");
  await mkdir(home);
  const db = join(home, "studio.db");
  const studio = await server({ db });
  const client = await Client.at(studio.page);
  const window = await (await windows.window(`${studio.page}/`)).ready();
  await window.at("doc-view").getByRole("heading").first().waitFor();
  const textOf = async () => (await client.get()).document.markdown;
  const [{ id }, { id: other }] = (await boardOf(client)).canvas.components;
  const said = async (pattern) => (await window.at("status").locator("p").allInnerTexts()).find((text) => pattern.test(text));

  await check("bad input: a database that another process has locked: sentences, nothing lost, the server goes on", async () => {
    const unlock = await lock(db);
    let sentence;
    try {
      await typeAtStart(window, "Typed while it was locked.\n\n");
      await window.at(`cmp-${id}`).focus();
      await window.page.keyboard.press("p");
      sentence = await until(() => said(/locked/i), "a sentence");
      that((await window.at("doc").inputValue()).startsWith("Typed while it was locked."), "the editor lost it");
      // Files are served, and others connect.
      equal((await fetch(`${studio.page}/`)).status, 200, "the page");
      await window.shot("locked");
    } finally {
      await unlock();
    }
    await until(async () => (await textOf()).startsWith("Typed while it was locked."), "what was typed, once it is free");
    await window.at(`cmp-${other}`).focus();
    await window.page.keyboard.press("Delete");
    await until(async () => (await boardOf(client)).canvas.components.every((one) => one.id !== other), "an act afterwards");
    return sentence;
  });
  await check("bad input: the database's file is taken away and put back: a sentence, nothing lost, the server goes on", async () => {
    const files = ["", "-wal", "-shm"];
    const move = async (from, to) => {
      for (const end of files) await rename(`${from}${end}`, `${to}${end}`).catch(() => {});
    };
    const away = join(home, "away.db");
    await move(db, away);
    let sentence;
    try {
      await typeAtStart(window, "Typed while it was away.\n\n");
      sentence = await until(() => said(/no longer at its place|cannot be reached/i), "a sentence");
      that((await window.at("doc").inputValue()).startsWith("Typed while it was away."), "the editor lost it");
      equal((await fetch(`${studio.page}/`)).status, 200, "the page");
      that(studio.isRunning, "the server ended");
      await window.shot("gone");
    } finally {
      await move(away, db);
    }
    await until(async () => (await textOf()).startsWith("Typed while it was away."), "what was typed, once it is back");
    return sentence;
  });

  const isSentence = ({ code, out, log }, what) => {
    that(code !== 0 && code !== null, `${what}: exit code ${code}`);
    equal(out, "", `${what}: standard output`);
    const lines = log.trim().split("\n");
    that(lines.length === 1 && /\w+ \w+ \w+/.test(lines[0]) && !/panicked|backtrace/i.test(log), `${what}: ${log}`);
    return lines[0];
  };
  await check("bad input: a port that is taken is one sentence, exit code 1; the first server goes on", async () => {
    const second = await ran(program, ["--port", String(studio.port)]);
    const sentence = isSentence(second, "port");
    equal(second.code, 1, "exit code");
    that(sentence.includes(String(studio.port)), sentence);
    await client.get();
    return sentence.replaceAll(String(studio.port), "PORT");
  });
  await check("bad input: wrong arguments, no folder, no database: one sentence each", async () => {
    const text = join(home, "text.db");
    await writeFile(text, "no database, but long enough to be read as one ".repeat(100));
    const tries = [
      ["--no-such"],
      ["--port"],
      ["--port", "99999"],
      ["--port", "x"],
      ["--db", join(home, "no", "x.db")],
      ["--db", text],
      ["--db", home],
      ["--script", join(home, "no.json")],
      ["--script", text],
      ["--live", "nobody"],
      ["--tools-version", "-1"],
    ];
    for (const more of tries) isSentence(await ran(program, ["--port", "0", ...more]), more.join(" ").replace(home, "FOLDER"));
    return `${tries.length} kinds`;
  });
  await window.close();
  await client.end();
  for (const signal of ["SIGTERM", "SIGINT"]) {
    await check(`${signal} with open windows: the server ends without waiting for them, with 0`, async () => {
      const one = signal === "SIGTERM" ? studio : await server({ db });
      const open = await windows.window(`${one.page}/`, { expects: /ERR_CONNECTION_REFUSED|WebSocket connection/ });
      await open.ready();
      const began = performance.now();
      const how = await one.end(signal);
      const took = performance.now() - began;
      equal(how, { code: 0, signal: null }, "how it ended");
      equal(one.out.length, 1, "lines of standard output");
      await open.close();
      return `${(took / 1_000).toFixed(2)} s`;
    });
  }
}

// A server that is killed and started again; a database that is locked; tools of another version.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { client as connect, start } from "./studio.mjs";
import { check, equal, that, until } from "./report.mjs";

export async function restarts(scene) {
  const { open, shot, folder, binary } = scene;
  const one = await open("restart-one");
  const two = await open("restart-two");
  const at = (page, id) => page.getByTestId(id);
  const again = async (...more) => {
    scene.studio = await start(binary, ["--port", String(scene.studio.port), "--db", join(folder, "studio.db"), ...more]);
    scene.client = await connect(scene.studio);
  };
  await check("acceptance 6 of 001: killed and started again, the windows reconnect and nothing is lost", async () => {
    const before = await scene.client.ask("canvas.get");
    await scene.studio.stop("SIGKILL");
    for (const page of [one, two]) await at(page, "offline").waitFor();
    await shot(one, "offline");
    await at(one, "doc").evaluate((area) => {
      area.focus();
      area.setSelectionRange(0, 0);
    });
    await one.keyboard.type("Typed while away. ");
    await again();
    for (const page of [one, two]) await at(page, "offline").waitFor({ state: "hidden", timeout: 12_000 });
    await until(async () => (await at(two, "doc").inputValue()).startsWith("Typed while away. "), "what was typed meanwhile", 8_000);
    const after = await scene.client.ask("canvas.get");
    equal(after.state, before.state, "state");
    equal(after.board.canvas.components.map(({ id, position }) => [id, position]), before.board.canvas.components.map(({ id, position }) => [id, position]), "board");
    equal(after.document.markdown, `Typed while away. ${before.document.markdown}`, "document");
  });
  await check("tools of another version: the stale mark shows, Rebuild sends one turn", async () => {
    await scene.studio.stop();
    await again("--tools-version", "2");
    for (const page of [one, two]) await at(page, "offline").waitFor({ state: "hidden", timeout: 12_000 });
    await scene.client.ask("recipe.refresh");
    const { recipe } = await scene.client.ask("canvas.get");
    const [id, data] = Object.entries(recipe.components)[0];
    equal(data.status, "stale", "status");
    await at(one, `stale-${id}`).waitFor().catch(async (fault) => {
      await shot(one, "FAILED-stale", { full: true });
      throw fault;
    });
    await shot(one, "stale", { full: true });
    await one.waitForTimeout(3_100);
    await at(one, `rebuild-${id}`).click();
    await until(async () => (await scene.client.ask("canvas.get")).recipe.components[id].status === "ready", "rebuilt", 15_000);
    await until(async () => (await at(one, `stale-${id}`).count()) === 0, "no mark");
  });
  await check("a database that another process has locked: a sentence, nothing lost, the server goes on", async () => {
    const script = "import sqlite3,sys,time\nc=sqlite3.connect(sys.argv[1],isolation_level=None)\nc.execute('BEGIN EXCLUSIVE')\nprint('locked',flush=True)\ntime.sleep(float(sys.argv[2]))\n";
    const locker = spawn("python3", ["-c", script, join(folder, "studio.db"), "9"], { stdio: ["ignore", "pipe", "inherit"] });
    await new Promise((resolve) => locker.stdout.once("data", resolve));
    const before = await at(one, "doc").inputValue();
    await at(one, "doc").evaluate((area) => {
      area.focus();
      area.setSelectionRange(0, 0);
    });
    await one.keyboard.type("Locked. ");
    equal(await at(one, "doc").inputValue(), `Locked. ${before}`, "the editor");
    await new Promise((resolve) => locker.on("exit", resolve));
    await until(async () => (await scene.client.ask("canvas.get")).document.markdown.startsWith("Locked. "), "stored in the end", 15_000);
    that(await at(two, "doc").inputValue(), "the other window");
  });
  await Promise.all([one.close(), two.close()]);
}

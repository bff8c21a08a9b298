// The studio in a browser: what it shows, and what it refuses.
//
//     npm ci && node check.mjs --studio PATH/TO/canvas-studio [--chromium PATH] [--shots FOLDER] [--only PART,PART] [--figures]
//
// Prints a line for each check and exits with 1 where one fails. With --shots, a screenshot of each scene in both themes
// stays in that folder. With --figures, it measures instead.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { boardScenes } from "./board.mjs";
import { documentScenes } from "./document.mjs";
import { figures } from "./figures.mjs";
import { frameScenes } from "./hostile-frame.mjs";
import { httpScenes } from "./hostile-http.mjs";
import { socketScenes } from "./hostile-socket.mjs";
import { storeScenes } from "./hostile-store.mjs";
import { judgeScenes } from "./judges.mjs";
import { pastScenes } from "./past.mjs";
import { peopleScenes } from "./people.mjs";
import { proposalScenes } from "./proposals.mjs";
import { failed, part, passed, seconds, told } from "./report.mjs";
import { restartScenes, staleScenes } from "./restart.mjs";
import { start } from "./studio.mjs";
import { surfaceScenes } from "./surface.mjs";
import { UNREACHED, Windows } from "./windows.mjs";
import { Client } from "./wire.mjs";

const { values: options } = parseArgs({
  options: {
    studio: { type: "string" },
    chromium: { type: "string", default: "/usr/bin/chromium" },
    shots: { type: "string" },
    only: { type: "string" },
    figures: { type: "boolean", default: false },
  },
});
if (!options.studio) {
  console.error("name the server: --studio PATH/TO/canvas-studio");
  process.exit(2);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));
process.stdout.once("error", () => process.exit(1));

// What is ended at the end, the last one first.
const ends = [];
let windows;

/** A server of this run, ended with it. */
async function server(how) {
  const studio = await start(options.studio, how);
  ends.push(() => studio.end());
  return studio;
}

async function shows(folder) {
  const db = join(folder, "studio.db");
  let studio = await server({ db });
  let client = await Client.at(studio.page);
  const expects = UNREACHED;
  const [a, b] = [await windows.window(`${studio.page}/`, { expects }), await windows.window(`${studio.page}/`, { expects })];
  await Promise.all([a.ready(), b.ready()]);
  const restart = async (more) => {
    await studio.end("SIGKILL");
    studio = await server({ db, port: studio.port, more });
    client = await Client.at(studio.page);
    return { studio, client };
  };
  const scenes = {
    document: documentScenes,
    board: boardScenes,
    surface: surfaceScenes,
    restart: async (all) => {
      await restartScenes({ ...all, restart });
      await restart(["--tools-version", "2"]);
      await staleScenes({ a, b, client });
    },
  };
  for (const name of SHOWN.filter(isAsked)) {
    part(name);
    await scenes[name]({ a, b, client, studio });
  }
  await Promise.all([a.close(), b.close()]);
  if (!isAsked("judges")) return;
  part("judges");
  await judgeScenes({ windows, studio, client });
}

// Scenes on a server of their own.
async function apart(name, scenes, folder) {
  const studio = await server({ db: join(folder, `${name}.db`) });
  const client = await Client.at(studio.page);
  part(name);
  await scenes({ windows, studio, client });
  await client.end();
}

// What must be refused, on a server of its own.
async function refuses(folder) {
  const studio = await server({ db: join(folder, "hostile.db") });
  const client = await Client.at(studio.page);
  const scenes = { sockets: socketScenes, http: httpScenes, frames: frameScenes };
  for (const name of REFUSED.filter(isAsked)) {
    part(name);
    await scenes[name]({ windows, studio, client });
  }
  await client.end();
}

const SHOWN = ["document", "board", "surface", "restart"];
const APART = { people: peopleScenes, past: pastScenes, proposals: proposalScenes };
const REFUSED = ["sockets", "http", "frames"];

const only = options.only?.split(",");
const isAsked = (name) => !only || only.includes(name);

try {
  const folder = await mkdtemp(join(tmpdir(), "canvas-studio-"));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  if (options.shots) await mkdir(options.shots, { recursive: true });
  windows = await Windows.open(options.chromium, folder, options.shots);
  ends.push(() => windows.browser.close());
  if (options.figures) await figures({ windows, server });
  else {
    if ([...SHOWN, "judges"].some(isAsked)) await shows(folder);
    for (const [name, scenes] of Object.entries(APART)) if (isAsked(name)) await apart(name, scenes, folder);
    if (REFUSED.some(isAsked)) await refuses(folder);
    if (isAsked("store")) {
      part("store");
      await storeScenes({ windows, server, program: options.studio, folder });
    }
  }
  const hosts = await windows.end();
  part("all of it");
  told(
    "requests that leave this machine",
    [...windows.strays, ...hosts].join("\n") || null,
    `0 of ${windows.requests}, and 0 in the browser's own log of its network`,
  );
  told("console errors", windows.errors.join("\n") || null, "0");
} catch (fault) {
  told("the check itself", fault.stack ?? fault);
  if (windows?.errors.length) told("console errors", windows.errors.join("\n"));
} finally {
  for (const end of ends.reverse()) await Promise.resolve(end()).catch(() => {});
}
console.log(failed ? `${failed} failed, ${passed} passed in ${seconds()} s` : `all ${passed} passed in ${seconds()} s`);
process.exit(failed ? 1 : 0);

// Runs the board's workloads on the libraries that people take today, and prints a JSON object a line:
// {work, size, subject, version, median_ns, result, flaw}.
//
//     node run.mjs FOLDER [--sizes 100,1000] [--seconds 20]
//
// FOLDER holds the workload files. `median_ns` is of all placements together for board-place, of one move for
// board-push, of one question for board-collide. What takes longer than the seconds is cut short, and `flaw` says so.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { bottom, getAllCollisions, moveElement } from "react-grid-layout/core";
import { fastVerticalCompactor } from "react-grid-layout/extras";
import * as Y from "yjs";

const require = createRequire(import.meta.url);
// Its bundle asks for a browser's global object, the engine in it for nothing of a browser.
globalThis.self = globalThis;
const { Engine } = require("gridstack/dist/gridstack-all.js");
const versions = require("./package.json").dependencies;

const COLUMNS = 12;

const folder = process.argv[2];
const option = (name, otherwise) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? otherwise : process.argv[at + 1];
};
if (!folder) {
  console.error("usage: node run.mjs FOLDER [--sizes 100,1000] [--seconds 20]");
  process.exit(2);
}
const sizes = option("--sizes", "100,1000").split(",").map(Number);
const seconds = Number(option("--seconds", "20"));
const read = (name) => JSON.parse(readFileSync(join(folder, name), "utf8"));

/** Both libraries, by the same three verbs. A board is whatever `start` or `fill` gives. */
const subjects = [
  {
    subject: "gridstack",
    // To lay out ten thousand takes it many minutes, before anything is timed.
    largest: 1000,
    version: versions.gridstack,
    start: () => new Engine({ column: COLUMNS, mode: "float" }),
    fill: (items) => {
      const nodes = items.map((item) => ({ id: item.id, ...rectangle(item) }));
      const engine = new Engine({ column: COLUMNS, mode: "float" });
      engine.batchUpdate();
      for (const node of nodes) engine.addNode(node);
      engine.batchUpdate(false, false);
      return engine;
    },
    place: (engine, { id, size }) => {
      engine.addNode({ id, w: size.cols, h: size.rows, autoPosition: true });
      return engine;
    },
    // As its drag does: not packed, others pushed down.
    move: (engine, id, { col, row }) => {
      const node = engine.nodes.find((node) => node.id === id);
      engine.moveNode(node, { x: col, y: row, w: node.w, h: node.h });
      return engine;
    },
    collide: (engine, bounds) => engine.collideAll({ _id: -1 }, rectangle(bounds)).length,
    items: (engine) => engine.nodes.map(({ id, x, y, w, h }) => ({ id, x, y, w, h })),
  },
  {
    subject: "rgl-fast",
    version: versions["react-grid-layout"],
    start: () => [],
    fill: (items) => items.map((item) => ({ i: item.id, ...rectangle(item) })),
    // It finds no place. As its examples do: columns in turn, below all others, and compacted upwards from there.
    place: (layout, { id, size }) => {
      const x = Math.min((2 * layout.length) % COLUMNS, COLUMNS - size.cols);
      const item = { i: id, x, y: bottom(layout), w: size.cols, h: size.rows };
      return fastVerticalCompactor.compact([...layout, item], COLUMNS);
    },
    move: (layout, id, { col, row }) => {
      const item = layout.find((item) => item.i === id);
      const moved = moveElement(layout, item, col, row, true, false, fastVerticalCompactor.type, COLUMNS);
      return fastVerticalCompactor.compact(moved, COLUMNS);
    },
    collide: (layout, bounds) => getAllCollisions(layout, { i: "", ...rectangle(bounds) }).length,
    items: (layout) => layout.map(({ i, x, y, w, h }) => ({ id: i, x, y, w, h })),
  },
];

const works = {
  "board-place": (subject, size) => {
    const workload = read(`workload_place_${size}.json`);
    const clock = stopwatch();
    let board;
    do {
      const start = performance.now();
      board = subject.start();
      let placed = 0;
      for (const op of workload.ops) {
        board = subject.place(board, op);
        placed += 1;
        if (performance.now() - start > seconds * 1e3 && placed < size) {
          return { flaw: `cut short after ${placed} of ${size} in ${seconds} s` };
        }
      }
      clock.samples.push(performance.now() - start);
    } while (!clock.isOver(9));
    const places = new Map(subject.items(board).map((item) => [item.id, item]));
    const expected = workload.expect_first_fit_row_major;
    const elsewhere = workload.ops.filter(({ id }, n) => {
      const { x, y } = places.get(id);
      return x !== expected[n].col || y !== expected[n].row;
    });
    const result = { rows: lowest(places.values()), elsewhere_than_first_fit: elsewhere.length };
    return { median_ns: clock.median_ns(), result: { ...result, overlaps: overlaps([...places.values()]) } };
  },

  "board-push": (subject, size) => {
    const workload = read(`workload_pushdown_${size}.json`);
    const clock = stopwatch();
    const result = { moves: 0, landed: 0, others_moved: 0, overlaps: 0 };
    for (const { id, position } of workload.ops) {
      const before = subject.fill(workload.initial);
      const start = performance.now();
      const after = subject.move(before, id, position);
      clock.samples.push(performance.now() - start);
      const items = subject.items(after);
      const from = new Map(workload.initial.map((item) => [item.id, item.position]));
      const moved = items.filter((item) => item.x !== from.get(item.id).col || item.y !== from.get(item.id).row);
      const mover = items.find((item) => item.id === id);
      result.moves += 1;
      result.landed += Number(mover.x === position.col && mover.y === position.row);
      result.others_moved += moved.filter((item) => item.id !== id).length;
      result.overlaps += overlaps(items);
      if (clock.isOver(Infinity)) break;
    }
    const short = result.moves < workload.ops.length;
    const flaw = short ? { flaw: `cut short after ${result.moves} of ${workload.ops.length} moves` } : {};
    return { median_ns: clock.median_ns(), result, ...flaw };
  },

  "board-collide": (subject, size) => {
    const workload = read(`workload_collide_${size}.json`);
    const board = subject.fill(read(workload.initial_from).initial);
    const clock = stopwatch();
    let hits;
    do {
      const start = performance.now();
      hits = workload.ops.reduce((hits, { bounds }) => hits + subject.collide(board, bounds), 0);
      clock.samples.push((performance.now() - start) / workload.ops.length);
    } while (!clock.isOver(15));
    const flaw = hits === workload.expect_total_hits ? {} : { flaw: "finds others than expected" };
    return { median_ns: clock.median_ns(), result: { hits, expected: workload.expect_total_hits }, ...flaw };
  },
};

for (const [work, run] of Object.entries(works)) {
  for (const size of sizes) {
    for (const subject of subjects) {
      const { subject: name, version } = subject;
      let row;
      try {
        row = size > (subject.largest ?? Infinity) ? { flaw: "not run at this size" } : run(subject, size);
      } catch (error) {
        row = { flaw: String(error) };
      }
      console.log(JSON.stringify({ work, size, subject: name, version, median_ns: null, ...row }));
    }
  }
}

if (sizes.includes(1000)) {
  console.log(JSON.stringify({ work: "board-undo", size: 1000, subject: "yjs", version: versions.yjs, ...undoAll() }));
}

/** A map of maps, one entry of the undo manager for each change; nothing keeps components from covering each other. */
function undoAll() {
  const { ops } = read("workload_undo_1000.json");
  const samples = { apply: [], undo: [], redo: [] };
  let entries = 0;
  for (let round = 0; round < 5; round++) {
    const doc = new Y.Doc();
    const components = doc.getMap("components");
    const manager = new Y.UndoManager(components, { captureTimeout: 0 });
    const timed = (name, run) => {
      const start = performance.now();
      run();
      samples[name].push(((performance.now() - start) * 1e6) / ops.length);
    };
    timed("apply", () => {
      for (const op of ops) {
        doc.transact(() => {
          if (op.op === "create") components.set(op.id, new Y.Map(Object.entries(op)));
          else if (op.op === "remove") components.delete(op.id);
          else if (op.op === "move") components.get(op.id).set("position", op.position);
          else components.get(op.id).set("config", { ...components.get(op.id).get("config"), ...op.config });
        });
      }
    });
    entries = manager.undoStack.length;
    timed("undo", () => {
      while (manager.undo());
    });
    const isEmpty = components.size === 0;
    timed("redo", () => {
      while (manager.redo());
    });
    if (!isEmpty) return { median_ns: null, flaw: "undo does not lead back" };
  }
  const median = (name) => Math.round(samples[name].sort((a, b) => a - b)[samples[name].length >> 1]);
  return { median_ns: median("undo"), result: { entries, redo_ns: median("redo"), apply_ns: median("apply") } };
}

function rectangle({ position, size }) {
  return { x: position.col, y: position.row, w: size.cols, h: size.rows };
}

function lowest(items) {
  return Math.max(...[...items].map((item) => item.y + item.h));
}

/** How many pairs share a cell, by an owner for each cell. */
function overlaps(items) {
  const owners = new Map();
  const pairs = new Set();
  items.forEach((item, n) => {
    for (let y = item.y; y < item.y + item.h; y++) {
      for (let x = item.x; x < item.x + item.w; x++) {
        const cell = y * 64 + x;
        for (const other of owners.get(cell) ?? []) pairs.add(`${other} ${n}`);
        owners.set(cell, [...(owners.get(cell) ?? []), n]);
      }
    }
  });
  return pairs.size;
}

function stopwatch() {
  const samples = [];
  const begin = performance.now();
  return {
    samples,
    isOver: (enough) => samples.length >= enough || performance.now() - begin > seconds * 1e3,
    median_ns: () => Math.round([...samples].sort((a, b) => a - b)[samples.length >> 1] * 1e6),
  };
}

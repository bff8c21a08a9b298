// Laws of places on the grid. `node --test check/place.test.mjs`
import assert from "node:assert/strict";
import test from "node:test";
import { extent, inside, Occupancy, placeOf } from "../web/place.js";

// A generator with a seed, so that a failure can be had again.
const SEED = Number(process.env.SEED ?? 7);
function random(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
const meets = (a, b) => a.col < b.col + b.cols && b.col < a.col + a.cols && a.row < b.row + b.rows && b.row < a.row + a.rows;

test("a place is free where it is in the grid and meets no other", () => {
  const pick = random(SEED);
  for (let round = 0; round < 300; round += 1) {
    const grid = { columns: 1 + pick(9), rows: 1 + pick(9) };
    const place = () => ({ col: pick(10), row: pick(10), cols: 1 + pick(4), rows: 1 + pick(4) });
    const others = Array.from({ length: pick(6) }, place);
    const table = new Occupancy(grid, others);
    for (let n = 0; n < 20; n += 1) {
      const one = place();
      const isIn = one.col + one.cols <= grid.columns && one.row + one.rows <= grid.rows;
      assert.equal(table.isFree(one), isIn && !others.some((other) => meets(one, other)), JSON.stringify({ grid, others, one }));
    }
    const wanted = place();
    const free = table.free(wanted, 1_000);
    const far = free.map(({ col, row }) => Math.abs(col - wanted.col) + Math.abs(row - wanted.row));
    assert.deepEqual(
      far,
      [...far].sort((a, b) => a - b),
    );
    for (const at of free) assert.ok(table.isFree({ ...wanted, ...at }));
    let count = 0;
    for (let row = 0; row < grid.rows; row += 1)
      for (let col = 0; col < grid.columns; col += 1) count += table.isFree({ ...wanted, col, row }) ? 1 : 0;
    assert.equal(free.length, count);
  }
});

test("what is put inside the grid is inside, and stays where it was inside", () => {
  const pick = random(SEED + 1);
  for (let round = 0; round < 500; round += 1) {
    const grid = { columns: 1 + pick(12), rows: 1 + pick(12) };
    const place = { col: pick(30) - 10, row: pick(30) - 10, cols: pick(16) - 2, rows: pick(16) - 2 };
    const put = inside(grid, place);
    assert.ok(put.col >= 0 && put.row >= 0 && put.cols >= 1 && put.rows >= 1, JSON.stringify({ grid, place, put }));
    assert.ok(put.col + put.cols <= grid.columns && put.row + put.rows <= grid.rows, JSON.stringify({ grid, place, put }));
    assert.deepEqual(inside(grid, put), put);
  }
});

test("whatever the server sends can be drawn", () => {
  for (const [raw, place] of [
    [{}, { col: 0, row: 0, cols: 1, rows: 1 }],
    [
      { position: { col: -1, row: "2" }, size: { cols: 0, rows: 1.5 } },
      { col: 0, row: 0, cols: 1, rows: 1 },
    ],
    [
      { position: { col: 900, row: 3 }, size: { cols: 4, rows: 2 } },
      { col: 63, row: 3, cols: 4, rows: 2 },
    ],
  ])
    assert.deepEqual(placeOf(raw), place);
  assert.deepEqual(extent({ columns: 1e9, rows: NaN }, [{ col: 0, row: 20, cols: 1, rows: 3 }]), { columns: 64, rows: 23 });
  assert.deepEqual(extent(undefined, []), { columns: 12, rows: 8 });
});

// What a frame's messages may do. `node --test check/port.test.mjs`
import assert from "node:assert/strict";
import test from "node:test";
import { Gate, patchOf, read } from "../web/port.js";

const STATE = JSON.parse('{"version":"1","a":{"b":null,"list":[1,{"x":2}]},"a/b~c":true,"own":{"__proto__":{"x":1}}}');

test("a field sets what is there, and no more", () => {
  for (const [path, patch] of [
    ["state.version", [{ op: "replace", path: "/version", value: "v" }]],
    ["state.notes", [{ op: "add", path: "/notes", value: "v" }]],
    ["state.a.b", [{ op: "replace", path: "/a/b", value: "v" }]],
    ["state.a.list.0", [{ op: "replace", path: "/a/list/0", value: "v" }]],
    ["state.a.list.1.x", [{ op: "replace", path: "/a/list/1/x", value: "v" }]],
    ["state.a/b~c", [{ op: "replace", path: "/a~1b~0c", value: "v" }]],
    ["state.a", null], // an object would be lost
    ["state.a.list", null],
    ["state.a.list.2", null],
    ["state.a.list.length", null],
    ["state.no.such", null],
    ["state.version.length", null],
    ["state.a.b.c", null],
    ["state", null],
    ["state.", null],
    ["spec.actions", null],
    ["state.__proto__", null],
    ["state.__proto__.x", null],
    ["state.own.__proto__.x", null],
    ["state.constructor.prototype.x", null],
    ["state.toString.x", null],
    [`state.${"a".repeat(600)}`, null],
    [7, null],
  ])
    assert.deepEqual(patchOf(STATE, path, "v"), patch, String(path).slice(0, 40));
  assert.equal(patchOf(null, "state.version", 1), null);
});

test("a message is one of two, or none", () => {
  const ring = {};
  ring.ring = ring;
  for (const [message, taken] of [
    [
      { type: "run", id: 1, actionId: "deploy" },
      { type: "run", id: 1, actionId: "deploy", input: {} },
    ],
    [
      { type: "run", id: 1, actionId: "deploy", input: { a: 1 }, confirmation: { digest: "d" } },
      { type: "run", id: 1, actionId: "deploy", input: { a: 1 } },
    ],
    [{ type: "run", id: 1, actionId: "deploy", input: ring }, null],
    [{ type: "run", id: 1, actionId: "deploy", input: 1n }, null],
    [{ type: "run", id: 1, actionId: "deploy", input: "x".repeat(70_000) }, null],
    [{ type: "run", id: "1", actionId: "deploy" }, null],
    [{ type: "run", id: 1, actionId: { toString: () => "deploy" } }, null],
    [
      { type: "model", path: "state.a", value: true },
      { type: "model", path: "state.a", value: true },
    ],
    [
      { type: "model", path: "state.a", value: 0 },
      { type: "model", path: "state.a", value: 0 },
    ],
    [{ type: "model", path: "state.a", value: NaN }, null],
    [{ type: "model", path: "state.a", value: null }, null],
    [{ type: "model", path: "state.a", value: { x: 1 } }, null],
    [{ type: "model", path: "state.a", value: "x".repeat(70_000) }, null],
    [{ type: "model", path: "actions.a", value: "x" }, null],
    [{ type: "confirm", yes: true }, null],
    [{ type: "ran", id: 1, ok: true }, null],
    [null, null],
    ["run", null],
    [[], null],
  ])
    assert.deepEqual(read(message), taken);
});

test("twenty messages a second are taken, a flood is the end", () => {
  const gate = new Gate();
  const seen = (now, count) => {
    const counts = { take: 0, drop: 0, close: 0 };
    for (let n = 0; n < count; n += 1) counts[gate.pass(now)] += 1;
    return counts;
  };
  assert.deepEqual(seen(10_000, 25), { take: 20, drop: 5, close: 0 });
  assert.deepEqual(seen(10_999, 1), { take: 0, drop: 1, close: 0 });
  assert.deepEqual(seen(11_000, 401), { take: 20, drop: 380, close: 1 });
});

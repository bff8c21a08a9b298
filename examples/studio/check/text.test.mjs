// Laws of the editor's texts: changes, their merge, and windows that type at once. `node --test check/text.test.mjs`
import assert from "node:assert/strict";
import test from "node:test";
import { Draft } from "../web/draft.js";
import { apply, changes, compose, difference, merge, move, ofSource, shown, splice } from "../web/text.js";

// A generator with a seed, so that a failure can be had again.
const SEED = Number(process.env.SEED ?? 20_24);
function random(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
// Few letters, so that equal ones stand together; pairs of surrogates; lines.
const PIECES = ["a", "a", "b", " ", "\n", "\n", "é", "😀", "🎉"];
const text = (pick, most) => Array.from({ length: pick(most + 1) }, () => PIECES[pick(PIECES.length)]).join("");
const isCut = (whole, at) => at > 0 && /[\ud800-\udbff]/.test(whole[at - 1] ?? "") && /[\udc00-\udfff]/.test(whole[at] ?? "");

function splices(pick, base, most = 3) {
  const out = [];
  let at = 0;
  for (let left = pick(most + 1); left > 0; left -= 1) {
    at += pick(6);
    while (isCut(base, at)) at += 1;
    if (at > base.length) break;
    let stop = Math.min(base.length, at + pick(4));
    while (isCut(base, stop)) stop += 1;
    const insert = text(pick, 3);
    // Splices that touch are one.
    if (stop > at || insert) out.push({ at, remove: stop - at, insert });
    at = stop + 1;
  }
  return out;
}

test("a difference leads from a text to the other, and ends at the caret where it can", () => {
  for (const [before, after, caret, expected] of [
    ["aaa", "aaaa", 1, { at: 0, remove: 0, insert: "a" }],
    ["aaa", "aaaa", 4, { at: 3, remove: 0, insert: "a" }],
    ["aaaa", "aaa", 2, { at: 2, remove: 1, insert: "" }],
    ["one two", "one three two", 9, { at: 3, remove: 0, insert: " three" }],
    ["x😀y", "x😁y", 3, { at: 1, remove: 2, insert: "😁" }],
    ["", "abc", 3, { at: 0, remove: 0, insert: "abc" }],
  ]) {
    assert.deepEqual(difference(before, after, caret), expected, `${before} to ${after}`);
  }
  assert.equal(difference("same", "same"), null);
});

test("changes lead to the text, in order, and cut no pair", () => {
  const pick = random(SEED);
  for (let round = 0; round < 20_000; round += 1) {
    const before = text(pick, 30);
    const after = pick(2) ? text(pick, 30) : apply(before, splices(pick, before));
    const found = changes(before, after, pick(after.length + 1));
    assert.equal(apply(before, found), after);
    let last = -1;
    for (const one of found) {
      assert.ok(one.at > last && !isCut(before, one.at) && !isCut(before, one.at + one.remove), JSON.stringify([before, after]));
      last = one.at + one.remove - 1;
    }
  }
});

test("lines apart are changes apart", () => {
  const found = changes("one\ntwo\nthree\nfour\n", "One\ntwo\nthree\nfour!\n");
  assert.deepEqual(found, [
    { at: 0, remove: 1, insert: "O" },
    { at: 18, remove: 0, insert: "!" },
  ]);
});

test("a merge comes to one text from both sides and drops nothing that it does not hand back", () => {
  const pick = random(SEED + 1);
  let conflicts = 0;
  for (let round = 0; round < 50_000; round += 1) {
    const base = text(pick, 24);
    const mine = splices(pick, base);
    const theirs = splices(pick, base);
    const merged = merge(base, mine, theirs);
    const with_theirs = apply(base, theirs);
    const both = apply(with_theirs, merged.mine);
    const about = JSON.stringify({ base, mine, theirs, merged });
    assert.equal(apply(apply(base, mine), merged.theirs), both, about);
    for (const one of merged.conflicts) assert.equal(with_theirs.slice(one.at, one.end), one.theirs, about);
    conflicts += merged.conflicts.length;
    // Each insertion of mine is in the result, in a conflict, or was done by theirs too.
    const kept = [...merged.mine.map((one) => one.insert), ...merged.conflicts.map((one) => one.mine)].join("\0");
    for (const one of mine) {
      const isShared = theirs.some((other) => JSON.stringify(other) === JSON.stringify(one));
      assert.ok(isShared || kept.includes(one.insert), about);
    }
  }
  assert.ok(conflicts > 1_000, "conflicts are tried");
});

test("a list composed with one more splice leads where both lead, and takes no more than they do", () => {
  const pick = random(SEED + 3);
  for (let round = 0; round < 20_000; round += 1) {
    const base = text(pick, 24);
    let list = [];
    let now = base;
    let touched = 0;
    for (let step = 0; step < 4; step += 1) {
      const [one] = splices(pick, now, 1);
      if (!one) continue;
      list = compose(base, list, one);
      now = splice(now, one);
      touched += one.remove + one.insert.length;
      assert.equal(apply(base, list), now, JSON.stringify({ base, list, one }));
    }
    assert.ok(list.reduce((sum, one) => sum + one.remove + one.insert.length, 0) <= 2 * touched);
    for (let at = 1; at < list.length; at += 1) assert.ok(list[at - 1].at + list[at - 1].remove <= list[at].at);
  }
});

test("insertions at one place are both kept, theirs first", () => {
  const merged = merge("ab", [{ at: 1, remove: 0, insert: "M" }], [{ at: 1, remove: 0, insert: "T" }]);
  assert.equal(apply("aTb", merged.mine), "aTMb");
  assert.equal(merged.met, 1);
});

test("a position stays with what stands around it", () => {
  const list = [
    { at: 2, remove: 2, insert: "xyz" },
    { at: 6, remove: 0, insert: "!" },
  ];
  for (const [position, expected] of [
    [0, 0],
    [2, 2],
    [3, 5],
    [4, 5],
    [6, 7],
    [7, 9],
  ]) {
    assert.equal(move(position, list), expected, `from ${position}`);
  }
  assert.equal(move(6, list, true), 8);
});

test("line ends of the source stay as they are", () => {
  const pick = random(SEED + 2);
  for (let round = 0; round < 5_000; round += 1) {
    const ends = ["\r\n", "\n", "\r"];
    const source = Array.from({ length: pick(8) }, () => text(pick, 4).replace(/\n/g, "") + ends[pick(pick(2) ? 1 : 3)]).join("");
    const before = shown(source);
    const after = apply(before, splices(pick, before));
    const list = changes(before, after).map((one) => ofSource(source, one));
    assert.equal(shown(apply(source, list)), after, JSON.stringify([source, after]));
  }
  assert.equal(splice("a\r\nb\r\n", ofSource("a\r\nb\r\n", { at: 3, remove: 0, insert: "\nc" })), "a\r\nb\r\nc\r\n");
});

// A server that moves an edit past later ones or refuses it, as the real one does, and windows that type at once.
class Server {
  constructor(markdown, pick) {
    Object.assign(this, { texts: [markdown], clients: [], pick, edits: [] });
  }
  id(number) {
    return `r${number + 1}-${digits(this.texts[number])}`;
  }
  edit({ baseRevisionId, splice: one, markdown }) {
    const base = Number(/^r(\d+)/.exec(baseRevisionId)[1]) - 1;
    let list = [one ?? difference(this.texts[base], markdown)];
    for (let number = base; number < this.texts.length - 1; number += 1) {
      const past = merge(this.texts[number], list, this.edits[number]);
      if (past.conflicts.length > 0 || past.met > 0) throw Object.assign(new Error("touched"), { code: "STALE_BASE", data: {} });
      list = past.mine;
    }
    const before = this.texts.length - 1;
    const next = apply(this.texts[before], list);
    const moved = list[0] ?? { at: 0, remove: 0, insert: "" };
    this.texts.push(next);
    this.edits.push([moved]);
    const event = { revisionId: this.id(before + 1), baseRevisionId: this.id(before), splice: moved };
    for (const client of this.clients) client.deliver(event);
    return { revisionId: event.revisionId };
  }
}
const digits = (text) =>
  [...text]
    .reduce((sum, one) => (Math.imul(sum, 31) + one.codePointAt(0)) >>> 0, 7)
    .toString(16)
    .padStart(8, "0");
const PATIENCE = 120_000; // ms that bound a hang
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

class Window {
  constructor(server, pick) {
    Object.assign(this, { server, pick, inbox: Promise.resolve(), kept: [], reloads: 0 });
    this.draft = new Draft(
      {
        send: async (params) => {
          await sleep(pick(4));
          // An answer and the events keep their order on one connection.
          let outcome;
          try {
            const result = server.edit(params);
            outcome = () => result;
          } catch (error) {
            outcome = () => {
              throw error;
            };
          }
          await this.later();
          return outcome();
        },
        reload: () => {
          this.reloads += 1;
          const number = server.texts.length - 1;
          const snapshot = { markdown: server.texts[number], revisionId: server.id(number) };
          this.later().then(() => this.draft.load(snapshot));
        },
        changed: ({ text: now, conflicts }) => {
          assert.equal(now, this.draft.text);
          for (const one of conflicts) assert.ok(one.at <= one.end && one.end <= now.length);
          this.kept.push(...conflicts.map((one) => one.mine));
        },
        refused: (error) => assert.fail(error),
      },
      { pause: 3, atLatest: 9, answerSeen: 200, longest: 20 },
    );
    server.clients.push(this);
    this.draft.load({ markdown: server.texts[0], revisionId: server.id(0) });
  }
  later() {
    const pause = this.pick(4);
    this.inbox = this.inbox.then(() => sleep(pause));
    return this.inbox;
  }
  deliver(event) {
    // Now and then events are lost, and the client finds that out by itself.
    if (this.pick(40) === 0) return;
    this.later().then(() => this.draft.receive(event));
  }
}

test("windows that type at once come to one text, and every word is in it or handed back", async () => {
  await Promise.all(
    Array.from({ length: 24 }, async (_, round) => {
      const pick = random(SEED + 100 + round);
      const server = new Server("# Plan\r\n\r\nOne two three.\r\nFour five six.\r\n".replaceAll("\r", round % 3 ? "" : "\r"), pick);
      const windows = [new Window(server, pick), new Window(server, pick), new Window(server, pick)];
      const words = [];
      for (let step = 0; step < 60; step += 1) {
        const window = windows[pick(3)];
        const before = window.draft.text;
        const at = pick(before.length + 1);
        if (pick(4) === 0) {
          const stop = Math.min(before.length, at + pick(6));
          // Nobody removes a word whose fate is asked below.
          if (!/[<>]|\d/.test(before.slice(at, stop)) && !/\d$/.test(before.slice(0, at)))
            window.draft.typed(before.slice(0, at) + before.slice(stop), at);
        } else if (!/[<\d]$/.test(before.slice(0, at))) {
          const word = `<${round}${words.length}>`;
          words.push({ word, window });
          window.draft.typed(before.slice(0, at) + word + before.slice(at), at + word.length);
        }
        await sleep(pick(3));
      }
      const end = performance.now() + PATIENCE;
      for (
        let waits = 0;
        performance.now() < end && windows.some(({ draft }) => draft.isDirty || draft.text !== shown(server.texts.at(-1)));
        waits += 1
      ) {
        await sleep(10);
        if (waits % 40 === 39)
          for (const window of windows)
            window.draft.receive({
              revisionId: server.id(server.texts.length - 1).replace(/^r\d+/, "r9999"),
              baseRevisionId: "r9998-00000000",
            });
      }
      const last = shown(server.texts.at(-1));
      for (const { draft } of windows) assert.equal(draft.text, last, `round ${round}`);
      for (const { word, window } of words) {
        assert.ok(last.includes(word) || window.kept.some((text) => text.includes(word)), `${word} of round ${round}`);
      }
    }),
  );
});

test("what is typed while the lock is held waits, and goes when it is free", async () => {
  const sent = [];
  const hooks = { send: async (params) => (sent.push(params), { revisionId: "r2-00000002" }), reload() {}, changed() {}, refused() {} };
  const draft = new Draft(hooks, { pause: 1, atLatest: 5, answerSeen: 50, longest: 5 });
  draft.load({ markdown: "a", revisionId: "r1-00000001" });
  draft.hold(true);
  draft.typed("ab", 2);
  await sleep(15);
  assert.equal(sent.length, 0);
  draft.hold(false);
  assert.deepEqual(sent, [{ baseRevisionId: "r1-00000001", splice: { at: 1, remove: 0, insert: "b" } }]);
});

test("a refused text stays, and goes with the next letter", async () => {
  const sent = [];
  const errors = [];
  const refuse = async (params) => {
    sent.push(params.splice);
    throw Object.assign(new Error("too large"), { code: "DOCUMENT_TOO_LARGE", data: { retryable: false } });
  };
  const draft = new Draft(
    { send: refuse, reload() {}, changed() {}, refused: (error) => errors.push(error.code) },
    { pause: 1, atLatest: 5, answerSeen: 50, longest: 5 },
  );
  draft.load({ markdown: "", revisionId: "r1-00000001" });
  draft.typed("x", 1);
  while (errors.length < 1) await sleep(5);
  assert.equal(draft.text, "x");
  assert.deepEqual([sent.length, errors], [1, ["DOCUMENT_TOO_LARGE"]]);
  draft.typed("xy", 2);
  while (sent.length < 2) await sleep(5);
  assert.deepEqual(sent[1], { at: 0, remove: 0, insert: "xy" });
});

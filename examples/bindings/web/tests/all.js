// The tests of the package, for Node, a worker of Node, a page and a worker of a page. They need no library.
const text = "# Plan\n\n- [ ] one\n- [ ] two\n";
const tick = "@@ -3,1 +3,1 @@\n-- [ ] one\n+- [x] one\n";

export function equal(actual, expected, what = "") {
  const [one, other] = [JSON.stringify(actual, sorted), JSON.stringify(expected, sorted)];
  if (one !== other) {
    throw new Error(`${what} is ${String(one).slice(0, 300)}, not ${String(other).slice(0, 300)}`);
  }
}

/** The order of names does not matter. */
function sorted(_, value) {
  const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
  return isMap ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))) : value;
}

function thrown(act) {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error(`nothing is thrown by ${act}`);
}

const code = (act) => thrown(act).code;

/** The tests by name, over the functions and classes of an entry. */
export function testsOf(canvas) {
  return { ...(canvas.Engine === undefined ? {} : engineTests(canvas)), ...textTests(canvas) };
}

function textTests({ CanvasError, PatchRejected, AddressError, ...canvas }) {
  return {
    "a patch and its inverse"() {
      const applied = canvas.apply(text, tick);
      equal(applied.text, text.replace("[ ] one", "[x] one"));
      equal([applied.hunks, applied.spans, applied.repairs], [1, [{ startLine: 3, endLine: 3 }], []]);
      equal(canvas.apply(applied.text, applied.inverse).text, text);
    },
    "a patch that does not fit"() {
      const error = thrown(() => canvas.apply(text, tick.replaceAll("one", "three")));
      equal([error instanceof PatchRejected, error instanceof CanvasError, error instanceof Error], [true, true, true]);
      equal([error.name, error.code, error.reason, error.retryable], ["PatchRejected", "PATCH_REJECTED", "CONTEXT_MISMATCH", false]);
      equal(error.conflicts.length, 1);
      equal(error.message.length > 10, true);
    },
    "the mode"() {
      const moved = "Above\n\n" + text;
      equal(code(() => canvas.apply(moved, tick)), "PATCH_REJECTED");
      equal(canvas.apply(moved, tick, { mode: "anchored" }).text.includes("[x] one"), true);
      equal(code(() => canvas.apply(text, tick, { mode: "loose" })), "INVALID_ARGUMENTS");
    },
    "a patch that is built"() {
      const after = text.replace("two", "2");
      equal(canvas.apply(text, canvas.build(text, after)).text, after);
      equal(canvas.build(text, after, { context: 0 }).split("\n").length, 4);
      equal(canvas.build(text, text), "");
      for (const context of [-1, 1.5, NaN, 2 ** 53, "3", 10n]) {
        equal(code(() => canvas.build(text, after, { context })), "INVALID_ARGUMENTS");
      }
    },
    "an outline"() {
      equal(canvas.outline("# A\n\n## B\n\nText.\n"), [
        { path: ["A"], level: 1, headingLine: 1, startLine: 1, endLine: 5 },
        { path: ["A", "B"], level: 2, headingLine: 3, startLine: 3, endLine: 5 },
      ]);
    },
    "an address"() {
      equal(canvas.resolve(text, { section: ["Plan"], item: 2 }), { startLine: 4, endLine: 4, text: "- [ ] two\n" });
      const error = thrown(() => canvas.resolve(text, { section: ["Plam"] }));
      equal([error instanceof AddressError, error.code], [true, "ADDRESS_NOT_FOUND"]);
      equal(Array.isArray(error.candidates), true);
    },
    "a search"() {
      const found = { matches: [{ line: 4, text: "- [ ] two", clipped: false }], truncated: false };
      equal(canvas.grep(text, "two"), found);
      equal(canvas.grep(text, "t[v-x]o$", { regex: true }), found);
      equal(canvas.grep("Äß\n", "\\p{Lu}", { regex: true }).matches.length, 1);
      equal(code(() => canvas.grep(text, "(", { regex: true })).length > 3, true);
    },
    "positions in all units"() {
      const smile = "a😀b\nc";
      const [at] = canvas.positions(smile, [{ utf16: 3 }]);
      equal(at, { byte: 5, scalar: 2, utf16: 3, line: 1, scalarColumn: 2 });
      equal(smile.slice(at.utf16, at.utf16 + 1), "b");
      equal(canvas.positions(smile, [{ line: 2, scalarColumn: 0 }, { byte: 0 }]).map(({ utf16 }) => utf16), [5, 0]);
      const inside = thrown(() => canvas.positions(smile, [{ byte: 0 }, { utf16: 2 }]));
      equal([inside.code, inside.place], ["POSITION_INVALID", "/at/1"]);
      equal(code(() => canvas.positions(smile, [{ byte: 2 ** 53 + 2 }])).length > 3, true);
      equal(code(() => canvas.positions(smile, [{ byte: 1e300 }])), "BAD_REQUEST");
      equal(code(() => canvas.positions(smile, [{ byte: -1 }])), "BAD_REQUEST");
      equal(code(() => canvas.positions(smile, "no")), "INVALID_ARGUMENTS");
    },
    "an edit of the structure"() {
      const edited = canvas.editStructure("# A\n\n## B\n", { shift: { section: ["A", "B"], by: 1 } });
      equal(edited.text, "# A\n\n### B\n");
      equal(canvas.apply(edited.text, edited.inverse).text, "# A\n\n## B\n");
      const protect = [{ section: ["A", "B"] }, { section: ["C"] }];
      const error = thrown(() => canvas.editStructure("# A\n\n## B\n", { delete: { section: ["A", "B"] } }, { protect }));
      equal(error.details.unresolved, [{ section: ["C"] }]);
    },
    "a lone surrogate is refused"() {
      for (const lone of ["\ud800", "a\udc00b", "\ude00\ud83d"]) {
        equal(code(() => canvas.outline(lone)), "INVALID_ARGUMENTS");
        equal(code(() => canvas.build("", lone)), "INVALID_ARGUMENTS");
        equal(code(() => canvas.resolve(text, { section: [lone] })), "INVALID_ARGUMENTS");
        equal(code(() => canvas.resolve(text, { [lone]: 1 })), "INVALID_ARGUMENTS");
      }
      equal(canvas.build("", "\\ud800\n").includes("\\ud800"), true);
    },
    "a NUL is a character"() {
      equal(canvas.apply("a\0b\n", canvas.build("a\0b\n", "a\0c\n")).text, "a\0c\n");
    },
    "wrong types are refused"() {
      for (const wrong of [undefined, null, 1, {}, [], new String("a"), Symbol("a"), 1n]) {
        equal(code(() => canvas.apply(wrong, tick)), "INVALID_ARGUMENTS");
        equal(code(() => canvas.grep(text, wrong)), "INVALID_ARGUMENTS");
      }
      const circle = {};
      circle.self = circle;
      let deep = {};
      for (let level = 0; level < 100_000; level += 1) {
        deep = { deep };
      }
      for (const wrong of [null, [], "a", circle, deep, { lines: [NaN, 1] }, { lines: [1n, 1n] }, { lines: () => 1 }]) {
        equal(code(() => canvas.resolve(text, wrong)), "INVALID_ARGUMENTS");
      }
      equal(code(() => canvas.resolve(text, { lines: "all" })), "BAD_REQUEST");
    },
    "a text of 16 MB"() {
      const long = `${"x".repeat(79)}\n`.repeat(200_000);
      const patch = canvas.build(long, `${long}end\n`);
      equal(canvas.apply(long, patch).text.length, long.length + 4);
    },
  };
}

function engineTests({ CanvasError, Engine, Session, StaleEdit }) {
  /** An engine with a clock that goes on a second at each reading. */
  const open = () => {
    let now = 1_000;
    return new Engine({ clock: () => (now += 1_000) });
  };
  return {
    "a model and a person on one canvas"() {
      const engine = open();
      engine.create("plan", text);
      const session = engine.join("plan", "chat");
      equal(session instanceof Session, true);
      const lease = session.call("canvas_check_out", {}).body.lease_id;
      const patch = tick;
      const first = session.call("canvas_apply_patch", { lease_id: lease, patch }, { callId: "call-1" });
      equal([first.ok, first.code, first.message], [true, null, null]);
      equal(session.call("canvas_apply_patch", { lease_id: lease, patch }, { callId: "call-1" }).text, first.text);
      equal(engine.document("plan").isLocked, true);
      const { epoch } = engine.document("plan");
      equal(engine.edit("plan", "# Plan\n\nMine.\n", { base: null }).epoch > epoch, true);
      const late = session.call("canvas_apply_patch", JSON.stringify({ lease_id: lease, patch }));
      equal([late.ok, late.code], [false, "STALE_EPOCH"]);
      equal(JSON.parse(late.text).ok, false);
      equal(engine.document("plan").markdown, "# Plan\n\nMine.\n");
      engine.close();
    },
    "arguments of a model that cannot be read"() {
      const engine = open();
      engine.create("plan", text);
      const session = engine.join("plan");
      const deep = JSON.parse("[".repeat(200) + "]".repeat(200));
      const unread = [{ a: "\ud800" }, { deep }, JSON.stringify({ deep })];
      for (const args of ['{"lease_id": "le', "[]", "null", '"a"', '{"a": "\\ud800"}', ...unread]) {
        const reply = session.call("canvas_check_out", args);
        equal([reply.ok, reply.code], [false, "INVALID_ARGUMENTS"], String(args));
      }
      equal(session.call("canvas_check_out", "").ok, true);
      equal(session.call("canvas_fly", {}).code, "UNKNOWN_TOOL");
      engine.close();
    },
    "an edit of a person keeps what others changed"() {
      const engine = open();
      const base = engine.create("plan", text, { person: "anna" });
      engine.edit("plan", text.replace("one", "1"), { base, person: "anna" });
      const edited = engine.edit("plan", text.replace("two", "2"), { base, person: "bert" });
      equal(edited.moved, true);
      equal(engine.document("plan").markdown, text.replace("one", "1").replace("two", "2"));
      equal(engine.document("plan").revisionId, edited.revisionId);
      const error = thrown(() => engine.edit("plan", text.replace("one", "I"), { base, person: "bert" }));
      equal(error instanceof StaleEdit, true);
      equal(error.markdown, text.replace("one", "I"));
      equal(error.revisionId, edited.revisionId);
      equal(typeof error.changes, "object");
      equal(code(() => engine.edit("plan", text)), "INVALID_ARGUMENTS");
      engine.close();
    },
    "a turn"() {
      const engine = open();
      engine.create("plan", text);
      const session = engine.join("plan", "chat", { toolset: "extended" });
      equal(session.message().includes("# Plan"), true);
      equal(session.message(), null);
      equal(session.tools().map(({ name }) => name).includes("canvas_outline"), true);
      equal(session.prompt().length > 100, true);
      engine.edit("plan", `${text}Mine.\n`, { base: null });
      equal(session.message().length > 10, true);
      session.mode("propose");
      equal(code(() => session.mode("dream")), "BAD_REQUEST");
      session.mode("direct");
      equal(typeof session.end().promoted, "boolean");
      equal(typeof session.cancel(), "number");
      engine.close();
    },
    "a model has the tools of its toolset alone"() {
      const engine = open();
      engine.create("plan", text);
      for (const name of ["canvas_fly", "canvas_replace_all", "document_edit"]) {
        equal(engine.join("plan").call(name, {}).code, "UNKNOWN_TOOL");
      }
      equal(engine.join("plan", "chat", { toolset: "extended" }).call("document_edit", {}).code, "UNKNOWN_TOOL");
      engine.close();
    },
    "a policy"() {
      let now = 1_000_000;
      const patch = "@@ -3,1 +3,1 @@\n-- [ ] one\n+- [x] one\n";
      for (const [retake, expected] of [[true, null], [false, "LEASE_EXPIRED"]]) {
        const engine = new Engine({ clock: () => now, policy: { leaseTtl: 5_000, retake } });
        engine.create("plan", "# Plan\n\n- [ ] one\n");
        const session = engine.join("plan");
        const { lease_id } = session.call("canvas_check_out", {}).body;
        now += 6_000;
        equal(session.call("canvas_apply_patch", { lease_id, patch }).code, expected);
        engine.close();
      }
      equal(code(() => new Engine({ policy: { leaseTtl: 0 } })), "BAD_REQUEST");
      equal(code(() => new Engine({ policy: { retake: "yes" } })), "BAD_REQUEST");
    },
    "a session of a canvas that is not there"() {
      const engine = open();
      const session = engine.join("missing");
      equal(code(() => session.message()), "CANVAS_NOT_FOUND");
      session.close();
      engine.close();
    },
    "a session returns its lease"() {
      const engine = open();
      engine.create("plan", text);
      const session = engine.join("plan", "chat");
      session.call("canvas_check_out", {});
      equal(engine.document("plan").isLocked, true);
      session.close();
      session.close();
      equal(engine.document("plan").isLocked, false);
      equal(code(() => session.call("canvas_check_out", {})), "CLOSED");
      engine.close();
    },
    "a closed engine"() {
      const engine = open();
      engine.create("plan", text);
      const session = engine.join("plan");
      engine.close();
      engine.close();
      const error = thrown(() => engine.document("plan"));
      equal([error instanceof CanvasError, error.code], [true, "CLOSED"]);
      equal(code(() => session.call("canvas_check_out", {})), "CLOSED");
      session.close();
    },
    "Symbol.dispose"() {
      if (typeof Symbol.dispose === "symbol") {
        const engine = open();
        engine.create("plan", text);
        const session = engine.join("plan");
        session[Symbol.dispose]();
        engine[Symbol.dispose]();
        equal(code(() => engine.document("plan")), "CLOSED");
      }
    },
    "two engines"() {
      const [one, other] = [open(), open()];
      one.create("plan", "one\n");
      other.create("plan", "other\n");
      one.close();
      equal(other.document("plan").markdown, "other\n");
      other.close();
    },
    "errors of the host"() {
      const engine = open();
      equal(code(() => engine.document("nowhere")).includes("NOT_FOUND"), true);
      equal(code(() => engine.call("fly")), "BAD_REQUEST");
      equal(code(() => engine.call("board.get", { canvas: "plan" })), "NOT_SUPPORTED");
      equal(code(() => engine.call("canvas.text", { canvas: "plan", wings: 2 })), "BAD_REQUEST");
      equal(code(() => engine.call("canvas.text", null)), "INVALID_ARGUMENTS");
      equal(code(() => engine.call("canvas.text", { canvas: 1n })), "INVALID_ARGUMENTS");
      equal(code(() => engine.call(7)), "INVALID_ARGUMENTS");
      equal(code(() => engine.create("plan", "\ud800")), "INVALID_ARGUMENTS");
      equal(code(() => new Engine({ clock: 7 })), "INVALID_ARGUMENTS");
      for (const [now, expected] of [[NaN, "INVALID_ARGUMENTS"], [Infinity, "INVALID_ARGUMENTS"], [-1, "BAD_REQUEST"], [2 ** 60, "BAD_REQUEST"]]) {
        const odd = new Engine({ clock: () => now });
        equal(code(() => odd.create("plan", text)), expected, String(now));
        odd.close();
      }
      engine.close();
    },
    "history and proposals by their operations"() {
      const engine = open();
      engine.create("plan", text);
      engine.edit("plan", "Mine.\n", { base: null });
      equal(engine.call("history.list", { canvas: "plan" }).changes.length > 0, true);
      engine.call("history.undo", { canvas: "plan" });
      equal(engine.document("plan").markdown, text);
      engine.call("proposal.make", { canvas: "plan", person: "anna", markdown: `${text}More.\n` });
      equal(engine.call("proposal.list", { canvas: "plan" }).proposals.length, 1);
      engine.call("host.restart");
      equal(engine.document("plan").markdown, text);
      engine.close();
    },
  };
}

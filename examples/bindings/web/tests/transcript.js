// Plays a transcript of the JSON interface again through the public objects, and compares each reply.

/** What a request of each operation is in the package. */
const PLAYS = {
  "patch.apply": (canvas, { text, patch, mode }) => {
    const { hunks, spans, inverse, ...others } = canvas.apply(text, patch, { mode });
    return { ...others, applied_hunks: hunks, spans: spans.map(lines), reverse: inverse };
  },
  "patch.build": (canvas, { before, after }) => {
    const hunks = canvas.build(before, after);
    return { patch: hunks && `--- a/document.md\n+++ b/document.md\n${hunks}` };
  },
  "markdown.outline": (canvas, { text }) => ({
    sections: canvas.outline(text).map(({ path, level, headingLine, ...span }) => ({
      path, level, heading_line: headingLine, ...lines(span),
    })),
  }),
  "markdown.resolve": (canvas, { text, address }) => {
    const place = canvas.resolve(text, address);
    return { ...lines(place), text: place.text };
  },
  "markdown.effects": (canvas, { before, after }) => ({ effects: canvas.effects(before, after) }),
  "text.grep": (canvas, { text, query, regex }) => canvas.grep(text, query, { regex }),
  "text.redline": (canvas, { before, after }) => ({ spans: canvas.redline(before, after) }),
  "text.positions": (canvas, { text, at }) => {
    const offsets = at.map(({ scalar_column, ...others }) => ({ ...others, scalarColumn: scalar_column }));
    const found = canvas.positions(text, offsets);
    return { positions: found.map(({ scalarColumn, ...others }) => ({ ...others, scalar_column: scalarColumn })) };
  },
  "structure.apply": (canvas, { text, edit }) => {
    const edited = canvas.editStructure(text, edit);
    return { text: edited.text, spans: edited.spans.map(lines), reverse: edited.inverse };
  },
  "canvas.create": ({ engine }, { canvas, markdown }) => ({ revision_id: engine.create(canvas, markdown) }),
  "canvas.text": ({ engine }, { canvas }) => {
    const { markdown, revisionId, epoch, isLocked } = engine.document(canvas);
    return { markdown, revision_id: revisionId, canvas_epoch: epoch, locked: isLocked };
  },
  "user.edit": ({ engine }, { canvas, markdown, base_revision_id: base = null, person }) => {
    const { revisionId, epoch, ...others } = engine.edit(canvas, markdown, { base, person });
    return { ...others, revision_id: revisionId, canvas_epoch: epoch };
  },
  "user.cancel": (at, { person, ...where }) => ({ canvas_epoch: session(at, where).cancel({ person }) }),
  "turn.end": (at, where) => {
    const { hiddenMessage, promoted } = session(at, where).end();
    return { hidden_message: hiddenMessage, promoted };
  },
  "session.mode": (at, { mode, ...where }) => (session(at, where).mode(mode), {}),
  "tool.call": (at, { name, arguments: args, call_id: callId, ...where }) => session(at, where).call(name, args, { callId }).body,
  "tool.prompt": (at, { toolset }) => ({ prompt: session(at, { canvas: "none", toolset }).prompt() }),
};

const lines = ({ startLine, endLine }) => ({ start_line: startLine, end_line: endLine });
const session = ({ engine }, { canvas, session, toolset }) => engine.join(canvas, session, { toolset });

/** JSON with its names in order. */
const sorted = (value) =>
  JSON.stringify(value, (_, one) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one);

/** Returns how many requests have the same reply, and how many of them went through public objects. */
export function play(canvas, transcript) {
  let now = 0;
  const engine = new canvas.Engine({ clock: () => now, policy: { rebase: false, retake: false } });
  const at = { ...canvas, engine };
  const counts = { same: 0, objects: 0 };
  for (const line of transcript.split("\n").filter(Boolean)) {
    const { request, reply } = JSON.parse(line);
    const { op, now: time, ...fields } = request;
    now = time;
    let given = { id: null };
    try {
      given = { ...given, ok: true, result: PLAYS[op] ? PLAYS[op](at, fields) : engine.call(op, fields) };
    } catch (error) {
      if (!(error instanceof canvas.CanvasError)) {
        throw error;
      }
      given = { ...given, ok: false, error: { ...error.details, code: error.code, message: error.message } };
    }
    if (sorted(given) !== sorted(reply)) {
      throw new Error(`${JSON.stringify(request)}\ngave    ${sorted(given)}\nand not ${sorted(reply)}`);
    }
    counts.same += 1;
    counts.objects += Number(op in PLAYS);
  }
  engine.close();
  if (counts.same < 2_000 || counts.objects * 10 < counts.same * 7) {
    throw new Error(`too few requests: ${JSON.stringify(counts)}`);
  }
  return counts;
}

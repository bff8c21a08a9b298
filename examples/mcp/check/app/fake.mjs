// A stand-in for the server while there is none: one canvas in memory, the tools that the views call.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";

const page = async (name) => (await Promise.all((name === "board" ? ["shared", "board"] : ["shared", "markdown", "document"]).map((part) => readFile(new URL(`../../app/${part}.html`, import.meta.url), "utf8")))).join("");

export async function fake({ document, board }) {
  let open = true, revision = 1, epoch = 0, lease = null, told = document, seen = JSON.stringify(board);
  let text = document, undo = [], redo = [];
  const revisions = new Map();
  const id = () => `r${revision}-00000000`;
  const note = () => revisions.set(id(), text);
  note();
  const keep = () => { undo.push([text, structuredClone(board)]); redo = []; };
  const changed = () => { revision += 1; note(); };
  const ok = (structuredContent = {}) => ({ content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent });
  const refuse = (code, message, more = {}) => ({ ...ok({ error: { code, message, ...more } }), isError: true });
  const all = () => board.canvas.components;
  const overlaps = (a, b) => a.position.col < b.position.col + b.size.cols && b.position.col < a.position.col + a.size.cols && a.position.row < b.position.row + b.size.rows && b.position.row < a.position.row + a.size.rows;
  const check = (one, wish) => {
    const { columns, rows } = board.canvas.grid;
    if (wish.position.col + wish.size.cols > columns || wish.position.row + wish.size.rows > rows) return refuse("INVALID_POSITION", "that place is outside of the grid: choose another");
    const hit = all().filter((other) => other !== one && overlaps(other, wish));
    if (!hit.length) return null;
    const free = [];
    for (let row = 0; row + wish.size.rows <= rows; row += 1) for (let col = 0; col + wish.size.cols <= columns; col += 1) {
      const at = { position: { col, row }, size: wish.size };
      if (!all().some((other) => other !== one && overlaps(other, at)) && !(col === one.position.col && row === one.position.row)) free.push({ col, row });
    }
    free.sort((a, b) => Math.hypot(a.col - wish.position.col, a.row - wish.position.row) - Math.hypot(b.col - wish.position.col, b.row - wish.position.row));
    return refuse("COLLISION_DETECTED", `${hit[0].id} stands there`, { componentId: one.id, collidingIds: hit.map((other) => other.id), freePositions: free.slice(0, 3) });
  };
  const put = (one, wish) => { const no = check(one, wish); if (no) return no; keep(); Object.assign(one, wish); changed(); return ok({ success: true }); };
  const walk = (from, to, code) => {
    if (!from.length) return refuse(code, code);
    to.push([text, structuredClone(board)]);
    [text, board] = from.pop();
    changed();
    return ok();
  };
  const tools = {
    app_state: () => ok({ canvas: "plan", revision_id: id(), markdown: text, lock: { locked: lease !== null, holder: lease && "model", tooltip: lease && "Assistant editing canvas…", can_take_control: lease !== null }, board, turn_open: open,
      changes: text === told && JSON.stringify(board) === seen ? null : `Canvas update (do not display to user). Apply this diff to your internal canvas state:\n\`\`\`diff\n(the document is now ${text.length} bytes long)\n\`\`\`` }),
    app_edit: ({ markdown, base_revision_id: base }) => {
      if (base && base !== id()) {
        const old = revisions.get(base), line = old?.split("\n")[0];
        if (markdown.split("\n")[0] !== line || text.split("\n")[0] === line) return refuse("PATCH_REJECTED", "the document has changed at that place since", { reason: "STALE_BASE" });
        markdown = [text.split("\n")[0], ...markdown.split("\n").slice(1)].join("\n");
      }
      keep(); text = markdown; epoch += 1; lease = null; changed();
      return ok({ revision_id: id() });
    },
    app_hand_back: () => { open = true; return ok(); },
    app_take_control: () => { open = false; epoch += 1; lease = null; return ok(); },
    app_undo: () => walk(undo, redo, "HISTORY_EMPTY"),
    app_redo: () => walk(redo, undo, "HISTORY_EMPTY"),
    app_board_action: ({ action }) => {
      const one = all().find((other) => other.id === action.componentId);
      if (!one) return refuse("COMPONENT_NOT_FOUND", "there is no such component");
      if (action.type === "user.move") return put(one, { position: action.position, size: one.size });
      if (action.type === "user.resize") return put(one, { position: one.position, size: action.size });
      keep();
      if (action.type === "user.pin") one.meta.pinned = action.pinned;
      if (action.type === "user.dismiss") board.canvas.components = all().filter((other) => other !== one);
      changed();
      return ok();
    },
    app_board_command: ({ command }) => {
      const [move, resize] = command.payload.commands, one = all().find((other) => other.id === move.payload.componentId);
      return put(one, { position: move.payload.position, size: resize.payload.size });
    },
    canvas_check_out: () => { lease = `lease-${epoch}`; told = text; seen = JSON.stringify(board); return ok({ lease_id: lease, revision_id: id() }); },
    canvas_apply_patch: ({ lease_id, patch }) => {
      if (lease_id !== lease) return refuse("STALE_EPOCH", "the user has stepped in: check out again");
      keep();
      for (const hunk of patch.split(/^@@.*\n/m).slice(1)) {
        const rows = hunk.split("\n").filter((line) => line !== "");
        const side = (sign) => rows.filter((line) => line[0] !== sign).map((line) => `${line.slice(1)}\n`).join("");
        if (!text.includes(side("+"))) return refuse("PATCH_REJECTED", "not found");
        text = text.replace(side("+"), () => side("-"));
      }
      told = text;
      changed();
      return ok({ revision_id: id() });
    },
    canvas_check_in: () => { lease = null; return ok(); },
  };
  const methods = {
    initialize: () => ({ protocolVersion: "2025-11-25", capabilities: { tools: {}, resources: {} }, serverInfo: { name: "fake", version: "0" } }),
    "tools/list": () => ({ tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: "object" } })) }),
    "tools/call": ({ name, arguments: args }) => tools[name](args ?? {}),
    "resources/read": async ({ uri }) => ({ contents: [{ uri, mimeType: "text/html;profile=mcp-app", text: await page(uri.split("/").pop()) }] }),
  };
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method !== "POST") return response.writeHead(405).end();
    const { id: call, method, params } = JSON.parse(Buffer.concat(chunks));
    if (call === undefined) return response.writeHead(202).end();
    const answer = methods[method] ? { result: await methods[method](params) } : { error: { code: -32601, message: "no such method" } };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id: call, ...answer }));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/mcp`, end: () => server.close() };
}

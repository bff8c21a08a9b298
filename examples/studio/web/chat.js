// The conversation with the assistant: what was said, what it did, and what became of it.
import { blocks } from "./markdown.js";
import { who } from "./person.js";
import { CLOSE, el, icon, iconButton } from "./ui.js";

const KEPT = 500; // items on the page
const NEAR = 80; // pixels from the end within which the list follows what is new

const ICONS = {
  patch: "M3 11.5 10.5 4l2 2L5 13.5l-2.5.5zM9 5.5l2 2",
  replace: "M2.5 5.5h9M9 3l2.5 2.5L9 8M13.5 10.5h-9M7 8l-2.5 2.5L7 13",
  insert: "M8 3v10M3 8h10",
  annotate: "M3 3.5h10v7H7.5L5 13v-2.5H3z",
  board: "M2.5 2.5h5v5h-5zM9.5 2.5h4v3h-4zM9.5 8h4v5.5h-4zM2.5 10h5v3.5h-5z",
  surface: "M2 3.5h12v9H2zM2 6h12M4 4.8h.01",
  read: "M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8zM8 6.3a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4z",
  recipe: "M13 8a5 5 0 1 1-1.5-3.6M13 2.5v3h-3",
  notice: "M8 2.5 14 13H2zM8 6.5v3M8 11.4h.01",
  suggestion: "M8 2a4 4 0 0 0-2.3 7.3c.5.4.8 1 .8 1.7h3c0-.7.3-1.3.8-1.7A4 4 0 0 0 8 2zM6.5 13.5h3",
};

export function mountChat(root, studio) {
  root.dataset.testid = "chat";
  const list = el("div", { class: "items", tabindex: 0, role: "log", "aria-label": "Conversation", "aria-live": "polite" });
  const running = el(
    "div",
    { class: "running", role: "status", hidden: true },
    el("span", { class: "dots", "aria-hidden": "true" }),
    "The assistant is working.",
    el(
      "button",
      { class: "line small", type: "button", "data-testid": "stop", onclick: () => studio.act("chat.stop") },
      "Stop",
    ),
  );
  const notice = el("div", { class: "toast", "data-testid": "notice", role: "alert", hidden: true });
  const edits = el(
    "select",
    { "data-testid": "edits", "aria-label": "How the assistant edits the document", onchange: setEdits },
    el("option", { value: "tools" }, "Tool edits"),
    el("option", { value: "patches" }, "Patch edits"),
    el("option", { value: "legacy" }, "Offset edits"),
    el("option", { value: "proposals" }, "Proposals"),
  );
  const demo = el("span", { class: "tag plain", "data-testid": "demo", title: "The answers are recorded: no model is asked", hidden: true }, "Demo");
  const own = el("span", { class: "tag plain", "data-testid": "own-chat", title: "Others have chats of their own", hidden: true }, "Yours");
  const input = el("textarea", {
    "data-testid": "chat-input",
    "aria-label": "Message to the assistant",
    placeholder: "Ask the assistant…",
    rows: 2,
    onkeydown: onKey,
    oninput: fit,
  });
  const send = el("button", { class: "strong", type: "button", "data-testid": "send", onclick: submit }, "Send");
  // The lines of the document that go with the next message.
  let lines = null;
  const selected = el("p", { class: "selected", "data-testid": "selected", hidden: true });
  studio.select = (selection) => {
    lines = selection;
    selected.hidden = !lines;
    if (!lines) return;
    const { startLine: start, endLine: end } = lines;
    selected.replaceChildren(
      start === end ? `Line ${start} goes with your message` : `Lines ${start} to ${end} go with your message`,
      iconButton("Send without the lines", CLOSE, { onclick: () => studio.select(null) }),
    );
  };
  const hint = el("p", { class: "hint" }, "Shift+Enter adds a line.");
  root.append(
    el(
      "header",
      {},
      el("h2", { id: "chat-title" }, "Assistant"),
      demo,
      own,
      el(
        "div",
        { class: "end" },
        edits,
      ),
    ),
    list,
    notice,
    running,
    el("div", { class: "compose" }, selected, input, hint, send),
  );

  // The person whose chat it is; null if it is for all.
  let of = null;
  const isHere = (news) => (news.of ?? null) === of;

  studio.on("snapshot", ({ chat }) => {
    of = chat?.of ?? null;
    own.hidden = of === null;
    const items = Array.isArray(chat?.items) ? chat.items.slice(-KEPT) : [];
    list.replaceChildren(...items.map(draw));
    if (items.length === 0)
      list.append(el("p", { class: "empty" }, "No messages yet. Ask for a change to the document, or for something on the board."));
    keepLastSuggestions();
    list.scrollTop = list.scrollHeight;
    drawTurn(chat ?? {});
    input.disabled = send.disabled = studio.assistant === "none";
    demo.hidden = studio.assistant !== "script";
    if (studio.assistant === "none") hint.textContent = "The studio was started without an assistant.";
  });
  studio.on("canvas.chat.appended", (news) => isHere(news) && append(news.item));
  studio.on("canvas.chat.turn", (news) => isHere(news) && drawTurn(news));

  function append(item) {
    if (!item || list.querySelector(`[data-item="${CSS.escape(String(item.id))}"]`)) return;
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < NEAR;
    list.querySelector(".empty")?.remove();
    if (item.role === "user") list.querySelector(".pending")?.remove();
    list.append(draw(item));
    while (list.children.length > KEPT) list.firstChild.remove();
    keepLastSuggestions();
    // Who ended a turn knows it.
    if (item.kind === "notice" && item.code !== "TURN_ENDED") showNotice(item);
    if (isAtEnd || item.role === "user") list.scrollTop = list.scrollHeight;
  }

  function draw(item) {
    const node = el("div", { class: `item ${item.kind} ${item.role}`, "data-item": item.id, "data-trigger": item.triggerId });
    const body = BODIES[item.kind];
    node.append(...(body ? body(item, studio) : [el("p", {}, String(item.text ?? ""))]));
    return node;
  }

  // Of one trigger's suggestions the last is shown: each window that opens asks again.
  function keepLastSuggestions() {
    const seen = new Set();
    for (const item of [...list.querySelectorAll("[data-trigger]")].reverse()) {
      if (seen.has(item.dataset.trigger)) item.remove();
      seen.add(item.dataset.trigger);
    }
  }

  function showNotice({ code, text, advice }) {
    notice.hidden = false;
    notice.replaceChildren(
      icon(ICONS.notice),
      el("div", { title: code ?? "" }, el("p", {}, text), advice && el("p", { class: "advice" }, advice)),
      iconButton("Close this notice", CLOSE, { onclick: () => (notice.hidden = true) }),
    );
  }

  function drawTurn({ running: isRunning, edits: chosen }) {
    running.hidden = !isRunning;
    root.classList.toggle("is-running", Boolean(isRunning));
    send.textContent = isRunning ? "Stop and send" : "Send";
    if (chosen) edits.value = edits.dataset.kept = chosen;
  }

  async function setEdits() {
    if (!(await studio.act("chat.settings", { edits: edits.value }))) edits.value = edits.dataset.kept;
  }

  async function submit() {
    const text = input.value.trim();
    if (text === "") return input.focus();
    input.value = "";
    fit();
    notice.hidden = true;
    list.querySelector(".empty")?.remove();
    const pending = el("div", { class: "item text user pending" }, el("p", {}, text));
    list.append(pending);
    list.scrollTop = list.scrollHeight;
    const sent = lines;
    const result = await studio.act("chat.send", { text, ...(sent && { selection: sent }) });
    // What was selected since goes with the next message.
    if (result && lines === sent) studio.select(null);
    pending.remove();
    // What was not taken is offered again, before what was written since.
    if (!result) input.value = input.value ? `${text}\n${input.value}` : text;
    fit();
  }
  function onKey(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit();
  }
  function fit() {
    input.rows = Math.min(Math.max(input.value.split("\n").length, 2), 8);
  }
}

const prose = (text) => el("div", { class: "prose" }, ...blocks(text.split("\n")).map((block) => block.make()));

// Refusals of an edit that may succeed on the document as it is by now.
const AGAIN = new Set(["STALE_VERSION", "STALE_BASE", "STALE_EPOCH", "REVISION_CONFLICT", "PATCH_REJECTED", "FINGERPRINT_MISMATCH"]);

// What an item shows, by its kind.
const BODIES = {
  text: ({ role, text, by }, studio) => [
    ...(by && by !== studio.me ? [who({ person: by }, studio.me)] : []),
    role === "assistant" ? prose(String(text)) : el("p", {}, String(text)),
  ],
  edit({ icon: name, summary, preview, status, code, tool, change }, studio) {
    const isRefused = status === "refused";
    const takeBack = async (event) => {
      const button = event.currentTarget;
      button.disabled = true;
      if (await studio.act("history.undo", { change })) button.replaceWith(el("span", { class: "tag" }, "Taken back"));
      else button.disabled = false;
    };
    const tryAgain = async (event) => {
      const button = event.currentTarget;
      button.disabled = true;
      if (await studio.act("chat.send", { text: "Try the edit again." })) button.remove();
      else button.disabled = false;
    };
    const rows = Array.isArray(preview) ? preview.slice() : [];
    while (rows.length > 1 && rows.at(-1).text?.trim() === "") rows.pop();
    return [
      el(
        "p",
        { class: isRefused ? "act refused" : "act", title: tool },
        icon(ICONS[name] ?? ICONS.patch),
        el("span", {}, withoutPlaces(summary)),
        isRefused && el("span", { class: "tag", title: code ?? "" }, "Refused"),
        isRefused && AGAIN.has(code) && el("button", { class: "line small", type: "button", "data-testid": "try-again", onclick: tryAgain }, "Try again"),
        change !== undefined &&
          el("button", { class: "line small", type: "button", "data-testid": `take-back-${change}`, "aria-label": `Take back: ${summary}`, onclick: takeBack }, "Take back"),
      ),
      rows.length > 0 &&
        el("pre", { class: "preview", tabindex: 0, role: "region", "aria-label": `Preview: ${summary}` }, ...rows.map(previewRow)),
    ].filter(Boolean);
  },
  request({ componentId, actionId, label, params }, studio) {
    const run = async (event) => {
      const button = event.currentTarget;
      button.disabled = true;
      const payload = { componentId, actionId, params };
      const done = await studio.act("board.event", { event: { type: "component.action", payload } });
      if (done) button.replaceWith(el("span", { class: "tag good" }, "Run"));
      else button.disabled = false;
    };
    const words = Object.entries(params ?? {}).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    return [
      el(
        "p",
        { class: "act" },
        icon(ICONS.board),
        el("span", {}, `The assistant asks to run “${label}” (${actionId}) of ${componentId}${words.length ? `, with ${words.join(", ")}` : ""}.`),
        el("button", { class: "line small", type: "button", "data-testid": `run-${actionId}`, onclick: run }, label),
      ),
    ];
  },
  notice: ({ text, advice, code }) => [
    el("p", { class: "act refused" }, icon(ICONS.notice), el("span", { title: code ?? "" }, text)),
    ...(advice ? [el("p", { class: "advice" }, advice)] : []),
  ],
  suggestion({ triggerId, text, viewId }, studio) {
    const accept = async (event) => {
      const button = event.currentTarget;
      button.disabled = true;
      if (await studio.act("trigger.accept", { triggerId })) button.replaceWith(el("span", { class: "tag good" }, "Taken"));
      else button.disabled = false;
    };
    return [
      el("p", { class: "act", "data-testid": "suggestion" }, icon(ICONS.suggestion), el("span", {}, text)),
      ...(viewId
        ? [el("button", { class: "line small", type: "button", "data-testid": `accept-${triggerId}`, onclick: accept }, "Show this view")]
        : []),
    ];
  },
};

// Places count from 0 in a summary, and are on the board for everybody to see.
const withoutPlaces = (summary) => String(summary).replace(/ (?:at|to) \(\d+, \d+\)(?:, \d+x\d+)?/g, "");

function previewRow({ tag, text }) {
  const name = tag === "del" ? "del" : tag === "ins" ? "ins" : "span";
  const sign = tag === "del" ? "−" : tag === "ins" ? "+" : " ";
  return el(name, { class: "row" }, el("i", {}, sign), el("span", {}, text));
}

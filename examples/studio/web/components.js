// Cards: a component on the board, with its tools, its data and the marks of its recipe.
import { bodyOf, itemId, object, titleOf, when, words } from "./bodies.js";
import { placeOf } from "./place.js";
import { CLOSE, el, icon, iconButton } from "./ui.js";

const PIN = "M6 2.5h4l-.5 4.5 2 2.5h-7l2-2.5zM8 9.5v4";
const REFRESH = "M13 8a5 5 0 1 1-1.6-3.7M13 2.5v2.6h-2.6";
const EDIT = "M3 13l.7-2.8 7-7a1.4 1.4 0 0 1 2 2l-7 7zM9.5 4.5l2 2";

/** A component with every field that is drawn, whatever the server left out; null where it has no id. */
export function complete(raw) {
  if (typeof raw?.id !== "string") return null;
  return {
    ...raw,
    typeId: words(raw.typeId ?? "unknown"),
    config: object(raw.config),
    meta: object(raw.meta),
    dataState: object(raw.dataState),
    place: placeOf(raw),
  };
}

// What is drawn of data: not when they were fetched, which each reading has anew.
const TIMES = new Set(["startedAt", "attemptedAt", "fetchedAt"]);
const visible = (value) => JSON.stringify(value, (key, one) => (TIMES.has(key) ? undefined : one));

/** Why a recipe could not be played again, by code. Of another code the server's own sentence is shown. */
const REASONS = {
  __proto__: null,
  CONTRACT_CHANGED: "the tool has changed since the recipe was recorded",
  TOOL_GONE: "the tool is no longer there",
  PERMISSION_GONE: "the tool is no longer allowed",
};

/** The words of a recipe's mark by its status; none where the last replay has made the data. */
const MARKS = {
  __proto__: null,
  stale: "Stale",
  error: "No data",
  frozen: "Fixed",
};

export class Card {
  /** What is drawn: `complete`'s result. */
  item = null;
  /** Numbers of the entries that are selected. */
  #selected = new Map(); // item id -> data
  #drawn = { head: "", place: "", body: "", mark: "" };
  #parts;

  /** @param handlers `act(name, card)` for tools, `select(card)`, `click(card, entry)`, `rebuild(card)`, `run(card, action)` */
  constructor(id, handlers) {
    this.id = id;
    this.handlers = handlers;
    const tool = (name, label, path) =>
      iconButton(label, path, { class: "icon small", "data-testid": `cmp-${id}-${name}`, onclick: () => handlers.act(name, this) });
    const pin = tool("pin", "Pin", PIN);
    const refresh = tool("refresh", "Refresh", REFRESH);
    this.#parts = {
      head: el("header", {}),
      body: el("div", { class: "body" }),
      foot: el("footer", { hidden: true }),
      mark: el("div", { class: "mark", hidden: true }),
      pin,
      refresh,
      tools: el("div", { class: "tools" }, refresh, pin, tool("edit", "Edit", EDIT), tool("dismiss", "Dismiss", CLOSE)),
      grip: el("button", { class: "grip", type: "button", "data-testid": `cmp-${id}-resize`, title: "Resize" }),
    };
    const { head, body, foot, mark, tools, grip } = this.#parts;
    this.node = el(
      "section",
      { class: "card", "data-testid": `cmp-${id}`, tabindex: 0, role: "group", "aria-roledescription": "component" },
      head,
      body,
      foot,
      mark,
      tools,
      grip,
    );
    body.addEventListener("click", (event) => this.#press(event));
    body.addEventListener("keydown", (event) => this.#key(event));
  }

  /** What it is called, for people. */
  get title() {
    return titleOf(this.item, this.definition);
  }

  /** How it is read aloud: what it is, and where. */
  get spoken() {
    const { col, row, cols, rows } = this.item.place;
    const kind = this.definition?.name ?? this.item.typeId;
    const name = this.title === kind ? kind : `${this.title}, ${kind}`;
    return `${name}, column ${col + 1}, row ${row + 1}, ${cols} wide, ${rows} high${this.item.meta.pinned ? ", pinned" : ""}`;
  }

  get selectedItems() {
    return [...this.#selected].map(([id, data]) => ({ itemId: id, data }));
  }

  /** Draws what has changed. */
  update(item, definition, made) {
    this.item = item;
    this.definition = definition;
    const { typeId, config, meta, dataState, place } = item;
    this.#draw("place", visible([place, this.spoken]), () => this.#drawPlace(place));
    const isMarked = MARKS[made?.status] !== undefined;
    this.#draw("head", visible([this.title, config.repo, meta, dataState.status, isMarked]), () => this.#drawHead(isMarked));
    this.#draw("body", visible([typeId, config, dataState]), () => this.#drawBody());
    this.#draw("mark", visible([made ?? null, this.title]), () => this.#drawMark(made));
  }

  #draw(part, key, draw) {
    if (this.#drawn[part] === key) return;
    this.#drawn[part] = key;
    draw();
  }

  #drawPlace({ col, row, cols, rows }) {
    const { style } = this.node;
    style.gridColumn = `${col + 1} / span ${cols}`;
    style.gridRow = `${row + 1} / span ${rows}`;
    style.setProperty("--high", rows);
    this.node.classList.toggle("low", rows === 1);
    this.node.setAttribute("aria-label", this.spoken);
  }

  #drawHead(isMarked) {
    const { config, meta, dataState } = this.item;
    const { head, pin, refresh, grip, tools } = this.#parts;
    const isStale = dataState.status === "stale" && !isMarked;
    const age = isStale ? `as of ${when(dataState.fetchedAt)}` : "";
    const repo = config.repo === undefined ? "" : words(config.repo);
    head.replaceChildren(
      ...[
        meta.pinned && el("span", { class: "pinned" }, icon(PIN)),
        el("h3", { title: this.title }, this.title),
        repo && el("span", { class: "of", title: repo }, repo),
        isStale &&
          el("span", { class: "chip stale", title: "Its source did not answer when the data were to be fetched again" }, `stale, ${age}`),
        dataState.status === "loading" && el("span", { class: "spin", role: "img", "aria-label": "Loading" }),
      ].filter(Boolean),
    );
    this.node.dataset.status = words(dataState.status ?? "idle");
    pin.setAttribute("aria-pressed", String(meta.pinned === true));
    pin.title = meta.pinned ? "Unpin" : "Pin";
    refresh.hidden = this.item.dataBinding == null && dataState.data === undefined;
    for (const button of tools.children) button.setAttribute("aria-label", `${button.title} ${this.title}`);
    grip.setAttribute("aria-label", `Resize ${this.title}`);
  }

  #drawBody() {
    const { body } = this.#parts;
    const list = body.querySelector(".list");
    const scrolled = (list ?? body).scrollTop;
    const hadFocus = list !== null && list === document.activeElement;
    body.replaceChildren(...bodyOf(this.item, this.title));
    body.setAttribute("aria-busy", String(this.item.dataState.status === "loading"));
    const { dataState } = this.item;
    if (dataState.status === "error" && object(dataState.error).retryable) {
      body.append(el("button", { class: "line small", type: "button", onclick: () => this.handlers.act("refresh", this) }, "Try again"));
    }
    const fresh = body.querySelector(".list");
    if (scrolled) (fresh ?? body).scrollTop = scrolled;
    if (hadFocus) (fresh ?? this.node).focus({ preventScroll: true });
    this.#keepSelection();
  }

  #drawMark(made) {
    const { mark } = this.#parts;
    const label = MARKS[made?.status];
    mark.hidden = label === undefined;
    this.node.classList.toggle("marked", label !== undefined);
    if (label === undefined) return mark.replaceChildren();
    const code = typeof made.reason === "string" ? ` (${made.reason})` : "";
    const message = words(made.message ?? "the recipe could not be replayed");
    const reason = REASONS[made.reason] ?? `${message}${code}`;
    const asOf = made.asOf === undefined ? "" : ` Data from ${when(made.asOf)}.`;
    mark.replaceChildren(
      el("p", { "data-testid": `stale-${this.id}`, title: `${message}${code}.${asOf}` }, el("strong", {}, label), `: ${reason}.${asOf}`),
      el(
        "button",
        {
          class: "line small",
          type: "button",
          "data-testid": `rebuild-${this.id}`,
          title: "Ask the assistant to record the recipe again",
          "aria-label": `Rebuild the data of ${this.title}`,
          onclick: () => this.handlers.rebuild(this),
        },
        "Rebuild",
      ),
    );
  }

  // Selections.

  #entries() {
    const { data } = this.item.dataState;
    return Array.isArray(data) ? data : [];
  }

  #keepSelection() {
    const before = this.#selected.size;
    const there = new Map(this.#entries().map((entry, number) => [itemId(object(entry), number), entry]));
    for (const id of [...this.#selected.keys()]) {
      if (there.has(id)) this.#selected.set(id, there.get(id));
      else this.#selected.delete(id);
    }
    this.#drawSelection();
    if (this.#selected.size !== before) this.handlers.select(this);
  }

  #drawSelection() {
    const { body, foot } = this.#parts;
    const entries = this.#entries();
    for (const option of body.querySelectorAll("[role=option]")) {
      const number = Number(option.dataset.item);
      option.setAttribute("aria-selected", String(this.#selected.has(itemId(object(entries[number]), number))));
    }
    const actions = (this.definition?.actions ?? []).filter((action) => action.actionId !== "refresh");
    const offered = actions.filter((action) => !action.requiresSelection || this.#selected.size > 0);
    foot.hidden = offered.length === 0;
    foot.replaceChildren(
      ...offered.map(({ actionId, label, description }) =>
        el(
          "button",
          {
            class: "line small",
            type: "button",
            title: description,
            "data-testid": `cmp-${this.id}-action-${actionId}`,
            onclick: () => this.handlers.run(this, actionId),
          },
          label,
        ),
      ),
    );
  }

  #select(option, isAdded) {
    const number = Number(option.dataset.item);
    const entry = this.#entries()[number];
    const id = itemId(object(entry), number);
    const had = this.#selected.has(id);
    const others = this.#selected.size > (had ? 1 : 0);
    if (!isAdded) this.#selected.clear();
    if (had && (isAdded || !others)) this.#selected.delete(id);
    else this.#selected.set(id, entry);
    this.#drawSelection();
    this.handlers.select(this);
    return { elementId: id, data: entry };
  }

  #press(event) {
    const option = event.target.closest("[role=option]");
    if (event.target.closest("button")) return;
    if (!option) return this.handlers.click(this, {});
    this.#activate(option);
    this.handlers.click(this, this.#select(option, event.ctrlKey || event.metaKey || event.shiftKey));
  }

  #activate(option) {
    const list = option.parentElement;
    list.querySelector(".active")?.classList.remove("active");
    option.classList.add("active");
    list.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  #key(event) {
    const list = event.target;
    if (!list.matches?.(".list") || event.altKey) return;
    const options = [...list.children];
    const current = options.findIndex((option) => option.classList.contains("active"));
    const steps = { ArrowDown: current + 1, ArrowUp: Math.max(current - 1, 0), Home: 0, End: options.length - 1 };
    if (event.key in steps) this.#activate(options[Math.min(steps[event.key], options.length - 1)]);
    else if ((event.key === " " || event.key === "Enter") && current >= 0) {
      this.#select(options[current], event.key === " " || event.ctrlKey || event.metaKey);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

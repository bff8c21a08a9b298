// The board: its components, and what people do with them.
import { itemId, object } from "./bodies.js";
import { carrying } from "./carry.js";
import { Card, complete } from "./components.js";
import { editComponent } from "./form.js";
import { byReading, extent, isSame, Occupancy } from "./place.js";
import { el } from "./ui.js";
import { mountViews } from "./views.js";

const PLACES = 12; // free places that are offered
const EVENT = 12_000; // characters of an event; the server takes 16 KiB

const HELP = "Enter grabs a component: arrow keys move it, Shift and arrow keys resize it. P pins, Delete dismisses.";

export function mountBoard(root, studio) {
  const grid = el("div", { class: "grid", "data-testid": "board", role: "group", "aria-label": "Components" });
  const scroller = el("div", { class: "scroller" }, grid);
  const help = el("p", { class: "help", role: "status" });
  const empty = el("p", { class: "empty", hidden: true });
  const count = el("span", { class: "muted" });
  const bar = el("div", { class: "end" });
  root.append(el("header", {}, el("h2", {}, "Board"), count, bar), scroller, empty, help);

  const cards = new Map();
  const registry = new Map();
  // Places that were asked for and not answered yet.
  const wished = new Map();
  let workspace = null;
  let items = new Map();
  let recipe = {};
  let offer = null; // {id, node} of free places

  const tell = (sentence) => {
    help.textContent = sentence;
  };
  const placeNow = (item) => wished.get(item.id) ?? item.place;
  const places = (except) => [...items.values()].filter((item) => item.id !== except).map(placeNow);
  const size = () => extent(object(workspace?.canvas?.grid), [...items.values()].map(placeNow));
  const isNarrow = () => getComputedStyle(grid).display === "flex";

  // What stands.

  const menus = mountViews(bar, studio, { command, board: () => workspace });

  studio.on("snapshot", (state) => {
    registry.clear();
    for (const definition of state.registry ?? []) registry.set(definition.typeId, definition);
    workspace = state.board ?? null;
    recipe = object(state.recipe?.components);
    const components = workspace?.canvas?.components;
    items = new Map();
    for (const raw of Array.isArray(components) ? components : []) take(raw);
    menus.draw();
    draw();
  });
  studio.on("canvas.board.updated", (change) => {
    if (!workspace) return studio.resync();
    for (const raw of change.components ?? []) take(raw);
    for (const id of change.removed ?? []) items.delete(id);
    for (const part of ["views", "settings", "triggers"]) {
      if (change[part]) workspace[part] = change[part];
    }
    if (change.settings?.grid) workspace.canvas.grid = change.settings.grid;
    menus.draw();
    draw();
  });
  studio.on("canvas.data.updated", ({ components }) => {
    for (const [id, dataState] of Object.entries(components ?? {})) {
      const item = items.get(id);
      if (!item) continue;
      item.dataState = object(dataState);
      cards.get(id)?.update(shownItem(item), registry.get(item.typeId), recipe[id]);
    }
  });
  studio.on("canvas.recipe.updated", ({ components }) => {
    recipe = object(components);
    draw();
  });

  function take(raw) {
    const item = complete(raw);
    if (item) items.set(item.id, item);
  }
  const shownItem = (item) => (wished.has(item.id) ? { ...item, place: wished.get(item.id) } : item);

  function draw() {
    const shown = [...items.values()].map(shownItem).sort((a, b) => byReading(a.place, b.place));
    const { columns, rows } = size();
    const used = shown.reduce((most, { place }) => Math.max(most, place.row + place.rows), 0);
    const cell = object(workspace?.canvas?.grid);
    grid.style.setProperty("--columns", columns);
    // A tall grid ends a little below its components, until something is carried.
    grid.style.setProperty("--rows", rows <= 12 ? rows : Math.min(rows, used + (carry.id ? 12 : 1)));
    if (Number.isFinite(cell.cellHeight)) grid.style.setProperty("--row", `${Math.min(Math.max(cell.cellHeight, 56), 84)}px`);
    if (Number.isFinite(cell.gap)) grid.style.setProperty("--cell-gap", `${Math.min(Math.max(cell.gap, 4), 16)}px`);
    const focused = document.activeElement;
    for (const [id, card] of cards) {
      if (items.has(id)) continue;
      if (card.node.contains(focused)) neighbour(card)?.focus({ preventScroll: true });
      card.node.remove();
      cards.delete(id);
    }
    let next = grid.firstChild;
    for (const item of shown) {
      let card = cards.get(item.id);
      if (!card) {
        card = new Card(item.id, handlers);
        cards.set(item.id, card);
      }
      card.update(item, registry.get(item.typeId), recipe[item.id]);
      // The order of the page is the order of reading, for whoever walks by keys.
      if (card.node === next) next = next.nextSibling;
      else grid.insertBefore(card.node, next);
    }
    if (focused !== document.activeElement && focused?.isConnected && grid.contains(focused)) focused.focus({ preventScroll: true });
    count.textContent = shown.length === 1 ? "1 component" : `${shown.length} components`;
    scroller.hidden = shown.length === 0;
    empty.hidden = shown.length > 0;
    empty.textContent = workspace
      ? "The board is empty. Ask the assistant to add something, or load a view."
      : "This canvas has no board yet.";
    if (offer && !items.has(offer.id)) clearOffer();
    carry.refresh();
  }

  const neighbour = (card) => card.node.nextElementSibling?.closest(".card") ?? card.node.previousElementSibling?.closest(".card");

  // What people do.

  /** Sends a command; gives whether it was done. A refusal is said. */
  async function command(command, { quiet = false } = {}) {
    const result = await studio.act("board.command", { command });
    if (!result) return null;
    if (!result.success && !quiet) studio.say(sentenceOf(result), { error: true });
    return result;
  }
  async function act(action) {
    const result = await studio.act("board.action", { action });
    if (result && result.success === false) studio.say(sentenceOf(result), { error: true });
    return result?.success ? result : null;
  }
  // A refusal for people: what stands in the way has names here, and ids in the server's words.
  function sentenceOf({ error, explanation }) {
    if (!error?.code) return explanation ?? "The board refused this.";
    const blockers = (error.collidingIds ?? []).map((id) => cards.get(id)?.title).filter(Boolean);
    if (blockers.length === 0) return `${error.message} (${error.code})`;
    const names = blockers.slice(0, 3).join(", ");
    return `${names} ${blockers.length > 1 ? "stand" : "stands"} there: choose a free place (${error.code}).`;
  }

  const tools = {
    pin: ({ id, item }) => act({ type: "user.pin", componentId: id, pinned: item.meta.pinned !== true }),
    refresh: ({ id }) => act({ type: "user.refresh", componentId: id }),
    edit: (card) => editComponent(card, { command, extent: size, sentenceOf }),
    async dismiss(card) {
      const { title, id } = card;
      if (await act({ type: "user.dismiss", componentId: id })) studio.say(`${title} is dismissed. Undo brings it back.`);
    },
  };
  const report = (event) => {
    let fits = event;
    if (JSON.stringify(fits).length > EVENT) fits = lighter(event);
    return studio.act("board.event", { event: fits });
  };
  const handlers = {
    act: (name, card) => tools[name](card),
    click: ({ id }, { elementId, data }) => report({ type: "component.clicked", payload: { componentId: id, elementId, data } }),
    select: ({ id, selectedItems }) => report({ type: "component.selected", payload: { componentId: id, selectedItems } }),
    async run({ id, title, selectedItems, definition }, actionId) {
      const payload = { componentId: id, actionId, context: { selection: selectedItems } };
      const label = definition?.actions?.find((action) => action.actionId === actionId)?.label ?? actionId;
      if (await report({ type: "component.action", payload }))
        studio.say(`${label} of ${title}: the assistant hears of it with your next message.`);
    },
    async rebuild({ id, title }) {
      if (await studio.act("recipe.rebuild", { componentId: id })) studio.say(`The assistant is asked to rebuild the data of ${title}.`);
    },
  };

  // Where a card was put.

  async function drop(card, to) {
    const { id, title } = card;
    const from = card.item.place;
    wished.set(id, to);
    draw();
    const moved = to.col !== from.col || to.row !== from.row;
    const resized = to.cols !== from.cols || to.rows !== from.rows;
    const position = { col: to.col, row: to.row };
    const dimensions = { cols: to.cols, rows: to.rows };
    const commands = [
      { type: "component.move", payload: { componentId: id, position } },
      { type: "component.resize", payload: { componentId: id, size: dimensions } },
    ];
    const result =
      moved && resized
        ? await studio.act("board.command", { command: { type: "batch", payload: { commands, description: `Place ${title}` } } })
        : await studio.act("board.action", {
            action: moved ? { type: "user.move", componentId: id, position } : { type: "user.resize", componentId: id, size: dimensions },
          });
    // It may have been carried on meanwhile.
    if (wished.get(id) === to) wished.delete(id);
    const item = items.get(id);
    if (result?.success && item) {
      // The event says so too, sooner or later.
      if (isSame(item.place, from)) item.place = to;
      tell(`${card.spoken} is placed.`);
    }
    draw();
    if (!result || result.success || !item) return;
    const free = result.freePlaces ?? result.error?.freePositions ?? new Occupancy(size(), places(id)).free(to, PLACES);
    const offered = free.filter(({ col, row }) => Number.isInteger(col) && Number.isInteger(row)).slice(0, PLACES);
    studio.say(`${sentenceOf(result)}${offered.length ? " The nearest are marked on the board." : ""}`, { error: true });
    offerPlaces(card, to, offered);
  }

  function offerPlaces(card, { cols, rows }, free) {
    clearOffer();
    if (free.length === 0) return;
    const node = el("div", { class: "places", role: "group", "aria-label": `Free places for ${card.title}` });
    const outline = el("div", { class: "target", "aria-hidden": "true", hidden: true });
    for (const { col, row } of free) {
      const show = () => {
        outline.style.gridColumn = `${col + 1} / span ${cols}`;
        outline.style.gridRow = `${row + 1} / span ${rows}`;
        outline.hidden = false;
      };
      const take = () => {
        clearOffer();
        drop(card, { col, row, cols, rows });
        card.node.focus({ preventScroll: true });
      };
      const label = `Put ${card.title} at column ${col + 1}, row ${row + 1}`;
      const attrs = {
        class: "free",
        type: "button",
        "data-place": `${col + 1}, ${row + 1}`,
        "data-testid": `free-${col}-${row}`,
        "aria-label": label,
        title: label,
      };
      const button = el("button", { ...attrs, onclick: take, onfocus: show, onpointerenter: show }, "Here");
      button.style.gridColumn = `${col + 1}`;
      button.style.gridRow = `${row + 1}`;
      node.append(button);
    }
    node.append(outline);
    offer = { id: card.id, node };
    card.node.after(node);
    node.firstChild.focus({ preventScroll: true });
    node.firstChild.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
  function clearOffer() {
    offer?.node.remove();
    offer = null;
  }

  const carry = carrying({
    grid,
    scroller,
    extent: size,
    card: (id) => (items.has(id) ? cards.get(id) : undefined),
    places,
    isNarrow,
    tell,
    drop,
    begin: clearOffer,
    end: () => {},
  });

  grid.addEventListener("click", (event) => {
    const node = event.target.closest(".card");
    if (!node || event.target.closest("button, .body")) return;
    handlers.click(cards.get(node.dataset.testid.slice(4)), {});
  });
  grid.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && offer) {
      const card = cards.get(offer.id);
      clearOffer();
      card?.node.focus({ preventScroll: true });
      return;
    }
    if (!event.target.matches(".card") || event.ctrlKey || event.metaKey || event.altKey || carry.id) return;
    const card = cards.get(event.target.dataset.testid.slice(4));
    if (event.key === "p" || event.key === "P") tools.pin(card);
    else if (event.key === "Delete" || event.key === "Backspace") tools.dismiss(card);
    else return;
    event.preventDefault();
  });
  grid.addEventListener("focusin", ({ target }) => {
    if (!carry.id && target.matches(".card")) tell(target.matches(":focus-visible") ? HELP : "");
  });
}

// An event without what its entries hold but their names.
function lighter({ type, payload }) {
  const light = { ...payload };
  if (light.data !== undefined) light.data = itemId(object(light.data), "");
  if (light.selectedItems) light.selectedItems = light.selectedItems.slice(0, 50).map(({ itemId: id }) => ({ itemId: id, data: null }));
  if (light.context) light.context = { selection: light.context.selection.slice(0, 50).map(({ itemId: id }) => id) };
  return { type, payload: light };
}

// Carrying a card: by pointer, or by keys once it is grabbed.
//
// While a card is carried, one element moves by `transform` alone, once a frame. Where it would stand is asked of a table
// of the cells that are taken, made at the start, and nothing of the layout is read, unless somebody scrolls.
import { el } from "./ui.js";
import { inside, isSame, Occupancy } from "./place.js";

const SLACK = 5; // pixels that a pointer may wander before it drags
const EDGE = 48; // pixels from the window's edge within which it scrolls
const PACE = 14; // pixels a frame

const ARROWS = { __proto__: null, ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * Has cards of a grid carried.
 *
 * @param board `{grid, scroller, extent(), card(id), places(exceptId), isNarrow(), tell(sentence), drop(card, place), begin(), end()}`
 */
export function carrying(board) {
  const { grid, scroller } = board;
  const frame = el("div", { class: "target", "aria-hidden": "true", hidden: true });
  let carried = null; // {card, from, to, isResize, occupancy, extent, step, ...}
  let press = null;

  grid.append(frame);

  function start(card, isResize, way) {
    const from = card.item.place;
    const extent = board.extent();
    board.begin();
    grid.classList.add("carrying");
    card.node.classList.add(isResize ? "resized" : "carried");
    const style = getComputedStyle(grid);
    const gap = parseFloat(style.columnGap) || 0;
    carried = {
      card,
      from,
      to: from,
      isResize,
      way,
      extent,
      occupancy: new Occupancy(extent, board.places(card.id)),
      gap,
      step: { x: (grid.clientWidth + gap) / extent.columns, y: (parseFloat(style.gridAutoRows) || 64) + gap },
    };
    frame.hidden = board.isNarrow();
    frame.classList.toggle("stretched", isResize);
    aim(from, true);
  }

  // Shows where it would stand.
  function aim(wanted, always = false) {
    const to = inside(carried.extent, wanted);
    if (!always && isSame(to, carried.to)) return false;
    const { step, gap, from, isResize } = carried;
    carried.to = to;
    carried.isFree = carried.occupancy.isFree(to);
    const width = (cols) => cols * step.x - gap;
    const height = (rows) => rows * step.y - gap;
    const place = `translate3d(${to.col * step.x}px, ${to.row * step.y}px, 0)`;
    // A plain area is stretched without being painted anew.
    frame.style.transform = isResize
      ? `${place} scale(${width(to.cols) / width(from.cols)}, ${height(to.rows) / height(from.rows)})`
      : place;
    if (always || !isResize) {
      frame.style.width = `${width(isResize ? from.cols : to.cols)}px`;
      frame.style.height = `${height(isResize ? from.rows : to.rows)}px`;
    }
    frame.classList.toggle("taken", !carried.isFree);
    return true;
  }

  /** Ends it. With `isPut` the card goes where the frame is. */
  function finish(isPut) {
    if (!carried) return;
    const { card, from, to } = carried;
    cancelAnimationFrame(press?.request);
    carried = null;
    grid.classList.remove("carrying");
    card.node.classList.remove("carried", "resized");
    card.node.style.transform = "";
    frame.hidden = true;
    board.end();
    if (isPut && !isSame(from, to)) board.drop(card, to);
    else board.tell(isPut ? "" : `${card.title} stays where it was.`);
  }

  // By pointer.

  grid.addEventListener("pointerdown", (down) => {
    if (carried?.way === "keys") finish(true); // what the keys carry comes first
    const node = down.target.closest(".card");
    const grip = down.target.closest(".grip");
    if (!node || press || down.button !== 0 || board.isNarrow()) return;
    if (down.target.closest("input, select, a")) return;
    // A finger scrolls; it carries by the head and the grip.
    if (down.pointerType === "touch" && !grip && !down.target.closest(".card > header")) return;
    const list = down.target.closest(".list, .body");
    if (list && down.offsetX > list.clientWidth && down.target === list) return; // the bar beside it
    const card = board.card(node.dataset.testid.slice(4));
    if (!card) return;
    press = {
      id: down.pointerId,
      card,
      isResize: grip !== null,
      x: down.clientX,
      y: down.clientY,
      start: { x: down.clientX, y: down.clientY },
      box: null,
      request: 0,
    };
  });

  window.addEventListener("pointermove", (event) => {
    if (!press || event.pointerId !== press.id) return;
    // It was released where nobody saw it, outside of the window.
    if (event.buttons === 0 && !press.box) return void (press = null);
    press.x = event.clientX;
    press.y = event.clientY;
    if (!press.box) {
      if (Math.hypot(press.x - press.start.x, press.y - press.start.y) < SLACK) return;
      start(press.card, press.isResize, "pointer");
      press.box = grid.getBoundingClientRect();
      press.first = { x: press.box.left, y: press.box.top };
      press.window = { width: window.innerWidth, height: window.innerHeight };
      grid.setPointerCapture(press.id);
    }
    if (!press.request) press.request = requestAnimationFrame(step);
  });

  function step() {
    if (!press) return;
    press.request = 0;
    if (!carried) return;
    if (press.isScrolled) {
      press.isScrolled = false;
      press.box = grid.getBoundingClientRect();
    }
    const { from, card, isResize } = carried;
    const x = press.x - press.start.x - (press.box.left - press.first.x);
    const y = press.y - press.start.y - (press.box.top - press.first.y);
    const cols = Math.round(x / carried.step.x);
    const rows = Math.round(y / carried.step.y);
    if (isResize) {
      aim({
        ...from,
        cols: Math.min(Math.max(from.cols + cols, 1), carried.extent.columns - from.col),
        rows: Math.max(from.rows + rows, 1),
      });
    } else {
      card.node.style.transform = `translate3d(${x}px, ${y}px, 0)`;
      aim({ ...from, col: from.col + cols, row: from.row + rows });
    }
    const { width, height } = press.window;
    const down = press.y > height - EDGE ? PACE : press.y < EDGE ? -PACE : 0;
    const along = press.x > width - EDGE ? PACE : press.x < EDGE ? -PACE : 0;
    if (down) window.scrollBy({ top: down, behavior: "instant" });
    if (along) scroller.scrollBy({ left: along, behavior: "instant" });
    if (down || along) press.request = requestAnimationFrame(step);
  }

  const scrolled = () => {
    if (!press?.box) return;
    press.isScrolled = true;
    if (!press.request) press.request = requestAnimationFrame(step);
  };
  window.addEventListener("scroll", scrolled, { capture: true, passive: true });

  function release(event) {
    if (!press || event.pointerId !== press.id) return;
    const isDragged = press.box !== null;
    if (isDragged) {
      // The last step may wait for its frame.
      cancelAnimationFrame(press.request);
      step();
      // The click that ends a drag is none.
      const swallow = (click) => click.stopPropagation();
      window.addEventListener("click", swallow, { capture: true, once: true });
      setTimeout(() => window.removeEventListener("click", swallow, true));
    }
    const isPut = event.type === "pointerup";
    if (isDragged && carried?.way === "pointer") finish(isPut);
    press = null;
  }
  window.addEventListener("pointerup", release);
  window.addEventListener("pointercancel", release);

  // By keys.

  function grab(card) {
    start(card, false, "keys");
    board.tell(
      `${card.title} is grabbed. Arrow keys move it, Shift and arrow keys resize it, Enter puts it down, Escape leaves it where it was.`,
    );
  }

  function moveBy([x, y], isResize) {
    const { to, card, from, step: cell } = carried;
    const place = isResize
      ? { ...to, cols: Math.min(Math.max(to.cols + x, 1), carried.extent.columns - to.col), rows: Math.max(to.rows + y, 1) }
      : { ...to, col: to.col + x, row: to.row + y };
    aim(place);
    const now = carried.to;
    card.node.style.transform = board.isNarrow()
      ? ""
      : `translate3d(${(now.col - from.col) * cell.x}px, ${(now.row - from.row) * cell.y}px, 0)`;
    if (!board.isNarrow()) frame.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
    const where = isResize ? `${now.cols} wide, ${now.rows} high` : `Column ${now.col + 1}, row ${now.row + 1}`;
    board.tell(`${where}: ${carried.isFree ? "free" : "taken"}`);
  }

  grid.addEventListener("keydown", (event) => {
    if (carried && event.key === "Escape") {
      event.preventDefault();
      return finish(false);
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const grip = event.target.closest(".grip");
    if (!event.target.matches(".card") && !grip) return;
    const isPress = event.key === "Enter" || event.key === " ";
    const arrow = ARROWS[event.key];
    if (carried?.way === "keys" && arrow) moveBy(arrow, event.shiftKey || grip !== null);
    else if (carried?.way === "keys" && isPress) finish(true);
    else if (!carried && isPress) grab(board.card(event.target.closest(".card").dataset.testid.slice(4)));
    else return;
    event.preventDefault();
  });
  grid.addEventListener("focusout", (event) => {
    if (carried?.way === "keys" && event.relatedTarget && !carried.card.node.contains(event.relatedTarget)) finish(false);
  });

  return {
    get id() {
      return carried?.card.id ?? null;
    },
    /** The board has changed under it. */
    refresh() {
      if (!carried) return;
      const { card } = carried;
      const isGone = !board.card(card.id);
      if (isGone || !isSame(card.item.place, carried.from)) return finish(false);
      carried.occupancy = new Occupancy(carried.extent, board.places(card.id));
      aim(carried.to, true);
    },
    cancel: () => finish(false),
  };
}

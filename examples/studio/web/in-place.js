// Tasks and cells of the document as it reads, which a person changes by a press.
import { sourceOf } from "./markdown.js";
import { el } from "./ui.js";

/**
 * `find(node)` gives the place of an element, `{line, expect, baseRevisionId}`, or null where it cannot be changed now;
 * `change(place, change)` changes it, and gives nothing where that was refused.
 */
export function mountInPlace(view, drawn, { find, change }) {
  let editor = null;

  view.addEventListener("click", async (event) => {
    const box = event.target.closest("input[data-line]");
    if (box) {
      const check = box.checked;
      // What it shows is what the document says.
      event.preventDefault();
      const place = await find(box);
      if (place) change(place, { check });
      return;
    }
    const cell = event.target.closest("td");
    if (cell && !event.target.closest("a") && getSelection().isCollapsed) edit(cell);
  });
  view.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches(".scroll")) return;
    const cell = event.target.querySelector("td");
    if (!cell) return;
    event.preventDefault();
    edit(cell);
  });

  async function edit(cell) {
    if (editor) await editor.save();
    if (editor) return;
    const was = sourceOf(cell);
    const column = cell.cellIndex + 1;
    const title = cell.closest("table").querySelector(`th:nth-child(${column})`)?.textContent;
    const place = was !== undefined && (await find(cell));
    if (place && cell.isConnected) editor = open(cell, place, { was, column, title });
  }

  // It stands above the text, so that it stays as it is when the table is drawn again.
  function open(cell, place, { was, column, title }) {
    const input = el("input", { class: "cell", value: was, "aria-label": title ? `Cell of ${title}` : "Cell", "data-testid": "cell" });
    const [at, around] = [cell.getBoundingClientRect(), view.getBoundingClientRect()];
    Object.assign(input.style, {
      left: `${at.left - around.left + view.scrollLeft - 6}px`,
      top: `${at.top - around.top + view.scrollTop}px`,
      width: `${Math.max(at.width, 120)}px`,
      height: `${Math.max(at.height, 28)}px`,
    });
    let saving = null;
    const close = () => {
      const hadFocus = document.activeElement === input;
      editor = null;
      input.remove();
      if (hadFocus) (drawn.nodeAt(place.line)?.closest(".scroll") ?? view).focus({ preventScroll: true });
    };
    const save = () => {
      const value = input.value.trim();
      if (value === was) close();
      else saving ??= change(place, { cell: { column, value } }).then((done) => ((saving = null), done && close()));
      return saving;
    };
    input.addEventListener("keydown", (event) => {
      if (event.isComposing || !["Enter", "Escape", "Tab"].includes(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key === "Escape") close();
      else save();
    });
    input.addEventListener("blur", () => editor && save());
    view.append(input);
    input.focus();
    input.select();
    return { save };
  }
}

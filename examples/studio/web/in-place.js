// Tasks and cells of the document as it reads, which a person changes by a press.
import { sourceOf } from "./markdown.js";
import { el } from "./ui.js";

/**
 * `find(node)` gives the place of an element, `{line, expect, baseRevisionId}`, or nothing where it cannot be changed now.
 * `change(place, change)` changes it, and gives whether that was done, once the page shows it.
 */
export function mountInPlace(view, drawn, { find, change }) {
  let editor = null;
  // One press at a time.
  let isBusy = false;
  const alone = async (act) => {
    if (isBusy) return;
    isBusy = true;
    try {
      await act();
    } finally {
      isBusy = false;
    }
  };

  view.addEventListener("click", (event) => {
    const box = event.target.closest("input[data-line]");
    const cell = event.target.closest("td");
    if (box) {
      const check = box.checked;
      // What it shows is what the document says.
      event.preventDefault();
      alone(async () => {
        const place = await find(box);
        if (place) await change(place, { check });
      });
    } else if (cell && !event.target.closest("a") && getSelection().isCollapsed) alone(() => edit(cell));
  });
  view.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches(".scroll")) return;
    const cell = event.target.querySelector("td");
    if (!cell) return;
    event.preventDefault();
    alone(() => edit(cell));
  });

  async function edit(pressed) {
    let cell = pressed;
    if (editor) {
      // The table is drawn again once the cell before is saved.
      const [line, column] = [drawn.lineOf(cell), cell.cellIndex];
      if (!(await editor.save())) return;
      if (!cell.isConnected) cell = line && drawn.nodeAt(line)?.cells?.[column];
    }
    const was = cell && sourceOf(cell);
    const place = was !== undefined && (await find(cell));
    if (place && cell.isConnected) editor = open(cell, place, was);
  }

  // It stands above the text, so that it stays as it is when the table is drawn again.
  function open(cell, place, was) {
    const column = cell.cellIndex + 1;
    const title = cell.closest("table").querySelector(`th:nth-child(${column})`)?.textContent;
    const input = el("input", { class: "cell", value: was, "aria-label": title ? `Cell of ${title}` : "Cell", "data-testid": "cell" });
    const [at, around] = [cell.getBoundingClientRect(), view.getBoundingClientRect()];
    Object.assign(input.style, {
      left: `${at.left - around.left + view.scrollLeft - 6}px`,
      top: `${at.top - around.top + view.scrollTop}px`,
      width: `${Math.max(at.width, 120)}px`,
      height: `${Math.max(at.height, 28)}px`,
    });
    let saving = null;
    // The text that was refused.
    let refused = null;
    const close = () => {
      const hadFocus = document.activeElement === input;
      editor = null;
      input.remove();
      if (hadFocus) (drawn.nodeAt(place.line)?.closest(".scroll") ?? view).focus({ preventScroll: true });
      return true;
    };
    const send = async (value) => {
      input.readOnly = true;
      const isDone = await change(place, { cell: { column, value } });
      saving = null;
      input.readOnly = false;
      refused = isDone ? null : value;
      return isDone && close();
    };
    const save = () => {
      const value = input.value.trim();
      return value === was ? close() : (saving ??= send(value));
    };
    input.addEventListener("keydown", (event) => {
      if (event.isComposing || !["Enter", "Escape", "Tab"].includes(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key !== "Escape") save();
      else if (!saving) close();
    });
    // Not while it is removed.
    input.addEventListener("blur", () => editor?.save === save && input.value.trim() !== refused && save());
    view.append(input);
    input.focus();
    input.select();
    return { save };
  }
}

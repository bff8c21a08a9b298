// Elements. Text goes in as text, so no markup of a document, a chat or a config is ever parsed.

/** An element. `onNAME` attributes are listeners; false, null and undefined leave an attribute or a child out. */
export function el(tag, attrs = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attrs)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child != null && child !== false));
  return node;
}

const SVG = "http://www.w3.org/2000/svg";

/** A line drawing of 16 by 16, which screen readers pass over. */
export function icon(path) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.append(document.createElementNS(SVG, "path"));
  svg.firstChild.setAttribute("d", path);
  return svg;
}

/** A button that is an icon, with its label for all who do not see it. */
export const iconButton = (label, path, attrs = {}) =>
  el("button", { class: "icon", type: "button", "aria-label": label, title: label, ...attrs }, icon(path));

export const CLOSE = "M4 4l8 8M12 4l-8 8";

/** A button that opens a panel, which closes by Escape and by a press elsewhere. */
export function menu(label, testid, ...children) {
  const summary = el("summary", {}, label);
  const node = el("details", { class: "menu", "data-testid": testid }, summary, el("div", { class: "panel" }, ...children));
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !node.open) return;
    node.open = false;
    summary.focus();
    event.stopPropagation();
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (node.open && !node.contains(target)) node.open = false;
  });
  return node;
}

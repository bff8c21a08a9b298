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
  const node = panel(label, testid, ...children);
  document.addEventListener("pointerdown", ({ target }) => {
    if (node.open && !node.contains(target)) node.open = false;
  });
  return node;
}

/** A button that opens a panel at the side of the page. It stays while the person works elsewhere. */
export function drawer(label, testid, title, ...children) {
  const close = () => {
    node.open = false;
    node.firstChild.focus();
  };
  const head = el("div", { class: "head" }, el("h2", {}, title), iconButton(`Close: ${title}`, CLOSE, { onclick: close }));
  const node = panel(label, testid, head, ...children);
  node.classList.add("drawer");
  return node;
}

function panel(label, testid, ...children) {
  const summary = el("summary", {}, label);
  const node = el("details", { class: "menu", "data-testid": testid }, summary, el("div", { class: "panel" }, ...children));
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !node.open) return;
    node.open = false;
    summary.focus();
    event.stopPropagation();
  });
  return node;
}

/** A time of the past as people say it, such as "3 minutes ago", with the exact one as its title. `skew` is the server's clock less this page's. */
export function ago(at, skew = 0) {
  const seconds = Math.min((at - skew - Date.now()) / 1000, 0);
  const [size, unit] = UNITS.find(([size]) => -seconds >= size) ?? [1, "second"];
  const text = -seconds < 5 ? "just now" : SAID.format(Math.trunc(seconds / size), unit);
  return el("time", { datetime: new Date(at).toISOString(), title: new Date(at).toLocaleString() }, text);
}
const SAID = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const UNITS = [[31_536_000, "year"], [2_592_000, "month"], [86_400, "day"], [3_600, "hour"], [60, "minute"]];

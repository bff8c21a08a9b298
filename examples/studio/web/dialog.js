// The page's own question. Frames cannot draw it, press it or see it.
import { el } from "./ui.js";

// A second click of a double click elsewhere must not fall on Yes.
const REST = 400;

let dialog = null;

/**
 * Asks, and gives whether the answer was yes. The focus begins on No; Escape is No. A question that comes while another
 * is open is answered No at once.
 *
 * @param {{title: string, rows?: [string, string | (string | Node)[]][], yes?: string, no?: string}} question
 */
export function ask({ title, rows = [], yes = "Yes", no = "No" }) {
  if (dialog) return Promise.resolve(false);
  const before = document.activeElement;
  return new Promise((resolve) => {
    let answer = false;
    const close = (value) => {
      answer = value;
      dialog.close();
    };
    const refuse = el(
      "button",
      { class: "line", type: "button", "data-testid": "confirm-no", autofocus: true, onclick: () => close(false) },
      no,
    );
    const agree = el(
      "button",
      { class: "strong", type: "button", "data-testid": "confirm-yes", disabled: true, onclick: () => close(true) },
      yes,
    );
    dialog = el(
      "dialog",
      { "data-testid": "confirm", "aria-labelledby": "confirm-title" },
      el("h2", { id: "confirm-title" }, title),
      rows.length > 0 && el("dl", {}, ...rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, ...[value].flat())])),
      el("div", { class: "acts" }, refuse, agree),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      dialog = null;
      before?.focus?.();
      resolve(answer);
    });
    document.body.append(dialog);
    dialog.showModal();
    refuse.focus();
    setTimeout(() => agree.removeAttribute("disabled"), REST);
  });
}

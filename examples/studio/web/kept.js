// Texts of the person that others have written over: kept until somebody decides.
import { move } from "./text.js";
import { el } from "./ui.js";

const SHOWN = 4_000; // characters of a text that are shown

/**
 * `put(at, end, text)` writes into the editor what the person wants after all, and gives whether it could.
 */
export function mountKept(root, { text, put, say }) {
  let kept = [];
  const list = el("ul");
  root.append(
    el("h3", {}, "Your text, kept"),
    el("p", {}, "Somebody else changed the same place at the same time. The document has their text; yours is here."),
    list,
  );
  root.hidden = true;

  function draw() {
    root.hidden = kept.length === 0;
    list.replaceChildren(...kept.map(row));
  }
  const drop = (one) => {
    kept = kept.filter((other) => other !== one);
    draw();
  };
  function row(one) {
    const side = (label, content) =>
      el(
        "div",
        {},
        el("h4", {}, label),
        el("pre", { tabindex: 0, role: "region", "aria-label": label }, content.slice(0, SHOWN) || "(nothing)"),
      );
    const use = () => {
      if (put(one.at, one.end, one.mine)) drop(one);
    };
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(one.mine);
        say("Your text is on the clipboard.");
      } catch {
        say("The browser does not let the page copy: select the text and copy it.", { error: true });
      }
    };
    return el(
      "li",
      { "data-testid": "kept" },
      el("div", { class: "both" }, side("In the document", around(one, one.theirs)), side("Yours", around(one, one.mine))),
      el(
        "div",
        { class: "acts" },
        el("button", { class: "line small", type: "button", "data-testid": "kept-use", onclick: use }, "Put mine in its place"),
        el("button", { class: "line small", type: "button", onclick: copy }, "Copy mine"),
        el("button", { class: "small", type: "button", onclick: () => drop(one) }, "Drop mine"),
      ),
    );
  }
  // The place within its lines, as they are now.
  function around({ at, end }, content) {
    const now = text();
    const from = now.lastIndexOf("\n", at - 1) + 1;
    const stop = now.indexOf("\n", end);
    return now.slice(from, at) + content + now.slice(end, stop < 0 ? undefined : stop);
  }

  return {
    get isEmpty() {
      return kept.length === 0;
    },
    add(conflicts) {
      kept.push(...conflicts);
      draw();
    },
    follow(splices) {
      for (const one of kept) {
        one.at = move(one.at, splices);
        one.end = Math.max(one.at, move(one.end, splices));
      }
    },
  };
}

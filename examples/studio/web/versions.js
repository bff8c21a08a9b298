// Named versions of the document: their list, a name for what is there now, comparison, and the way back.
import { who } from "./person.js";
import { ago, el } from "./ui.js";

const LABEL_BYTES = 128;

export function mountVersions(root, studio) {
  const name = el("input", {
    type: "text",
    "data-testid": "version-label",
    "aria-label": "Name of the version",
    placeholder: "Name what is here now",
    maxlength: LABEL_BYTES,
  });
  const form = el(
    "form",
    { class: "naming", onsubmit: give },
    name,
    el("button", { class: "line", type: "submit", "data-testid": "version-name" }, "Name"),
  );
  const list = el("ul", { "data-testid": "versions" });
  root.append(el("h3", { id: "versions-title" }, "Versions"), form, list);

  async function give(event) {
    event.preventDefault();
    const label = name.value.trim();
    if (label === "") return name.focus();
    await studio.settle();
    if (await studio.act("versions.name", { label })) name.value = "";
  }

  function draw(versions) {
    const all = Array.isArray(versions?.list) ? versions.list : [];
    const rows = all.length ? all.map(row) : [el("li", { class: "muted" }, "No version has a name yet.")];
    const left = (versions?.count ?? 0) - all.length;
    if (left > 0) rows.push(el("li", { class: "muted" }, `${left} older versions are not listed.`));
    const active = list.contains(document.activeElement);
    list.replaceChildren(...rows);
    if (active) name.focus();
  }

  function row({ label, at, by, note, isErased }) {
    const button = (text, act) => el("button", { class: "line small", type: "button", "aria-label": `${text}: ${label}`, onclick: act }, text);
    const remove = async () => {
      const isSure = await studio.ask({ title: "Remove the name of this version?", rows: [["Version", label]], yes: "Remove", no: "Keep" });
      if (isSure) await studio.act("versions.remove", { label });
    };
    return el(
      "li",
      {},
      el("strong", {}, el("bdi", {}, label)),
      el("span", { class: "muted" }, who(by ?? {}, studio.me), " ", ago(at, studio.skew)),
      note && el("span", {}, note),
      isErased && el("span", { class: "muted" }, "Its text was erased."),
      el(
        "div",
        { class: "acts" },
        !isErased && button("Compare", () => studio.compare({ version: label }, `\u201c${label}\u201d`)),
        !isErased && button("Restore", () => studio.restore({ version: label })),
        button("Remove", remove),
      ),
    );
  }

  studio.on("snapshot", ({ versions }) => draw(versions));
  studio.on("canvas.versions.updated", ({ versions }) => draw(versions));
}

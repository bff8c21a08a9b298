// The people who show the canvas, the name of this window's person, and the way in which all work.
import { NO_NAME, nameOf, who } from "./person.js";
import { el, menu } from "./ui.js";

const SHOWN = 3; // people in the bar; the panel lists all

const MODES = [
  ["exclusive", "One at a time"],
  ["collaborative", "All at once"],
];
const MEANS = {
  exclusive: "An edit or a message ends the assistant’s turn.",
  collaborative: "The assistant goes on while people edit. Each named person has a chat with it.",
};

export function mountPeople(root, studio) {
  const present = el("span", { class: "present", "data-testid": "present" });
  const list = el("ul", { "data-testid": "people" });
  const name = el("input", { id: "person-name", "data-testid": "person-name", maxlength: 64, autocomplete: "off", spellcheck: "false" });
  const form = el(
    "form",
    { class: "row" },
    el("label", { for: "person-name" }, "Your name", name),
    el("button", { class: "line", type: "submit", "data-testid": "person-use" }, "Use"),
  );
  const mode = el(
    "select",
    { id: "work-mode", "data-testid": "work-mode", "aria-describedby": "work-mode-means" },
    ...MODES.map(([value, text]) => el("option", { value }, text)),
  );
  const means = el("p", { id: "work-mode-means", class: "note" });
  const node = menu(present, "people-menu", list, form, el("label", { for: "work-mode", class: "row" }, "People and assistant work", mode), means);
  root.append(node);

  let people = [];
  let workMode = "exclusive";

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!(await studio.rename(name.value))) return name.focus();
    node.open = false;
    studio.say(studio.me === NO_NAME ? "You work without a name." : `You are ${studio.me}. Undo takes back your own changes.`);
  });
  mode.addEventListener("change", async () => {
    if (!(await studio.act("people.work_mode", { mode: mode.value }))) mode.value = workMode;
  });

  studio.on("snapshot", (state) => {
    people = Array.isArray(state.people) ? state.people : [];
    workMode = state.workMode ?? "exclusive";
    if (document.activeElement !== name) name.value = studio.me === NO_NAME ? "" : studio.me;
    draw();
  });
  studio.on("canvas.people.updated", (news) => {
    people = Array.isArray(news.people) ? news.people : [];
    draw();
  });
  studio.on("canvas.mode.updated", (news) => {
    workMode = news.workMode;
    studio.say(workMode === "collaborative" ? "People and the assistant work at once now." : "People and the assistant work one at a time now.");
    draw();
  });

  function draw() {
    const { me } = studio;
    const others = people.filter((person) => person !== me);
    const all = [me, ...others];
    const rest = all.length - SHOWN;
    present.replaceChildren(
      ...all.slice(0, SHOWN).map((person) => who({ person }, me)),
      ...(rest > 0 ? [el("span", { class: "more" }, `+${rest}`)] : []),
    );
    node.firstChild.setAttribute("aria-label", `People: ${all.map((person) => nameOf(person, me)).join(", ")}`);
    list.replaceChildren(...all.map((person) => el("li", {}, who({ person }, me))));
    mode.value = workMode;
    means.textContent = MEANS[workMode] ?? "";
  }
  draw();
}

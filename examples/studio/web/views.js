// Views, and the triggers that suggest them: the menus of the board.
import { CLOSE, el, iconButton, menu } from "./ui.js";

const MODES = [
  ["suggest", "Suggest views"],
  ["auto", "Load views by itself"],
  ["off", "Stay silent"],
];
const DAYS = ["monday", "friday"];
const TIMES = ["morning", "afternoon", "evening"];

const spoken = (time) => {
  const text = time.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** @param board `{command(command), board()}`, the latter giving the workspace or null */
export function mountViews(root, studio, board) {
  const name = el("input", { id: "view-name", "data-testid": "view-name", maxlength: 100, required: true, autocomplete: "off" });
  const list = el("ul", {});
  const save = el("button", { class: "line", type: "submit", "data-testid": "save-view" }, "Save");
  const form = el("form", { class: "row" }, el("label", { for: "view-name" }, "Save this layout as", name), save);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = name.value.trim();
    if (!text) return name.focus();
    const result = await board.command({ type: "view.save", payload: { name: text } });
    if (!result?.success) return;
    name.value = "";
    studio.say(`The view ${text} is saved.`);
  });
  const views = menu("Views", "views", list, form);

  const mode = el(
    "select",
    { id: "mode", "data-testid": "proactive-mode" },
    ...MODES.map(([value, text]) => el("option", { value }, text)),
  );
  mode.addEventListener("change", async () => {
    await board.command({ type: "settings.update", payload: { proactiveMode: mode.value } });
    draw();
  });
  const triggers = el("ul", {});
  const settings = menu("Triggers", "settings", el("label", { for: "mode", class: "row" }, "When a trigger is due", mode), triggers);

  const simulate = el("select", { "data-testid": "simulate", "aria-label": "Simulate a time" });
  simulate.addEventListener("change", async () => {
    const time = simulate.value;
    simulate.value = "";
    const result = await studio.act("trigger.simulate", { simulatedTime: time });
    if (result?.activated?.length === 0) {
      const isOff = board.board()?.settings?.proactiveMode === "off";
      studio.say(isOff ? `${spoken(time)}: triggers are silent.` : `${spoken(time)}: no trigger is due then.`);
    }
  });
  const refresh = el(
    "button",
    { class: "line", type: "button", "data-testid": "refresh-recipe", title: "Replay the recipe without the assistant", hidden: true },
    "Refresh data",
  );
  refresh.addEventListener("click", async () => {
    refresh.disabled = true;
    const result = await studio.act("recipe.refresh");
    refresh.disabled = false;
    if (result) studio.say(told(result));
  });
  studio.on("snapshot", ({ recipe }) => {
    refresh.hidden = !recipe;
  });
  studio.on("canvas.recipe.updated", ({ components }) => {
    refresh.hidden = !components || Object.keys(components).length === 0;
  });
  root.append(refresh, views, settings, simulate);

  function draw() {
    const workspace = board.board();
    for (const node of [views, settings, simulate]) node.hidden = !workspace;
    if (!workspace) return;
    drawViews(workspace.views ?? []);
    drawTriggers(workspace);
  }

  function drawViews(all) {
    const rows = all.map(({ id, name: text, description }) => {
      const load = async () => {
        views.open = false;
        const result = await board.command({ type: "view.load", payload: { viewId: id } });
        if (result?.success) studio.say(`The view ${text} is loaded.`);
      };
      const remove = async () => {
        const result = await board.command({ type: "view.delete", payload: { viewId: id } });
        if (result?.success) studio.say(`The view ${text} is deleted. Undo brings it back.`);
      };
      return el(
        "li",
        {},
        el(
          "button",
          { class: "view", type: "button", "data-testid": `load-${id}`, "data-view": text, title: description, onclick: load },
          text,
        ),
        iconButton(`Delete the view ${text}`, CLOSE, { "data-testid": `delete-${id}`, onclick: remove }),
      );
    });
    list.replaceChildren(...(rows.length ? rows : [el("li", { class: "muted" }, "No view is saved yet.")]));
  }

  function drawTriggers({ settings: current, triggers: all = [], views: saved = [] }) {
    mode.value = current?.proactiveMode ?? "suggest";
    const rows = all.map((trigger) => {
      const view = saved.find((one) => one.id === trigger.viewId);
      const when = trigger.type === "session_start" ? "when the canvas is opened" : spoken(trigger.simulatedTime ?? "");
      const box = el("input", {
        type: "checkbox",
        role: "switch",
        checked: trigger.enabled === true,
        "data-testid": `trigger-${trigger.id}`,
      });
      box.addEventListener("change", async () => {
        await board.command({ type: "trigger.set", payload: { trigger: { ...trigger, enabled: box.checked } } });
        draw();
      });
      return el(
        "li",
        {},
        el("label", { class: "switch" }, box, el("span", {}, trigger.name, el("small", {}, view ? `${when}, view ${view.name}` : when))),
      );
    });
    triggers.replaceChildren(...(rows.length ? rows : [el("li", { class: "muted" }, "The board has no triggers.")]));
    const times = new Set(all.filter(({ type }) => type === "time_based").map(({ simulatedTime }) => simulatedTime));
    for (const day of DAYS) for (const time of TIMES) times.add(`${day}_${time}`);
    simulate.replaceChildren(
      el("option", { value: "", disabled: true, selected: true }, "Simulate a time"),
      ...[...times].filter((time) => typeof time === "string").map((time) => el("option", { value: time }, spoken(time))),
    );
  }

  return { draw };
}

function told({ refreshed, stale }) {
  const fresh = refreshed?.length ?? 0;
  const old = stale?.length ?? 0;
  const parts = [];
  if (fresh > 0 || old === 0) parts.push(fresh === 1 ? "Refreshed one component." : `Refreshed ${fresh} components.`);
  if (old > 0)
    parts.push(
      old === 1
        ? "One component is stale: the board shows why."
        : `${old} components are stale: the board shows why.`,
    );
  return parts.join(" ");
}

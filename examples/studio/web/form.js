// The form of a component: its config by the schema of its type, its name and its place.
import { object } from "./bodies.js";
import { isSame } from "./place.js";
import { el } from "./ui.js";

const PLACE = [
  ["col", "Column", 1],
  ["row", "Row", 1],
  ["cols", "Columns wide", 0],
  ["rows", "Rows high", 0],
];

/**
 * Asks for a component's config, name and place, and sends what was changed as one command. A refusal is shown in the
 * form, which stays open.
 *
 * @param board `{command(command, {quiet}), extent(), sentenceOf(result)}`
 */
export function editComponent(card, board) {
  const { item, definition, title, id } = card;
  const before = document.activeElement;
  const fields = fieldsOf(object(definition?.configSchema), item.config, id);
  const label = input(`${id}-label`, "Name", { value: item.meta.label ?? "", maxlength: 200, placeholder: definition?.name ?? "" });
  const place = PLACE.map(([name, text, add]) => {
    const most = name === "col" || name === "cols" ? board.extent().columns : board.extent().rows;
    const attrs = { type: "number", min: 1, max: most, step: 1, required: true, value: item.place[name] + add, inputmode: "numeric" };
    return { name, add, ...input(`${id}-${name}`, text, attrs) };
  });
  const problem = el("p", { class: "problem", role: "alert", hidden: true });
  const save = el("button", { class: "strong", type: "submit", "data-testid": "edit-save" }, "Save");
  const form = el(
    "form",
    { novalidate: true },
    el("h2", { id: "edit-title" }, `Edit ${title}`),
    el("div", { class: "fields" }, label.node, ...fields.map((field) => field.node)),
    el("fieldset", { class: "fields place" }, el("legend", {}, "Place"), ...place.map((field) => field.node)),
    problem,
    el("div", { class: "acts" }, el("button", { class: "line", type: "button", onclick: () => dialog.close() }, "Cancel"), save),
  );
  const dialog = el("dialog", { class: "edit", "data-testid": "edit", "aria-labelledby": "edit-title" }, form);
  const refuse = (text, control) => {
    problem.textContent = text;
    problem.hidden = false;
    control?.focus();
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const wrong = [...form.elements].find((control) => control.willValidate && !control.validity.valid);
    if (wrong) return refuse(`${wrong.labels?.[0]?.firstChild?.textContent ?? "A field"}: ${wrong.validationMessage}`, wrong);
    const changed = {};
    for (const field of fields) {
      const read = field.read();
      if (read.fault) return refuse(`${field.node.firstChild.textContent}: ${read.fault}`, field.control);
      if (read.value !== undefined && JSON.stringify(read.value) !== JSON.stringify(item.config[field.name]))
        changed[field.name] = read.value;
    }
    const to = Object.fromEntries(place.map(({ name, add, control }) => [name, Number(control.value) - add]));
    const commands = commandsOf(item, changed, label.control.value.trim(), to);
    if (commands.length === 0) return dialog.close();
    save.disabled = true;
    const description = `Edit ${title}`;
    const result = await board.command(commands.length === 1 ? commands[0] : { type: "batch", payload: { commands, description } }, {
      quiet: true,
    });
    save.disabled = false;
    if (result?.success) dialog.close();
    else if (result) refuse(board.sentenceOf(result));
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (before?.isConnected) before.focus();
    else card.node.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
}

function commandsOf(item, config, label, to) {
  const componentId = item.id;
  const { col, row, cols, rows } = to;
  const commands = [];
  const update = { componentId };
  if (Object.keys(config).length) update.config = config;
  if (label !== (item.meta.label ?? "")) update.meta = { label: label || null };
  if (update.config || update.meta) commands.push({ type: "component.update", payload: update });
  if (isSame(to, item.place)) return commands;
  const move = { type: "component.move", payload: { componentId, position: { col, row } } };
  const resize = { type: "component.resize", payload: { componentId, size: { cols, rows } } };
  const isMoved = col !== item.place.col || row !== item.place.row;
  const isResized = cols !== item.place.cols || rows !== item.place.rows;
  // What grows does so where it goes; what shrinks shrinks first.
  const grows = cols > item.place.cols || rows > item.place.rows;
  const both = grows ? [isMoved && move, isResized && resize] : [isResized && resize, isMoved && move];
  return [...commands, ...both.filter(Boolean)];
}

function input(id, text, attrs, tag = "input", ...children) {
  const control = el(tag, { id: `edit-${id}`, "data-testid": `edit-${id}`, ...attrs }, ...children);
  return { control, node: el("label", { for: `edit-${id}` }, text, control) };
}

// Fields by a JSON Schema. What has no field of its own is JSON in a text area.
function fieldsOf({ properties, required }, config, id) {
  const needed = new Set(Array.isArray(required) ? required : []);
  const names = new Set([...Object.keys(object(properties)), ...Object.keys(config)]);
  return [...names].map((name) => {
    const schema = object(object(properties)[name]);
    return { name, ...fieldOf(`${id}-config-${name}`, name, schema, config[name], needed.has(name)) };
  });
}

function fieldOf(id, name, schema, value, isRequired) {
  const text = schema.title ?? name.charAt(0).toUpperCase() + name.slice(1);
  const hint = typeof schema.description === "string" ? schema.description : undefined;
  const items = object(schema.items);
  if (Array.isArray(schema.enum)) {
    const options = schema.enum.map((one) =>
      el("option", { value: JSON.stringify(one), selected: one === (value ?? schema.default) }, String(one)),
    );
    if (!isRequired && value === undefined && schema.default === undefined)
      options.unshift(el("option", { value: "", selected: true }, "–"));
    const field = input(id, text, { title: hint }, "select", ...options);
    return { ...field, read: () => ({ value: field.control.value === "" ? undefined : JSON.parse(field.control.value) }) };
  }
  if (schema.type === "boolean") {
    const field = input(id, text, { type: "checkbox", checked: (value ?? schema.default) === true });
    field.node.className = "check";
    return { ...field, read: () => ({ value: field.control.checked }) };
  }
  if (schema.type === "integer" || schema.type === "number") {
    const attrs = { type: "number", min: schema.minimum, max: schema.maximum, step: schema.type === "integer" ? 1 : "any" };
    const field = input(id, text, { ...attrs, value: value ?? "", placeholder: schema.default, required: isRequired, title: hint });
    return { ...field, read: () => ({ value: field.control.value === "" ? undefined : Number(field.control.value) }) };
  }
  if (schema.type === "string") {
    const field = input(id, text, { value: value ?? "", required: isRequired, maxlength: schema.maxLength, title: hint });
    const pattern = patternOf(schema.pattern);
    return {
      ...field,
      read() {
        const entered = field.control.value;
        if (entered === "" && value === undefined) return { value: undefined };
        return pattern && !pattern.test(entered) ? { fault: hint ?? `it must match ${schema.pattern}` } : { value: entered };
      },
    };
  }
  if (schema.type === "array" && Array.isArray(items.enum)) {
    const chosen = new Set(Array.isArray(value) ? value : (schema.default ?? []));
    const boxes = items.enum.map((one) => ({ one, ...input(`${id}-${one}`, "", { type: "checkbox", checked: chosen.has(one) }) }));
    const legend = el("legend", {}, text);
    const node = el(
      "fieldset",
      { title: hint },
      legend,
      ...boxes.map(({ one, control }) => el("label", { class: "check" }, control, String(one))),
    );
    return {
      node,
      control: boxes[0]?.control,
      read: () => ({ value: boxes.filter(({ control }) => control.checked).map(({ one }) => one) }),
    };
  }
  if (schema.type === "array" && items.type === "string") {
    const field = input(id, `${text}, separated by commas`, { value: Array.isArray(value) ? value.join(", ") : "", title: hint });
    const list = () =>
      field.control.value
        .split(",")
        .map((one) => one.trim())
        .filter(Boolean);
    return { ...field, read: () => ({ value: list().length === 0 && value === undefined ? undefined : list() }) };
  }
  const field = input(
    id,
    `${text}, as JSON`,
    { rows: 3, spellcheck: "false", title: hint },
    "textarea",
    value === undefined ? "" : JSON.stringify(value, null, 2),
  );
  return {
    ...field,
    read() {
      if (field.control.value.trim() === "") return { value: undefined };
      try {
        return { value: JSON.parse(field.control.value) };
      } catch (error) {
        return { fault: `this is no JSON: ${error.message}` };
      }
    },
  };
}

// A pattern of a schema, as schemas read it; none where the server alone knows.
function patternOf(pattern) {
  if (typeof pattern !== "string") return null;
  try {
    return new RegExp(pattern, "u");
  } catch {
    return null;
  }
}

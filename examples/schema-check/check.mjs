// Judges recorded replies by the schemas, with ajv in strict mode.
//
//     node check.mjs FOLDER REPLIES.jsonl …
//
// FOLDER is what the example `schemas` has written; a line of replies is {"tool": …, "reply": …}. Prints counts; ends with 1
// where a schema is not strict, a reply is refused, or an altered reply is taken.

import { createRequire } from "node:module";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const { default: Ajv } = createRequire(join(process.cwd(), "check.mjs"))("ajv/dist/2020.js");

const [folder, ...lists] = process.argv.slice(2);
let faults = 0;
const fault = (words) => {
  faults += 1;
  if (faults <= 20) console.error(words);
};

const ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: false });
// The widths of Rust's numbers, beside `minimum` and `maximum`, which say the same.
const whole = (low, high) => ({ type: "number", validate: (n) => Number.isInteger(n) && n >= low && n <= high });
for (const bits of [8, 16, 32, 64]) {
  ajv.addFormat(`uint${bits}`, whole(0, 2 ** bits));
  ajv.addFormat(`int${bits}`, whole(-(2 ** (bits - 1)), 2 ** (bits - 1)));
}
ajv.addFormat("uint", whole(0, 2 ** 64));
ajv.addFormat("double", { type: "number", validate: () => true });

const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json")).sort();
const replies = new Map();
for (const name of files) {
  const schema = JSON.parse(readFileSync(join(folder, name), "utf8"));
  try {
    const validate = ajv.compile(schema);
    if (name.startsWith("replies/")) {
      const choice = (one) => new Ajv({ strict: false, validateFormats: false }).compile({ ...schema, $id: undefined, anyOf: [one] });
      replies.set(name.slice("replies/".length, -".json".length), {
        validate,
        choices: schema.anyOf.map((one) => ({ ...one, validate: choice(one) })),
      });
    }
  } catch (error) {
    fault(`${name}: ${error.message}`);
  }
}
if (replies.size === 0) fault("there is no schema of a reply");

// What no tool answers: a field too many, one too few, one of another type. A success has several forms where a tool does several
// things, and one too few in one may be another.
const altered = (reply, choices) => {
  const all = [];
  const alter = (what, change) => {
    const copy = structuredClone(reply);
    change(copy);
    all.push([what, copy]);
  };
  const forms = choices.filter((choice) => choice.validate(reply));
  alter("extra", (copy) => (copy.surplus = 1));
  for (const name of forms.flatMap((form) => form.required)) alter(`without ${name}`, (copy) => delete copy[name]);
  const anything = (property) => !["type", "$ref", "anyOf", "enum", "const"].some((keyword) => keyword in Object(property));
  const typed = Object.keys(reply).filter((name) => !forms.some((form) => anything(form.properties[name])));
  for (const name of typed) alter(`${name} of another type`, (copy) => (copy[name] = [[{}]]));
  if (reply.error) {
    alter("extra in error", (copy) => (copy.error.surplus = 1));
    alter("unknown code", (copy) => (copy.error.code = "NO_SUCH_CODE"));
    for (const name of ["code", "message", "retryable"]) alter(`error without ${name}`, (copy) => delete copy.error[name]);
  }
  return all;
};

const judged = new Map();
let changes = 0;
let strange = 0;
for (const list of lists) {
  for (const line of readFileSync(list, "utf8").split("\n").filter(Boolean)) {
    const { tool, reply } = JSON.parse(line);
    const known = replies.get(tool);
    if (known === undefined) {
      strange += 1;
      continue;
    }
    judged.set(tool, (judged.get(tool) ?? 0) + 1);
    if (!known.validate(reply)) {
      fault(`${tool} answered ${line.slice(0, 400)}: ${ajv.errorsText(known.validate.errors)}`);
      continue;
    }
    // Of each tool so many are enough.
    if (judged.get(tool) > 50) continue;
    for (const [what, wrong] of altered(reply, known.choices)) {
      changes += 1;
      if (known.validate(wrong)) fault(`${tool}, ${what}, is taken: ${JSON.stringify(wrong).slice(0, 400)}`);
    }
  }
}
for (const tool of replies.keys()) if (!judged.has(tool)) fault(`no reply of ${tool} was recorded`);
const total = [...judged.values()].reduce((sum, count) => sum + count, 0);
console.log(
  `ajv: ${files.length} schemas, strict; ${total} replies of ${judged.size} tools fit, ${changes} altered ones are refused; ` +
    `${strange} of tools that are not ours; ${faults} faults`,
);
process.exit(faults === 0 ? 0 : 1);

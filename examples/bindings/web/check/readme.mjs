// Runs the examples of the README. Each `console.log(…); // value` must print the value.
//
//   node readme.mjs README.md
import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const text = await readFile(process.argv[2], "utf8");
const code = [...text.matchAll(/^```js\n([^]*?)^```$/gm)].map(([, block]) => block).join("");
const expected = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, value]) => value);
const printed = [];
console.log = (...values) => printed.push(values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(" "));
await writeFile("readme-example.mjs", code);
await import(pathToFileURL("readme-example.mjs"));
if (expected.length === 0 || JSON.stringify(printed) !== JSON.stringify(expected)) {
  console.error("the README says", expected, "but its examples print", printed);
  process.exit(1);
}
console.info(`${printed.length} lines of the README's examples are as it says`);

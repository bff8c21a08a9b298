// Laws of the colours of people: the same for a name on every page, and easy to tell from the background in both themes.
// `node --test check/people.test.mjs`
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { colourOf, nameOf, NO_NAME } from "../web/person.js";

const read = (name) => readFile(new URL(`../web/${name}`, import.meta.url), "utf8");
const pairs = (css, pattern) => [...css.matchAll(pattern)].map(([, name, light, dark]) => [name, [light, dark]]);

// The contrast of two colours as WCAG 2.2 defines it.
function luminance(hex) {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

test("each colour has a contrast of 4.5 on each background, in both themes", async () => {
  const backgrounds = pairs(await read("style.css"), /--(bg|panel|raised): light-dark\((#\w+), (#\w+)\)/g);
  const colours = pairs(await read("people.css"), /\[data-colour="(\d+)"\] { --who: light-dark\((#\w+), (#\w+)\)/g);
  assert.equal(backgrounds.length, 3);
  assert.deepEqual(colours.map(([name]) => name), Array.from({ length: 10 }, (_, at) => String(at + 1)));
  for (const [colour, of] of colours) {
    for (const [ground, on] of backgrounds) {
      of.forEach((hex, theme) => assert.ok(contrast(hex, on[theme]) >= 4.5, `colour ${colour} on ${ground}: ${contrast(hex, on[theme])}`));
    }
  }
});

test("a name has one colour, names share them out, and nobody has none", () => {
  assert.equal(colourOf(NO_NAME), 0);
  const counts = Array(11).fill(0);
  for (let number = 0; number < 2_000; number += 1) counts[colourOf(`person ${number}`)] += 1;
  assert.equal(counts[0], 0);
  for (const count of counts.slice(1)) assert.ok(count > 120 && count < 280, counts.join(" "));
  for (const name of ["Anna", "李雷", "__proto__", "<b>"]) assert.equal(colourOf(name), colourOf(name));
});

test("a name says who it is to whoever reads it", () => {
  for (const [person, me, expected] of [
    ["Anna", "Anna", "Anna (you)"],
    ["Anna", "Bert", "Anna"],
    [NO_NAME, NO_NAME, "You"],
    [NO_NAME, "Anna", "No name"],
  ]) assert.equal(nameOf(person, me), expected);
});

// People: their names and colours, and the name that this window keeps.
import { el } from "./ui.js";

/** The id of everybody without a name. */
export const NO_NAME = "user";

// people.css has as many.
const COLOURS = 10;
const KEY = "canvas-studio.person";

/** The number of a person's colour, from 1, and the same on every page; 0 for everybody without a name. */
export function colourOf(person) {
  if (person === NO_NAME) return 0;
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(person)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return 1 + (hash % COLOURS);
}

/** The name of a person, as the person `me` reads it. */
export function nameOf(person, me) {
  if (person === NO_NAME) return me === NO_NAME ? "You" : "No name";
  return person === me ? `${person} (you)` : person;
}

/** A dot and a name. `actor` is a person, a conversation of the assistant, or the host, as the journal names them. */
export function who({ person, conversation }, me) {
  const isPerson = typeof person === "string";
  const name = isPerson ? nameOf(person, me) : conversation ? "assistant" : "studio";
  const colour = isPerson ? colourOf(person) : conversation ? "assistant" : 0;
  return el("span", { class: "who", "data-colour": colour, title: name }, el("i", { "aria-hidden": "true" }), el("bdi", {}, name));
}

/** The name that the address asks for, or that this window had before it was reloaded. Empty if there is none. */
export function keptName() {
  const asked = new URLSearchParams(location.search).get("person");
  if (asked !== null) return asked;
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    // Without storage the name lasts as long as the page.
    return "";
  }
}

/** Keeps a name for the next load of this window, in its storage and, if it names a person, in its address. */
export function keepName(name) {
  try {
    sessionStorage.setItem(KEY, name);
  } catch {
    // The address may have it.
  }
  const address = new URL(location.href);
  if (!address.searchParams.has("person") || address.searchParams.get("person") === name) return;
  if (name) address.searchParams.set("person", name);
  else address.searchParams.delete("person");
  history.replaceState(null, "", address);
}

import { build } from "canvas-engine";

/** @typedef {{ find: string, replace: string, direct?: boolean }} Step */

/** What the model does, in its order. It leaves out a step whose words are gone. @type {readonly Step[]} */
const SCRIPT = [
  { find: "We fly on Friday evening and come back on Sunday.", replace: "We take the night train on Friday evening and come back on Monday." },
  { find: "- Ribeira\n", replace: "- Ribeira, at sunset\n- São Bento station, for its tiles\n" },
  { find: "About 900 € in all.", replace: "About 850 € in all, without meals.", direct: true },
  { find: "Two days in May", replace: "Three days in late May" },
  { find: "- Port wine lodges\n", replace: "- Port wine lodges, with a tasting 🍷\n" },
  { find: "without meals", replace: "with breakfast", direct: true },
];

/** A model that follows a script, so that each run of this page is the same. It calls the tools that a real one gets. */
export class ScriptedModel {
  #session;
  #read;
  /** @type {Set<Step>} */
  #done = new Set();

  /**
   * @param {import("canvas-engine").Session} session
   * @param {() => string} read the current text
   */
  constructor(session, read) {
    this.#session = session;
    this.#read = read;
  }

  /** Makes the next proposal, or with `direct` writes the next change. Returns false if none is left. */
  step(direct = false) {
    const text = this.#read();
    const step = SCRIPT.find((one) => (one.direct ?? false) === direct && !this.#done.has(one) && text.includes(one.find));
    if (step === undefined) {
      return false;
    }
    this.#done.add(step);
    // A function, since a replacement has its own signs.
    const patch = build(text, text.replace(step.find, () => step.replace));
    this.#session.mode(direct ? "direct" : "propose");
    if (direct) {
      const { lease_id } = this.#session.call("canvas_check_out").body;
      this.#call("canvas_apply_patch", { lease_id: lease_id ?? null, patch });
      this.#call("canvas_check_in", { lease_id: lease_id ?? null });
    } else {
      this.#call("canvas_apply_patch", { patch });
    }
    return true;
  }

  /** @param {string} name @param {import("canvas-engine").Fields} args */
  #call(name, args) {
    const reply = this.#session.call(name, args);
    if (!reply.ok) {
      throw new Error(`${name}: ${reply.message}`);
    }
  }
}

// What is in the editor, between the person who types and the document of the server.
import { apply, changes, compose, difference, merge, move, ofSource, shown, splice } from "./text.js";

// Letters are sent together, a pause after the last, and at the latest so long after the first.
const PAUSE = 120;
const AT_LATEST = 600;
// Units that one request inserts. A longer text goes in parts, so that none is larger than a frame may be.
const INSERTED = 150_000;
const ANSWER_SEEN = 3_000;
const LONGEST_PAUSE = 2_000;

// A revision id is `r<number>-<digits of the text>`.
const numberOf = (id) => Number(/^r(\d+)-/.exec(id)?.[1] ?? NaN);
export const digitsOf = (id) => id?.slice(id.indexOf("-"));

/**
 * Three texts: the document as the server last told it, that with what was sent, and that with what was typed since: the
 * editor's. One request is under way at a time; what others do meanwhile goes under what the server has not taken yet.
 *
 * * `send(params)` sends `document.edit` and gives its answer.
 * * `reload()` asks for the whole canvas, which comes back by `load`.
 * * `changed(change)` is told what has become of the editor's text: `{text, splices, conflicts, met, event, place}`. The
 *   splices lead there from the text before, `conflicts` has the places where others wrote over what was not sent (ranges
 *   in the new text, both versions), `place(p)` gives where a position of the document is in the editor.
 * * `settled()`, where it is given, is told when the server has all of it.
 * * `refused(error)` is told what the server does not take; the text stays, and goes with the next letter.
 */
export class Draft {
  #hooks;
  #pauses;
  #source = null;
  #shown = "";
  #revision = "";
  // What was sent and not seen yet, one splice of the shown text, and what was typed since, splices of the text with it.
  #sent = [];
  #typed = [];
  #isAwaiting = false;
  // The number of the revision that the last answer named, until it has been seen.
  #acked = 0;
  #queue = [];
  #snapshot = null;
  #isHeld = false;
  #sendsWhole = false;
  #isBehind = false;
  #refusals = 0;
  #firstTyped = 0;
  #timer = 0;
  #watch = 0;
  #waiting = [];

  /** The text of the editor. */
  text = "";

  constructor(hooks, pauses = { pause: PAUSE, atLatest: AT_LATEST, answerSeen: ANSWER_SEEN, longest: LONGEST_PAUSE }) {
    this.#hooks = hooks;
    this.#pauses = pauses;
  }

  get isLoaded() {
    return this.#source !== null;
  }
  /** The revision of the document that it knows. */
  get revision() {
    return this.#revision;
  }
  /** Whether the text has all of a revision. */
  hasSeen(revision) {
    return numberOf(this.#revision) >= numberOf(revision);
  }
  /** Whether lines end in the editor where they end in the document. A lone CR ends a line in the editor alone. */
  get hasSameLines() {
    return !/\r(?!\n)/.test(this.#source ?? "");
  }
  /** Gives a function that takes positions of the document, in order, to the editor, as long as it has the document alone. */
  places() {
    const source = this.#source;
    if (!source.includes("\r")) return (position) => position;
    let [from, at] = [0, 0];
    return (position) => {
      const stop = source[position - 1] === "\r" && source[position] === "\n" ? position - 1 : position;
      at += shown(source.slice(from, stop)).length;
      from = stop;
      return at;
    };
  }
  get isDirty() {
    return this.#typed.length > 0 || this.#sent.length > 0;
  }

  /** Sends what was typed, and resolves when the server has it, or has refused it. */
  settle() {
    if (!this.isDirty) return Promise.resolve();
    const settled = new Promise((resolve) => this.#waiting.push(resolve));
    this.flush();
    return settled;
  }

  /** While it holds, nothing is sent. */
  hold(isHeld) {
    this.#isHeld = isHeld;
    if (!isHeld) this.flush();
  }

  /** Takes the editor's text as somebody has made it, and gives the splice that this was. */
  typed(text, caret) {
    const one = difference(this.text, text, caret);
    if (!one) return null;
    this.#typed = compose(apply(this.#shown, this.#sent), this.#typed, one);
    this.text = text;
    const now = Date.now();
    if (!this.#firstTyped) this.#firstTyped = now;
    this.#flushIn(Math.max(0, Math.min(this.#pauses.pause, this.#firstTyped + this.#pauses.atLatest - now)));
    return one;
  }

  /** The document of a snapshot: `{markdown, revisionId}`. */
  load(snapshot) {
    // Only the answer tells whether the edit under way is in it.
    if (this.#isAwaiting) this.#snapshot = snapshot;
    else this.#take(snapshot);
  }

  /** An event of the document. */
  receive(event) {
    // Only the answer tells which of the events is of the edit under way.
    if (this.#isAwaiting) this.#queue.push(event);
    else this.#follow(event);
  }

  /** Sends what the editor has and the server has not. */
  flush() {
    clearTimeout(this.#timer);
    if (this.#isHeld || this.#isAwaiting || this.#acked || !this.isLoaded || this.#typed.length === 0) return;
    this.#firstTyped = 0;
    const isWhole = this.#sendsWhole;
    this.#sendsWhole = false;
    const [first, ...rest] = this.#typed;
    const part = { ...first, insert: bounded(first.insert) };
    let what;
    if (isWhole) {
      const whole = difference(this.#shown, this.text);
      if (!whole) {
        this.#typed = [];
        return this.#over();
      }
      what = { markdown: splice(this.#source, ofSource(this.#source, whole)) };
      this.#sent = [whole];
      this.#typed = [];
    } else {
      what = { splice: ofSource(this.#source, part) };
      const grown = part.insert.length - part.remove;
      this.#sent = [part];
      this.#typed = rest.map((one) => ({ ...one, at: one.at + grown }));
      const left = first.insert.slice(part.insert.length);
      if (left) this.#typed.unshift({ at: part.at + part.insert.length, remove: 0, insert: left });
    }
    this.#isAwaiting = true;
    this.#hooks.send({ baseRevisionId: this.#revision, ...what }).then(
      (result) => this.#accepted(result),
      (error) => this.#refused(error, isWhole),
    );
  }

  #flushIn(pause) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), pause);
  }

  #accepted({ revisionId }) {
    this.#refusals = 0;
    this.#acked = numberOf(revisionId);
    this.#caughtUp();
    this.#seen();
    if (this.#acked) this.#watch = setTimeout(() => this.#hooks.reload(), this.#pauses.answerSeen);
  }

  #refused(error, wasWhole) {
    const before = this.#revision;
    this.#putBack();
    this.#caughtUp();
    this.#refusals += 1;
    if (error.data?.reason === "STALE_BASE" || error.code === "STALE_BASE" || error.code === "BASE_UNKNOWN") {
      if (error.code === "BASE_UNKNOWN" && !wasWhole) this.#sendsWhole = true;
      else if (this.#revision === before || this.#refusals > 2) this.#hooks.reload();
      this.#flushIn(Math.min(this.#pauses.pause * this.#refusals, this.#pauses.longest));
      return;
    }
    for (const resolve of this.#waiting.splice(0)) resolve();
    this.#hooks.refused(error);
  }

  // What was sent is to be sent again, with what was typed since.
  #putBack() {
    for (const one of this.#typed.toReversed()) this.#sent = compose(this.#shown, this.#sent, one);
    this.#typed = this.#sent;
    this.#sent = [];
  }

  // What came while the answer was awaited.
  #caughtUp() {
    this.#isAwaiting = false;
    const snapshot = this.#snapshot;
    this.#snapshot = null;
    if (snapshot) this.#take(snapshot);
    for (const event of this.#queue.splice(0)) this.#follow(event);
  }

  // An edit is over once the text that we know has it.
  #seen() {
    if (!this.#acked || numberOf(this.#revision) < this.#acked) return;
    this.#acked = 0;
    this.#sent = [];
    clearTimeout(this.#watch);
    if (this.#typed.length > 0) this.#flushIn(this.#pauses.pause);
    else this.#over();
  }

  #over() {
    for (const resolve of this.#waiting.splice(0)) resolve();
    this.#hooks.settled?.();
  }

  #follow(event) {
    const number = numberOf(event.revisionId);
    if (!this.isLoaded || number <= numberOf(this.#revision)) return;
    // Revisions that leave the document as it is have other numbers and the same digits.
    if (digitsOf(event.baseRevisionId) !== digitsOf(this.#revision)) {
      this.#hooks.reload();
      return;
    }
    const source = splice(this.#source, event.splice);
    if (number === this.#acked) this.#confirm();
    const isExact = number !== this.#acked && !source.includes("\r") && !this.#source.includes("\r");
    const theirs = isExact ? [event.splice] : changes(this.#shown, shown(source));
    this.#advance(source, event.revisionId, theirs, event);
  }

  #take({ markdown, revisionId }) {
    if (!this.isLoaded) this.#source = "";
    else if (numberOf(revisionId) < numberOf(this.#revision)) {
      // An older answer that was overtaken, or, where the next one says so too, another history than the one we know.
      this.#isBehind = !this.#isBehind;
      if (this.#isBehind) return void this.#hooks.reload();
      this.#putBack();
      this.#acked = 0;
    }
    this.#isBehind = false;
    if (this.#acked && numberOf(revisionId) >= this.#acked) this.#confirm();
    this.#advance(markdown, revisionId, changes(this.#shown, shown(markdown)), null);
    if (this.#typed.length > 0) this.#flushIn(this.#pauses.pause);
  }

  // The server's text has what was sent: what stands there was not written by others.
  #confirm() {
    this.#shown = apply(this.#shown, this.#sent);
    this.#sent = [];
  }

  #advance(source, revision, theirs, event) {
    const withSent = merge(this.#shown, this.#sent, theirs);
    const withTyped = merge(apply(this.#shown, this.#sent), this.#typed, withSent.theirs);
    this.#source = source;
    this.#shown = apply(this.#shown, theirs);
    this.#revision = revision;
    this.#sent = withSent.mine;
    this.#typed = withTyped.mine;
    const middle = apply(this.#shown, this.#sent);
    this.text = apply(middle, this.#typed);
    const inEditor = (position) => move(position, this.#typed);
    const inDocument = (position) => inEditor(move(position, this.#sent));
    const placed = (place, now) => ({ ...place, at: now(place.at), end: now(place.end) });
    this.#seen();
    if (theirs.length === 0) return;
    this.#hooks.changed({
      text: this.text,
      splices: withTyped.theirs,
      conflicts: [
        ...withSent.conflicts.map((place) => placed(place, inDocument)),
        ...withTyped.conflicts.map((place) => placed(place, inEditor)),
      ],
      met: withSent.met + withTyped.met,
      event,
      place: (position) => inDocument(shownAt(source, position)),
    });
  }
}

const shownAt = (source, position) => (source.includes("\r") ? shown(source.slice(0, position)).length : position);

// The first part of a text, which ends between characters.
function bounded(text) {
  if (text.length <= INSERTED) return text;
  const code = text.charCodeAt(INSERTED - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? INSERTED - 1 : INSERTED);
}

/// <reference lib="esnext.disposable" />

import type { Code, Reason } from "./codes.js";
import type { Changes, Conflict, Json, MergedLine, NativeConflict, RepairKind, SpanKind } from "./types.js";

export type { Code, Json, Reason };
export type JsonObject = { [name: string]: Json };
/** Anything that `JSON.stringify` writes as an object. A field that is `undefined` is left out. */
export type Fields = { readonly [name: string]: unknown };

/** Lines of a text, counted from 1, both ends included. */
export interface Lines {
  startLine: number;
  endLine: number;
}

/** A slip in the form of a patch that was repaired. Hunks count from 1, and 0 is the patch as a whole. */
export interface Repair {
  hunk: number;
  kind: RepairKind;
}

/** The result of a patch. */
export interface Applied {
  text: string;
  hunks: number;
  summary: string;
  /** The changed lines of `text`. */
  spans: Lines[];
  repairs: Repair[];
  /** The patch that leads back. */
  inverse: string;
}

/** A heading with the lines of its section. */
export interface Section extends Lines {
  path: string[];
  level: number;
  headingLine: number;
}

/** The lines that an address leads to, and their text. */
export interface Place extends Lines {
  text: string;
}

/** A line that a search found. A long line is clipped. */
export interface Match {
  line: number;
  text: string;
  clipped: boolean;
}

/** The matches of a search. If there are too many, the last ones are left out. */
export interface Found {
  matches: Match[];
  truncated: boolean;
}

/** An offset in one of the units. Lines count from 1, everything else from 0. The index of a JavaScript string is `utf16`. */
export type Offset =
  | { byte: number }
  | { scalar: number }
  | { utf16: number }
  | { line: number; scalarColumn: number };

/** A position in all units. */
export interface Position {
  byte: number;
  scalar: number;
  utf16: number;
  line: number;
  scalarColumn: number;
}

/** The result of an edit of the structure. */
export interface Restructured {
  text: string;
  spans: Lines[];
  inverse: string;
  /** The protected addresses that lead to no place, and so protect nothing. */
  unresolved: Json[];
}

/** Something that a change of a text does elsewhere in it, such as a link that leads nowhere now, at a line after it. */
export interface Effect {
  code: string;
  line: number;
  detail: string;
}

/** A piece of a change. */
export interface Span {
  kind: SpanKind;
  text: string;
}

/**
 * Applies a unified diff to a text, all hunks or none. In the mode `anchored`, a hunk may also have moved if its lines
 * occur once.
 *
 * @throws {PatchRejected} if a hunk does not fit
 */
export function apply(text: string, patch: string, options?: { mode?: "strict" | "anchored" }): Applied;

/** Builds the patch that leads from one text to the other. It is empty if they are equal. */
export function build(before: string, after: string, options?: { context?: number }): string;

/** Lists the sections of a Markdown text, in document order. */
export function outline(text: string): Section[];

/**
 * Finds the place that an address names, such as `{section: ["Install", "Linux"], item: 1}`.
 *
 * @throws {AddressError} with candidates if there is no such place, or several
 */
export function resolve(text: string, address: Fields): Place;

/** Finds the lines that contain a query. A regular expression has Rust's syntax. */
export function grep(text: string, query: string, options?: { regex?: boolean }): Found;

/**
 * Converts offsets to all units.
 *
 * @throws {CanvasError} with the code `POSITION_INVALID` if the text has no such position, or if it is inside a character
 */
export function positions(text: string, at: readonly Offset[]): Position[];

/**
 * Edits the structure of a Markdown text, such as `{shift: {section: ["Install"], by: 1}}`. What `protect` addresses must
 * not change.
 *
 * @throws {CanvasError} if the edit does not apply
 */
export function editStructure(text: string, edit: Fields, options?: { protect?: readonly Fields[] }): Restructured;

/** Lists links, footnotes and tables that a change breaks, and anchors that it changes. */
export function effects(before: string, after: string): Effect[];

/** Shows a change by words, as pieces to keep, insert or delete. */
export function redline(before: string, after: string): Span[];

/** An operation was refused. What a model may correct is a {@link Reply}, not an error. */
export class CanvasError extends Error {
  constructor(code: Code, message: string, details?: JsonObject, options?: { cause?: unknown });
  /** Stable. */
  readonly code: Code;
  /** The other fields of the refusal. */
  readonly details: JsonObject;
  /** Whether the same call may succeed later. */
  get retryable(): boolean;
  /** The place of the fault in the arguments, as a JSON Pointer. */
  get place(): string | null;
}

/** A patch does not apply. */
export class PatchRejected extends CanvasError {
  /** The reason of the first conflict. */
  get reason(): Reason;
  /** The hunks that do not fit, each with its reason and the lines there now. */
  get conflicts(): (Conflict | NativeConflict)[];
}

/**
 * A person's edit does not fit what others changed since its base. Nothing is lost: the edit and the changes are here, and the
 * document has the revision for another try.
 */
export class StaleEdit extends CanvasError {
  /** The text of the refused edit. */
  get markdown(): string;
  /** The current revision. */
  get revisionId(): string;
  /** The changes since the base, as a diff, if its text is known. */
  get changes(): Changes | null;
}

/** An address leads to no place, or to several. */
export class AddressError extends CanvasError {
  /** Sections by `path` and `heading_line`, or a `line`, `name` or `column`. */
  get candidates(): JsonObject[];
}

/** The current text of a canvas. */
export interface CanvasDocument {
  markdown: string;
  revisionId: string;
  epoch: number;
  isLocked: boolean;
}

/** The result of a person's edit. */
export interface Edited {
  revisionId: string;
  epoch: number;
  /** Whether others changed the document since the base. */
  moved: boolean;
  /** The lines that have the words of both. */
  merged: MergedLine[];
}

/** A tool as a model sees it. `parameters` is a JSON Schema. */
export interface Tool {
  name: string;
  description: string;
  parameters: JsonObject;
}

export type Toolset = "document" | "extended";

/** The reply to a model's call. A refusal is a reply with a code, which the model may correct. */
export class Reply {
  private constructor(body: JsonObject);
  readonly body: JsonObject;
  get ok(): boolean;
  get code(): Code | null;
  /** One sentence about a refusal, with the next step. */
  get message(): string | null;
  /** The reply as the content of a tool result. */
  get text(): string;
}

/** The rules of an engine. */
export interface Policy {
  /** Milliseconds for which a model holds a canvas without a call. Default 15,000. */
  leaseTtl?: number;
  /** Whether a patch that was written on an older text applies if its places are untouched. Default true. */
  rebase?: boolean;
  /**
   * Whether a model that writes after its lease ended gets a new one with the same call, if nobody else has held the canvas
   * since. Default true.
   */
  retake?: boolean;
  /** Whether a person's edit is merged by words with later changes of the same lines. Default false. */
  mergeWords?: boolean;
}

/** Keeps canvases in memory. Close it, or use it with `using`. */
export class Engine {
  /** `clock` returns the milliseconds since 1970, and is `Date.now` by default. */
  constructor(options?: { clock?: () => number; policy?: Policy });

  /** Frees the memory of the engine. Later calls throw `CLOSED`. */
  close(): void;
  [Symbol.dispose](): void;

  /** Sends any operation of the JSON interface, and returns its result. The field `now` comes from the clock. */
  call(op: string, fields?: Fields): JsonObject;

  /** Creates a canvas with a document, and returns its revision id. */
  create(canvas: string, markdown?: string, options?: { person?: string }): string;

  /** Reads the document of a canvas. */
  document(canvas: string): CanvasDocument;

  /**
   * Makes a person's edit: the whole text, and the revision that it was written on. Changes that others made since the base
   * are kept. With the base `null`, the text replaces whatever is there.
   *
   * @throws {StaleEdit} if others changed the same place
   */
  edit(canvas: string, markdown: string, options: { base: string | null; person?: string }): Edited;

  /** Lets a model work on a canvas in a conversation. */
  join(canvas: string, conversation?: string, options?: { toolset?: Toolset }): Session;
}

/** A conversation of a model about a canvas. {@link Engine.join} makes it. */
export class Session {
  private constructor();
  readonly canvas: string;
  readonly conversation: string;
  readonly toolset: Toolset;

  /** Returns the tools of the session. */
  tools(): Tool[];

  /** Returns what the system prompt says about the tools. */
  prompt(): string;

  /**
   * Runs a tool call of the model. `args` are an object, or its JSON as some SDKs have it. If they cannot be read, the reply
   * says so. A call that changes the canvas and has the id of an earlier one gets the reply of that one, so a retry with an id
   * is safe. Some providers begin their ids again with each answer, so put the number of the answer before them.
   */
  call(name: string, args?: string | Fields, options?: { callId?: string }): Reply;

  /**
   * Notes a message of the user, which ends the turn before. Returns a text about the canvas and what changed on it, to put
   * before the message, or `null` if the model knows all of it.
   */
  message(options?: { person?: string }): string | null;

  /** Sets whether edits change the document or wait for a decision. */
  mode(mode: "direct" | "propose"): void;

  /** Ends the turn of the model. */
  end(): { hiddenMessage: string | null; promoted: boolean };

  /** Takes the document back from the model, whose lease ends. Returns the new epoch. */
  cancel(options?: { person?: string }): number;

  /** Returns the lease if the model holds one. Later calls throw `CLOSED`. */
  close(): void;
  [Symbol.dispose](): void;
}

import type { CanvasDocument, Edited, Fields, JsonObject, Policy, Reply, Session, Tool, Toolset } from "./api.js";

/** A row of a store. Both are opaque for the store. */
export interface StoredRow {
  /** At most about 1 MiB, and usually a few KiB. */
  readonly head: Uint8Array;
  /** Names this state of the row. No two states of a row may have the same one, even after a restart. */
  readonly version: string;
}

/**
 * A store that the page implements. A method may reject with an error that has the code `STORE_BUSY`, `STORE_FULL`,
 * `STORE_UNAVAILABLE`, `STORE_TOO_LARGE`, `STORE_DENIED` or `STORE_FAILED`, which all say that nothing was written. If `commit`
 * rejects with anything else, or not in time, the engine finds out whether it was written.
 */
export interface CanvasStore {
  /** Loads the row of a canvas, or `null`. */
  load(canvas: string): Promise<StoredRow | null>;

  /**
   * Stores the head and the blobs in one atomic step if the row has the version `expected`, or if there is no row and
   * `expected` is `null`. Returns the new version, or the row that is there instead.
   */
  commit(
    canvas: string,
    change: { expected: string | null; head: Uint8Array; blobs: ReadonlyMap<string, Uint8Array> },
  ): Promise<{ version: string } | { conflict: StoredRow | null }>;

  /** Loads blobs of a canvas, one for each id, or `null` if it is missing. */
  blobs(canvas: string, ids: readonly string[]): Promise<(Uint8Array | null)[]>;

  /** Lists at most `limit` canvases after `after`, ordered by the bytes of their UTF-8. */
  list(after: string | null, limit: number): Promise<string[]>;

  /**
   * Drops blobs of a canvas that are not in `keep` and were last put at least `olderThan` milliseconds ago, if the row still
   * has this version. Returns their number and bytes, or `null` if the row has another version.
   */
  collect(
    canvas: string,
    options: { keep: ReadonlySet<string>; olderThan: number; version: string },
  ): Promise<{ blobs: number; bytes: number } | null>;
}

/**
 * An engine on a store of the page. It is like `Engine`, but each call returns a promise. Calls run one after the other, in
 * the order in which they were made.
 */
export class StoredEngine {
  private constructor();

  /** `timeout` is the longest wait for an answer of the store, in milliseconds, and 30,000 by default. */
  static open(options: {
    store: CanvasStore;
    clock?: () => number;
    policy?: Policy;
    timeout?: number;
  }): Promise<StoredEngine>;

  /** Waits for the calls that have begun, and frees the memory of the engine. Later calls reject with `CLOSED`. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;

  call(op: string, fields?: Fields): Promise<JsonObject>;
  create(canvas: string, markdown?: string, options?: { person?: string }): Promise<string>;
  document(canvas: string): Promise<CanvasDocument>;
  edit(canvas: string, markdown: string, options: { base: string | null; person?: string }): Promise<Edited>;
  join(canvas: string, conversation?: string, options?: { toolset?: Toolset }): StoredSession;
}

/** Like `Session`, but each call returns a promise. {@link StoredEngine.join} makes it. */
export class StoredSession {
  private constructor();
  readonly canvas: string;
  readonly conversation: string;
  readonly toolset: Toolset;

  tools(): Promise<Tool[]>;
  prompt(): Promise<string>;
  call(...args: Parameters<Session["call"]>): Promise<Reply>;
  message(options?: { person?: string }): Promise<string | null>;
  mode(mode: "direct" | "propose"): Promise<void>;
  end(): Promise<{ hiddenMessage: string | null; promoted: boolean }>;
  cancel(options?: { person?: string }): Promise<number>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

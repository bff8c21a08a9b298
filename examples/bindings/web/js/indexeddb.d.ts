import type { CanvasStore, StoredRow } from "./stored.js";

/** A store in the browser's IndexedDB. Tabs and workers of one origin share it. */
export class IndexedDbStore implements CanvasStore {
  private constructor();

  /** Opens the database of this name, which is `canvas-engine` by default, and creates it if it is missing. */
  static open(name?: string): Promise<IndexedDbStore>;

  /** Closes the connection. Later calls reject with `STORE_UNAVAILABLE`. */
  close(): void;

  load(canvas: string): Promise<StoredRow | null>;
  commit(
    canvas: string,
    change: { expected: string | null; head: Uint8Array; blobs: ReadonlyMap<string, Uint8Array> },
  ): Promise<{ version: string } | { conflict: StoredRow | null }>;
  blobs(canvas: string, ids: readonly string[]): Promise<(Uint8Array | null)[]>;
  list(after: string | null, limit: number): Promise<string[]>;
  collect(
    canvas: string,
    options: { keep: ReadonlySet<string>; olderThan: number; version: string },
  ): Promise<{ blobs: number; bytes: number } | null>;
}

// The types of gsv.js, for pages of surfaces and for hosts that show them.
//
// A host copies gsv.js, loads it before every script of the page, and hands the page one end of a MessageChannel:
//
//   frame.contentWindow.postMessage({ type: "gsv.port" } satisfies PortMessage, "*", [channel.port2]);
//
// From then on it sends `ToPage` and is sent `FromPage` over the other end. It decides what of that is done.

/** A value of the state, or of what an action takes and gives. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** `window.gsvCanvas`. */
export interface GsvCanvas {
  /** The state, frozen. `null` before the first one has come. */
  getState(): Json;
  /**
   * Calls the listener with each state from now on, and with the present one if it has come. A listener that throws is
   * reported and stays. Returns a function that ends it.
   */
  subscribe(listener: (state: Json) => void): () => void;
  /**
   * Runs an action of the surface, after all edited fields were sent. The input must be JSON.
   *
   * @throws {GsvFailure} if the host refuses the action or it fails.
   */
  runAction(actionId: string, input?: { readonly [name: string]: Json }): Promise<Json>;
}

/** Why an action has no result: `DECLINED`, `TOOL_TIMEOUT` and the other codes of the host. */
export interface GsvFailure extends Error {
  readonly code?: string;
}

/** The message whose first port the page takes, once, from the window that shows it. */
export interface PortMessage {
  readonly type: "gsv.port";
}

/** What a page sends. */
export type FromPage =
  | { readonly type: "run"; readonly id: number; readonly actionId: string; readonly input: { readonly [name: string]: Json } }
  | { readonly type: "model"; readonly path: string; readonly value: string | number | boolean };

/** What a page is sent: the whole state after each change, and how each run has ended. */
export type ToPage =
  | { readonly type: "state"; readonly state: Json }
  | { readonly type: "ran"; readonly id: number; readonly ok: true; readonly result: Json }
  | { readonly type: "ran"; readonly id: number; readonly ok: false; readonly error: { readonly code?: string; readonly message: string } };

declare global {
  interface Window {
    readonly gsvCanvas: GsvCanvas;
  }
}

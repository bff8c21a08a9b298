// What a surface's page is given: `data-gsv-action`, `data-gsv-text`, `data-gsv-model` and `window.gsvCanvas`.
//
// It runs before every script of the page. All it can do is ask: the page of the studio, behind the one port, decides
// what is passed on, and the server what is done. Text goes in as text.
(() => {
  "use strict";

  const TEXT = "data-gsv-text";
  const MODEL = "data-gsv-model";
  const ACTION = "data-gsv-action";
  const BOUND = `[${TEXT}],[${MODEL}],[${ACTION}]`;
  const LONGEST = 64; // names in a path
  const SETTLES = 400; // ms after the last change of a list or a box that has the focus

  let port = null;
  let state = null;
  let lastId = 0;
  const unsent = []; // messages from before the port was there
  const runs = new Map(); // id -> {resolve, reject}
  const listeners = new Set();
  const edits = new Map(); // field -> {timer}: edited, and not sent

  // The port. It is taken once, from the window that shows this page.

  window.addEventListener("message", function take(event) {
    if (port || event.source !== window.parent || event.data?.type !== "gsv.port" || !event.ports[0]) return;
    event.stopImmediatePropagation();
    window.removeEventListener("message", take);
    port = event.ports[0];
    port.onmessage = ({ data }) => {
      if (data?.type === "state") receive(data.state);
      else if (data?.type === "ran") settle(data);
    };
    for (const message of unsent.splice(0)) port.postMessage(message);
  });

  function send(message) {
    if (port) port.postMessage(message);
    else unsent.push(message);
  }

  function receive(value) {
    state = freeze(value);
    render();
    for (const listener of [...listeners]) call(listener);
  }

  function settle({ id, ok, result, error }) {
    const run = runs.get(id);
    if (!run) return;
    runs.delete(id);
    if (ok) return run.resolve(freeze(result));
    const failure = new Error(typeof error?.message === "string" ? error.message : "The action failed.");
    failure.code = error?.code;
    run.reject(failure);
  }

  // A listener that throws is the page's own affair.
  function call(listener) {
    try {
      listener(state);
    } catch (error) {
      reportError(error);
    }
  }

  // Everybody gets the same state, so nobody may change it.
  function freeze(value) {
    if (value && typeof value === "object") for (const one of Object.values(Object.freeze(value))) freeze(one);
    return value;
  }

  function runAction(actionId, input = {}) {
    for (const field of [...edits.keys()]) commit(field);
    lastId += 1;
    const id = lastId;
    return new Promise((resolve, reject) => {
      runs.set(id, { resolve, reject });
      try {
        send({ type: "run", id, actionId: String(actionId), input });
      } catch (error) {
        // A function or an element in the input is no JSON.
        runs.delete(id);
        reject(error);
      }
    });
  }

  Object.defineProperty(window, "gsvCanvas", {
    value: Object.freeze({
      getState: () => state,
      subscribe(listener) {
        listeners.add(listener);
        if (state !== null) queueMicrotask(() => listeners.has(listener) && call(listener));
        return () => listeners.delete(listener);
      },
      runAction,
    }),
  });

  // Values of the state.

  /** The value at a path such as `state.logs.0.text`, by own members alone; undefined where there is none. */
  function valueAt(path) {
    const names = String(path).trim().split(".");
    if (names[0] !== "state" || names.length > LONGEST) return undefined;
    let value = state;
    for (const name of names.slice(1)) {
      if (value === null || typeof value !== "object" || !Object.hasOwn(value, name)) return undefined;
      if (Array.isArray(value) && !/^\d+$/.test(name)) return undefined;
      value = value[name];
    }
    return value;
  }

  const textOf = (value) => {
    if (value === undefined || value === null) return "";
    return typeof value === "object" ? JSON.stringify(value, null, 2) : String(value);
  };

  function render(root = document) {
    const nodes = [...root.querySelectorAll(BOUND)];
    if (root !== document && root.matches(BOUND)) nodes.unshift(root);
    for (const node of nodes) {
      // Text of a script or a style sheet would be more than text.
      if (node.hasAttribute(TEXT) && !/^(script|style)$/i.test(node.localName)) {
        const text = textOf(valueAt(node.getAttribute(TEXT)));
        if (node.textContent !== text) node.textContent = text;
      }
      if (node.hasAttribute(MODEL)) fill(node);
      if (node.hasAttribute(ACTION)) makeOperable(node);
    }
  }

  // Fields.

  const isField = (node) => node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement || node instanceof HTMLSelectElement;
  const isBox = (field) => field.type === "checkbox";
  const isPress = (field) => isBox(field) || field.type === "radio" || field instanceof HTMLSelectElement;

  function fill(field) {
    if (!isField(field) || state === null || edits.has(field) || field.type === "file") return;
    const value = valueAt(field.getAttribute(MODEL));
    if (isBox(field)) field.checked = value === true;
    else if (field.type === "radio") field.checked = field.value === textOf(value);
    else if (field.value !== textOf(value)) field.value = textOf(value);
  }

  function read(field) {
    if (isBox(field)) return field.checked;
    if ((field.type === "number" || field.type === "range") && field.value !== "" && Number.isFinite(field.valueAsNumber))
      return field.valueAsNumber;
    return field.value;
  }

  function modelOf(event) {
    const field = event.target;
    return isField(field) && field.hasAttribute(MODEL) && field.type !== "file" ? field : null;
  }

  // Sends what was edited, once.
  function commit(field) {
    const edit = edits.get(field);
    if (!edit) return;
    clearTimeout(edit.timer);
    edits.delete(field);
    const value = read(field);
    const path = field.getAttribute(MODEL);
    if (path !== null && value !== valueAt(path)) send({ type: "model", path: path.trim(), value });
  }

  document.addEventListener("input", (event) => {
    const field = modelOf(event);
    if (field && !edits.has(field)) edits.set(field, { timer: 0 });
  });
  document.addEventListener("change", (event) => {
    const field = modelOf(event);
    if (!field) return;
    if (!edits.has(field)) edits.set(field, { timer: 0 });
    if (!isPress(field) || document.activeElement !== field) return commit(field);
    // Arrow keys go through a list: the choice is where they rest.
    const edit = edits.get(field);
    clearTimeout(edit.timer);
    edit.timer = setTimeout(() => commit(field), SETTLES);
  });
  document.addEventListener("focusout", (event) => {
    const field = modelOf(event);
    if (field) commit(field);
  });
  window.addEventListener("pagehide", () => {
    for (const field of [...edits.keys()]) commit(field);
  });

  // Actions.

  // Something that is no control can be reached and pressed by keys too.
  function makeOperable(node) {
    if (node.matches("button, input, select, textarea, a[href], form, summary, [tabindex]")) return;
    node.tabIndex = 0;
    if (!node.hasAttribute("role")) node.setAttribute("role", "button");
  }

  async function press(node, input) {
    if (node.getAttribute("aria-busy") === "true") return;
    node.setAttribute("aria-busy", "true");
    try {
      await runAction(node.getAttribute(ACTION), input);
    } catch {
      // The studio says what failed, where the frame cannot speak for it.
    } finally {
      node.removeAttribute("aria-busy");
    }
  }

  const actionOf = (event) => (event.target instanceof Element ? event.target.closest(`[${ACTION}]`) : null);

  document.addEventListener("click", (event) => {
    const node = actionOf(event);
    if (
      !node ||
      event.defaultPrevented ||
      node instanceof HTMLFormElement ||
      (isField(node) && !/^(button|submit|reset|image)$/.test(node.type))
    )
      return;
    if (node.matches("a[href]") || node.type === "submit") event.preventDefault();
    press(node, {});
  });
  document.addEventListener("keydown", (event) => {
    const node = event.target;
    if ((event.key !== "Enter" && event.key !== " ") || !(node instanceof Element) || !node.matches(`[${ACTION}][role=button]`)) return;
    if (node.matches("button, input, a[href], summary")) return;
    event.preventDefault();
    press(node, {});
  });
  document.addEventListener("change", (event) => {
    const node = event.target;
    if (isField(node) && node.hasAttribute(ACTION) && !/^(button|submit|reset|image)$/.test(node.type)) press(node, { value: read(node) });
  });
  document.addEventListener("submit", (event) => {
    const node = event.target;
    if (!node.hasAttribute(ACTION)) return;
    event.preventDefault();
    const fields = [...new FormData(node)].filter(([, value]) => typeof value === "string");
    press(node, Object.fromEntries(fields));
  });

  // Content policies of Chromium do not reach peer connections, which would carry the state out.
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel"]) delete window[name];

  // What comes later is bound too.
  new MutationObserver((records) => {
    for (const { type, target, addedNodes } of records) {
      if (type === "attributes") render(target);
      for (const node of addedNodes) if (node instanceof Element) render(node);
    }
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: [TEXT, MODEL, ACTION] });

  // A page without any style of its own is given a plain one, light or dark as the studio is.
  const PLAIN = `
    :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
    body { margin: 16px 20px; max-width: 70ch; }
    h1 { font-size: 1.35em; } h2 { font-size: 1.15em; }
    input, select, textarea, button { font: inherit; color: inherit; padding: 5px 10px; border: 1px solid #888c; border-radius: 7px; background: Canvas; }
    button { padding-inline: 14px; cursor: pointer; } button:hover { background: color-mix(in srgb, CanvasText 8%, Canvas); }
    button[aria-busy=true] { opacity: .55; cursor: progress; }
    :focus-visible { outline: 2px solid Highlight; outline-offset: 2px; }
    pre { font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; padding: 10px 12px; border-radius: 7px; background: color-mix(in srgb, CanvasText 6%, Canvas); }
    pre:empty { display: none; }
    table { border-collapse: collapse; } td, th { text-align: left; padding: 4px 12px 4px 0; }
  `;
  document.addEventListener("DOMContentLoaded", () => {
    const own = "style, link[rel~=stylesheet], [style], [bgcolor], [color], [background]";
    if (document.querySelector(own) || document.adoptedStyleSheets.length > 0) return;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(PLAIN);
    document.adoptedStyleSheets = [sheet];
  });
})();

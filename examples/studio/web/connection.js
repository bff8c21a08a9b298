// The connection to the server: requests and answers, events, and what happens when it breaks.

import { NO_NAME } from "./person.js";

// Requests under way at once; more wait here. The server refuses more than 64.
const UNDER_WAY = 48;
// Bytes of a frame. The server closes on more, and the request would be sent again for ever.
const LARGEST = 1 << 20;
const FIRST_PAUSE = 200;
const LONGEST_PAUSE = 5_000;
// Before a request that may be taken yet is sent again.
const RETRY = 2_000;

/** What the server refused, or what cannot be sent. `code` is stable, `data` the whole error. */
export class RequestError extends Error {
  constructor(error) {
    super(error?.message ?? "The server refused this without a word.");
    this.name = "RequestError";
    this.code = error?.code ?? "UNKNOWN";
    this.data = error ?? {};
  }
}

/**
 * Connects, and connects again whenever the connection breaks. A request that was not answered is sent again under its
 * id, which the server answers once. `person` is the name of the window's person; empty if there is none.
 *
 * `on(event, handler)` takes the server's events, and of its own `open` (with the answer to `hello`, each time), `state`
 * (`"open"` or `"offline"`), `refused` (with the error, if the name is, after which there is none) and `*` (every event of the server: name, payload).
 */
export function connect(url, { person = "" } = {}) {
  const clientId = crypto.randomUUID();
  const handlers = new Map();
  const waiting = new Map(); // id -> {frame, isSent, onRetry, resolve, reject}, in the order of asking
  // Requests before a change of the name have a lower number, and go under the old one.
  let names = 0;
  let change = null; // {person, names, resolve, reject}
  let greeting = "";
  let socket = null;
  let isGreeted = false;
  let lastId = 0;
  let pause = FIRST_PAUSE;
  let timer = 0;

  const emit = (event, ...values) => {
    for (const handler of [...(handlers.get(event) ?? [])]) {
      try {
        handler(...values);
      } catch (error) {
        console.error(error);
      }
    }
  };

  const connection = {
    state: "offline",
    on(event, handler) {
      if (!handlers.has(event)) handlers.set(event, new Set());
      handlers.get(event).add(handler);
      return () => handlers.get(event).delete(handler);
    },
    /** Names the person anew, or nobody if the name is empty, once all that was asked for before is answered. */
    greet(name) {
      change?.reject(new RequestError({ code: "SUPERSEDED", message: "Another name was chosen since." }));
      names += 1;
      return new Promise((resolve, reject) => {
        change = { person: name, names, isAsked: false, resolve, reject };
        pump();
      });
    },
    /** With `onRetry`, what may be taken yet is sent again under its id, and `onRetry` is told why. */
    request(method, params = {}, { onRetry } = {}) {
      const id = `r${(lastId += 1)}`;
      const frame = JSON.stringify({ type: "req", id, method, params });
      if (isTooLarge(frame)) {
        const message = "This is more than one message may carry (1 MiB): send it in parts.";
        return Promise.reject(new RequestError({ code: "FRAME_TOO_LARGE", message, retryable: false }));
      }
      return new Promise((resolve, reject) => {
        waiting.set(id, { frame, names, isSent: false, onRetry, resolve, reject });
        pump();
      });
    },
  };

  function greet(name) {
    isGreeted = false;
    greeting = `hello-${(lastId += 1)}`;
    const params = name ? { clientId, person: name } : { clientId };
    socket.send(JSON.stringify({ type: "req", id: greeting, method: "hello", params }));
  }

  function pump() {
    if (!isGreeted || socket?.readyState !== WebSocket.OPEN) return;
    const isDue = (one) => !change || one.names < change.names;
    if (change && ![...waiting.values()].some(isDue)) {
      change.isAsked = true;
      return greet(change.person);
    }
    let underWay = 0;
    for (const one of waiting.values()) {
      if (one.isSent) underWay += 1;
    }
    for (const one of waiting.values()) {
      if (underWay >= UNDER_WAY) return;
      if (one.isSent || !isDue(one)) continue;
      one.isSent = true;
      underWay += 1;
      socket.send(one.frame);
    }
  }

  function turn(state) {
    if (connection.state === state) return;
    connection.state = state;
    emit("state", state);
  }

  function answered(message) {
    const one = waiting.get(message.id);
    if (!one) return;
    if (one.onRetry && message.error?.retryable) {
      one.onRetry(new RequestError(message.error));
      setTimeout(() => {
        one.isSent = false;
        pump();
      }, RETRY);
      return;
    }
    waiting.delete(message.id);
    if (message.ok) one.resolve(message.result);
    else one.reject(new RequestError(message.error));
    pump();
  }

  function greeted(message, current) {
    const asked = change?.isAsked ? change : null;
    if (asked) change = null;
    if (message.ok) {
      person = message.result.person === NO_NAME ? "" : message.result.person;
      isGreeted = true;
      pause = FIRST_PAUSE;
      turn("open");
      emit("open", message.result);
      asked?.resolve(message.result);
    } else if (asked) {
      // The server goes on with the old name.
      isGreeted = true;
      asked.reject(new RequestError(message.error));
    } else if (person) {
      person = "";
      emit("refused", new RequestError(message.error));
      return greet(person);
    } else return current.close();
    pump();
  }

  function open() {
    clearTimeout(timer);
    const current = new WebSocket(url);
    socket = current;
    isGreeted = false;
    if (change) change.isAsked = false;
    for (const one of waiting.values()) one.isSent = false;
    current.onopen = () => greet(person);
    current.onmessage = ({ data }) => {
      let message;
      try {
        message = JSON.parse(data);
      } catch {
        return;
      }
      if (message.type === "evt") {
        emit(message.event, message.payload);
        emit("*", message.event, message.payload);
      } else if (message.id === greeting) {
        greeted(message, current);
      } else answered(message);
    };
    current.onclose = () => {
      if (socket !== current) return;
      socket = null;
      isGreeted = false;
      turn("offline");
      timer = setTimeout(open, pause * (0.8 + 0.4 * Math.random()));
      pause = Math.min(pause * 2, LONGEST_PAUSE);
    };
  }

  // A page that wakes up does not wait for the rest of a long pause.
  window.addEventListener("online", () => socket === null && open());
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && socket === null) open();
  });
  open();
  return connection;
}

const isTooLarge = (frame) => frame.length > LARGEST / 3 && new TextEncoder().encode(frame).length > LARGEST;

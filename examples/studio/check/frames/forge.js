// A hostile page: everything it tries must fail; what succeeded is listed in #out.
const out = document.getElementById("out"); const got = {};
const note = (n, v) => { got[n] = v; out.textContent = JSON.stringify(got, null, 1); };
const tries = {
  fetch: () => fetch("http://127.0.0.1:" + (location.port - 1) + "/").then(() => "REACHED"),
  fetchSelf: () => fetch("/gsv.js").then(() => "REACHED"),
  xhr: () => new Promise((y, n) => { const x = new XMLHttpRequest(); x.onload = () => y("REACHED"); x.onerror = () => n(new Error("x")); x.open("GET", "/gsv.js"); x.send(); }),
  ws: () => new Promise((y, n) => { const s = new WebSocket("ws://127.0.0.1:" + (location.port - 1) + "/ws"); s.onopen = () => y("REACHED"); s.onerror = () => n(new Error("x")); }),
  sse: () => new Promise((y, n) => { const s = new EventSource("/gsv.js"); s.onopen = () => y("REACHED"); s.onerror = () => n(new Error("x")); }),
  beacon: () => navigator.sendBeacon("http://127.0.0.1:" + (location.port - 1) + "/x", "y") && "QUEUED (blocked by CSP later)",
  img: () => new Promise((y, n) => { const i = new Image(); i.onload = () => y("REACHED"); i.onerror = () => n(new Error("x")); i.src = "http://127.0.0.1:" + (location.port - 1) + "/icon.svg"; }),
  localStorage: () => { localStorage.x = 1; return "STORED"; },
  cookie: () => { document.cookie = "a=1"; if (document.cookie) return "STORED"; throw new Error("none"); },
  indexedDB: () => new Promise((y, n) => { const r = indexedDB.open("x"); r.onsuccess = () => y("STORED"); r.onerror = () => n(new Error("x")); }),
  parentDom: () => parent.document.title,
  topNav: () => { top.location = "about:blank"; return "assigned"; },
  popup: () => (window.open("about:blank") ? "OPENED" : Promise.reject(new Error("null"))),
  evalCode: () => eval("1+1"),
  inline: () => { const s = document.createElement("script"); s.textContent = "window.PWNED=1"; document.body.append(s); if (window.PWNED) return "RAN"; throw new Error("no"); },
  textScript: () => { const s = document.createElement("script"); s.setAttribute("data-gsv-text", "state.service"); document.body.append(s); return s.textContent === "" ? Promise.reject(new Error("no")) : "WRITTEN"; },
  worker: () => { new Worker("/gsv.js"); return "STARTED"; },
  frame: () => new Promise((y, n) => { const i = document.createElement("iframe"); i.src = "/f/studio/assets/index.html"; i.onload = () => setTimeout(() => { try { i.contentDocument ? n(new Error("error page")) : n(new Error("opaque")); } catch (e) { n(e); } }, 100); document.body.append(i); }),
  rtc: () => { const c = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:9" }] }); c.createDataChannel("x"); return c.createOffer().then((o) => c.setLocalDescription(o)).then(() => "CONNECTED?"); },
};
(async () => {
  for (const [n, f] of Object.entries(tries)) { try { note(n, String(await Promise.race([f(), new Promise((_, r) => setTimeout(() => r(new Error("timeout")), 1500))]))); } catch (e) { note(n, "refused: " + e.name); } }
  // Forged messages to the page.
  for (const m of [{ type: "gsv.port" }, { type: "run", id: 1, actionId: "deploy" }, { type: "confirm", yes: true }, { type: "state", state: {} }, { type: "evt", event: "canvas.updated" }]) parent.postMessage(m, "*");
  // The port, caught on its way.
  const real = MessagePort.prototype.postMessage; let port;
  MessagePort.prototype.postMessage = function (...a) { port = this; return real.apply(this, a); };
  gsvCanvas.runAction("nope").catch(() => {}); 
  note("port", port ? "caught" : "not caught");
  if (port) for (const m of [null, 7, "x", { type: "confirm", yes: true }, { type: "run", id: 2, actionId: "deploy", confirmation: { digest: "d", plannedAt: 1 } }, { type: "ran", id: 1, ok: true },
    { type: "model", path: "state.__proto__.polluted", value: 1 }, { type: "model", path: "state.constructor.prototype.x", value: 1 }, { type: "model", path: "state", value: 1 }, { type: "model", path: "state.nested", value: 1 }, { type: "model", path: "state.nested.list", value: "x" }, { type: "model", path: "spec.actions", value: 1 }, { type: "model", path: "state.version", value: { a: 1 } }, { type: "model", path: "state.no.such", value: 1 }]) real.call(port, m);
  note("done", true);
})();

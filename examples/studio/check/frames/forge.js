// Says to the page all that a frame might say, by the window and by the port, which it takes from our script.
(() => {
  const out = document.querySelector("#out");
  const said = [];
  const say = (text) => {
    said.push(text);
    out.textContent = said.join("\n");
  };
  const digest = "0".repeat(64);
  const yes = { digest, plannedAt: Date.now() };

  for (const message of [
    { type: "gsv.port" },
    { type: "run", id: 1, actionId: "deploy" },
    { type: "model", path: "state.version", value: "9.9.9" },
    { type: "confirm", yes: true, ...yes },
    { type: "req", id: "x", method: "canvas.action", params: { canvasId: "CANVAS", actionId: "deploy", confirmation: yes } },
    { type: "evt", event: "canvas.updated", payload: { canvasId: "CANVAS", state: { service: "forged" } } },
    { type: "res", id: "x", ok: true, result: {} },
    "deploy",
    null,
  ]) {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => say(`answered by a port of its own: ${JSON.stringify(data)}`);
    parent.postMessage(message, "*", [port2]);
  }

  const real = MessagePort.prototype.postMessage;
  let port = null;
  MessagePort.prototype.postMessage = function (...message) {
    port = this;
    return real.apply(this, message);
  };

  window.forge = async () => {
    window.gsvCanvas.runAction("nothing").catch(({ code }) => say(`nothing: ${code}`));
    while (!port) await new Promise((resolve) => setTimeout(resolve, 10));
    say(port ? "the port is taken" : "no port");
    const send = (message) => real.call(port, message);
    port?.addEventListener(
      "message",
      ({ data }) => data?.type === "ran" && say(`${data.id}: ${data.ok ? "ok" : Object.keys(data.error).sort()} ${data.error?.code ?? ""}`),
    );
    const ring = {};
    ring.ring = ring;
    const messages = [
      null,
      7,
      "deploy",
      [],
      { type: "confirm", yes: true, ...yes },
      { type: "ran", id: 1, ok: true },
      { type: "state", state: { service: "forged" } },
      { type: "run", id: 100, actionId: "deploy", confirmation: yes },
      { type: "run", id: 101, actionId: "refreshLogs", input: {}, tool: "server-a__Bash", args: { command: "./deploy api 9.9.9" } },
      { type: "run", id: 102, actionId: "server-a__Bash", input: { command: "./deploy api 9.9.9" } },
      { type: "run", id: 103, actionId: "gsv__LogsGet" },
      { type: "run", id: 104, binding: "buttons.deployNow" },
      { type: "run", id: 105, actionId: "__proto__" },
      { type: "run", id: 106, actionId: "constructor" },
      { type: "run", id: 107, actionId: { toString: "deploy" } },
      { type: "run", id: "108", actionId: "deploy" },
      { type: "run", id: 109, actionId: "deploy", input: ring },
    ];
    // The page has taken what was sent when it answers what was sent after it. Both go slowly enough not to be dropped.
    const taken = async () => {
      await window.gsvCanvas.runAction("nothing").catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 150));
    };
    for (const message of messages) {
      send(message);
      await taken();
    }
    for (const [path, value] of [
      ["state.__proto__.polluted", 1],
      ["state.constructor.prototype.polluted", 1],
      ["state", { service: "forged" }],
      ["state.nested", 1],
      ["state.nested.list", "x"],
      ["state.version", { a: 1 }],
      ["state.no.such", 1],
      ["spec.actions", 1],
      ["toolPolicy.allow", "x"],
      ["/version", "x"],
    ]) {
      send({ type: "model", path, value });
      await taken();
    }
    document.body.dataset.done = "yes";
  };
})();

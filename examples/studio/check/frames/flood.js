// Asks without end: for actions that are not there, for confirmations, or for time.
(() => {
  window.codes = {};
  const count = (code) => (window.codes[code] = (window.codes[code] ?? 0) + 1);
  window.flood = (times, action = "nothing") => {
    for (let k = 0; k < times; k += 1)
      window.gsvCanvas.runAction(action).then(
        () => count("done"),
        ({ code }) => count(code),
      );
  };
  window.insist = async () => {
    for (let k = 0; k < 8; k += 1)
      await window.gsvCanvas.runAction("deploy").then(
        () => count("done"),
        ({ code }) => count(code),
      );
  };
  window.spin = () => {
    for (;;);
  };
})();

// How checks are told: a line each, and what is wrong below it.

export let failed = 0;
export let passed = 0;
const began = performance.now();
export const seconds = () => ((performance.now() - began) / 1_000).toFixed(1);

const WIDEST = 12; // lines of a fault

/** Runs a check. What it gives is noted behind its name; what it throws is its fault. */
export async function check(name, run) {
  try {
    told(name, null, (await run()) ?? "");
  } catch (fault) {
    told(name, fault);
  }
}

export function told(name, fault, note = "") {
  if (fault) failed += 1;
  else passed += 1;
  console.log(`${fault ? "FAILED" : "ok    "} ${name}${note ? `: ${note}` : ""}`);
  if (!fault) return;
  const lines = String(fault.message ?? fault)
    .replace(/\x1b\[\d+m/g, "")
    .split("\n");
  for (const line of lines.slice(0, WIDEST)) console.log(`       ${line.slice(0, 600)}`);
}

/** The beginning of what belongs together. */
export const part = (title) => console.log(`-- ${title} (at ${seconds()} s)`);

export function that(holds, what) {
  if (!holds) throw new Error(what);
}

export function equal(actual, expected, what) {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: ${a}, not ${b}`);
}

/** The state of a surface without what its job fetches from time to time. */
export const withoutLogs = ({ logsTail, ...state }) => state;

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Bounds a hang, in ms. No result depends on it. */
export const PATIENCE = 120_000;

/** Waits until an answer is true, and gives it. The wait is bounded, and what came last is in its fault. */
export async function until(ask, what) {
  const end = performance.now() + PATIENCE;
  for (let last; ; await pause(40)) {
    try {
      last = await ask();
      if (last) return last;
    } catch (fault) {
      last = fault.message;
    }
    if (performance.now() > end) throw new Error(`not within ${PATIENCE} ms: ${what} (${JSON.stringify(last) ?? "nothing"})`);
  }
}

// How checks are told.

export let failed = 0;
const started = performance.now();
export const seconds = () => ((performance.now() - started) / 1000).toFixed(1);
export function told(name, fault, note = "") {
  if (fault) failed += 1;
  console.log(
    `${fault ? "FAILED" : "ok    "} ${name}${note ? `: ${note}` : ""}${
      fault
        ? `\n       ${String(fault.message ?? fault)
            .replace(/\x1b\[\d+m/g, "")
            .split("\n")
            .slice(0, 12)
            .join("\n       ")}`
        : ""
    }`,
  );
}
export async function check(name, run) {
  try {
    told(name, null, (await run()) ?? "");
  } catch (fault) {
    told(name, fault);
  }
}
export function equal(actual, expected, what = "value") {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: ${a}, not ${b}`);
}
export function that(holds, what) {
  if (!holds) throw new Error(what);
}
/** Bounds a hang, in ms. No result depends on it. */
export const PATIENCE = 120_000;

export async function until(ask, what) {
  const end = performance.now() + PATIENCE;
  for (let last; ; ) {
    try {
      last = await ask();
      if (last) return last;
    } catch (fault) {
      last = fault.message;
    }
    if (performance.now() > end) throw new Error(`not within ${PATIENCE} ms: ${what} (${JSON.stringify(last)})`);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

/** Compiles a file beside this folder: with `fs` where there is Node, else with `fetch`. */
export async function compiled(name) {
  const url = new URL(`../wasm/${name}`, import.meta.url);
  if (globalThis.process?.versions?.node !== undefined) {
    const { readFile } = await import("node:fs/promises");
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) {
    throw new Error(`${url.pathname} cannot be fetched: ${response.status}`);
  }
  // A server may send another media type, which the streaming function refuses.
  return WebAssembly.compile(await response.arrayBuffer());
}

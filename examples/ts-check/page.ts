// A page of a surface, and the host's end of its port.
import type { FromPage, GsvFailure, Json, PortMessage, ToPage } from "./gsv";

const stop: () => void = window.gsvCanvas.subscribe((state: Json) => {
  if (state !== null && typeof state === "object" && "version" in state) document.title = String(state["version"]);
});

export async function deploy(version: string): Promise<Json> {
  try {
    return await window.gsvCanvas.runAction("deploy", { version, tags: ["a", "b"] });
  } catch (error) {
    const { code, message } = error as GsvFailure;
    stop();
    return { code: code ?? null, message };
  }
}

export function show(frame: Window, port: MessagePort, mine: MessagePort): void {
  frame.postMessage({ type: "gsv.port" } satisfies PortMessage, "*", [port]);
  mine.onmessage = ({ data }: MessageEvent<FromPage>) => {
    if (data.type !== "run") return;
    const answer: ToPage = { type: "ran", id: data.id, ok: false, error: { code: "DECLINED", message: data.actionId } };
    mine.postMessage(answer);
  };
}

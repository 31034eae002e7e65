import { StringDecoder } from "node:string_decoder";
import type { TalkTerminal } from "./talk-terminal.ts";

/** Ctrl-C and Ctrl-D, as a terminal in raw mode sends them. */
export const CTRL_C = "\u0003";
export const CTRL_D = "\u0004";

/** Reports every key press; returns a function that stops it and restores the terminal. */
export function listenForKeys(
  { input }: Pick<TalkTerminal, "input">,
  { onKeys, onEnd }: { onKeys(typed: string): void; onEnd(): void },
): () => void {
  const decoder = new StringDecoder("utf8");
  const onData = (chunk: Buffer | string): void => {
    const typed = typeof chunk === "string" ? chunk : decoder.write(chunk);
    if (typed !== "") onKeys(typed);
  };
  input.setRawMode?.(true);
  input.on("data", onData);
  input.once("end", onEnd);
  // Reading from a closed terminal fails.
  input.on("error", onEnd);
  input.resume();
  return () => {
    input.off("data", onData);
    input.off("end", onEnd);
    input.pause();
    try {
      input.setRawMode?.(false);
    } catch {
      // The terminal is gone, so there is nothing to restore.
    }
  };
}

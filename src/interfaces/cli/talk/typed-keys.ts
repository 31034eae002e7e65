import { StringDecoder } from "node:string_decoder";
import type { TalkTerminal } from "./talk-terminal.ts";

/** Ctrl-C and Ctrl-D, as a terminal sends them that does not act on them itself. */
export const CTRL_C = "\u0003";
export const CTRL_D = "\u0004";

/** Hears every key as it is pressed; returns how to stop, which leaves the terminal as it was. */
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
  // A terminal that was closed fails to be read.
  input.on("error", onEnd);
  input.resume();
  return () => {
    input.off("data", onData);
    input.off("end", onEnd);
    input.pause();
    try {
      input.setRawMode?.(false);
    } catch {
      // There is no terminal any more that could be left as it was.
    }
  };
}

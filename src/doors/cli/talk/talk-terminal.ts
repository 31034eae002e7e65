import { colors } from "../colors.ts";
import type { Terminal } from "../program.ts";

/** A terminal that also reads input. */
export interface TalkTerminal extends Terminal {
  readonly color: boolean;
  readonly input: TalkInput;
  /** True if a person types the input and reads the output. */
  readonly typed: boolean;
  /** Reports signals to the process; returns a function that stops it. */
  onSignal(listener: (signal: TalkSignal) => void): () => void;
}

interface TalkInput extends NodeJS.ReadableStream {
  setRawMode?(raw: boolean): unknown;
}
export type TalkSignal = (typeof SIGNALS)[number];
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * The terminal of this process. If its output breaks, because the reader has gone or the terminal was closed, that is
 * reported as a SIGHUP, so that the conversation ends cleanly.
 */
export function openTalkTerminal(terminal: Terminal): TalkTerminal {
  // A dumb terminal cannot show a changing line.
  const interactive = terminal.interactive && process.env.TERM !== "dumb";
  return {
    ...terminal,
    interactive,
    color: colors.isColorSupported,
    input: process.stdin,
    typed: process.stdin.isTTY === true && interactive,
    onSignal(listener) {
      const listeners = SIGNALS.map((signal) => [signal, () => listener(signal)] as const);
      for (const [signal, heard] of listeners) process.on(signal, heard);
      const { stdout } = process;
      const before = stdout.listeners("error");
      stdout.removeAllListeners("error").on("error", () => listener("SIGHUP"));
      return () => {
        for (const [signal, heard] of listeners) process.off(signal, heard);
        stdout.removeAllListeners("error");
        for (const heard of before) stdout.on("error", (error) => heard(error));
      };
    },
  };
}

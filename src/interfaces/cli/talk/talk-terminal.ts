import { colors } from "../colors.ts";
import type { Terminal } from "../program.ts";

/** A terminal that also listens. */
export interface TalkTerminal extends Terminal {
  readonly color: boolean;
  readonly input: TalkInput;
  /** Someone sits there: what comes in is typed, and what goes out is looked at. */
  readonly typed: boolean;
  /** Tells of what the system asks of the process; returns how to stop that. */
  onSignal(listener: (signal: TalkSignal) => void): () => void;
}

interface TalkInput extends NodeJS.ReadableStream {
  setRawMode?(raw: boolean): unknown;
}
export type TalkSignal = (typeof SIGNALS)[number];
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * This process's own. Where its output breaks, because its reader has gone or the terminal was closed, that is told like
 * a SIGHUP, so that the conversation ends in order.
 */
export function openTalkTerminal(terminal: Terminal): TalkTerminal {
  // A line that changes takes more than a dumb terminal can do.
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

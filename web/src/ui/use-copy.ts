import { useState } from "react";

const SHOWN_MS = 2000;

/** Copies a text, and briefly shows the result instead of `label`. `done` is the word for success. */
export function useCopy(
  label: string,
  done = "Copied",
): { readonly said: string; copy(text: string): void } {
  const [said, say] = useState(label);
  const copy = async (text: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      say(done);
    } catch {
      // A browser only lets pages copy that came over TLS or from this machine, and only if its user allows it.
      say("Not copied");
    }
    setTimeout(() => say(label), SHOWN_MS);
  };
  return { said, copy: (text) => void copy(text) };
}

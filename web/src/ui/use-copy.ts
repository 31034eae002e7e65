import { useState } from "react";

const SAID_MS = 2000;

/** Copies, and for a moment says what came of it instead of `label`. */
export function useCopy(label: string): { readonly said: string; copy(text: string): void } {
  const [said, say] = useState(label);
  const copy = async (text: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      say("Copied");
    } catch {
      // A browser lets only pages copy that came over TLS or from this machine.
      say("Not allowed here");
    }
    setTimeout(() => say(label), SAID_MS);
  };
  return { said, copy: (text) => void copy(text) };
}

import { environmentSecrets } from "./environment-secrets.ts";
import { HeldText } from "./held-text.ts";
import { createRedactor } from "./redactor.ts";

/** Replaces secrets before they are stored. This cannot be undone. */
export interface StoredRedaction {
  /** The same value without its secrets; everything but texts, and values with the names of secrets, stays as it is. */
  value<T>(given: T): T;
  text(text: string): string;
  /** For a text that arrives in pieces. */
  hold(): HeldText;
}

export function openStoredRedaction(
  env: Readonly<Record<string, string | undefined>>,
): StoredRedaction {
  const known = environmentSecrets(env);
  function value<T>(given: T): T;
  function value(given: unknown): unknown {
    const first = createRedactor(known);
    const redacted = first.value(given);
    if (first.learned.size === 0) return redacted;
    return createRedactor([...known, ...first.learned]).value(given);
  }
  return { value, text: (text) => value(text), hold: () => new HeldText(known) };
}

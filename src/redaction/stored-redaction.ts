import { isRecord } from "../contract/is-record.ts";
import { dropCutEdges } from "./drop-cut-edges.ts";
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

/** It also replaces the secrets of these environments. */
export function openStoredRedaction(
  ...environments: readonly Readonly<Record<string, string | undefined>>[]
): StoredRedaction {
  const known = environments.flatMap(environmentSecrets);
  function value<T>(given: T): T;
  function value(whole: unknown): unknown {
    const given = mapTexts(whole, dropCutEdges);
    const first = createRedactor(known);
    const redacted = first.value(given);
    if (first.learned.size === 0) return redacted;
    return createRedactor([...known, ...first.learned]).value(given);
  }
  return { value, text: (text) => value(text), hold: () => new HeldText(known) };
}

/** The same value with each of its texts replaced. Values that are not plain JSON stay unchanged. */
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, mapTexts(item, map)]),
  );
}

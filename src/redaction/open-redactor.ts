import { environmentSecrets } from "./environment-secrets.ts";
import { createRedactor, type Redactor } from "./redactor.ts";

/** A redactor that also knows the secrets of this environment, and the given ones. It adds what it learns. */
export function openRedactor(
  env: Readonly<Record<string, string | undefined>>,
  known: Iterable<string> = [],
  learned = new Set<string>(),
): Redactor {
  return createRedactor([...environmentSecrets(env), ...known], learned);
}

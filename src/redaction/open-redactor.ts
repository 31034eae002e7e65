import { environmentSecrets } from "./environment-secrets.ts";
import { createRedactor, type Redactor } from "./redactor.ts";

/** A redactor that also knows the secrets of this environment. */
export function openRedactor(env: Readonly<Record<string, string | undefined>>): Redactor {
  return createRedactor(environmentSecrets(env));
}

import type { Redactor } from "../../redaction/redactor.ts";

/**
 * Redacts in two passes: a password that is recognized by its name in one place is hidden everywhere. The second pass
 * only runs if there is something to learn. The rules are loaded on demand.
 */
export async function redactTwice<T>(
  env: Readonly<Record<string, string | undefined>>,
  work: (redactor: Redactor) => T | Promise<T>,
): Promise<T> {
  const { openRedactor } = await import("../../redaction/open-redactor.ts");
  const { environmentSecrets } = await import("../../redaction/environment-secrets.ts");
  const first = openRedactor(env);
  const redacted = await work(first);
  const known = new Set(environmentSecrets(env));
  const learned = [...first.learned].filter((secret) => !known.has(secret));
  return learned.length === 0 ? redacted : work(openRedactor(env, learned));
}

import type { Redactor } from "../../redaction/redactor.ts";

/**
 * Redacts with what was learned on the way: a password that is recognized by the name before it is hidden where it stands
 * alone too. The work is done again where there is anything to learn. The rules are loaded when they are needed.
 */
export async function redactTwice<T>(
  env: Readonly<Record<string, string | undefined>>,
  work: (redactor: Redactor) => T | Promise<T>,
): Promise<T> {
  const { openRedactor } = await import("../../redaction/open-redactor.ts");
  const first = openRedactor(env);
  const redacted = await work(first);
  return first.learned.size === 0 ? redacted : work(openRedactor(env, first.learned));
}

import { LIMITS } from "./limits.ts";

/**
 * The format of ids. Separate from the schemas, so that the hooks can check an id without loading
 * them.
 */
export const SESSION_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._:-]*$/;

/** The same format, optionally after an owner's name. */
export const SESSION_REF_PATTERN =
  /^(?:[A-Za-z0-9_][A-Za-z0-9._@+-]{0,63}\/)?[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

export function isSessionId(text: string): boolean {
  const { min, max } = LIMITS.SESSION_ID;
  return text.length >= min && text.length <= max && SESSION_ID_PATTERN.test(text);
}

/** The owner in OWNER/ID, which names a session of another person; null in every other reference. */
export function ownerIn(ref: string): string | null {
  const slash = ref.indexOf("/");
  return slash > 0 ? ref.slice(0, slash) : null;
}

/** The characters that no name contains: as \p{Cc}, which takes longer to build than a hook to read its payload. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
export const CONTROL_CHARACTERS = /[\0-\x1f\x7f-\x9f]/;

/** The prefix of the ids of sessions that webhooks send messages to. */
export const WEBHOOK_SESSIONS = "webhook:";

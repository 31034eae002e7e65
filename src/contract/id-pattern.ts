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

/** The prefix of the ids of sessions that webhooks send messages to. */
export const WEBHOOK_SESSIONS = "webhook:";

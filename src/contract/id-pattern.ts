import { LIMITS } from "./limits.ts";

/** What ids are made of. Apart from the schemas, so that the hook path can check an id without loading them. */
export const SESSION_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._:-]*$/;

/** The same behind the name of an owner, or alone. */
export const SESSION_REF_PATTERN =
  /^(?:[A-Za-z0-9_][A-Za-z0-9._@+-]{0,63}\/)?[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

export function isSessionId(text: string): boolean {
  const { min, max } = LIMITS.SESSION_ID;
  return text.length >= min && text.length <= max && SESSION_ID_PATTERN.test(text);
}

/** How the ids of sessions begin that webhooks send messages to. */
export const WEBHOOK_SESSIONS = "webhook:";

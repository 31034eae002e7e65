import { LIMITS } from "./limits.ts";

/** What ids are made of. Apart from the schemas, so that the hook path can check an id without loading them. */
export const SESSION_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._:-]*$/;

export function isSessionId(text: string): boolean {
  const { min, max } = LIMITS.SESSION_ID;
  return text.length >= min && text.length <= max && SESSION_ID_PATTERN.test(text);
}

/** How the ids of sessions begin that webhooks send messages to. */
export const WEBHOOK_SESSIONS = "webhook:";

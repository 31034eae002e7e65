import { z } from "zod";
import { SESSION_ID_PATTERN, SESSION_REF_PATTERN } from "./id-pattern.ts";
import { LIMITS } from "./limits.ts";

const ID_RULE =
  "5 to 128 characters of letters, digits and . _ : -, starting with a letter or a digit";

/** A session's name within its owner, chosen by the caller or generated. */
export const SessionId = z
  .string()
  .min(LIMITS.SESSION_ID.min, `an id has ${ID_RULE}`)
  .max(LIMITS.SESSION_ID.max, `an id has ${ID_RULE}`)
  .regex(SESSION_ID_PATTERN, `an id has ${ID_RULE}`);

/**
 * How callers name an existing session: its id, its entity id, a prefix that only one session has, or, of another person's
 * session, OWNER/ID.
 */
export const SessionRef = z
  .string()
  .min(1, "an id is needed")
  .max(LIMITS.OWNER + 1 + LIMITS.SESSION_ID.max, `an id has ${ID_RULE}`)
  .regex(SESSION_REF_PATTERN, `an id has ${ID_RULE}`);

/** Names of agents, owners, tasks, checkpoints: one line of text. */
export const Name = z
  .string()
  .min(1)
  .max(LIMITS.NAME)
  .refine((text) => !/\p{Cc}/u.test(text), "no control characters");

/** Ids of turns, actions and the like, when the caller brings its own. */
export const ItemId = z
  .string()
  .min(1)
  .max(LIMITS.ITEM_ID)
  .regex(SESSION_ID_PATTERN, "letters, digits and . _ : -, starting with a letter or a digit");

/** Of the bytes of a file. */
export const Digest = z.string().regex(/^[0-9a-f]{64}$/, "64 hex digits, as the upload answered");

export const IdempotencyKey = Name;

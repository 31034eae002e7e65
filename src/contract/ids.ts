import { z } from "zod";
import { CONTROL_CHARACTERS, SESSION_ID_PATTERN, SESSION_REF_PATTERN } from "./id-pattern.ts";
import { LIMITS } from "./limits.ts";

const ID_RULE =
  "5 to 128 characters of letters, digits and . _ : -, starting with a letter or a digit";

/** A session's id, unique within its owner, chosen by the caller or generated. */
export const SessionId = z
  .string()
  .min(LIMITS.SESSION_ID.min, `must have ${ID_RULE}`)
  .max(LIMITS.SESSION_ID.max, `must have ${ID_RULE}`)
  .regex(SESSION_ID_PATTERN, `must have ${ID_RULE}`);

/**
 * A reference to an existing session: its id, its entity id, a unique prefix, or OWNER/ID for
 * another person's session.
 */
export const SessionRef = z
  .string()
  .min(1, "must not be empty")
  .max(LIMITS.OWNER + 1 + LIMITS.SESSION_ID.max, `must have ${ID_RULE}`)
  .regex(SESSION_REF_PATTERN, `must have ${ID_RULE}`);

/** A name of an agent, owner, task or checkpoint: one line of text. */
export const Name = z
  .string()
  .min(1)
  .max(LIMITS.NAME)
  .refine((text) => !CONTROL_CHARACTERS.test(text), "must not contain control characters")
  .refine((text) => text.trim() !== "", "must not be blank")
  .refine((text) => text.isWellFormed(), "must not contain half of a character");

/** An id of a turn, an action or the like that the caller provides. */
export const ItemId = z
  .string()
  .min(1)
  .max(LIMITS.ITEM_ID)
  .regex(
    SESSION_ID_PATTERN,
    "must have only letters, digits and . _ : -, starting with a letter or a digit",
  );

/** The SHA-256 digest of a file's bytes. */
export const Digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "must have 64 hexadecimal digits, as the upload returned them");

export const IdempotencyKey = Name;

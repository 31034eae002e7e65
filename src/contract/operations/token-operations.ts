import { z } from "zod";
import { Name } from "../ids.ts";
import { SCOPES } from "../vocabulary.ts";
import { type Operations, untilField } from "./operation.ts";

/** A token without its secret, which is only shown in the answer that created it. */
export const Token = z.object({
  id: z.string(),
  name: z.string(),
  owner: z.string(),
  scope: z.enum(SCOPES),
  created_at: z.string(),
  revoked_at: z.string().nullable(),
  expires_at: z.string().nullable().describe("unless it is used before; null: never"),
  last_used_at: z.string().nullable().describe("to the hour; null: not yet"),
});
export type Token = z.infer<typeof Token>;

export const tokenOperations = {
  create_token: {
    kind: "command",
    scope: "admin",
    doc: "Let a program in: answers a token, shown this once",
    input: z.strictObject({
      name: Name.default("token").describe("what it is for"),
      scope: z.enum(SCOPES).default("write"),
      owner: Name.optional().describe("whose sessions it opens; default: your own"),
      idle_days: z
        .number()
        .int()
        .min(1)
        .max(3650)
        .optional()
        .describe("it expires after so many days without use; default: never"),
      until: untilField("it expires then, used or not"),
    }),
    output: Token.extend({ token: z.string() }),
    errors: ["not_allowed", "too_large", "invalid_input"],
  },
  list_tokens: {
    kind: "query",
    scope: "admin",
    doc: "List the tokens that let programs in",
    input: z.strictObject({}),
    output: z.object({ tokens: z.array(Token) }),
    errors: [],
  },
  revoke_token: {
    kind: "command",
    scope: "admin",
    doc: "Shut a program out; its open streams end",
    input: z.strictObject({ token_id: Name }),
    output: Token,
    errors: ["token_not_found"],
  },
} as const satisfies Operations;

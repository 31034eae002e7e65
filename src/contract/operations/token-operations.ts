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
  expires_at: z.string().nullable().describe("with idle_days, each use moves it; null: never"),
  last_used_at: z.string().nullable().describe("rounded to the hour; null: never used"),
});
export type Token = z.infer<typeof Token>;

export const tokenOperations = {
  create_token: {
    kind: "command",
    scope: "admin",
    doc: "Create a token for a program; the token is shown only once",
    input: z.strictObject({
      name: Name.default("token").describe("a name that says what the token is for"),
      scope: z.enum(SCOPES).default("write").describe("what the token allows; default: write"),
      owner: Name.optional().describe("the owner whose sessions it can access; default: you"),
      idle_days: z
        .number()
        .int()
        .min(1)
        .max(3650)
        .optional()
        .describe("expires after this many days without use; default: never"),
      until: untilField("expires at this time, used or not"),
    }),
    output: Token.extend({ token: z.string() }),
    errors: ["not_allowed", "too_large", "invalid_input", "person_not_found"],
  },
  list_tokens: {
    kind: "query",
    scope: "admin",
    doc: "List tokens",
    input: z.strictObject({}),
    output: z.object({ tokens: z.array(Token) }),
    errors: [],
  },
  revoke_token: {
    kind: "command",
    scope: "admin",
    doc: "Revoke a token; its open streams end",
    input: z.strictObject({ token_id: Name }),
    output: Token,
    errors: ["token_not_found"],
  },
} as const satisfies Operations;

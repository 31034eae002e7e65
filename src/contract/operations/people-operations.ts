import { z } from "zod";
import { Name } from "../ids.ts";
import { LIMITS } from "../limits.ts";
import { isReservedActor } from "../reserved-actor.ts";
import { SCOPES, SERVER_ROLES } from "../vocabulary.ts";
import type { Operations } from "./operation.ts";

const NAME_RULE = `at most ${LIMITS.OWNER} letters, digits and . _ @ + -, starting with a letter or a digit`;

/** A person's name in commands and ids: the owner of their sessions. */
export const PersonName = z
  .string()
  .max(LIMITS.OWNER, `must have ${NAME_RULE}`)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._@+-]*$/, `must have ${NAME_RULE}`)
  .refine((name) => !isReservedActor(name), "must not be a reserved name");

const Identity = z
  .string()
  .max(1000)
  .regex(/^https?:\/\/[^\s#]+#[\x20-\x7e]{1,255}$/, "must have the form ISSUER#SUBJECT");

export const Person = z.object({
  name: z.string(),
  display_name: z.string(),
  role: z.enum(SERVER_ROLES).nullable().describe("null unless you are an admin"),
  identities: z.array(z.string()).describe("empty unless you are an admin"),
  created_at: z.string().nullable().describe("null unless you are an admin"),
  disabled_at: z.string().nullable(),
});
export type Person = z.infer<typeof Person>;

export const peopleOperations = {
  add_person: {
    kind: "command",
    scope: "admin",
    doc: "Add a person, change a person, or enable a disabled person",
    input: z.strictObject({
      name: PersonName.describe("the name that owns this person's sessions"),
      display_name: Name.optional().describe(
        "the name to show; default: unchanged, or the name for a new person",
      ),
      role: z
        .enum(SERVER_ROLES)
        .optional()
        .describe(
          "what the person may do on the server; default: unchanged, or member for a new person",
        ),
      identities: z
        .array(Identity)
        .max(10)
        .optional()
        .describe("accounts that log this person in, each ISSUER#SUBJECT; default: unchanged"),
    }),
    output: Person,
    errors: ["not_allowed", "invalid_input"],
  },
  list_people: {
    kind: "query",
    scope: "read",
    doc: "List the people of this server",
    input: z.strictObject({}),
    output: z.object({ people: z.array(Person) }),
    errors: [],
  },
  disable_person: {
    kind: "command",
    scope: "admin",
    doc: "Disable a person: their tokens, streams and shares stop working at once",
    input: z.strictObject({ name: z.string().min(1).max(LIMITS.NAME) }),
    output: Person,
    errors: ["not_allowed", "person_not_found", "invalid_input"],
  },
  whoami: {
    kind: "query",
    scope: "read",
    doc: "Show which person you act as, and what your token allows",
    input: z.strictObject({}),
    output: z.object({
      owner: z.string().describe("the name that your sessions belong to"),
      display_name: z
        .string()
        .nullable()
        .describe("null if no person is on record for you, or if the token has scope record"),
      role: z
        .enum(SERVER_ROLES)
        .nullable()
        .describe("your server role; null if you have none, or if the token has scope record"),
      token: z
        .object({ name: z.string(), scope: z.enum(SCOPES) })
        .nullable()
        .describe("null with direct access to the data folder, which allows everything"),
    }),
    errors: [],
  },
} as const satisfies Operations;

import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { SESSION_ROLES } from "../vocabulary.ts";
import { FOUND, One, type Operations, timeField } from "./operation.ts";

const With = {
  with: z.string().min(1).max(LIMITS.NAME).optional().describe("the name of a person"),
  everyone: z.boolean().default(false).describe("every person of this server"),
};

/** A person with whom a session is shared. */
export const Share = z.object({
  person: z.string().nullable().describe("null: every person of this server"),
  role: z.enum(SESSION_ROLES),
  until: z.string().nullable().describe("null: until it is taken back"),
});
export type Share = z.infer<typeof Share>;

const Shares = z.object({ session_id: z.string(), shares: z.array(Share) });

export const shareOperations = {
  share: {
    kind: "command",
    scope: "write",
    doc: "Share a session with a person. A viewer reads and follows it; an approver also answers its questions; an editor also sends messages, which amounts to a shell within the agent's limits",
    input: z.strictObject({
      ...One,
      ...With,
      role: z.enum(SESSION_ROLES).default("viewer"),
      until: timeField("when it ends; default: when it is taken back"),
    }),
    output: Shares,
    errors: [...FOUND, "person_not_found", "session_deleted"],
  },
  unshare: {
    kind: "command",
    scope: "write",
    doc: "Take back what was shared: streams of that person end within two seconds",
    input: z.strictObject({ ...One, ...With }),
    output: Shares,
    errors: [...FOUND],
  },
  shares: {
    kind: "query",
    scope: "read",
    doc: "List with whom a session is shared",
    input: z.strictObject({ ...One }),
    output: Shares,
    errors: [...FOUND],
  },
  shared: {
    kind: "query",
    scope: "read",
    doc: "List the sessions that others have shared with you",
    input: z.strictObject({}),
    output: z.object({
      sessions: z.array(
        z.object({
          session_id: z.string().describe("OWNER/ID"),
          entity_id: z.string(),
          owner: z.string(),
          title: z.string().nullable(),
          agent_name: z.string(),
          status: z.string(),
          role: z.enum(SESSION_ROLES),
        }),
      ),
    }),
    errors: [],
  },
} as const satisfies Operations;

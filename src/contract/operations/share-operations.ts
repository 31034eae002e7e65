import { z } from "zod";
import { Name } from "../ids.ts";
import { LIMITS } from "../limits.ts";
import { HiddenSecret } from "../past.ts";
import { SESSION_ROLES } from "../vocabulary.ts";
import { closes, FOUND, One, type Operations, untilField } from "./operation.ts";

const With = {
  with: z.string().min(1).max(LIMITS.NAME).optional().describe("a person's name"),
  everyone: z.boolean().default(false).describe("every person of this server"),
};

/** A person with whom a session is shared. */
export const Share = z.object({
  person: z.string().nullable().describe("null: every person of this server"),
  role: z.enum(SESSION_ROLES),
  until: z.string().nullable().describe("null: until you unshare it"),
});
export type Share = z.infer<typeof Share>;

const Shares = z.object({ session_id: z.string(), shares: z.array(Share) });

/** A page without login that shows a session. Its secret is only shown in the answer that created it. */
export const PublicLink = z.object({
  link_id: z.string(),
  session_id: z.string(),
  through: z.number().int().describe("the last event that the link shows"),
  until: z.string(),
  created_at: z.string(),
  revoked_at: z.string().nullable(),
  opened: z.number().int().describe("how often it was opened"),
  last_opened_at: z.string().nullable(),
});
export type PublicLink = z.infer<typeof PublicLink>;

export const shareOperations = {
  share: {
    kind: "command",
    scope: "write",
    doc: "Share a session with a person. A viewer can read and follow it. An approver can also approve or reject. An editor can also send messages; that is as powerful as a shell, within the agent's limits",
    input: z.strictObject({
      ...One,
      ...With,
      role: z
        .enum(SESSION_ROLES)
        .default("viewer")
        .describe("what the person may do; default: viewer"),
      until: untilField("when the share ends; default: when you unshare it"),
    }),
    output: Shares,
    errors: [...FOUND, "not_allowed", "person_not_found", "session_deleted"],
  },
  unshare: {
    kind: "command",
    closes,
    scope: "write",
    doc: "Stop sharing a session; the person's streams end within two seconds",
    input: z.strictObject({ ...One, ...With }),
    output: Shares,
    errors: [...FOUND],
  },
  shares: {
    kind: "query",
    scope: "read",
    doc: "List the people a session is shared with",
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
  preview_link: {
    kind: "query",
    scope: "read",
    doc: "Preview a public link: show which secrets it would hide",
    input: z.strictObject({ ...One }),
    output: z.object({
      session_id: z.string(),
      through: z.number().int().describe("the last event that it would show"),
      shown: z.number().int().describe("events that it would show"),
      hidden_count: z.number().int(),
      hidden: z.array(HiddenSecret).describe("the first 500"),
    }),
    errors: [...FOUND],
  },
  add_link: {
    kind: "command",
    scope: "write",
    doc: "Create a public link: everyone who has it can read the session as it is now, redacted, without login. The link is shown only once",
    input: z.strictObject({
      ...One,
      until: untilField("when it ends, within a year; default: in 7 days"),
    }),
    output: PublicLink.extend({
      path: z.string().describe("the path on this server; it contains the secret"),
    }),
    errors: [...FOUND, "session_deleted", "limit_reached"],
  },
  list_links: {
    kind: "query",
    scope: "read",
    doc: "List the public links of a session",
    input: z.strictObject({ ...One }),
    output: z.object({ session_id: z.string(), links: z.array(PublicLink) }),
    errors: [...FOUND],
  },
  revoke_link: {
    kind: "command",
    closes,
    scope: "write",
    doc: "Revoke a public link: its page shows nothing from then on",
    input: z.strictObject({ ...One, link_id: Name }),
    output: PublicLink,
    errors: [...FOUND, "link_not_found"],
  },
} as const satisfies Operations;

import { z } from "zod";
import { SCOPES, SERVER_ROLES, SESSION_ROLES, TOKEN_REFUSALS } from "./vocabulary.ts";

const Text = z.string();

/** Events of tokens and people. */
export const ACCESS_EVENTS = {
  "token.created": z.object({
    token_id: Text,
    name: Text,
    scope: z.enum(SCOPES),
    /** The digest of the token's secret. */
    digest: Text,
    /** The token expires after this long without use. */
    idle_ms: z.number().int().positive().optional(),
    /** The token expires at this time, used or not. */
    expires_at: z.number().int().optional(),
    /** Set if the token is the login of a browser, which a person uses and no program. */
    browser: z.literal(true).optional(),
  }),
  /** The token was used. Recorded at most once an hour. */
  "token.renewed": z.object({ token_id: Text }),
  "token.revoked": z.object({ token_id: Text }),
  /**
   * A person was added or changed. The event replaces the earlier values, and enables a disabled
   * person again.
   */
  "person.added": z.object({
    person: Text,
    display_name: Text,
    role: z.enum(SERVER_ROLES),
    identities: z.array(Text),
  }),
  /** A person got these accounts. The person's own log decides. */
  "identities.assigned": z.object({ person: Text, identities: z.array(Text) }),
  /**
   * A session was shared with this person for the first time. Older versions recorded each share and,
   * with a null role, each end of one. The session's own log decides.
   */
  "share.received": z.object({
    person: Text,
    entity_id: Text,
    role: z.enum(SESSION_ROLES).nullable(),
  }),
  "person.disabled": z.object({ person: Text }),
  /** An admin created a login link for this person. */
  "person.invited": z.object({ person: Text }),
  /** A person with whom a session is shared saw it; recorded once an hour. */
  "session.seen": z.object({ entity_id: Text, by: Text }),
  /** A person was refused an operation in this session, or anywhere if it is null; recorded once an hour. */
  "access.refused": z.object({
    entity_id: Text.nullable(),
    by: Text,
    operation: Text,
    /** Set if the request had no valid token; `by` is then the owner of the token, or of the server. */
    reason: z.enum(TOKEN_REFUSALS).optional(),
    /** The address of that client. */
    from: Text.optional(),
    /** The id of that token, or the start of the digest of an unknown one. */
    token: Text.optional(),
  }),
  /** A page without login shows a session up to `seq` to everyone with the link. */
  "link.created": z.object({
    link_id: Text,
    entity_id: Text,
    /** The digest of its secret. */
    digest: Text,
    seq: z.number().int(),
    until: z.number().int(),
    /** The secrets that its creator has seen hidden, encrypted with its secret. Only here, because a head is small. */
    hides: Text.optional(),
  }),
  "link.revoked": z.object({ link_id: Text, entity_id: Text }),
  /** The link was opened this many times. */
  "link.opened": z.object({ link_id: Text, entity_id: Text, times: z.number().int().positive() }),
} as const;

/** Events that change who else sees a session. */
export const SHARE_EVENTS = {
  /** A null person means everyone on record. The event replaces an earlier share. */
  "session.shared": z.object({
    person: Text.nullable(),
    role: z.enum(SESSION_ROLES),
    until: z.number().nullable(),
  }),
  "session.unshared": z.object({ person: Text.nullable() }),
} as const;

/** The event of a delivery, and the number of attempts. */
export const Delivery = z.object({
  webhook_id: Text,
  event_id: Text,
  type: Text,
  session_id: Text,
  attempt: z.number().int(),
  /** The HTTP status of the receiver's answer; null if there was none. */
  status: z.number().int().nullable(),
});

import { z } from "zod";
import { SCOPES, SERVER_ROLES, SESSION_ROLES } from "./vocabulary.ts";

const Text = z.string();

/** What happens to those who are let in: tokens and people. */
export const ACCESS_EVENTS = {
  "token.created": z.object({
    token_id: Text,
    name: Text,
    scope: z.enum(SCOPES),
    /** Of its secret. */
    digest: Text,
    /** It expires after so long without use. */
    idle_ms: z.number().int().positive().optional(),
    /** It expires then, used or not. */
    expires_at: z.number().int().optional(),
  }),
  /** It was used; told once an hour. */
  "token.renewed": z.object({ token_id: Text }),
  "token.revoked": z.object({ token_id: Text }),
  /** Added, or changed: what it says holds from then on, and a disabled person is enabled again. */
  "person.added": z.object({
    person: Text,
    display_name: Text,
    role: z.enum(SERVER_ROLES),
    identities: z.array(Text),
  }),
  /** A session was shared with this person, or, with a null role, no longer is. Its own log says what holds. */
  "share.received": z.object({
    person: Text,
    entity_id: Text,
    role: z.enum(SESSION_ROLES).nullable(),
  }),
  "person.disabled": z.object({ person: Text }),
  /** An admin made a link that logs this person in. */
  "person.invited": z.object({ person: Text }),
} as const;

/** Who else sees a session. */
export const SHARE_EVENTS = {
  /** A null person is everyone on record. What it says holds from then on. */
  "session.shared": z.object({
    person: Text.nullable(),
    role: z.enum(SESSION_ROLES),
    until: z.number().nullable(),
  }),
  "session.unshared": z.object({ person: Text.nullable() }),
} as const;

/** Which event a delivery was about, and how often it was tried. */
export const Delivery = z.object({
  webhook_id: Text,
  event_id: Text,
  type: Text,
  session_id: Text,
  attempt: z.number().int(),
  /** What the receiver answered; null when it did not. */
  status: z.number().int().nullable(),
});

import { type Refusal, refuse } from "../contract/errors.ts";
import type { SystemEvent } from "../contract/events.ts";
import type { PersonState, SystemHead, TokenState } from "../contract/head.ts";
import { SCOPES, type Scope, type ServerRole } from "../contract/vocabulary.ts";

type PersonEvent = Extract<SystemEvent, { readonly data: { readonly person: string } }>;

export function evolvePerson(
  { person }: SystemHead,
  event: PersonEvent,
): { readonly person?: PersonState } {
  switch (event.type) {
    case "person.added": {
      const { person: name, display_name, role, identities } = event.data;
      const known = { created_at: event.at, locked_at: null, ...person };
      return { person: { ...known, name, display_name, role, identities, disabled_at: null } };
    }
    case "person.disabled":
      return person ? { person: { ...person, disabled_at: event.at, locked_at: event.at } } : {};
    case "identities.assigned":
    case "person.invited":
    case "share.received":
      return {};
  }
}

/**
 * The scope of a token; null if it allows nothing. If no person is on record for the owner, the
 * token's own scope counts.
 */
export function scopeOf(token: TokenState, person: PersonState | null): Scope | null {
  if (!person) return token.scope;
  if (person.disabled_at !== null || revokedAt(token, person) !== null) return null;
  return person.role === "member" && token.scope === "admin" ? "write" : token.scope;
}

/** The rights that a token gives its holder. */
interface Rights {
  readonly scope: Scope;
  /** Absent if no person is on record for the owner. */
  readonly role?: ServerRole;
}

/** True if a caller was let in with more rights than the token has now, for example because an admin became a member. */
export function hasLostRights(before: Rights, now: Rights): boolean {
  const isDemoted = now.role === "member" && before.role !== "member";
  return isDemoted || SCOPES.indexOf(now.scope) < SCOPES.indexOf(before.scope);
}

/** The time at which a token stopped working for good: when it was revoked, or when its person was disabled. */
export function revokedAt(token: TokenState, person: PersonState | null): number | null {
  const locked_at = person?.locked_at ?? null;
  const isLocked = locked_at !== null && token.created_at <= locked_at;
  return token.revoked_at ?? (isLocked ? locked_at : null);
}

/**
 * The reason why this owner may not run agents; null if they may. Outside of a sandbox, an agent
 * can access everything that the server's user can, including the data folder.
 */
export function refuseAgents(
  owner: string,
  person: PersonState | null,
  isolates: boolean,
): Refusal | null {
  if (!person) return null;
  const isDisabled = person.disabled_at !== null;
  if (!isDisabled && (isolates || !needsIsolation(person))) return null;
  const message = isDisabled
    ? `${owner} is disabled, so no agent is started in this person's sessions. Ask an admin to enable this person.`
    : `${owner} is a member, and members can start agents only in isolation. Ask an admin to set BELAY_MEMBER_FOLDERS for the server.`;
  return refuse("agent_not_trusted", message, { owner });
}

/** True for people whose agents must not see the data folder. */
export function needsIsolation(person: PersonState | null): boolean {
  return person !== null && person.role !== "admin";
}

/** The reason why a token with this scope cannot be created; null if it can. */
export function refuseToken(scope: Scope, person: PersonState | null): Refusal | null {
  if (!person) return null;
  const { name } = person;
  if (person.disabled_at !== null) return refuseDisabled(name);
  if (person.role === "admin" || scope !== "admin") return null;
  const message = `${name} is a member; a token with scope "admin" is for admins. Use scope "write".`;
  return refuse("not_allowed", message, { name, scope });
}

/** For admins, who may know it. */
export function refuseDisabled(name: string): Refusal {
  const message = `${name} is disabled. Enable this person with: belay people add ${name}`;
  return refuse("not_allowed", message, { name });
}

import type { AuditLine } from "../../contract/past.ts";
import type { AuditKind } from "../../contract/vocabulary.ts";

/** The kind of an audit entry, by the type of its event. */
export function auditKind(type: string): AuditKind {
  if (type === "access.refused") return "refused";
  return type === "session.seen" || type === "link.opened" ? "saw" : "did";
}

/**
 * True if this person did it, saw it or was refused. In their own sessions that includes their
 * tokens and agents, but not what others did there.
 */
export function isByPerson(
  { actor, owner, data }: Pick<AuditLine, "actor" | "owner" | "data">,
  name: string,
): boolean {
  // A request without a token belongs to no person.
  if (actor.startsWith("address:")) return false;
  if (actor.startsWith("person:")) return actor === `person:${name}`;
  return data.by === undefined ? owner === name : data.by === name;
}

import type { AuditLine } from "../../../src/contract/past.ts";
import type { AuditKind } from "../../../src/contract/vocabulary.ts";

export const KIND_WORDS = {
  did: { one: "Change", plural: "Changes", look: "bg-raised text-soft" },
  saw: { one: "Read", plural: "Reads", look: "bg-info-soft text-info" },
  refused: { one: "Refused", plural: "Refusals", look: "bg-bad-soft text-bad" },
} as const satisfies Record<AuditKind, object>;

/** The name of an actor: "person:bob" is bob, and a token or an agent is named as one. */
export function describeActor(actor: string): string {
  if (actor.startsWith("link:")) return "a public link";
  const [, kind, name] = /^(person|user|token|agent|address):(.+)$/s.exec(actor) ?? [];
  if (kind === undefined || name === undefined) return actor;
  return kind === "person" || kind === "user" ? name : `${kind} ${name}`;
}

/** The session of an entry, as a link needs it; null if it is about no session or about another person's. */
export function sessionOf({ kind, id, data }: AuditLine, isOwn: boolean): string | null {
  if (!isOwn) return null;
  if (kind === "session") return id;
  // A task has an entity id too, and that is no session.
  if (kind === "task") return null;
  return typeof data.entity_id === "string" ? data.entity_id : null;
}

const SHOWN = 160;

/** The names of numbers that are times. */
const TIME = /^until$|_at$/;

function formatTime(value: string | number | boolean): string {
  const time = new Date(Number(value));
  return Number.isNaN(time.getTime()) ? String(value) : time.toISOString();
}

/** The first simple values of an event, on one line. */
export function describeData(data: AuditLine["data"]): string {
  const facts = Object.entries(data).flatMap(([name, value]) =>
    // A share without a person is for all people.
    name === "person" && value === null
      ? "person: everyone"
      : typeof value === "string" || typeof value === "number" || typeof value === "boolean"
        ? `${name}: ${TIME.test(name) ? formatTime(value) : value}`
        : [],
  );
  const text = facts.join(" · ").replaceAll(/\s+/g, " ");
  return text.length > SHOWN ? `${text.slice(0, SHOWN)} …` : text;
}

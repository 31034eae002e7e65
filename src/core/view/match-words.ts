import type { SessionHead } from "../../contract/head.ts";

/** The words of a search. A result must contain all of them. */
export function wordsOf(search: string): string[] {
  return fold(search).split(/\s+/u).filter(Boolean);
}

/** The texts of a session that a search looks in, from its head or from a list entry. */
interface Known
  extends Pick<
    SessionHead,
    "title" | "purpose" | "session_id" | "entity_id" | "agent_name" | "project" | "task_id"
  > {
  readonly ended: { readonly summary: string | null } | null;
}

/** True if the texts of a session contain every word. `words` come from `wordsOf`. */
export function matchesWords(head: Known, words: readonly string[]): boolean {
  // No word contains a line break, so no match spans two texts.
  const text = fold(knownBy(head).join("\n"));
  return words.every((word) => text.includes(word));
}

function knownBy(head: Known): string[] {
  return [
    head.title,
    head.purpose,
    head.session_id,
    head.agent_name,
    head.project?.cwd,
    head.project?.branch,
    // A session without a task has its entity id as task id, which would match short words by
    // chance.
    head.task_id === head.entity_id ? null : head.task_id,
    head.ended?.summary,
  ].flatMap((text) => text ?? []);
}

/** Upper case unifies more letters than lower case: ß with SS, and both forms of sigma. */
function fold(text: string): string {
  return text.normalize("NFC").toUpperCase();
}

import type { SessionHead } from "../../contract/head.ts";

/** The words of a search; each has to be found. */
export function wordsOf(search: string): string[] {
  return fold(search).split(/\s+/u).filter(Boolean);
}

/** What a session is known by: of its head, or of what a page was shown of it. */
interface Known
  extends Pick<
    SessionHead,
    "title" | "purpose" | "session_id" | "entity_id" | "agent_name" | "project" | "task_id"
  > {
  readonly ended: { readonly summary: string | null } | null;
}

/** Whether each word stands somewhere in what a session is known by. `words` are those of `wordsOf`. */
export function matchesWords(head: Known, words: readonly string[]): boolean {
  // No word has a line break in it, so none is found across two texts.
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
    // Without a task it has its own entity id there, in which short words are found by chance.
    head.task_id === head.entity_id ? null : head.task_id,
    head.ended?.summary,
  ].flatMap((text) => text ?? []);
}

/** Upper case knows more letters to be the same than lower case does: ß and SS, both forms of sigma. */
function fold(text: string): string {
  return text.normalize("NFC").toUpperCase();
}

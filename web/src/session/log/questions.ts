import type { SessionEvent } from "../../../../src/contract/events.ts";
import type { Answer, EventOf, Question } from "./entry.ts";
import type { Rows } from "./rows.ts";

const DROPPED: Answer = {
  decision: "dropped",
  note: null,
  always: false,
  choice: null,
  actor: "",
  door: "",
  at: 0,
};

/** The questions to people, and their answers. */
export class Questions {
  readonly #rows: Rows;
  readonly #answers = new Map<string, Answer>();
  readonly #open = new Set<string>();
  readonly #ofAction = new Map<string, Set<string>>();

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  get open(): Question[] {
    return [...this.#open].flatMap((id) => this.#find(id) ?? []);
  }

  /** `isDropped`: a fork happened after it. Returns the key of its row. */
  ask(event: EventOf<"approval.requested">, turn_id: string | null, isDropped: boolean): string {
    const { seq, at } = event;
    const { approval_id, kind: asks, title, body, action_id, expires_at } = event.data;
    const { options = [], choices = [], missing_choices = 0, rollback = [] } = event.data;
    const answer = this.#answers.get(approval_id) ?? (isDropped ? DROPPED : null);
    const asked = {
      approval_id,
      asks,
      title,
      body,
      action_id,
      options,
      choices,
      missing_choices,
      rollback,
      expires_at,
      answer,
    };
    this.#rows.put(keyOf(approval_id), seq, { kind: "question", seq, turn_id, at, ...asked });
    if (answer === null) this.#open.add(approval_id);
    if (action_id !== null) {
      this.#ofAction.set(action_id, (this.#ofAction.get(action_id) ?? new Set()).add(approval_id));
    }
    return keyOf(approval_id);
  }

  answer(event: EventOf<"approval.decided" | "approval.expired">): string {
    const { approval_id } = event.data;
    this.#answers.set(approval_id, readAnswer(event));
    this.#close(approval_id, readAnswer(event));
    return keyOf(approval_id);
  }

  /** The milliseconds that an action waited for answers. */
  waitedFor(action_id: string): number {
    const asked = [...(this.#ofAction.get(action_id) ?? [])].flatMap((id) => this.#find(id) ?? []);
    return asked.reduce((sum, { at, answer }) => {
      const isAnswered = at !== null && answer !== null && answer.decision !== "dropped";
      return isAnswered ? sum + answer.at - at : sum;
    }, 0);
  }

  /** The action that a question is about, if the question is loaded. */
  actionOf(approval_id: string): string | null {
    return this.#find(approval_id)?.action_id ?? null;
  }

  /** Questions before a fork were asked in the other session. */
  dropBefore(seq: number): void {
    for (const asked of this.open) {
      if ((asked.seq ?? 0) < seq) this.#close(asked.approval_id, DROPPED);
    }
  }

  #close(approval_id: string, answer: Answer): void {
    this.#open.delete(approval_id);
    const asked = this.#find(approval_id);
    if (asked) this.#rows.put(keyOf(approval_id), asked.seq ?? 0, { ...asked, answer });
  }

  #find(approval_id: string): Question | null {
    const entry = this.#rows.get(keyOf(approval_id))?.entry;
    return entry?.kind === "question" ? entry : null;
  }
}

function readAnswer(event: EventOf<"approval.decided" | "approval.expired">): Answer {
  const { at, actor, interface: door }: SessionEvent = event;
  if (event.type === "approval.expired") {
    const { reason: note } = event.data;
    return { decision: "expired", note, always: false, choice: null, actor, door, at };
  }
  const { decision, note, always = false, choice = null } = event.data;
  return { decision, note, always, choice, actor, door, at };
}

function keyOf(approval_id: string): string {
  return `question ${approval_id}`;
}

import { draftName } from "../../api/browser-token.ts";

interface OutboxState {
  /** The text in the input. */
  readonly text: string;
  /** Messages that the server does not have yet, oldest first. */
  readonly waiting: readonly string[];
  readonly isSending: boolean;
  /** The error of the oldest message; null if none has failed. */
  readonly error: unknown;
  /** The number of messages sent from here. */
  readonly sent: number;
}

type Deliver = (message: string) => Promise<unknown>;

/**
 * All messages of one session that the server does not have yet. They outlive the composer, and the tab's storage holds
 * them until the tab is closed.
 */
class MessageOutbox {
  #state: OutboxState;
  readonly #name: string;
  readonly #listeners = new Set<() => void>();

  constructor(id: string) {
    this.#name = draftName(id);
    const text = sessionStorage.getItem(this.#name) ?? "";
    this.#state = { text, waiting: [], isSending: false, error: null, sent: 0 };
  }

  readonly read = (): OutboxState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  write(text: string): void {
    this.#change({ text });
  }

  /** Sends the text in the input after all waiting messages. */
  async send(deliver: Deliver): Promise<void> {
    const { text, waiting, isSending } = this.#state;
    if (text.trim() !== "") this.#change({ text: "", waiting: [...waiting, text] });
    if (!isSending) await this.#flush(deliver);
  }

  /** Moves all waiting messages back into the input. */
  returnToInput(): void {
    this.#change({ text: joinTexts(this.#state), waiting: [], error: null });
  }

  async #flush(deliver: Deliver): Promise<void> {
    this.#change({ isSending: true, error: null });
    for (let [next] = this.#state.waiting; next !== undefined; [next] = this.#state.waiting) {
      try {
        await deliver(next);
      } catch (error) {
        this.#change({ isSending: false, error });
        const { text, waiting } = this.#state;
        if (text === "" && waiting.length === 1) this.#change({ text: next, waiting: [] });
        return;
      }
      const { waiting, sent } = this.#state;
      this.#change({ waiting: waiting.slice(1), sent: sent + 1 });
    }
    this.#change({ isSending: false });
  }

  #change(change: Partial<OutboxState>): void {
    this.#state = { ...this.#state, ...change };
    const unsent = joinTexts(this.#state);
    try {
      if (unsent === "") sessionStorage.removeItem(this.#name);
      else sessionStorage.setItem(this.#name, unsent);
    } catch {
      // A text that is too long for the tab's storage is still in memory.
    }
    for (const listen of this.#listeners) listen();
  }
}

function joinTexts({ waiting, text }: OutboxState): string {
  return [...waiting, ...(text === "" ? [] : [text])].join("\n\n");
}

const outboxes = new Map<string, MessageOutbox>();

export function outboxOf(id: string): MessageOutbox {
  const outbox = outboxes.get(id) ?? new MessageOutbox(id);
  outboxes.set(id, outbox);
  return outbox;
}

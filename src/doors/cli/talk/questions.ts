import type { RunEvent } from "../../../contract/run-event.ts";
import { answerKeys } from "./answer-keys.ts";
import type { TerminalConversation } from "./terminal-conversation.ts";

type Permission = Extract<RunEvent, { readonly type: "permission" }>;

/** The agent's open questions, oldest first, and the keys that answer them. */
interface Questions {
  readonly isOpen: boolean;
  /** Picks out questions and answers from the events. */
  hear(event: RunEvent): void;
  /** Handles one key. A longer text was not typed as an answer. */
  press(key: string): void;
}

interface QuestionListener {
  onAnswer(approval_id: string): void;
  onFailure(error: unknown): void;
  /** The person leaves a recovery question undecided; it stays for the next person. */
  onLeave(): void;
}

export function createQuestions(
  conversation: Pick<TerminalConversation, "answer" | "continue">,
  { onAnswer, onFailure, onLeave }: QuestionListener,
): Questions {
  let open: readonly Permission[] = [];
  /** Questions answered here whose answer has not come back as an event yet. */
  const underway = new Set<string>();
  const close = (id: string): void => {
    open = open.filter(({ approval_id }) => approval_id !== id);
  };

  return {
    get isOpen() {
      return open.length > 0;
    },
    hear(event) {
      // A question to others may wait for days, so no key answers it.
      if (event.type === "permission" && event.kind !== "question") open = [...open, event];
      if (event.type === "answered") {
        close(event.approval_id);
        underway.delete(event.approval_id);
      }
      if (event.type === "completed" || event.type === "error") {
        open = open.filter(({ kind }) => kind !== "permission");
        underway.clear();
      }
    },
    press(key) {
      // The next question is shown once this one is answered, and nobody has read it before.
      if (underway.size > 0) return;
      const [asked] = open;
      const answer = asked && answerKeys(asked).get(key.toLowerCase());
      if (!answer) return;
      if (asked.kind === "recovery" && answer.decision === "rejected") {
        onLeave();
        return;
      }
      const { approval_id } = asked;
      close(approval_id);
      underway.add(approval_id);
      onAnswer(approval_id);
      const answered =
        asked.kind === "recovery"
          ? conversation.continue(approval_id)
          : conversation.answer(approval_id, answer);
      answered.catch((error) => {
        if (underway.delete(approval_id)) open = [asked, ...open];
        onFailure(error);
      });
    },
  };
}

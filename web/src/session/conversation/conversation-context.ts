import { createContext, useContext, useState } from "react";
import type { Call, Question } from "../log/entry.ts";

export interface ConversationContextValue {
  /** Null on a public page, which has nothing to link to, fork or answer. */
  readonly sessionId: string | null;
  /** The owner of another person's session; null if it is the reader's own, and on a public page. */
  readonly owner: string | null;
  /** True if the newest events are loaded, so that open items are really under way. */
  readonly isLive: boolean;
  /** Questions without an answer. */
  readonly openQuestions: readonly Question[];
  /** Opened sections stay open while they are scrolled out of sight. */
  readonly opened: Map<string, boolean>;
  callOf(action_id: string): Call | null;
  readonly fork: ((seq: number) => void) | null;
}

export const ConversationContext = createContext<ConversationContextValue | null>(null);

export function useConversation(): ConversationContextValue {
  const value = useContext(ConversationContext);
  if (!value) throw new Error("useConversation must be used inside a conversation");
  return value;
}

export function useOpened(key: string): readonly [boolean, (open: boolean) => void] {
  const { opened } = useConversation();
  const [isOpen, setOpen] = useState(opened.get(key) ?? false);
  const change = (open: boolean): void => {
    opened.set(key, open);
    setOpen(open);
  };
  return [isOpen, change];
}

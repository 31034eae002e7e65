import { useState } from "react";

/** What was written and not sent, kept for as long as the tab lives. */
export function useDraft(id: string): readonly [string, (text: string) => void] {
  const name = `belay-draft ${id}`;
  const [text, setText] = useState(() => sessionStorage.getItem(name) ?? "");
  const change = (now: string): void => {
    setText(now);
    try {
      if (now === "") sessionStorage.removeItem(name);
      else sessionStorage.setItem(name, now);
    } catch {
      // A draft that is too long to be kept is still in the box.
    }
  };
  return [text, change];
}

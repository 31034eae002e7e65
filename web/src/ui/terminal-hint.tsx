import type { ReactNode } from "react";
import { useTerminal } from "../shell/use-me.ts";

/** Shows commands for a terminal to people whose sessions they affect. */
export function TerminalHint({ children }: { readonly children: ReactNode }) {
  return useTerminal() && children;
}

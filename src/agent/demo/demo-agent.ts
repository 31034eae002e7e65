import type { Flags } from "./flags.ts";
import type { Memory } from "./memory.ts";

/** The program as a whole: what all of its sessions share. */
export interface DemoAgent {
  readonly flags: Flags;
  readonly memory: Memory;
  readonly exit: (code: number) => void;
  /** Nothing is answered any more. */
  hung: boolean;
}

import type { Flags } from "./flags.ts";
import type { Memory } from "./memory.ts";

/** The program as a whole: the state that all its sessions share. */
export interface DemoAgent {
  readonly flags: Flags;
  readonly memory: Memory;
  readonly exit: (code: number) => void;
  /** True if it answers nothing any more. */
  hung: boolean;
}

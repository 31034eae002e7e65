import type { ActionStatus, Effects, RecoveryStep } from "../../contract/vocabulary.ts";

/** An action as recovery sees it: the record made before it ran, and the evidence found now. */
export interface ActionCase {
  readonly status: Extract<ActionStatus, "started" | "completed" | "failed">;
  readonly effects: Effects;
  /** True if it was declared safe to repeat, with an idempotency key. */
  readonly keyed: boolean;
  /** `unproven`: a process with that number runs, but nothing proves that it is the same one. */
  readonly process: "alive" | "gone" | "unproven";
  readonly detachable: boolean;
  /** The number of failures in a row. */
  readonly failures: number;
}

interface Row {
  readonly when: (action: ActionCase) => boolean;
  readonly step: RecoveryStep;
}

const MAX_RETRIES = 3;
const harmless = ({ effects }: ActionCase): boolean => effects === "none" || effects === "local";
const started = ({ status }: ActionCase): boolean => status === "started";
const alive = (action: ActionCase): boolean => started(action) && action.process === "alive";
const gone = (action: ActionCase): boolean => started(action) && action.process === "gone";

/**
 * The safe next step for one action. The first matching row decides; the last row matches
 * everything.
 */
const TABLE: readonly Row[] = [
  { when: ({ status }) => status === "completed", step: "proceed" },
  { when: (action) => started(action) && action.process === "unproven", step: "ask" },
  {
    when: (action) => alive(action) && (harmless(action) || action.keyed) && action.detachable,
    step: "leave",
  },
  { when: (action) => alive(action) && (harmless(action) || action.keyed), step: "wait" },
  { when: alive, step: "leave_and_ask" },
  { when: (action) => gone(action) && harmless(action), step: "rerun" },
  { when: (action) => gone(action) && action.keyed, step: "rerun_with_key" },
  { when: gone, step: "ask" },
  { when: (action) => harmless(action) && action.failures < MAX_RETRIES, step: "retry" },
  { when: () => true, step: "review" },
];

/** The steps that ask a person. */
export const ASKS: ReadonlySet<RecoveryStep> = new Set(["ask", "leave_and_ask", "review"]);

export function recover(action: ActionCase): RecoveryStep {
  return TABLE.find((row) => row.when(action))?.step ?? "review";
}

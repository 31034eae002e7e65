import type { OpenApproval } from "../../contract/head.ts";
import type { PendingRecovery } from "../../contract/recovery.ts";
import type { StoredRow } from "../../contract/stream.ts";
import type { RecoveryCase } from "../../core/recovery/plan-recovery.ts";
import { caseOf, planRecovery, rollbackOf } from "../../core/recovery/plan-recovery.ts";
import { viewAction } from "../../core/view/view-action.ts";
import { iso } from "../../core/view/view-session.ts";
import { actionsUpTo } from "../../service/approval/read-approvals.ts";
import type { FoundSession } from "../../service/read/find-session.ts";
import { readParts } from "../../store/read-streams.ts";
import { readQuestion } from "./answer-recovery.ts";
import type { DriveContext } from "./drive-context.ts";
import { PLAIN_RECOVERY } from "./drive-context.ts";
import { gatherEvidence } from "./gather-evidence.ts";
import { describeInterruptedWork, report } from "./recover-session.ts";

/** A session with an open recovery question: the question, and the current evidence about its actions. */
export async function describeQuestion(
  context: DriveContext,
  { stream, head }: FoundSession,
  open: OpenApproval,
): Promise<PendingRecovery> {
  const { store } = context;
  const { policy } = context.recovery ?? PLAIN_RECOVERY;
  const question = await readQuestion(context, stream.id, head, open.id);
  const evidence = await gatherEvidence(context, stream.id, head);
  const declared = evidence.map(({ one }) => one);
  const [part] = await readParts(store, [
    { ref: { id: stream.id }, rows: [actionsUpTo(question), NEWEST_RECOVERIES] },
  ]);
  const [actions = [], recoveries = []] = part?.rows ?? [];
  const { asked, steps } = askedWith(recoveries, question.data.action_id);
  const settled = actions.flatMap((row) => settledCall(row, asked));
  const plan = planRecovery([...settled, ...declared], policy);
  return {
    ...report(head, plan, { approval_id: open.id }),
    happened: describeInterruptedWork(
      head.turn !== null || settled.length > 0,
      Math.max(steps, head.actions.length + settled.length),
    ),
    session_title: head.title,
    title: question.data.title,
    rollback: rollbackOf(plan.asked),
    asked_at: iso(question.at),
  };
}

const NEWEST_RECOVERIES = { kind: "recovery", before: Number.MAX_SAFE_INTEGER, limit: 8 };

/** All actions of a question: it names the first, and its recovery names the others. */
function askedWith(
  recoveries: readonly StoredRow[],
  first: string | null,
): { readonly asked: ReadonlySet<unknown>; readonly steps: number } {
  const found = recoveries.findLast(
    ({ data: { asked } }) => Array.isArray(asked) && asked.includes(first),
  );
  const { asked, steps } = found?.data ?? {};
  return {
    asked: new Set(Array.isArray(asked) ? asked : [first]),
    steps: typeof steps === "number" ? steps : 0,
  };
}

/** An agent's call got the result "unknown" when the question was asked; a declared action is still open. */
function settledCall(row: StoredRow, asked: ReadonlySet<unknown>): RecoveryCase[] {
  const { action_id, turn_id, status } = row.data;
  if (!asked.has(action_id) || status === "started" || typeof turn_id !== "string") return [];
  const { type, title, effects, ...call } = viewAction(row);
  const told = title === type ? type : `${type}: ${title}`;
  const one = { action_id: call.action_id, turn_id, title: told, effects, awaited_leave: false };
  return [{ ...caseOf(one), type }];
}

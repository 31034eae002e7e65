import { z } from "zod";
import type { SessionCommand } from "../../contract/commands.ts";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { SessionHead } from "../../contract/head.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { MergeReport } from "../../contract/operations/branch-operations.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import { shortenText } from "../../contract/visible-text.ts";
import type { ApprovalDecision, MergeSide } from "../../contract/vocabulary.ts";
import { deepEqual } from "../../core/deep-equal.ts";
import { cutText } from "../../core/text-size.ts";
import { digestOf } from "../access/secret-digest.ts";
import { changeSession } from "../change-session.ts";
import { idFor, retryOf } from "../idempotency.ts";
import { type FoundSession, findSession } from "../read/find-session.ts";
import { readHeadAt } from "../read/read-head-at.ts";
import { showWholeSession } from "../read/show-session.ts";
import type { Caller, ServiceContext } from "../service-context.ts";
import { type MergePlan, type MergeSides, planMerge } from "./plan-merge.ts";

/** The facts behind a merge's question, as its event stores them. */
export const MergeBasis = z.object({
  entity_id: z.string(),
  to: z.number().int(),
  /** A digest of the values that the question shows. Questions of earlier versions have none. */
  shown: z.string().optional(),
});

/** The answer to an earlier merge's question. */
interface MergeAnswer {
  readonly approval_id: string;
  readonly decision: ApprovalDecision;
  readonly note: string | null;
  readonly is_outdated: boolean;
  readonly shown: string | undefined;
}

/** The plan is made again if the session changed in a way that matters to it. */
const ATTEMPTS = 8;

/** Merges another session's work as one event. A merge without anything new writes nothing. */
export async function mergeSession(
  context: ServiceContext,
  input: Parsed<"merge">,
  caller: Caller,
  answer: MergeAnswer | null = null,
): Promise<Output<"merge">> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const sides = await findSides(context, input, caller);
    const rule = input.rule ?? null;
    const side = rule === "ask" ? null : rule;
    const plan = await planMerge(context.store, sides, side);
    if (input.dry_run) return show(context, sides.into, { ...plan.report, dry_run: true });
    const hasOpen = plan.report.conflicts.some(({ taken }) => taken === null);
    if (hasOpen && rule !== "ask") throw new BelayError(refuseConflicts(plan.report));
    const approval_id = hasOpen ? idFor(context, caller, retryOf("merge", input)) : null;
    const commands = [
      ...(answer ? [answerCommand(answer, plan)] : []),
      ...(approval_id ? [askCommand(approval_id, plan)] : mergeCommand(plan)),
    ];
    if (commands.length === 0) return show(context, sides.into, plan.report);
    const changed = await write(context, input, caller, sides, plan.merges, commands);
    if (changed) return show(context, changed, { ...plan.report, approval_id });
  }
  const message = "The session changed several times during the merge. Try again.";
  throw new BelayError(refuse("version_conflict", message, { id: input.id }));
}

/** Null if the session changed since the plan was made. */
async function write(
  context: ServiceContext,
  input: Parsed<"merge">,
  caller: Caller,
  { into }: MergeSides,
  merges: number,
  commands: readonly SessionCommand[],
): Promise<FoundSession | null> {
  let isStale = false;
  const changed = await changeSession(context, caller, {
    id: into.stream.id,
    annotates: true,
    retry: retryOf("merge", input),
    reads: [{ stream: 0, query: { kind: "merge" } }],
    commands: (head, { rows: [rows = []] }) => {
      isStale = !head || !isAsPlanned(head, into.head) || rows.length !== merges;
      return isStale ? [] : commands;
    },
  });
  return isStale ? null : changed;
}

/** True if nothing that the plan depends on has changed. An agent that continues talking does not matter. */
function isAsPlanned(now: SessionHead, planned: SessionHead): boolean {
  return (
    deepEqual(now.metadata, planned.metadata) &&
    now.metadata_row === planned.metadata_row &&
    now.counts.checkpoints === planned.counts.checkpoints
  );
}

async function findSides(
  context: ServiceContext,
  input: Parsed<"merge">,
  caller: Caller,
): Promise<MergeSides> {
  const from = await findSession(context, caller.owner, input.id);
  const { session_id, parent, deleted } = from.head;
  if (input.into === undefined && !parent) {
    const message = `${session_id} is not a fork. Give the session to merge it into as "into".`;
    throw new BelayError(refuse("not_related", message, { session_id }));
  }
  const into = await findSession(context, caller.owner, input.into ?? parent?.entity_id ?? "");
  if (into.stream.id === from.stream.id) {
    const message = `${session_id} cannot be merged into itself. Give another session.`;
    throw new BelayError(refuse("not_related", message, { session_id }));
  }
  if (deleted) {
    const message = `Session ${session_id} is in the trash. Restore it first.`;
    throw new BelayError(refuse("session_deleted", message, { session_id }));
  }
  const to = input.at ?? from.stream.seq;
  if (to > from.stream.seq) {
    const message = `${session_id} ends at event ${from.stream.seq}, so there is no event ${to}. Give a smaller number.`;
    throw new BelayError(refuse("event_not_found", message, { at: to }));
  }
  const then =
    to === from.stream.seq ? from.head : await readHeadAt(context.store, from.stream.id, to);
  if (!then) throw new BelayError(refuse("event_not_found", `Event ${to} not found.`, { at: to }));
  if (then.turn || then.actions.length > 0) {
    const message = `${session_id} is in the middle of its work. Wait until it has finished, or stop it with: belay interrupt ${session_id}`;
    throw new BelayError(
      refuse("turn_open", message, { session_id, turn_id: then.turn?.id ?? null }),
    );
  }
  return { from, into, to, then };
}

function mergeCommand({ work, report }: MergePlan): SessionCommand[] {
  return report.added ? [{ type: "merge", work }] : [];
}

/** Rejecting keeps the values of the session, whatever they are now. */
function answerCommand({ shown, ...answer }: MergeAnswer, { report }: MergePlan): SessionCommand {
  const isOther = shown !== undefined && shown !== digestValues(report);
  const is_outdated = answer.is_outdated || (answer.decision === "approved" && isOther);
  return { type: "decide_approval", ...answer, is_outdated, of: "merge" };
}

function digestValues({ conflicts }: MergeReport): string {
  const values = conflicts.map(({ kind, name, ours, theirs }) => [kind, name, ours, theirs]);
  return digestOf(JSON.stringify(values));
}

/** The question covers a fixed range of the other log. Later work there is not part of it. */
function askCommand(approval_id: string, { report, work }: MergePlan): SessionCommand {
  const names = report.conflicts.map(({ name }) => name);
  const lines = report.conflicts.map(
    ({ kind, name, ours, theirs }) =>
      `${kind} ${name}: here ${JSON.stringify(ours)}, in ${report.from} ${JSON.stringify(theirs)}`,
  );
  const title = `Merge ${report.from}: use its values for ${names.join(", ")}?`;
  const body = [
    "Approve uses the fork's values. Reject keeps the values of this session.",
    ...lines,
  ];
  return {
    type: "request_approval",
    approval_id,
    kind: "merge",
    title: cutText(title, LIMITS.TITLE),
    body: shortenText(body.join("\n"), LIMITS.APPROVAL_TEXT),
    action_id: null,
    awaited: false,
    expires_at: null,
    basis: JSON.stringify({ ...MergeBasis.parse(work.from), shown: digestValues(report) }),
  };
}

function refuseConflicts({ conflicts, from, into }: MergeReport) {
  const names = conflicts.map(({ kind, name }) => `${kind} ${name}`).join(", ");
  const message = `${from} and ${into} both changed: ${names}. Merge again with rule ours (--ours), theirs (--theirs) or ask (--ask).`;
  return refuse("merge_conflict", message, { conflicts });
}

async function show(
  context: ServiceContext,
  found: FoundSession,
  merge: MergeReport,
): Promise<Output<"merge">> {
  return { ...(await showWholeSession(context, found)), merge };
}

/** The side that an answer to a merge's question chooses. */
export function sideOf(decision: ApprovalDecision): MergeSide {
  return decision === "approved" ? "theirs" : "ours";
}

import type { Session } from "../../../../src/contract/session.ts";
import { call } from "../../api/call.ts";
import { useNow } from "../../live/use-now.ts";
import { Button } from "../../ui/button.tsx";
import { describePlan, PlanList } from "../conversation/plan-list.tsx";
import { formatSpan } from "../conversation/time-of.tsx";
import type { Conversation } from "../log/conversation.ts";
import { mayAnswer, mayUse, useRole } from "../use-role.ts";
import type { Command } from "../use-session.ts";

interface TurnStripProps {
  readonly session: Session;
  readonly conversation: Conversation;
  readonly command: Command;
}

/** The running turn, its plan, and the queued messages. */
export function TurnStrip({ session, conversation, command }: TurnStripProps) {
  const { runningTurn, runningSince, plan, queued, openQuestions } = conversation;
  const isWaiting = openQuestions.length > 0;
  const isDead = session.stale;
  const role = useRole(session.session_id);
  const canAnswer = openQuestions.some(({ asks }) => mayAnswer(role, asks));
  return (
    <>
      {runningTurn !== null && (
        <div className="mb-2 flex items-center gap-2 text-sm text-soft">
          <span
            aria-hidden
            className={`size-2 shrink-0 rounded-full ${isDead ? "bg-bad" : isWaiting ? "bg-accent" : "bg-good motion-safe:animate-pulse"}`}
          />
          <span className="shrink-0">{describeWork(isDead, isWaiting, canAnswer)}</span>
          {!isDead && runningSince !== null && <Elapsed since={runningSince} />}
        </div>
      )}
      {runningTurn === null && session.queue_position !== null && (
        <div role="status" className="mb-2 flex items-center gap-2 text-sm text-soft">
          <span aria-hidden className="size-2 shrink-0 rounded-full bg-info" />
          <span>Starts when an agent is free: number {session.queue_position} in line</span>
          {mayUse(role, "interrupt") && (
            <Button
              look="quiet"
              disabled={command.isPending}
              onClick={() => command.mutate(() => call("interrupt", { id: session.session_id }))}
            >
              Withdraw
            </Button>
          )}
        </div>
      )}
      {plan?.lines.some(({ status }) => status !== "completed") && (
        <details className="mb-2 rounded-md border border-line px-3 py-1.5 text-sm" open>
          <summary className="text-soft">Plan, {describePlan(plan.lines)}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <div className="mt-1 max-h-28 overflow-y-auto" tabIndex={0}>
            <PlanList lines={plan.lines} />
          </div>
        </details>
      )}
      {queued.length > 0 && (
        <ul aria-label="Queued messages" className="mb-2 max-h-32 space-y-1 overflow-y-auto">
          {queued.map(({ turn_id, text }) => (
            <li key={turn_id} className="flex items-baseline gap-2 text-sm">
              <span className="shrink-0 rounded-full bg-info-soft px-2 text-xs text-info">
                queued
              </span>
              <span className="min-w-0 truncate text-soft">{text.slice(0, 300)}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function describeWork(isDead: boolean, isWaiting: boolean, canAnswer: boolean): string {
  if (isDead) return "This turn was interrupted: its process ended, and recovery has not run yet";
  if (isWaiting) return canAnswer ? "Waiting for your answer" : "Waiting for an answer";
  return "Working";
}

function Elapsed({ since }: { readonly since: number }) {
  const now = useNow(true);
  const seconds = Math.max(0, Math.floor((now - since) / 1000));
  return (
    <span className="text-faint tabular-nums">
      {seconds < 60 ? `${seconds} s` : formatSpan(seconds * 1000)}
    </span>
  );
}

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Output } from "../../../../src/contract/operations.ts";
import type { Session } from "../../../../src/contract/session.ts";
import { call } from "../../api/call.ts";
import { useAgents } from "../../sessions/use-agents.ts";
import { Button } from "../../ui/button.tsx";
import { explain } from "../../ui/states.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { isAllowed } from "../is-allowed.ts";
import type { Conversation } from "../log/conversation.ts";
import { PurgeDialog } from "../purge-dialog.tsx";
import { A_ROLE, mayUse, type Role, useRole } from "../use-role.ts";
import type { Command } from "../use-session.ts";
import { Composer } from "./composer.tsx";
import { LostTurn } from "./lost-turn.tsx";
import { TurnStrip } from "./turn-strip.tsx";

interface SessionFootProps {
  readonly session: Session;
  /** Null if the newest events are not loaded, so the running turn is unknown. */
  readonly conversation: Conversation | null;
  /** Changes when the conversation changes. */
  readonly version: number;
  readonly command: Command;
  /** The reason why live updates stopped; null while they work. */
  readonly broken: string | null;
  onFork(): void;
  onSent(): void;
  onReload(): void;
}

/** The running turn, and the input for messages or the reason why there is none. */
export function SessionFoot(props: SessionFootProps) {
  const { session, conversation, command, broken, onReload } = props;
  return (
    <div className="shrink-0 border-t border-line bg-panel">
      <div className="mx-auto max-w-4xl px-4 py-2.5">
        {broken !== null && (
          <Banner tone="warn" actions={<Button onClick={onReload}>Reload</Button>}>
            This page is not updated: {broken}
          </Banner>
        )}
        {conversation && (
          <TurnStrip session={session} conversation={conversation} command={command} />
        )}
        {conversation && session.activity === "interrupted" && (
          <LostTurn session={session} conversation={conversation} command={command} />
        )}
        <Input {...props} />
        {command.error && (
          <p role="alert" className="mt-2 rounded-md bg-bad-soft px-3 py-1.5 text-sm text-bad">
            The command failed: {explain(command.error)}
          </p>
        )}
      </div>
    </div>
  );
}

function Input({ session, conversation, command, onFork, onSent }: SessionFootProps) {
  const { session_id: id, status, last_error, recovery } = session;
  const isRun = useIsRun(session);
  const role = useRole(id);
  const fork = mayUse(role, "fork") && (
    <Button onClick={onFork} disabled={command.isPending}>
      Fork
    </Button>
  );
  if (session.deleted_at !== null) return <InTrash session={session} command={command} />;
  if (isAllowed("send_message", session)) {
    if (!mayUse(role, "send_message")) return <ReadOnly role={role} />;
    if (isRun === null) return null;
    if (!isRun) {
      return (
        <Banner>
          Belay does not run the agent “{session.agent_name}”, so messages cannot be sent from here.
          Its session is recorded by the program that runs it.
        </Banner>
      );
    }
    return (
      <Composer
        key={id}
        id={id}
        isContinued={status === "completed"}
        isQueued={conversation?.runningTurn != null}
        hasRecovery={recovery !== null}
        canAddFiles={mayUse(role, "record_artifact") && isAllowed("record_artifact", session)}
        onSent={onSent}
      />
    );
  }
  switch (status) {
    case "suspended":
      return <Suspended session={session} command={command} />;
    case "archived":
      return <Banner actions={fork}>Session is archived</Banner>;
    case "cancelled":
      return <Banner actions={fork}>Session was cancelled</Banner>;
    case "failed":
      return (
        <Banner tone="bad" actions={fork}>
          Session failed{last_error === null ? "" : `: ${last_error}`}
        </Banner>
      );
    default:
      return null;
  }
}

/** The role of a person who cannot send messages, and what it allows. */
function ReadOnly({ role }: { readonly role: Role }) {
  return (
    <Banner>
      This session is shared with you as {A_ROLE[role]}. You can read it and follow it live
      {mayUse(role, "decide_approval") && ", and approve or reject"}.
    </Banner>
  );
}

/** True if Belay runs the session's agent, or another process drives it now; null until that is known. */
function useIsRun({ agent_name, driver, project }: Session): boolean | null {
  const { data: agents, error } = useAgents(project?.cwd ?? undefined);
  if (driver !== null || error !== null) return true;
  return agents ? agents.some(({ name }) => name === agent_name) : null;
}

function Suspended({ session, command }: Pick<SessionFootProps, "session" | "command">) {
  const { session_id: id, recovery, suspended_until: until } = session;
  const role = useRole(id);
  const { data: plan } = useQuery({
    queryKey: ["session", id, "resume-plan"],
    queryFn: ({ signal }) => call("resume_plan", { id }, signal),
  });
  const resume = mayUse(role, "resume") && (
    <Button
      look="primary"
      onClick={() => command.mutate(() => call("resume", { id }))}
      disabled={command.isPending || recovery !== null}
    >
      Resume
    </Button>
  );
  return (
    <Banner tone="warn" actions={resume}>
      Session is suspended. It may be resumable when the agent supports it.
      <span className="mt-0.5 block text-sm text-soft">
        {recovery === null
          ? plan && describePlan(plan)
          : "Answer the recovery question above first."}
        {until !== null && (
          <>
            {" "}
            It resumes automatically <TimeAgo at={until} />.
          </>
        )}
      </span>
    </Banner>
  );
}

const WAYS = {
  attach: "Another process runs it now. You can watch it.",
  resume: "The agent resumes its own session and remembers everything.",
  load: "The agent loads its own session and knows what it stored.",
  replay: "A new agent gets a summary of the conversation.",
  continue: "A message starts its next run.",
  fork: "Fork the session to continue from here.",
  fresh: "No messages yet. The agent starts with your first message.",
} as const satisfies Record<Output<"resume_plan">["way"], string>;

function describePlan({ way, found }: Output<"resume_plan">): string {
  const waiting = found.pending_approvals.length;
  return [
    WAYS[way],
    ...(waiting > 0
      ? [`${waiting === 1 ? "One question is" : `${waiting} questions are`} waiting for an answer.`]
      : []),
    ...(found.cwd_moved ? ["Its folder no longer exists."] : []),
  ].join(" ");
}

function InTrash({ session, command }: Pick<SessionFootProps, "session" | "command">) {
  const { session_id: id, deleted_at } = session;
  const role = useRole(id);
  const [isAsked, setAsked] = useState(false);
  return (
    <Banner
      tone="warn"
      actions={
        mayUse(role, "undelete") && (
          <div className="flex flex-wrap gap-2">
            <Button look="danger" onClick={() => setAsked(true)} disabled={command.isPending}>
              Delete forever …
            </Button>
            <Button
              look="primary"
              onClick={() => command.mutate(() => call("undelete", { id }))}
              disabled={command.isPending}
            >
              Restore
            </Button>
            <PurgeDialog
              session={session}
              command={command}
              open={isAsked}
              onClose={() => setAsked(false)}
            />
          </div>
        )
      }
    >
      Session is in the trash. You can restore it for 7 days.
      {deleted_at !== null && (
        <span className="mt-0.5 block text-sm text-soft">
          Moved there <TimeAgo at={deleted_at} />.
        </span>
      )}
    </Banner>
  );
}

const TONES = {
  plain: "bg-raised text-soft",
  warn: "bg-warn-soft text-ink",
  bad: "bg-bad-soft text-bad",
} as const;

interface BannerProps {
  readonly tone?: keyof typeof TONES;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

function Banner({ tone = "plain", actions, children }: BannerProps) {
  return (
    <div
      role="status"
      className={`flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-md px-4 py-2.5 ${TONES[tone]}`}
    >
      <p className="min-w-0 flex-1 basis-64 break-words">{children}</p>
      {actions}
    </div>
  );
}

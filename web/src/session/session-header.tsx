import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ownerIn } from "../../../src/contract/id-pattern.ts";
import type { Session } from "../../../src/contract/session.ts";
import { call } from "../api/call.ts";
import { phaseOf } from "../sessions/session-words.ts";
import { useShortcut } from "../shell/shortcuts.ts";
import { Button } from "../ui/button.tsx";
import { Key } from "../ui/key.tsx";
import { explain } from "../ui/states.tsx";
import { StatusBadge } from "../ui/status-badge.tsx";
import { TimeAgo } from "../ui/time-ago.tsx";
import { formatUsage } from "./format-usage.ts";
import { isAllowed } from "./is-allowed.ts";
import { nameDoor, nameDriver } from "./log/name-door.ts";
import { SessionMenu } from "./session-menu.tsx";
import { SessionTitle } from "./session-title.tsx";
import { A_ROLE, mayUse, useRole } from "./use-role.ts";
import { type Command, useCommand, useSession } from "./use-session.ts";

interface SessionHeaderProps {
  readonly id: string;
  /** True if a turn runs that can be interrupted. */
  readonly isRunning?: boolean;
}

/** A session's title, status and actions, above its conversation and its timeline. */
export function SessionHeader({ id, isRunning = false }: SessionHeaderProps) {
  const { data: session } = useSession(id);
  const command = useCommand(id);
  const [isRenaming, setRenaming] = useState(false);
  if (!session) return null;
  return (
    <header className="shrink-0 border-b border-line bg-panel px-4 pt-2.5">
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <SessionTitle
            session={session}
            command={command}
            isEdited={isRenaming}
            onEdit={setRenaming}
          />
        </div>
        <div className="flex shrink-0 items-center gap-2">
          {isRunning && <Interrupt session={session} command={command} />}
          {/* A phone has room for one of them, and interrupting comes first. */}
          <div className={isRunning ? "max-sm:hidden" : ""}>
            <Pause session={session} command={command} />
          </div>
          <SessionMenu session={session} command={command} onRename={() => setRenaming(true)} />
        </div>
      </div>
      <Facts session={session} />
      {command.error && (
        <p role="alert" className="mt-1 rounded-md bg-bad-soft px-3 py-1.5 text-sm text-bad">
          The command failed: {explain(command.error)}
        </p>
      )}
      <Tabs id={session.session_id} />
    </header>
  );
}

interface CommandProps {
  readonly session: Session;
  readonly command: Command;
}

const INTERRUPT_KEYS = "Mod+.";

function Interrupt({ session, command }: CommandProps) {
  const { session_id: id } = session;
  const interrupt = (): void => command.mutate(() => call("interrupt", { id }));
  const role = useRole(id);
  const canInterrupt = mayUse(role, "interrupt") && isAllowed("interrupt", session);
  useShortcut(INTERRUPT_KEYS, "Interrupt the running turn", (isRepeat) => {
    if (canInterrupt && !isRepeat && !command.isPending) interrupt();
  });
  if (!canInterrupt) return null;
  return (
    <Button look="danger" onClick={interrupt} disabled={command.isPending}>
      Interrupt <Key keys={INTERRUPT_KEYS} />
    </Button>
  );
}

function Pause({ session, command }: CommandProps) {
  const { session_id: id, recovery } = session;
  const role = useRole(id);
  if (mayUse(role, "resume") && isAllowed("resume", session)) {
    return (
      <Button
        onClick={() => command.mutate(() => call("resume", { id }))}
        disabled={command.isPending || recovery !== null}
        title={recovery === null ? undefined : "Answer the recovery question below first"}
      >
        Resume
      </Button>
    );
  }
  if (!mayUse(role, "suspend") || !isAllowed("suspend", session)) return null;
  return (
    <Button
      onClick={() => command.mutate(() => call("suspend", { id }))}
      disabled={command.isPending}
    >
      Suspend
    </Button>
  );
}

/** A longer id was generated, such as that of a session without a task of its own. */
const LONG_ID = 24;

function Facts({ session }: { readonly session: Session }) {
  const { project, task_id, entity_id, parent_session_id: parent, usage } = session;
  const spent = formatUsage(usage);
  const phase = phaseOf(session);
  const owner = ownerIn(session.session_id);
  const role = useRole(session.session_id);
  const folder = project?.cwd?.split("/").filter(Boolean).at(-1);
  return (
    <div className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-0.5 text-xs text-soft">
      <StatusBadge session={session} canAnswer={mayUse(role, "decide_approval")} />
      {owner !== null && (
        <span>
          shared by {owner}, you are {A_ROLE[role]}
        </span>
      )}
      {session.pinned && <span>pinned</span>}
      {phase !== null && <span>{phase}</span>}
      <span className="font-medium">{session.agent_name}</span>
      {folder && (
        <span title={project?.cwd ?? undefined}>
          in {folder}
          {project?.branch && ` on ${project.branch}`}
        </span>
      )}
      {task_id !== entity_id && (
        <Link to="/past" search={{ of: task_id }} className="underline underline-offset-2">
          task {task_id.length > LONG_ID ? `${task_id.slice(0, 8)}…` : task_id}
        </Link>
      )}
      <span>
        {session.turn_count} {session.turn_count === 1 ? "turn" : "turns"}
      </span>
      {spent !== "" && <span className="tabular-nums">{spent}</span>}
      <span>
        {session.driver === null
          ? `last used from ${nameDoor(session.interface)}`
          : nameDriver(session.driver)}
      </span>
      <span>
        active <TimeAgo at={session.updated_at} />
      </span>
      {parent !== null && (
        <Link to="/s/$id" params={{ id: parent }} className="underline underline-offset-2">
          forked from {parent}
        </Link>
      )}
    </div>
  );
}

const TAB =
  "border-b-2 border-transparent px-1 pt-1.5 pb-2 text-sm text-soft hover:text-ink -mb-px min-h-9";
const OPEN_TAB = { className: "!border-accent !text-ink font-medium" };

function Tabs({ id }: { readonly id: string }) {
  return (
    <nav aria-label="Session" className="mt-1 flex flex-wrap gap-x-4 max-sm:gap-x-1">
      <Link
        to="/s/$id"
        params={{ id }}
        className={TAB}
        activeOptions={{ exact: true, includeSearch: false }}
        activeProps={OPEN_TAB}
      >
        Conversation
      </Link>
      <Link to="/s/$id/timeline" params={{ id }} className={TAB} activeProps={OPEN_TAB}>
        Timeline
      </Link>
      <Link to="/s/$id/files" params={{ id }} className={TAB} activeProps={OPEN_TAB}>
        Files
      </Link>
      {/* Branches of a shared session are for its owner. */}
      {ownerIn(id) === null && (
        <Link to="/s/$id/branches" params={{ id }} className={TAB} activeProps={OPEN_TAB}>
          Branches
        </Link>
      )}
    </nav>
  );
}

import type { MouseEvent } from "react";
import { memo } from "react";
import { ownerIn } from "../../../src/contract/id-pattern.ts";
import type { Session } from "../../../src/contract/session.ts";
import { nameDriver } from "../session/log/name-door.ts";
import { mayUse, useRole } from "../session/use-role.ts";
import { StatusBadge } from "../ui/status-badge.tsx";
import { TimeAgo } from "../ui/time-ago.tsx";
import type { MenuPlace } from "./row-menu.tsx";
import { costOf, count, folderOf, nameOf, phaseOf, taskOf } from "./session-words.ts";
import type { Doing } from "./use-actions.tsx";

/** Fixed heights, so that the position of a row is a multiplication. */
export const ROW_HEIGHT = { wide: 48, narrow: 84 } as const;

/** Columns if there is room; otherwise a card with three lines. */
export const COLUMNS =
  "grid content-center items-center gap-x-3 gap-y-1 px-4 grid-cols-[minmax(0,1fr)_auto_2.25rem] grid-rows-[auto_auto_auto] md:grid-rows-1 md:grid-cols-[7rem_minmax(0,1fr)_8rem_4rem_2.25rem] lg:grid-cols-[7.5rem_minmax(0,1fr)_10rem_6rem_3rem_4.5rem_4rem_2.25rem]";

/** Waiting sessions are what people look for, so their badge is as prominent as a button. */
const WAITS = "[&>span]:bg-accent [&>span]:text-on-accent";

interface SessionRowProps {
  readonly session: Session;
  readonly place: number;
  readonly top: number;
  readonly height: number;
  readonly isCurrent: boolean;
  readonly hasMenu: boolean;
  readonly doing: Doing | undefined;
  onMenu(place: MenuPlace): void;
  onOpen(id: string): void;
  onDismiss(id: string): void;
  onCurrent(id: string): void;
}

export const SessionRow = memo(function SessionRow(props: SessionRowProps) {
  const { session, place, top, height, isCurrent, hasMenu, doing } = props;
  const { onMenu, onOpen, onDismiss, onCurrent } = props;
  const id = session.session_id;
  const canAnswer = mayUse(useRole(id), "decide_approval");
  const waits = session.activity === "needs_you" && canAnswer;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table's rows cannot be placed one by one
    // biome-ignore lint/a11y/useFocusableInteractive: what is focused is the link in it
    <div
      role="row"
      aria-rowindex={place + 2}
      aria-busy={doing?.is === "busy"}
      style={{ height, transform: `translateY(${top}px)` }}
      className={`absolute inset-x-0 top-0 contain-strict border-b border-line ${COLUMNS} ${waits ? "bg-accent-soft shadow-[inset_3px_0_var(--accent)]" : isCurrent ? "bg-raised/60 shadow-[inset_3px_0_var(--line)]" : "hover:bg-raised/60"} ${doing?.is === "busy" ? "opacity-60" : ""}`}
    >
      <Cell className="max-md:row-start-2 max-md:col-span-2 max-md:flex max-md:items-center max-md:gap-2">
        <span className={`shrink-0 whitespace-nowrap ${waits ? WAITS : ""}`}>
          <StatusBadge session={session} canAnswer={canAnswer} />
        </span>
        <span className="truncate text-xs text-soft md:hidden">{secondLine(session)}</span>
      </Cell>
      <Cell className="max-md:row-start-1">
        <div className="flex min-w-0 items-center gap-1.5">
          <RowLink id={id} name={nameOf(session)} onFocus={onCurrent} onOpen={onOpen} />
          {session.pinned && <PinMark />}
        </div>
        <div className="truncate text-xs text-faint max-md:hidden">{secondLine(session)}</div>
      </Cell>
      {doing?.is === "failed" ? (
        <Failure why={doing.why} onDismiss={() => onDismiss(id)} />
      ) : (
        <Facts session={session} />
      )}
      <Cell className="max-md:col-start-3 max-md:row-span-3 max-md:row-start-1">
        <MenuButton session={session} isOpen={hasMenu} onMenu={onMenu} />
      </Cell>
    </div>
  );
});

function Facts({ session }: { readonly session: Session }) {
  const { project, turn_count } = session;
  const cwd = project?.cwd ?? null;
  const task = taskOf(session);
  const cost = costOf(session);
  return (
    <>
      <Cell className="text-xs text-soft max-md:row-start-3 max-md:flex max-md:gap-2">
        {cwd !== null && (
          <div className="truncate" title={cwd}>
            {folderOf(cwd)}
          </div>
        )}
        {project?.branch && (
          <div className="truncate text-faint" title={project.branch}>
            {project.branch}
          </div>
        )}
        {task !== null && <div className="truncate md:hidden">{task}</div>}
      </Cell>
      <Cell className="truncate text-xs text-soft max-lg:hidden">
        <span title={task ?? ""}>{task}</span>
      </Cell>
      <Cell className="text-right text-xs text-soft tabular-nums max-lg:hidden">
        {turn_count > 0 && turn_count.toLocaleString("en")}
      </Cell>
      <Cell className="text-right text-xs text-soft tabular-nums max-md:col-start-2 max-md:row-start-3 md:max-lg:hidden">
        <span className="md:hidden">{turn_count > 0 && count(turn_count, "turn")}</span>
        {cost !== null && <span className="max-md:ml-2">{cost}</span>}
      </Cell>
      <Cell className="text-right text-xs whitespace-nowrap text-soft tabular-nums max-md:col-start-2 max-md:row-start-1">
        <TimeAgo at={session.updated_at} />
      </Cell>
    </>
  );
}

/** The error of an action, shown in its row. */
function Failure({ why, onDismiss }: { readonly why: string; onDismiss(): void }) {
  return (
    <Cell className="flex items-center gap-2 max-md:col-span-2 max-md:row-start-3 md:max-lg:col-span-2 lg:col-span-5">
      <p
        role="alert"
        title={why}
        className="line-clamp-2 flex-1 text-xs text-bad max-md:line-clamp-1"
      >
        {why}
      </p>
      <button
        type="button"
        onClick={onDismiss}
        className="relative z-10 min-h-9 px-2 text-xs text-soft hover:text-ink max-md:-my-3"
      >
        Dismiss
      </button>
    </Cell>
  );
}

function Cell({ className, children }: { className?: string; children: React.ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the row
    <div role="cell" className={`min-w-0 ${className ?? ""}`}>
      {children}
    </div>
  );
}

function PinMark() {
  return (
    <svg viewBox="0 0 16 16" className="size-3.5 shrink-0 fill-soft" role="img" aria-label="pinned">
      <path d="M10.2 1.3 14.7 5.8l-1 1-.7-.2-2.9 2.9.1 2.6-1 1-2.9-2.9-3.6 3.6-.9.2.2-.9 3.6-3.6L2.7 6.6l1-1 2.6.1 2.9-2.9-.2-.7z" />
    </svg>
  );
}

function secondLine(session: Session): string {
  const { agent_name, driver, pending_approvals, queued_messages } = session;
  const owner = ownerIn(session.session_id);
  return [
    owner !== null && `shared by ${owner}`,
    agent_name,
    phaseOf(session),
    pending_approvals > 1 && count(pending_approvals, "question"),
    queued_messages > 0 && `${queued_messages} queued`,
    driver !== null && nameDriver(driver),
  ]
    .filter(Boolean)
    .join(" · ");
}

interface RowLinkProps {
  readonly id: string;
  readonly name: string;
  onFocus(id: string): void;
  onOpen(id: string): void;
}

/** A plain link over the whole row; the router's own link would listen to the address in every row. */
function RowLink({ id, name, onFocus, onOpen }: RowLinkProps) {
  const open = (event: MouseEvent): void => {
    // The browser opens it in a new tab or window, as with any link.
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) {
      return;
    }
    event.preventDefault();
    onOpen(id);
  };
  return (
    <a
      href={`/s/${encodeURIComponent(id)}`}
      data-session={id}
      title={name}
      dir="auto"
      onFocus={() => onFocus(id)}
      onClick={open}
      className="truncate text-sm font-medium outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
    >
      {name}
    </a>
  );
}

interface MenuButtonProps {
  readonly session: Session;
  readonly isOpen: boolean;
  onMenu(place: MenuPlace): void;
}

function MenuButton({ session, isOpen, onMenu }: MenuButtonProps) {
  return (
    <button
      type="button"
      aria-label={`Actions for ${nameOf(session)}`}
      aria-haspopup="menu"
      aria-expanded={isOpen}
      onClick={({ currentTarget }) => onMenu({ session, button: currentTarget })}
      className="relative z-10 flex size-9 items-center justify-center rounded-md text-faint hover:bg-line hover:text-ink aria-expanded:bg-line aria-expanded:text-ink"
    >
      <svg viewBox="0 0 16 16" className="size-4 fill-current" aria-hidden="true">
        <circle cx="3" cy="8" r="1.4" />
        <circle cx="8" cy="8" r="1.4" />
        <circle cx="13" cy="8" r="1.4" />
      </svg>
    </button>
  );
}

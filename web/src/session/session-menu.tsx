import { Menu } from "@base-ui/react/menu";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ownerIn } from "../../../src/contract/id-pattern.ts";
import type { Session } from "../../../src/contract/session.ts";
import { call } from "../api/call.ts";
import { HandoffDialog } from "../branches/handoff-dialog.tsx";
import { useTerminal } from "../shell/use-me.ts";
import { buttonClass } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { isAllowed } from "./is-allowed.ts";
import { PurgeDialog } from "./purge-dialog.tsx";
import {
  ACTIONS,
  type Action,
  isPossible,
  perform,
  questionBefore,
  SHOWN,
} from "./session-actions.ts";
import { ShareDialog } from "./share/share-dialog.tsx";
import { TerminalDialog } from "./terminal-dialog.tsx";
import { mayUse, useRole } from "./use-role.ts";
import type { Command } from "./use-session.ts";

interface SessionMenuProps {
  readonly session: Session;
  readonly command: Command;
  onRename(): void;
}

/** All actions on a session in its status, including those with a button, which a phone has no room for. */
export function SessionMenu({ session, command, onRename }: SessionMenuProps) {
  const { session_id: id } = session;
  const role = useRole(id);
  const navigate = useNavigate();
  const hasTerminal = useTerminal();
  const [asked, setAsked] = useState<Action | "terminal" | "share" | "handoff" | "purge" | null>(
    null,
  );
  const run = (give: () => Promise<unknown>): void => command.mutate(give);
  const fork = async (): Promise<void> => {
    const child = await call("fork", { id });
    await navigate({ to: "/s/$id", params: { id: child.session_id } });
  };
  const begin = (action: Action): void => {
    if (action === "rename") onRename();
    else if (questionBefore(action)) setAsked(action);
    else run(() => perform(action, id));
  };
  const actions = ACTIONS.filter((action) => isPossible(action, session, role));
  return (
    <>
      <Menu.Root>
        <Menu.Trigger className={buttonClass("plain")} aria-label="More actions">
          <span aria-hidden className="leading-4">
            ⋯
          </span>
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner sideOffset={6} align="end" className="z-50">
            <Menu.Popup className="min-w-52 rounded-md border border-line bg-panel p-1 shadow-lg outline-none">
              {mayUse(role, "fork") && isAllowed("fork", session) && (
                <Item onClick={() => run(fork)}>Fork from the end</Item>
              )}
              {isOwn(session) && isAllowed("handoff", session) && (
                <Item onClick={() => setAsked("handoff")}>Hand to another agent …</Item>
              )}
              {isOwn(session) && <Item onClick={() => setAsked("share")}>Share …</Item>}
              {isOwn(session) && (
                <Item onClick={() => void navigate({ to: "/audit-log", search: { session: id } })}>
                  Audit
                </Item>
              )}
              {hasTerminal && isOwn(session) && (
                <Item onClick={() => setAsked("terminal")}>Continue in a terminal …</Item>
              )}
              <Item onClick={() => run(() => navigator.clipboard.writeText(id))}>Copy id</Item>
              {actions.length > 0 && <Menu.Separator className="my-1 h-px bg-line" />}
              {actions.map((action) => (
                <Item key={action} onClick={() => begin(action)}>
                  {SHOWN[action].label}
                </Item>
              ))}
              {mayUse(role, "undelete") && isAllowed("undelete", session) && (
                <Item onClick={() => run(() => call("undelete", { id }))}>
                  Restore from the trash
                </Item>
              )}
              {mayUse(role, "purge") && session.deleted_at !== null && (
                <Item onClick={() => setAsked("purge")}>Delete forever …</Item>
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {ACTIONS.map((action) => {
        const asks = questionBefore(action);
        return (
          asks && (
            <Confirm
              key={action}
              open={asked === action}
              title={asks.title}
              confirm={asks.confirm}
              onConfirm={() => run(() => perform(action, id))}
              onClose={() => setAsked(null)}
            >
              {asks.text}
            </Confirm>
          )
        );
      })}
      <PurgeDialog
        session={session}
        command={command}
        open={asked === "purge"}
        onClose={() => setAsked(null)}
      />
      {asked === "share" && <ShareDialog id={id} onClose={() => setAsked(null)} />}
      <HandoffDialog session={session} open={asked === "handoff"} onClose={() => setAsked(null)} />
      <TerminalDialog
        session={session}
        open={asked === "terminal"}
        onClose={() => setAsked(null)}
      />
    </>
  );
}

function isOwn({ session_id, deleted_at }: Session): boolean {
  return ownerIn(session_id) === null && deleted_at === null;
}

function Item({ children, onClick }: { readonly children: string; onClick(): void }) {
  return (
    <Menu.Item
      onClick={onClick}
      className="flex min-h-9 cursor-default items-center rounded px-2 text-sm outline-none data-[highlighted]:bg-raised"
    >
      {children}
    </Menu.Item>
  );
}

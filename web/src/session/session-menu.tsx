import { Menu } from "@base-ui/react/menu";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Session } from "../../../src/contract/session.ts";
import { call } from "../api/call.ts";
import { buttonClass } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { isAllowed } from "./allowed.ts";
import { TerminalDialog } from "./terminal-dialog.tsx";
import type { Command } from "./use-session.ts";

interface SessionMenuProps {
  readonly session: Session;
  readonly command: Command;
  onRename(): void;
}

type Asked = "cancel" | "delete" | "archive" | "terminal" | null;

/** What is done to a session less often; only what it takes as it stands. */
export function SessionMenu({ session, command, onRename }: SessionMenuProps) {
  const { session_id: id } = session;
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Asked>(null);
  const run = (give: () => Promise<unknown>): void => command.mutate(give);
  const fork = async (): Promise<void> => {
    const child = await call("fork", { id });
    await navigate({ to: "/s/$id", params: { id: child.session_id } });
  };
  const ask = (what: Asked) => () => setAsked(what);
  const close = ask(null);
  return (
    <>
      <Menu.Root>
        <Menu.Trigger className={buttonClass("plain")} aria-label="More to do">
          <span aria-hidden className="leading-4">
            ⋯
          </span>
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner sideOffset={6} align="end" className="z-50">
            <Menu.Popup className="min-w-52 rounded-md border border-line bg-panel p-1 shadow-lg outline-none">
              {isAllowed("fork", session) && (
                <Item onClick={() => run(fork)}>Fork from the end</Item>
              )}
              {isAllowed("rename", session) && <Item onClick={onRename}>Rename</Item>}
              {isAllowed("pin", session) && !session.pinned && (
                <Item onClick={() => run(() => call("pin", { id }))}>Pin</Item>
              )}
              {isAllowed("unpin", session) && session.pinned && (
                <Item onClick={() => run(() => call("unpin", { id }))}>Unpin</Item>
              )}
              <Item onClick={ask("terminal")}>Continue in a terminal …</Item>
              <Item onClick={() => void navigator.clipboard.writeText(id)}>Copy id</Item>
              <Menu.Separator className="my-1 h-px bg-line" />
              {isAllowed("archive", session) && <Item onClick={ask("archive")}>Archive …</Item>}
              {isAllowed("finalize", session) && <Item onClick={ask("cancel")}>Cancel …</Item>}
              {isAllowed("delete", session) && <Item onClick={ask("delete")}>Move to trash …</Item>}
              {isAllowed("undelete", session) && (
                <Item onClick={() => run(() => call("undelete", { id }))}>
                  Take back from the trash
                </Item>
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <Confirm
        open={asked === "cancel"}
        title="Cancel this session?"
        confirm="Cancel the session"
        onConfirm={() => run(() => call("cancel", { id }))}
        onClose={close}
      >
        It is given up for good: what runs is ended, and it takes no more messages. Everything said
        and done stays readable, and it can be forked.
      </Confirm>
      <Confirm
        open={asked === "archive"}
        title="Archive this session?"
        confirm="Archive"
        onConfirm={() => run(() => call("archive", { id }))}
        onClose={close}
      >
        It is put away for good: it takes no more messages and is left out of lists. It stays
        readable and can be forked.
      </Confirm>
      <Confirm
        open={asked === "delete"}
        title="Move this session to the trash?"
        confirm="Move to trash"
        onConfirm={() => run(() => call("delete", { id }))}
        onClose={close}
      >
        It can be taken back for 7 days. After that it is gone for good.
      </Confirm>
      <TerminalDialog session={session} open={asked === "terminal"} onClose={close} />
    </>
  );
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

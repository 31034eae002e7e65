import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { TRASH_MS } from "../../../src/contract/limits.ts";
import type { Session } from "../../../src/contract/session.ts";
import { call } from "../api/call.ts";
import { PurgeDialog } from "../session/purge-dialog.tsx";
import { useCommand } from "../session/use-session.ts";
import { folderOf, nameOf } from "../sessions/session-words.ts";
import { Button } from "../ui/button.tsx";
import { explain } from "../ui/states.tsx";
import { TimeAgo } from "../ui/time-ago.tsx";

/** How a session left the trash. */
export type Removal = "restored" | "purged";

interface TrashRowProps {
  readonly session: Session;
  onRemoved(removal: Removal): void;
}

export function TrashRow({ session, onRemoved }: TrashRowProps) {
  const { session_id: id, agent_name, project } = session;
  const queries = useQueryClient();
  const command = useCommand(id);
  const [isAsked, setAsked] = useState(false);
  const name = nameOf(session);
  const leave = async (removal: Removal): Promise<void> => {
    onRemoved(removal);
    // No event reports a purge.
    await queries.invalidateQueries({ queryKey: ["trash"] });
  };
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-64">
        <Link
          to="/s/$id"
          params={{ id }}
          dir="auto"
          className="line-clamp-2 font-medium break-words hover:underline"
        >
          {name}
        </Link>
        <p className="text-sm break-words text-soft">
          {agent_name}
          {project?.cwd && ` · ${folderOf(project.cwd)}`}
        </p>
        <Times session={session} />
      </div>
      <div className="flex flex-wrap gap-2">
        <Button
          aria-label={`Restore ${name}`}
          disabled={command.isPending}
          onClick={() =>
            command.mutate(async () => {
              await call("undelete", { id });
              await leave("restored");
            })
          }
        >
          Restore
        </Button>
        <Button
          look="quiet"
          className="!text-bad"
          aria-label={`Delete forever … ${name}`}
          disabled={command.isPending}
          onClick={() => setAsked(true)}
        >
          Delete forever …
        </Button>
      </div>
      {command.error && (
        <p role="alert" className="w-full text-sm break-words text-bad">
          {explain(command.error)}
        </p>
      )}
      <PurgeDialog
        session={session}
        command={command}
        open={isAsked}
        onPurged={() => leave("purged")}
        onClose={() => setAsked(false)}
      />
    </li>
  );
}

/** The server may remove the session later, because it counts only the time that it runs. */
function Times({ session: { deleted_at } }: { readonly session: Session }) {
  if (deleted_at === null) return null;
  const due = Date.parse(deleted_at) + TRASH_MS;
  return (
    <p className="text-sm text-soft">
      Deleted <TimeAgo at={deleted_at} /> ·{" "}
      {due > Date.now() ? (
        <>
          Removed for good <TimeAgo at={new Date(due).toISOString()} />
        </>
      ) : (
        "Due to be removed for good"
      )}
    </p>
  );
}

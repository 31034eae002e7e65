import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import type { Session } from "../../../src/contract/session.ts";
import { call } from "../api/call.ts";
import { isReady, useAgents } from "../sessions/use-agents.ts";
import { Button } from "../ui/button.tsx";
import { FIELD, Panel } from "../ui/panel.tsx";
import { explain, Loading } from "../ui/states.tsx";

interface HandoffDialogProps {
  readonly session: Session;
  readonly open: boolean;
  onClose(): void;
}

/** Hands a session to another agent, after a preview of the text that the agent gets. */
export function HandoffDialog({ session, open, onClose }: HandoffDialogProps) {
  return (
    <Panel open={open} title="Hand to another agent" onClose={onClose}>
      <Handoff session={session} onClose={onClose} />
    </Panel>
  );
}

function Handoff({ session, onClose }: Omit<HandoffDialogProps, "open">) {
  const { session_id: id, agent_name, project } = session;
  const agents = useAgents(project?.cwd ?? undefined);
  const queries = useQueryClient();
  const [chosen, choose] = useState<string | null>(null);
  const [message, setMessage] = useState("");
  const field = useId();
  const others = (agents.data ?? []).filter((agent) => isReady(agent) && agent.name !== agent_name);
  const to = chosen ?? others[0]?.name ?? null;
  const preview = useQuery({
    queryKey: ["preview", "handoff", id, to],
    queryFn: ({ signal }) => call("handoff", { id, to: to ?? "", dry_run: true }, signal),
    enabled: to !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const handoff = useMutation({
    mutationFn: ({ version }: Session) =>
      call("handoff", {
        id,
        to: to ?? "",
        // The preview is of this version. If the session changed since, it is shown again.
        expected_version: version,
        ...(message.trim() !== "" && { message }),
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["session", id] });
      onClose();
    },
  });
  if (!agents.data) return <Loading what="the agents" lines={3} />;
  if (to === null) {
    return (
      <>
        <p className="text-soft">The server’s machine has no other agent.</p>
        <Button className="mt-5" onClick={onClose}>
          Done
        </Button>
      </>
    );
  }
  const problem = handoff.error ?? preview.error;
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (preview.data && !handoff.isPending) handoff.mutate(preview.data);
      }}
    >
      <div>
        <label htmlFor={`${field}-to`} className="text-sm text-soft">
          Agent
        </label>
        <select
          id={`${field}-to`}
          value={to}
          onChange={({ target }) => choose(target.value)}
          className={`${FIELD} mt-1 w-full`}
        >
          {others.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <div>
        <label htmlFor={`${field}-message`} className="text-sm text-soft">
          First message (optional)
        </label>
        <textarea
          id={`${field}-message`}
          rows={2}
          value={message}
          placeholder="Without a message, the agent starts with your next one"
          onChange={({ target }) => setMessage(target.value)}
          className={`${FIELD} mt-1 w-full`}
        />
      </div>
      <Told told={preview.data?.told ?? null} isLoading={preview.isLoading} />
      {session.activity === "working" && (
        <p className="text-sm text-warn">The running turn of {agent_name} will be stopped.</p>
      )}
      <div role="alert">
        {problem && (
          <p className="rounded-md bg-bad-soft px-3 py-2 text-sm break-words text-bad">
            {explain(problem)}{" "}
            <Button
              onClick={() => {
                handoff.reset();
                void preview.refetch();
              }}
            >
              Show the preview again
            </Button>
          </p>
        )}
      </div>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" type="submit" disabled={!preview.data || handoff.isPending}>
          {handoff.isPending ? "Handing over …" : `Hand to ${to}`}
        </Button>
      </div>
    </form>
  );
}

function Told({ told, isLoading }: { readonly told: string | null; readonly isLoading: boolean }) {
  if (isLoading) return <Loading what="the preview" lines={4} />;
  if (told === null) return null;
  return (
    <div>
      <p className="text-sm text-soft">The agent gets this text</p>
      {/* biome-ignore lint/a11y/useSemanticElements: what scrolls must be reachable by keyboard, and needs a name */}
      <div
        role="group"
        aria-label="Text for the agent"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        tabIndex={0}
        className="mt-1 max-h-56 overflow-auto rounded-md border border-line bg-raised px-3 py-2"
      >
        <p dir="auto" className="text-sm break-words whitespace-pre-wrap">
          {told === "" ? "No new information for this agent." : told}
        </p>
      </div>
    </div>
  );
}

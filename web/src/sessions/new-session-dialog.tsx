import { Dialog } from "@base-ui/react/dialog";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import type { AgentInfo } from "../../../src/contract/agent-info.ts";
import { LIMITS } from "../../../src/contract/limits.ts";
import { beginSession } from "../api/send.ts";
import { Button } from "../ui/button.tsx";
import { FIELD, Panel } from "../ui/panel.tsx";
import { explain } from "../ui/states.tsx";
import { isReady, useAgents } from "./use-agents.ts";

interface NewSessionDialogProps {
  readonly open: boolean;
  onClose(): void;
}

export function NewSessionDialog({ open, onClose }: NewSessionDialogProps) {
  return (
    <Panel open={open} title="New session" onClose={onClose}>
      <NewSession onClose={onClose} />
    </Panel>
  );
}

function NewSession({ onClose }: { onClose(): void }) {
  const agents = useAgents();
  const navigate = useNavigate();
  const [chosen, choose] = useState<string | null>(null);
  const [title, setTitle] = useState("");
  const [folder, setFolder] = useState("");
  const [message, setMessage] = useState("");
  const id = useId();
  const begin = useMutation({
    mutationFn: beginSession,
    onSuccess: ({ session_id }) => {
      onClose();
      void navigate({ to: "/s/$id", params: { id: session_id } });
    },
  });

  const ready = (agents.data ?? []).filter(isReady);
  const others = (agents.data ?? []).filter((agent) => !isReady(agent));
  // Until the agents are loaded, the demo agent is offered, which always exists.
  const agent_name =
    chosen ?? (ready.find(({ name }) => name !== "demo") ?? ready[0])?.name ?? "demo";
  const inTheWay = others.find(({ name }) => name === agent_name);

  const submit = (): void => {
    if (begin.isPending || message.trim() === "") return;
    begin.mutate({
      agent_name,
      ...(title.trim() !== "" && { title: title.trim() }),
      ...(folder.trim() !== "" && { project: { cwd: folder.trim(), repo: null, branch: null } }),
      initial_message: message,
    });
  };
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div>
        <label htmlFor={`${id}-message`} className="text-sm text-soft">
          First message
        </label>
        <textarea
          id={`${id}-message`}
          rows={5}
          value={message}
          placeholder="What should the agent do?"
          onChange={({ target }) => setMessage(target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
          }}
          className={`${FIELD} mt-1 w-full`}
        />
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <div>
          <label htmlFor={`${id}-agent`} className="text-sm text-soft">
            Agent
          </label>
          <select
            id={`${id}-agent`}
            value={agent_name}
            onChange={({ target }) => choose(target.value)}
            className={`${FIELD} mt-1 w-full`}
          >
            {ready.length === 0 && <option value="demo">demo</option>}
            {ready.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
            {others.length > 0 && (
              <optgroup label="Not available">
                {others.map(({ name }) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
              </optgroup>
            )}
          </select>
        </div>
        <div>
          <label htmlFor={`${id}-title`} className="text-sm text-soft">
            Title (optional)
          </label>
          <input
            id={`${id}-title`}
            value={title}
            maxLength={LIMITS.TITLE}
            onChange={({ target }) => setTitle(target.value)}
            className={`${FIELD} mt-1 w-full`}
          />
        </div>
      </div>
      <div>
        <label htmlFor={`${id}-folder`} className="text-sm text-soft">
          Folder (optional)
        </label>
        <input
          id={`${id}-folder`}
          value={folder}
          placeholder="Your default folder on the server"
          spellCheck={false}
          onChange={({ target }) => setFolder(target.value)}
          className={`${FIELD} mt-1 w-full font-mono text-sm`}
        />
      </div>
      <AgentNote name={agent_name} inTheWay={inTheWay} />
      <div role="alert">
        {begin.error && (
          <p className="rounded-md bg-bad-soft px-3 py-2 text-sm break-words text-bad">
            {explain(begin.error)}
          </p>
        )}
      </div>
      <div className="flex items-center justify-end gap-2">
        <Dialog.Close render={<Button>Cancel</Button>} />
        <Button look="primary" type="submit" disabled={begin.isPending || message.trim() === ""}>
          {begin.isPending ? "Starting …" : "Start"}
        </Button>
      </div>
    </form>
  );
}

interface AgentNoteProps {
  readonly name: string;
  readonly inTheWay: AgentInfo | undefined;
}

function AgentNote({ name, inTheWay }: AgentNoteProps) {
  if (inTheWay) {
    return (
      <p className="text-sm text-warn">
        {inTheWay.problem ?? `${name} is not installed on the server’s machine.`}{" "}
        {inTheWay.hint && <code className="font-mono text-xs break-words">{inTheWay.hint}</code>}
      </p>
    );
  }
  if (name !== "demo") return null;
  return (
    <p className="text-sm text-faint">The demo agent works without a network or an API key.</p>
  );
}

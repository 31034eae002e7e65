import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTerminal } from "../shell/use-me.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { CopyText } from "../ui/copy-text.tsx";
import { Empty } from "../ui/states.tsx";
import type { FilterChange, Filters } from "./filters.ts";

/** Shown if there are no sessions yet: the ways to start one. */
export function NoSessions({ onNew }: { onNew(): void }) {
  const hasTerminal = useTerminal();
  return (
    <Empty title="No sessions yet">
      <p>
        A session is one durable piece of work by one agent.{" "}
        {hasTerminal
          ? "Start one here, or in a terminal on the server's machine:"
          : "Start one here. Sessions that others share with you appear here too."}
      </p>
      {hasTerminal && (
        <ol className="space-y-4 pt-2 text-left">
          <Way name="The demo agent, which works without a network or an API key">
            npx belay run demo "what can you do?"
          </Way>
          <Way name="A real agent: claude, codex, gemini, opencode, copilot or qwen">
            npx belay run claude "fix the failing test"
          </Way>
          <Way name="Claude Code: hooks record its sessions in this project">
            npx belay hooks install claude-code
          </Way>
        </ol>
      )}
      <div className="mt-2 flex flex-wrap justify-center gap-2">
        <Button look="primary" onClick={onNew}>
          New session
        </Button>
        <Link to="/import" className={buttonClass("plain")}>
          Import conversations of other tools
        </Link>
      </div>
    </Empty>
  );
}

function Way({ name, children }: { readonly name: ReactNode; readonly children: string }) {
  return (
    <li>
      <p className="mb-1 text-sm">{name}</p>
      <CopyText text={children} />
    </li>
  );
}

/** The sessions that a list hides by default. */
const HIDDEN = {
  all: "Archived and cancelled sessions, and those that failed more than 24 hours ago, were not searched.",
  older: "Sessions that failed more than 24 hours ago were not searched.",
} as const;

interface NothingFoundProps {
  readonly filters: Filters;
  onChange(change: FilterChange): void;
  onClear(): void;
}

export function NothingFound({ filters, onChange, onClear }: NothingFoundProps) {
  const { q, status, archived } = filters;
  const isPartial = status === undefined;
  return (
    <Empty title="No sessions found">
      <p>
        {q === undefined ? "No session matches these filters." : `No session matches “${q}”.`}
        {isPartial && ` ${HIDDEN[archived ? "older" : "all"]}`}
      </p>
      <div className="flex flex-wrap justify-center gap-2 pt-2">
        <Button onClick={onClear}>Clear filters</Button>
        {isPartial && (
          <Button onClick={() => onChange((now) => ({ ...now, status: "any" }))}>Search all</Button>
        )}
      </div>
    </Empty>
  );
}

import { Link, useNavigate } from "@tanstack/react-router";
import { useId } from "react";

const DAYS = [7, 30, 90, "all"] as const;

interface Props {
  readonly days: number | "all";
  readonly agent: string | undefined;
  readonly agents: readonly string[];
}

/** The time span and the agent, stored in the address. */
export function NumbersFilters({ days, agent, agents }: Props) {
  const id = useId();
  const navigate = useNavigate();
  const all = agent === undefined || agents.includes(agent) ? agents : [agent, ...agents];
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <nav aria-label="Time" className="flex rounded-md border border-line bg-panel p-0.5">
        {DAYS.map((each) => (
          <Link
            key={each}
            to="/numbers"
            search={{ days: each, ...(agent !== undefined && { agent }) }}
            aria-current={each === days ? "true" : undefined}
            className={`inline-flex min-h-9 items-center rounded px-3 text-sm ${each === days ? "bg-raised font-medium text-ink" : "text-soft hover:text-ink"}`}
          >
            {each === "all" ? "All" : `${each} days`}
          </Link>
        ))}
      </nav>
      <div className="flex items-center gap-2 text-sm">
        <label htmlFor={id} className="text-soft">
          Agent
        </label>
        <select
          id={id}
          value={agent ?? ""}
          onChange={({ target: { value } }) =>
            void navigate({
              to: "/numbers",
              search: { days, ...(value !== "" && { agent: value }) },
            })
          }
          className="min-h-9 max-w-48 rounded-md border border-line bg-panel px-2"
        >
          <option value="">all agents</option>
          {all.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </div>
    </div>
  );
}

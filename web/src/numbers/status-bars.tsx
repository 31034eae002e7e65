import { Link } from "@tanstack/react-router";
import { STATUSES, type Status } from "../../../src/contract/vocabulary.ts";

const LOOKS = {
  created: "bg-info",
  active: "bg-good",
  suspended: "bg-warn",
  completed: "bg-soft",
  failed: "bg-bad",
  cancelled: "bg-faint",
  archived: "bg-faint",
} as const satisfies Record<Status, string>;

interface Props {
  readonly by_status: Readonly<Record<string, number>>;
  readonly agent: string | undefined;
}

/** The current sessions by status. */
export function StatusBars({ by_status, agent }: Props) {
  const counts = STATUSES.map((status) => ({ status, count: by_status[status] ?? 0 }));
  const most = Math.max(1, ...counts.map(({ count }) => count));
  return (
    <ul className="space-y-1">
      {counts
        .filter(({ count }) => count > 0)
        .map(({ status, count }) => (
          <li key={status}>
            <Link
              to="/"
              search={{
                status,
                ...(agent !== undefined && { agent }),
                ...(status === "archived" && { archived: true }),
              }}
              className="grid min-h-9 grid-cols-[6rem_1fr_3rem] items-center gap-3 rounded-md px-2 text-sm hover:bg-raised"
            >
              <span>{status}</span>
              <span className="h-2 rounded-full bg-raised">
                <span
                  className={`block h-2 min-w-1 rounded-full ${LOOKS[status]}`}
                  style={{ width: `${(count / most) * 100}%` }}
                />
              </span>
              <span className="text-right text-soft tabular-nums">{count}</span>
            </Link>
          </li>
        ))}
    </ul>
  );
}

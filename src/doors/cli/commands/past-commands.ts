import type { Commands } from "../operation-command.ts";
import * as show from "../show/show.ts";
import * as past from "../show/show-past.ts";
import { cleanup } from "../show/show-removed.ts";
import { checkAudit, exportAudit } from "./audit-command.ts";

const EXPIRES =
  "A running server moves an expired session to the trash within two days, and purges it 7 days later. Sessions that are pinned, active, running or waiting for an approval stay until that ends.";

/** Commands about past work and maintenance. */
export const pastCommands = {
  next: {
    operation: "next",
    positional: [],
    flags: { task_id: "task" },
    backlog: "reads",
    example: "belay next --task T001",
    show: show.next,
  },
  timeline: {
    operation: "timeline",
    positional: ["entity_id"],
    flags: { start_date: "from", end_date: "to" },
    example: "belay timeline FU-061 --from 2025-12-01 --to 2026-01-31",
    show: past.timeline,
  },
  history: {
    operation: "history",
    positional: [],
    last: "session_id",
    flags: { session_id: "session" },
    example: "belay history agent-20260108",
    show: past.history,
  },
  events: {
    operation: "events",
    positional: [],
    example: "belay events --limit 20",
    show: past.events,
  },
  audit: {
    operation: "audit",
    positional: [],
    flags: { id: "session" },
    variants: {
      "--format": {
        takes: "ndjson|cef [--out FILE]",
        doc: "export all entries; cef is a format for security tools",
        run: exportAudit,
      },
      "--check": {
        takes: "FILE",
        doc: "check that the store still has every entry of a file from --format ndjson",
        run: checkAudit,
      },
    },
    example: "belay audit --since 2026-01-08",
    show: past.audit,
  },
  stats: {
    operation: "stats",
    positional: [],
    example: "belay stats --from 2026-01-01 --agent terraform-architect",
    show: past.stats,
  },
  expiration: {
    operation: "expiration",
    positional: [],
    example: "belay expiration",
    show: show.expiration,
  },
  "expiration set": {
    operation: "set_expiration",
    positional: [],
    example: "belay expiration set --after-days 90",
    more: [EXPIRES],
    show: show.expiration,
  },
  cleanup: {
    operation: "cleanup",
    positional: [],
    example: "belay cleanup --hours 24 --dry-run",
    show: cleanup,
  },
} as const satisfies Commands;

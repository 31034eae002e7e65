import type { Uptime } from "../../core/retention-rules.ts";
import { recoverAll } from "../../drive/recovery/recover-all.ts";
import type { AgentRunner } from "../../drive/run/agent-runner.ts";
import { readUptime } from "../../process/read-proc.ts";
import type { Caller } from "../../service/service-context.ts";
import type { ServerContext } from "../webhooks/server-context.ts";
import type { Chore } from "./chores.ts";
import { runRetention } from "./run-retention.ts";

interface ServerParts {
  readonly context: ServerContext;
  readonly runner: Pick<AgentRunner, "wakeDue" | "driveWaiting" | "reap" | "endRefused">;
  /** A monotonic clock, for permanent removal. */
  readonly uptime?: () => Uptime;
  /** The owner whose log records the server's own actions. */
  readonly owner: string;
}

/** The most sessions that one line of the log names. */
const MOST_NOTES = 20;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** The chores of a server, for the sessions of all owners. */
export function serverChores({
  context,
  runner,
  owner,
  uptime = readUptime,
}: ServerParts): Chore[] {
  const caller = (): Caller => ({
    owner,
    actor: "belay",
    interface: "api",
    trace_id: context.newId(),
  });
  const selectFresh = createFreshFilter();
  return [
    {
      name: "recovery",
      // So the work of another process that died continues soon.
      every_ms: 10 * SECOND,
      async run(signal) {
        const everyone = { owner: null, drive: true, signal };
        const { sessions, failed } = await recoverAll(context, caller(), everyone);
        const recovered = sessions.filter(({ changed }) => changed);
        const asked = recovered.filter(({ approval_id }) => approval_id !== null);
        return {
          counts: {
            recovered: recovered.length,
            asked: asked.length,
            continued: recovered.filter(({ continued_turn_id }) => continued_turn_id).length,
            unrecovered: failed.length,
          },
          notes: failed.map(({ session_id, why }) => `${session_id}: ${why}`),
        };
      },
    },
    {
      name: "wake",
      every_ms: MINUTE,
      run: async () => ({ counts: { woken: await runner.wakeDue(null) } }),
    },
    {
      name: "queue",
      every_ms: 10 * SECOND,
      async run() {
        const { driven, refused } = await runner.driveWaiting();
        const problems = refused.map(
          ({ found: { head }, error }) => `${head.owner}/${head.session_id}: ${error.message}`,
        );
        const fresh = selectFresh(problems);
        const more = fresh.length - MOST_NOTES;
        return {
          counts: { taken_up: driven, refused: fresh.length },
          notes: [...fresh.slice(0, MOST_NOTES), ...(more > 0 ? [`and ${more} more`] : [])],
        };
      },
    },
    {
      name: "reap",
      every_ms: MINUTE,
      run: async () => ({ counts: { reaped: await runner.reap() } }),
    },
    {
      name: "refused",
      // A disabled person must not have a running agent.
      every_ms: SECOND,
      run: async () => ({ counts: { ended: await runner.endRefused(caller()) } }),
    },
    {
      name: "retention",
      // The log tells if a day has passed.
      every_ms: 60 * MINUTE,
      async run(signal) {
        const ran = await runRetention(context, caller(), signal, uptime());
        return {
          counts: { removed: ran?.removed ?? 0, purged: ran?.purged ?? 0 },
          ...(ran?.waits && { notes: [CLOCK] }),
        };
      },
    },
  ];
}

/** Returns the problems that the previous call did not have. It remembers only those of the last call. */
function createFreshFilter(): (problems: readonly string[]) => string[] {
  let before: ReadonlySet<string> = new Set();
  return (problems) => {
    const fresh = problems.filter((problem) => !before.has(problem));
    before = new Set(problems);
    return fresh;
  };
}

const CLOCK =
  "Some sessions are due since the last run. They are moved to the trash if the next run, after a day of serving, agrees. If they are not that old, check the clock.";

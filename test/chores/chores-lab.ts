import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createService } from "../../src/compose-service.ts";
import type { Input, OperationName, Output } from "../../src/contract/operations.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import { newId } from "../../src/service/new-id.ts";
import type { Caller, ServiceContext } from "../../src/service/service-context.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { afterEachTest } from "../clean-up.ts";

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export const SERVER: Caller = caller("local");

const leftovers: (() => Promise<void> | void)[] = [];
afterEachTest(async () => {
  for (const clear of leftovers.splice(0).reverse()) await clear();
});

export type ChoresLab = Awaited<ReturnType<typeof openChoresLab>>;

/** A real store with a clock that only tests move, for the sessions of several owners. */
export async function openChoresLab() {
  const root = mkdtempSync(join(tmpdir(), "belay-chores-"));
  leftovers.push(() => rmSync(root, { recursive: true, force: true }));
  const [home, cwd] = [join(root, "home"), join(root, "work")];
  mkdirSync(cwd);
  const clock = { now: Date.UTC(2026, 0, 8, 18), up: HOUR, boots: 1 };
  const open = async (): Promise<ServiceContext> => {
    const store = await openSqliteStore({ folder: home, isAlive });
    leftovers.push(() => store.close());
    return { store, now: () => clock.now, newId };
  };
  const context = await open();
  const call = <K extends OperationName>(name: K, input: Input<K>, owner = "local") =>
    createService(context).call(name, input, caller(owner));
  return {
    home,
    cwd,
    context,
    clock,
    /** The same data as another process sees it. */
    open,
    call,
    uptime: () => ({ boot_id: `boot-${clock.boots}`, uptime_ms: clock.up }),
    wait: (ms: number) => {
      clock.now += ms;
      clock.up += ms;
    },
    /** Sets the clock. */
    leap: (ms: number) => {
      clock.now += ms;
    },
    restart: () => {
      clock.up = 0;
      clock.boots += 1;
    },
    suspended: async (session_id: string, owner = "local") => {
      await call("create", { agent_name: "a", session_id }, owner);
      await call("suspend", { id: session_id, reason: "user_requested" }, owner);
    },
    failed: async (session_id: string, owner = "local") => {
      await call("create", { agent_name: "a", session_id }, owner);
      await call("finalize", { id: session_id, outcome: "failed" }, owner);
    },
    /** Records activity. */
    work: async (session_id: string, owner = "local") => {
      await call("create", { agent_name: "a", session_id }, owner);
    },
    /** The sessions that are not in the trash. */
    kept: async (owner = "local"): Promise<string[]> => {
      const { streams } = await context.store.list({
        kind: "session",
        owner,
        filter: { status: ["created", "active", "suspended", "completed", "failed"] },
        limit: 1000,
      });
      return streams.map(({ key }) => key).toSorted();
    },
    events: async (type: string, owner = "local"): Promise<Output<"audit">["events"]> =>
      (await call("audit", { limit: 1000 }, owner)).events.filter((event) => event.type === type),
  };
}

export function caller(owner: string): Caller {
  return { owner, actor: "test", interface: "api", trace_id: "t-1" };
}

export const NEVER = new AbortController().signal;

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createContext } from "../../../src/compose-context.ts";
import { createService } from "../../../src/compose-service.ts";
import { isAlive } from "../../../src/process/process-identity.ts";
import { defaultOwner } from "../../../src/service/home-folder.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open-sqlite-store.ts";
import { newPlace, type RealServer, recordOf, serve } from "../../serve/server-process.ts";

const EVENTS = 100_000;
const MOST = { memory_mb: 300, ratio: 5 } as const;
const AT_ONCE = 200;

type Call = ReturnType<typeof createService>["call"];
interface Filled {
  call(name: Parameters<Call>[0], input: object): Promise<unknown>;
}

/** Figures of large data folders, one line each, and whether they stay within the limit. */
export async function measureLargeData(
  residentMb: (pid: number) => number,
): Promise<{ readonly line: string; readonly isOk: boolean }[]> {
  const few = await askStats(100);
  const many = await askStats(10_000);
  const memory = await pageThrough(residentMb);
  const ratio = (of: (times: Times) => number) => of(many) / of(few);
  return [
    {
      line: `GET /stats of 10,000 sessions: the first ${many.first.toFixed(1)} ms, later ${many.later.toFixed(1)} ms; of 100: ${few.first.toFixed(1)} ms, ${few.later.toFixed(1)} ms (${ratio(({ later }) => later).toFixed(1)} x)`,
      isOk: ratio(({ later }) => later) <= MOST.ratio && ratio(({ first }) => first) <= MOST.ratio,
    },
    {
      line: `a server after a session of ${EVENTS} events was paged through: ${memory.after.toFixed(0)} MB (${memory.before.toFixed(0)} MB before)`,
      isOk: memory.after < MOST.memory_mb,
    },
    await measureHoarder(residentMb),
  ];
}

interface Times {
  readonly first: number;
  /** The median of twenty. */
  readonly later: number;
}

async function askStats(sessions: number): Promise<Times> {
  return withServer(
    (filled) =>
      inGroups(sessions, (n) =>
        filled.call("create", { agent_name: `agent-${n % 5}`, session_id: `session-${n}` }),
      ),
    async (server) => {
      // A server counts at its start, next to other work.
      await new Promise((resolve) => setTimeout(resolve, 3000));
      // The first request of a kind also pays for one-time compilation.
      await server.ask("GET", "/stats?agent=agent-1");
      const times: number[] = [];
      for (let n = 0; n < 21; n += 1) {
        const began = performance.now();
        await server.ask("GET", "/stats");
        times.push(performance.now() - began);
      }
      const [first = 0, ...later] = times;
      return { first, later: later.sort((a, b) => a - b)[10] ?? 0 };
    },
  );
}

async function pageThrough(residentMb: (pid: number) => number) {
  return withServer(
    async (filled) => {
      await filled.call("create", { agent_name: "a", session_id: "long-session" });
      const output = "The answer is long enough to be one. ".repeat(10);
      await inGroups(EVENTS, (n) =>
        filled.call("record_turn", { id: "long-session", input: `question ${n}`, output }),
      );
    },
    async (server) => {
      const before = residentMb(server.pid);
      let seen = 0;
      for (let after: unknown = 0; after !== null; ) {
        const path = `/sessions/long-session/events?after=${after}&limit=1000`;
        const { events, next_cursor } = recordOf((await server.ask("GET", path)).json);
        seen += Array.isArray(events) ? events.length : 0;
        after = next_cursor ?? null;
      }
      if (seen < EVENTS) throw new Error(`only ${seen} of ${EVENTS} events were shown`);
      return { before, after: residentMb(server.pid) };
    },
  );
}

/** The control: a process that uses too much memory is detected. */
async function measureHoarder(residentMb: (pid: number) => number) {
  const program = `const kept = Buffer.alloc(${MOST.memory_mb} * 2 ** 20, 1);
    process.stdin.on("end", () => process.exit(kept[0] - 1)).resume();
    console.log("ready");`;
  const child = spawn(process.execPath, ["-e", program], { stdio: ["pipe", "pipe", "inherit"] });
  await once(child.stdout, "data");
  const memory = residentMb(child.pid ?? 0);
  child.stdin.end();
  await once(child, "exit");
  return {
    line: `control: a process that keeps ${MOST.memory_mb} MB is seen with ${memory.toFixed(0)} MB`,
    isOk: memory > MOST.memory_mb,
  };
}

async function withServer<T>(
  fill: (filled: Filled) => Promise<void>,
  use: (server: RealServer) => Promise<T>,
): Promise<T> {
  const place = newPlace();
  try {
    const store = await openSqliteStore({ folder: place.home, isAlive, synchronous: "OFF" });
    const service = createService(createContext(store));
    const by = { actor: "test", interface: "library", trace_id: null } as const;
    const caller = { owner: defaultOwner(), ...by };
    await fill({ call: (name, input) => service.call(name, input, caller) });
    await store.close();
    const server = await serve(place, { args: ["--log", "error"] });
    try {
      return await use(server);
    } finally {
      await server.end();
    }
  } finally {
    place.remove();
  }
}

async function inGroups(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    const length = Math.min(AT_ONCE, count - from);
    await Promise.all(Array.from({ length }, (_, n) => work(from + n)));
  }
}

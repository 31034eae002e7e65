import { createContext } from "../../../src/compose-context.ts";
import { BelayError } from "../../../src/contract/errors.ts";
import { isSessionHead } from "../../../src/core/session/known-events.ts";
import { listSession } from "../../../src/core/session/list-session.ts";
import { identifyProcess } from "../../../src/process/process-identity.ts";
import { changeSession } from "../../../src/service/change-session.ts";
import { codedStore } from "../../../src/store/codec/coded-store.ts";
import { zstdCodec } from "../../../src/store/codec/zstd-codec.ts";
import { openPostgresStore } from "../../../src/store/postgres/open-postgres-store.ts";
import type { StreamStore } from "../../../src/store/stream-store.ts";
import type { LongTurn } from "./campaign.ts";

const DRIVER = { owner: "local", actor: "agent:agent", interface: "api", trace_id: null } as const;

/** Writes under a lease that another node has taken over. True if the write was accepted. */
export async function tryStaleWrite(
  url: string,
  { id, epoch }: Pick<LongTurn, "id" | "epoch">,
  leaseMs: number,
): Promise<boolean> {
  return withStore(url, leaseMs, async (store) => {
    const started = {
      type: "note_agent_started",
      agent_session_id: "stale",
      way: "new",
      process: { ...identifyProcess(process.pid), cmd: "", stdout_path: null, stderr_path: null },
      reopens: false,
    } as const;
    try {
      await changeSession(createContext(store), DRIVER, { id, epoch, commands: () => [started] });
      return true;
    } catch (error) {
      if (error instanceof BelayError && error.code === "lease_lost") return false;
      throw error;
    }
  });
}

/** The same without any check of leases: a control, which the judge of the history must find. */
export async function writeUnfenced(
  url: string,
  { entity_id, epoch }: Pick<LongTurn, "entity_id" | "epoch">,
): Promise<void> {
  await withStore(url, 60_000, async (store) => {
    await store.transact({
      streams: [{ id: entity_id }],
      decide: ({ streams: [stream] }) => {
        if (!stream || !isSessionHead(stream.head)) return { appends: [] };
        const { id, seq, head } = stream;
        const data = { agent_session_id: "stale", way: "new", reopens: false, epoch };
        const event = { ...DRIVER, seq: seq + 1, type: "agent.started", at: head.updated_at, data };
        const kept = { head, rows: [], names: [], listing: listSession(head) };
        return { appends: [{ id, events: [event], ...kept }] };
      },
    });
  });
}

async function withStore<T>(
  url: string,
  leaseMs: number,
  work: (store: StreamStore) => Promise<T>,
): Promise<T> {
  const store = await openPostgresStore({ url, isAlive: () => null, leaseMs });
  try {
    return await work(codedStore(store, zstdCodec()));
  } finally {
    await store.close();
  }
}

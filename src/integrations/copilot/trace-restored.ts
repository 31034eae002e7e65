import { join } from "node:path";
import type { FoundSession } from "../../service/read/find-session.ts";
import { systemStream } from "../../service/record-system-fact.ts";
import type { ServiceContext } from "../../service/service-context.ts";
import { loadStream, readEvents } from "../../store/read-streams.ts";
import { findRecovered, readTrace } from "./mirror-copilot-state.ts";
import type { AuditTrace } from "./write-audit.ts";
import { writeAudit } from "./write-audit.ts";

/** Writes the restore into the audit of the workspace's own database. */
export async function traceRestored(
  context: ServiceContext,
  cwd: string,
  found: FoundSession,
): Promise<{ readonly changed: boolean; readonly why: string | null }> {
  const path = join(cwd, "gaia.db");
  const traces = await gatherTraces(context, cwd, found);
  try {
    return { changed: writeAudit(path, traces), why: null };
  } catch (error) {
    return { changed: false, why: error instanceof Error ? error.message : String(error) };
  }
}

async function gatherTraces(
  { store }: ServiceContext,
  cwd: string,
  { stream, head }: FoundSession,
): Promise<AuditTrace[]> {
  const recovered = await findRecovered(store, stream);
  const trace_id = await readTrace(store, stream.id);
  const { session_id, owner } = head;
  const system = await loadStream(store, systemStream(owner, cwd));
  const [sync] = system
    ? await readEvents(store, system.id, { before: system.seq + 1, limit: 1 })
    : [];
  return [
    ...(system && sync?.type === "recovery.sync"
      ? [
          {
            id: `${system.id}:${sync.seq}`,
            type: sync.type,
            at: sync.at,
            trace_id,
            session_id: null,
            status: "ok",
            details: {
              ...(typeof sync.data === "object" ? sync.data : {}),
              entity_id: system.id,
              seq: sync.seq,
            },
          },
        ]
      : []),
    ...(recovered
      ? [
          {
            id: `${stream.id}:${recovered.seq}`,
            type: recovered.type,
            at: recovered.at,
            trace_id,
            session_id,
            status: recovered.data.status,
            details: { ...recovered.data, session_id, entity_id: stream.id, seq: recovered.seq },
          },
        ]
      : []),
  ];
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBelay } from "../../src/index.ts";
import { measureLoad } from "../http-load.ts";
import type { Lab } from "../lab.ts";
import { record } from "../measurements.ts";
import { authorization, serveBelay, serveWith } from "../served.ts";

const CLIENTS = 16;

/** P9: one session over HTTP, against a route of the same framework that sends the same bytes from memory. */
export async function measureGetSession(lab: Lab): Promise<void> {
  const [limit, own] = lab.contenders;
  const home = mkdtempSync(join(tmpdir(), "belay-bench-"));
  const belay = await openBelay({ home });
  const session = await belay.sessions.create({ agent_name: "reader", purpose: "to be read" });
  await belay.close();
  const bare = await serveWith([
    join(import.meta.dirname, "..", "bare-route.ts"),
    JSON.stringify(session),
  ]);
  const served = await serveBelay(home);
  const { ms, warmMs } = lab.scale.load;
  const [load, warmUp] = [
    { clients: CLIENTS, ms },
    { clients: CLIENTS, ms: warmMs },
  ];
  const path = `/sessions/${session.session_id}`;
  const headers = authorization(home);
  try {
    // Both are compiled and warm before the first round counts.
    await measureLoad(bare, path, {}, warmUp);
    await measureLoad(served, path, headers, warmUp);
    for (let round = 0; round < lab.scale.claimRounds; round++) {
      for (const [name, server] of [
        [limit?.name, bare],
        [own?.name, served],
      ] as const) {
        const { rate, processor_ms } = await measureLoad(server, path, headers, load);
        record(lab.measurements, name ?? "", "http_get_rate", rate);
        record(lab.measurements, name ?? "", "http_get_processor_ms", processor_ms);
      }
    }
  } finally {
    await Promise.all([bare.stop(), served.stop()]);
    rmSync(home, { recursive: true, force: true });
  }
}

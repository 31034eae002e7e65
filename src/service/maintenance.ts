import { BelayError, refuse } from "../contract/errors.ts";
import type { BackupReport, Fact, Finding, StoreCare } from "../store/store-care.ts";
import type { StreamStore } from "../store/stream-store.ts";
import { verifyStreams } from "./verify-streams.ts";

export interface Verification {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
  /** Logs that a crash had left ahead of the anchor, and that are anchored now. */
  readonly settled: number;
}

const BACKED_UP = ["agents.json", "recovery.json", "webhook-secrets.json"];

/** Looking after the store itself: `verify`, `doctor`, `backup`. */
export interface Maintenance {
  verify(onProgress?: (streams: number) => void): Promise<Verification>;
  describe(): Promise<readonly Fact[]>;
  /** The copy has the settings too, and the secrets that webhooks sign with. */
  backup(folder: string, onProgress?: (done: number, total: number) => void): Promise<BackupReport>;
}

/** A store of someone else's may lack what an embedded one offers. */
export function createMaintenance(store: StreamStore & Partial<StoreCare>): Maintenance {
  return {
    async verify(onProgress) {
      const findings: Finding[] = [];
      for await (const finding of store.inspect?.() ?? []) findings.push(finding);
      for await (const finding of verifyStreams(store, onProgress)) findings.push(finding);
      const ok = findings.every((finding) => finding.kind !== "damage");
      return { ok, findings, settled: (ok && (await store.reanchor?.())) || 0 };
    },
    describe: async () => (await store.describe?.()) ?? [],
    async backup(folder, onProgress) {
      if (store.backup) return store.backup(folder, onProgress, BACKED_UP);
      const message = "This store has no backup of its own. Use the tools of its database.";
      throw new BelayError(refuse("storage_unsupported", message));
    },
  };
}

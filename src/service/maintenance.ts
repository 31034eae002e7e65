import { BelayError, refuse } from "../contract/errors.ts";
import type { Durability } from "../contract/vocabulary.ts";
import type { BackupReport, Fact, Finding, StoreCare } from "../store/store-care.ts";
import type { StreamStore } from "../store/stream-store.ts";
import { verifyStreams } from "./verify-streams.ts";

export interface Verification {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
  /** Logs that a crash had left ahead of the anchor, and that are anchored now. */
  readonly settled: number;
  /** Set where the anchor was lost and the logs were accepted as they are. */
  readonly accepted_anchor?: true;
}

interface VerifyOptions {
  /** Where nothing is wrong but a lost anchor: vouch for the logs as they are, and write that down. */
  readonly accept_anchor?: boolean;
}

const BACKED_UP = ["agents.json", "recovery.json", "storage.json", "webhook-secrets.json"];

/** Looking after the store itself: `verify`, `doctor`, `durability`, `backup`. */
export interface Maintenance {
  verify(onProgress?: (streams: number) => void, options?: VerifyOptions): Promise<Verification>;
  describe(): Promise<readonly Fact[]>;
  /** Chooses what an acknowledged change survives, for every process that uses this data folder. */
  chooseDurability(durability: Durability): Promise<void>;
  /** Writes the store anew, so that nothing of purged sessions is left in its files. */
  compact(): Promise<void>;
  /** The copy has the settings too, and the secrets that webhooks sign with. */
  backup(folder: string, onProgress?: (done: number, total: number) => void): Promise<BackupReport>;
}

/** The fact that leaves a record of an accepted anchor. */
interface AnchorAccepted {
  readonly type: "anchor.accepted";
  readonly data: { readonly streams: number };
}

/** A store of someone else's may lack what an embedded one offers. */
export function createMaintenance(
  store: StreamStore & Partial<StoreCare>,
  record?: (fact: AnchorAccepted) => Promise<void>,
): Maintenance {
  return {
    async verify(onProgress, { accept_anchor = false } = {}) {
      let streams = 0;
      const count = (done: number) => {
        streams = done;
        onProgress?.(done);
      };
      const findings: Finding[] = [];
      for await (const finding of store.inspect?.() ?? []) findings.push(finding);
      for await (const finding of verifyStreams(store, count)) findings.push(finding);
      const damage = findings.filter((finding) => finding.kind === "damage");
      const isAcceptable = damage.length > 0 && damage.every(({ lost_anchor }) => lost_anchor);
      if (accept_anchor && isAcceptable && record) {
        // First, so that no anchor is ever begun anew without a record of it.
        await record({ type: "anchor.accepted", data: { streams } });
        const settled = (await store.reanchor?.()) ?? 0;
        return { ok: true, findings, settled, accepted_anchor: true };
      }
      const ok = damage.length === 0;
      return { ok, findings, settled: (ok && (await store.reanchor?.())) || 0 };
    },
    describe: async () => (await store.describe?.()) ?? [],
    async chooseDurability(durability) {
      if (store.chooseDurability) return store.chooseDurability(durability);
      const message = "This store has no choice of durability. Use the settings of its database.";
      throw new BelayError(refuse("storage_unsupported", message));
    },
    async compact() {
      if (store.compact) return store.compact();
      const message = "This store cannot be compacted. Use the tools of its database.";
      throw new BelayError(refuse("storage_unsupported", message));
    },
    async backup(folder, onProgress) {
      if (store.backup) return store.backup(folder, onProgress, BACKED_UP);
      const message = "This store has no backup of its own. Use the tools of its database.";
      throw new BelayError(refuse("storage_unsupported", message));
    },
  };
}

import { BelayError, refuse } from "../contract/errors.ts";
import type { Durability } from "../contract/vocabulary.ts";
import type { BackupReport, Fact, Finding, StoreCare } from "../store/store-care.ts";
import type { StreamStore } from "../store/stream-store.ts";
import { verifyStreams } from "./verify-streams.ts";

export interface Verification {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
  /** The number of logs that a crash left ahead of the anchor, and that are anchored now. */
  readonly settled: number;
  /** Set if the anchor was lost and the logs were accepted as they are. */
  readonly accepted_anchor?: true;
  /** Set if the data is encrypted and no key was given: the contents of the logs were not checked. */
  readonly without_key?: true;
}

interface VerifyOptions {
  /** If only the anchor is lost, accept the logs as they are and record that. */
  readonly accept_anchor?: boolean;
  /** Copies of the anchors of other nodes. */
  readonly anchors?: readonly string[];
  /** Checks the stored bytes, the chain and the anchor alone. */
  readonly without_key?: boolean;
}

/** Settings and secrets beside the store. */
export const BACKED_UP = [
  "agents.json",
  "encryption.json",
  "member-folders",
  "recovery.json",
  "redaction.json",
  "storage.json",
  "webhook-secrets.json",
];

/** Maintains the store itself: `verify`, `doctor`, `durability`, `backup`. */
export interface Maintenance {
  verify(onProgress?: (streams: number) => void, options?: VerifyOptions): Promise<Verification>;
  describe(): Promise<readonly Fact[]>;
  /** Sets the durability for every process that uses this data folder. */
  chooseDurability(durability: Durability): Promise<void>;
  /** Rewrites the store, so that its files contain nothing of purged sessions. */
  compact(): Promise<void>;
  /** The copy includes the settings and the secrets of webhooks. */
  backup(folder: string, onProgress?: (done: number, total: number) => void): Promise<BackupReport>;
}

/** The fact that records an accepted anchor. */
interface AnchorAccepted {
  readonly type: "anchor.accepted";
  readonly data: { readonly streams: number };
}

/** A third-party store may lack the functions of an embedded one. */
export function createMaintenance(
  store: StreamStore & Partial<StoreCare>,
  record?: (fact: AnchorAccepted) => Promise<void>,
): Maintenance {
  return {
    async verify(onProgress, { accept_anchor = false, anchors = [], without_key = false } = {}) {
      let streams = 0;
      const count = (done: number) => {
        streams = done;
        onProgress?.(done);
      };
      const findings: Finding[] = [];
      if (anchors.length > 0 && !store.inspectAnchors) throw new BelayError(oneAnchor());
      for await (const finding of store.inspect?.() ?? []) findings.push(finding);
      for await (const finding of store.inspectAnchors?.(anchors) ?? []) findings.push(finding);
      const contents = without_key ? store.inspectChains?.() : verifyStreams(store, count);
      for await (const finding of contents ?? []) findings.push(finding);
      const damage = findings.filter((finding) => finding.kind === "damage");
      const isAcceptable =
        damage.length > 0 && damage.every(({ lost_anchor, lost_tail }) => lost_anchor || lost_tail);
      if (accept_anchor && isAcceptable && record) {
        const accepted = { type: "anchor.accepted", data: { streams } } as const;
        // Recorded first, so that an anchor is never restarted without a record. A store that refuses to write until
        // then leaves what it moves away as a record.
        const isRecorded = await record(accepted).then(() => true, unlessDamaged);
        const isRestart = damage.some(({ lost_tail }) => lost_tail);
        const settled = (await store.reanchor?.({ isRestart })) ?? 0;
        if (!isRecorded) await record(accepted);
        return { ok: true, findings, settled, accepted_anchor: true };
      }
      const ok = damage.length === 0;
      const settled = (ok && (await store.reanchor?.())) || 0;
      return { ok, findings, settled, ...(without_key && { without_key }) };
    },
    describe: async () => (await store.describe?.()) ?? [],
    async chooseDurability(durability) {
      if (store.chooseDurability) return store.chooseDurability(durability);
      const message =
        "Durability cannot be chosen for this store. Use the settings of its database.";
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

function unlessDamaged(error: unknown): false {
  if (error instanceof BelayError && error.code === "storage_damaged") return false;
  throw error;
}

function oneAnchor() {
  const message = "This store has only its own anchor. Leave --anchor out; it is for PostgreSQL.";
  return refuse("usage", message);
}

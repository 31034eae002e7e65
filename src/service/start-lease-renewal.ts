import type { Deadline } from "../agent/agent-connection.ts";
import type { ErrorCode } from "../contract/errors.ts";
import { BelayError } from "../contract/errors.ts";
import { readMachineUptime } from "../process/read-proc.ts";
import { releaseLease } from "../store/leases.ts";
import type { GrantedLease, StreamStore } from "../store/stream-store.ts";

export interface LeaseRenewal {
  /** Renews the lease no more; it ends by time, or belongs to another holder. */
  stop(): void;
  /**
   * Releases the lease. If the store fails, this rejects, and the lease is released later, as soon as the store answers:
   * a node that lives would hold it forever.
   */
  release(): Promise<void>;
  /** The agent of the session must not run after this time; undefined if the lease lasts as long as this process. */
  readonly deadline: Deadline | undefined;
}

/**
 * Renews a lease until it is stopped, so that processes that cannot check this one know it lives. `onLost` is called
 * once if another holder has acquired the lease.
 */
export function startLeaseRenewal(
  store: StreamStore,
  id: string,
  grant: GrantedLease,
  onLost: () => void = () => {},
): LeaseRenewal {
  const listeners = new Set<(at: number) => void>();
  let at = endOf(grant, readMachineUptime().up_ms);
  let timer = setTimeout(renew, pauseOf(grant)).unref();
  let isOver = false;

  async function renew(): Promise<void> {
    const asked = readMachineUptime().up_ms;
    // The store may be unavailable for a moment. Every other write reports that.
    const answer = await store.lease(id, { renew: grant.epoch }).catch(() => null);
    if (isOver) return;
    if (answer && !answer.granted) {
      isOver = true;
      onLost();
      return;
    }
    if (answer) {
      at = endOf(answer, asked);
      for (const listener of listeners) listener(at);
    }
    timer = setTimeout(renew, pauseOf(answer ?? grant)).unref();
  }

  function stop(): void {
    isOver = true;
    clearTimeout(timer);
  }

  async function release(): Promise<void> {
    stop();
    try {
      await releaseLease(store, id, grant.epoch);
    } catch (error) {
      if (mayAnswerLater(error)) setTimeout(() => release().catch(() => {}), RETRY_MS).unref();
      throw error;
    }
  }

  return {
    stop,
    release,
    deadline: grant.lapses
      ? {
          get at() {
            return at;
          },
          onMoved(listener) {
            listeners.add(listener);
            return () => listeners.delete(listener);
          },
        }
      : undefined,
  };
}

function pauseOf({ renew_within }: GrantedLease): number {
  return Math.max(SHORTEST_PAUSE_MS, renew_within / 3);
}

/** Before another process can take the lease, with time to end the agent. */
function endOf({ renew_within }: GrantedLease, asked: number): number {
  return asked + renew_within - Math.min(LONGEST_MARGIN_MS, renew_within / 3);
}

function mayAnswerLater(error: unknown): boolean {
  return error instanceof BelayError && STORE_AWAY.has(error.code);
}

const STORE_AWAY: ReadonlySet<ErrorCode> = new Set([
  "store_busy",
  "storage_unreachable",
  "storage_full",
]);
const RETRY_MS = 1000;
const SHORTEST_PAUSE_MS = 50;
const LONGEST_MARGIN_MS = 5000;

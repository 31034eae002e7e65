/** The limit for the whole process, from its start: an agent waits at most a second, and exiting takes some of it. */
const ANSWER_MS = 800;
/** The least time for a machine that is too slow to start in time. */
const LEAST_MS = 150;
/** Reserved for the remaining work if other writers do not finish. */
const RESERVE_MS = 120;

class DeadlinePassed extends Error {
  constructor() {
    super("the time for an answer is over");
  }
}

export interface Deadline {
  /** Rejects with DeadlinePassed once the time is over, whatever happens to the work. */
  race<T>(work: Promise<T> | T): Promise<T>;
  /** How long to wait for other writers; 0 if it is time to finish. */
  busyMs(): number;
}

/** `spent` is the time that the process has already used. */
export function startDeadline(spent: number, total: number = ANSWER_MS): Deadline {
  const end = uptime() + Math.max(total - spent, LEAST_MS);
  return {
    race: (work) =>
      new Promise((resolve, reject) => {
        const over = () => reject(new DeadlinePassed());
        const timer = setTimeout(over, Math.max(0, end - uptime()));
        Promise.resolve(work)
          .then(resolve, reject)
          .finally(() => clearTimeout(timer));
      }),
    busyMs: () => Math.max(0, end - RESERVE_MS - uptime()),
  };
}

/** Milliseconds since this process started. Unlike `performance`, it costs nothing to load. */
export function uptime(): number {
  return process.uptime() * 1000;
}

/** Of the whole process, from its start: an agent waits for at most a second, and leaving takes some of it. */
const ANSWER_MS = 800;
/** What a machine too slow to start in time is given all the same. */
const LEAST_MS = 150;
/** Kept back from waiting for other writers, for what is left to do when they do not let go. */
const RESERVE_MS = 120;

class DeadlinePassed extends Error {
  constructor() {
    super("the time for an answer is over");
  }
}

export interface Deadline {
  /** Rejects with DeadlinePassed once the time is over, whatever becomes of the work. */
  race<T>(work: Promise<T> | T): Promise<T>;
  /** How long to wait for others who write; 0 when it is time to come to an end. */
  busyMs(): number;
}

/** `spent` is what the process has used already. */
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

/** Milliseconds since this process began. Unlike `performance`, it costs nothing to load. */
export function uptime(): number {
  return process.uptime() * 1000;
}

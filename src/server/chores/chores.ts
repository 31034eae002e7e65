/** Work that a long-lived process repeats by itself. */
export interface Chore {
  readonly name: string;
  /** The time between the end of one run and the start of the next; less after a failed run. */
  readonly every_ms: number;
  run(signal: AbortSignal): Promise<ChoreReport>;
}

interface ChoreReport {
  /** The work done, in numbers; all zero if there was nothing to do. */
  readonly counts: Readonly<Record<string, number>>;
  /** Notes for people. */
  readonly notes?: readonly string[];
}

/** `idle` means that there was nothing to do. */
export type ChoreOutcome = "done" | "idle" | "failed";

interface ChoreLog {
  debug(fields: object, text: string): void;
  info(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

export interface ChoreListener {
  readonly log: ChoreLog;
  /** Called after every run, for the metrics. */
  observe(name: string, outcome: ChoreOutcome, ms: number, counts: ChoreReport["counts"]): void;
}

export interface RunningChores {
  /** Starts no other run, and waits for running ones. */
  stop(): Promise<void>;
}

interface HurriedChores extends RunningChores {
  /** Runs these chores now, or once more if they are running. */
  hurry(names: readonly string[]): void;
}

/**
 * Runs each chore at once and then repeatedly, never two runs of one chore at the same time. A failed run is retried.
 */
export function startChores(chores: readonly Chore[], listener: ChoreListener): HurriedChores {
  const stopping = new AbortController();
  const due = new Map<string, AbortController>();
  const running = chores.map((chore) => repeat(chore, listener, stopping.signal, due));
  return {
    hurry(names) {
      for (const name of names) due.get(name)?.abort();
    },
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

async function repeat(
  chore: Chore,
  listener: ChoreListener,
  signal: AbortSignal,
  due: Map<string, AbortController>,
): Promise<void> {
  for (let retry = FIRST_RETRY_MS; !signal.aborted; ) {
    const hurried = new AbortController();
    due.set(chore.name, hurried);
    const isDone = await runOnce(chore, listener, signal);
    const ms = isDone ? chore.every_ms : Math.min(retry, chore.every_ms);
    retry = isDone ? FIRST_RETRY_MS : 2 * retry;
    await pause(ms, AbortSignal.any([signal, hurried.signal]));
  }
}

/** Doubled after each failed run. */
const FIRST_RETRY_MS = 1000;

/** False if it failed. */
async function runOnce(
  chore: Chore,
  { log, observe }: ChoreListener,
  signal: AbortSignal,
): Promise<boolean> {
  const began = performance.now();
  const ran = await chore.run(signal).catch((err: unknown) => ({ err }));
  const took = performance.now() - began;
  const told = { chore: chore.name, ms: Math.round(took) };
  if ("err" in ran) {
    observe(chore.name, "failed", took, {});
    log.error({ ...told, ...ran }, `${chore.name} failed and will be tried again`);
    return false;
  }
  const { counts, notes = [] } = ran;
  const isIdle = notes.length === 0 && Object.values(counts).every((count) => count === 0);
  observe(chore.name, isIdle ? "idle" : "done", took, counts);
  if (isIdle) log.debug(told, `${chore.name}: nothing to do`);
  else log.info({ ...told, ...counts, ...(notes.length > 0 && { notes }) }, chore.name);
  return true;
}

/** Waits for this time or until the signal. It does not keep the process alive. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const over = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, ms).unref();
    signal.addEventListener("abort", over);
  });
}

/** Something that a process which runs for long does by itself, again and again. */
export interface Chore {
  readonly name: string;
  /** From the end of one run to the beginning of the next. */
  readonly every_ms: number;
  run(signal: AbortSignal): Promise<ChoreReport>;
}

interface ChoreReport {
  /** What was done, counted; all zero when there was nothing to do. */
  readonly counts: Readonly<Record<string, number>>;
  /** What a person should know of it. */
  readonly notes?: readonly string[];
}

/** `idle` when there was nothing to do. */
export type ChoreOutcome = "done" | "idle" | "failed";

interface ChoreLog {
  debug(fields: object, text: string): void;
  info(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

export interface ChoreListener {
  readonly log: ChoreLog;
  /** Called after every run, for counting. */
  observe(name: string, outcome: ChoreOutcome, ms: number, counts: ChoreReport["counts"]): void;
}

export interface RunningChores {
  /** Begins no other run, and waits for those under way. */
  stop(): Promise<void>;
}

/** Runs each chore at once and then again and again, no two runs of one at the same time. Whatever fails is tried again. */
export function startChores(chores: readonly Chore[], listener: ChoreListener): RunningChores {
  const stopping = new AbortController();
  const running = chores.map((chore) => repeat(chore, listener, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

async function repeat(chore: Chore, listener: ChoreListener, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await runOnce(chore, listener, signal);
    await pause(chore.every_ms, signal);
  }
}

async function runOnce(
  chore: Chore,
  { log, observe }: ChoreListener,
  signal: AbortSignal,
): Promise<void> {
  const began = performance.now();
  const ran = await chore.run(signal).catch((err: unknown) => ({ err }));
  const took = performance.now() - began;
  const told = { chore: chore.name, ms: Math.round(took) };
  if ("err" in ran) {
    observe(chore.name, "failed", took, {});
    log.error({ ...told, ...ran }, `${chore.name} failed and will be tried again`);
    return;
  }
  const { counts, notes = [] } = ran;
  const isIdle = notes.length === 0 && Object.values(counts).every((count) => count === 0);
  observe(chore.name, isIdle ? "idle" : "done", took, counts);
  if (isIdle) log.debug(told, `${chore.name}: nothing to do`);
  else log.info({ ...told, ...counts, ...(notes.length > 0 && { notes }) }, chore.name);
}

/** Until then, or until the signal. Does not keep the process alive. */
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

/**
 * How long a test waits for something that must happen. Only a test that fails waits this long, so it is far more than a
 * busy machine needs.
 */
export const PATIENCE_MS = 60_000;

/** For a test with a limit in wall-clock time: one of three attempts in time is enough. */
export const MEASURED = { retry: 2 } as const;

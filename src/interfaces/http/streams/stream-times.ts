/** Milliseconds. */
export interface StreamTimes {
  /** How often those who listen are told that there is still someone. */
  readonly heartbeat: number;
  /** A client that takes nothing for so long is let go; it can come back and go on where it was. */
  readonly stalled: number;
  /** How long a request waits for the end of its turn. */
  readonly answer: number;
}

export const STREAM_TIMES: StreamTimes = { heartbeat: 15_000, stalled: 30_000, answer: 600_000 };

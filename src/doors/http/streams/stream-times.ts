/** Milliseconds. */
export interface StreamTimes {
  /** How often listeners get a heartbeat. */
  readonly heartbeat: number;
  /** A client that receives nothing for this long is disconnected; it can reconnect and resume. */
  readonly stalled: number;
  /** How long a request waits for the end of its turn. */
  readonly answer: number;
}

export const STREAM_TIMES: StreamTimes = { heartbeat: 15_000, stalled: 30_000, answer: 600_000 };

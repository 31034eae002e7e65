/** What a simulated client asked for. */
export type Ask =
  | { readonly op: "begin"; readonly stream: number; readonly text: string }
  | { readonly op: "write"; readonly stream: number; readonly text: string }
  | { readonly op: "pair"; readonly stream: number; readonly other: number; readonly text: string }
  | { readonly op: "fork"; readonly stream: number; readonly other: number; readonly text: string }
  | { readonly op: "put" | "drop"; readonly stream: number; readonly text: string }
  | { readonly op: "get"; readonly stream: number; readonly text: string }
  | { readonly op: "purge" | "read" | "lease"; readonly stream: number }
  | { readonly op: "compact" | "feed" };

/** One line of the history, as its client saw it. */
export type Note =
  | { readonly call: number; readonly pid: number; readonly ask: Ask }
  | { readonly call: number; readonly pid: number; readonly answer: Reply }
  | { readonly call: number; readonly pid: number; readonly failed: string; readonly what: string }
  | { readonly opened: number }
  | { readonly unopened: string; readonly what: string }
  | { readonly fault: string; readonly what: string; readonly isDuringChange: boolean }
  | { readonly problem: string }
  | { readonly found: Found };

export interface Reply {
  /** The number of the new event of each stream. */
  readonly seqs?: readonly number[];
  readonly texts?: readonly string[];
  readonly epoch?: number;
  /** True for a blob with the bytes that were put, false for none. */
  readonly isThere?: boolean;
  readonly refused?: string;
}

/** The store at the end, as another process sees it. */
export interface Found {
  readonly findings: readonly string[];
  readonly streams: Readonly<Record<number, readonly string[] | string>>;
  /** The blobs of each stream that are whole; others as an error. */
  readonly blobs: Readonly<Record<string, boolean | string>>;
  readonly feed: readonly (readonly [stream: number, text: string])[] | string;
  /** The answer to one more write. */
  readonly write: string;
}

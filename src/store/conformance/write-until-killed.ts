import { writeSync } from "node:fs";
import type { StreamStore } from "../stream-store.ts";
import { keep, write } from "./notebook.ts";

export interface Acknowledgement {
  readonly id: string;
  readonly seq: number;
  readonly text: string;
}

/**
 * The main loop of a program that is killed: several writers per stream, each prints an acknowledgement before it
 * continues.
 */
export async function writeUntilKilled(store: StreamStore, ids: readonly string[]): Promise<never> {
  const writers = ids.flatMap((id) => [1, 2, 3].map((n) => ({ id, name: `writer ${n}` })));
  await Promise.all(
    writers.map(async ({ id, name }) => {
      for (let n = 1; ; n += 1) {
        const text = `${process.pid} ${name} line ${n}`;
        // Two lines each, so that half of an append would be visible.
        const { seq } = await keep(store, write(id, { lines: ["before", text] }));
        writeSync(1, `${JSON.stringify({ id, seq, text } satisfies Acknowledgement)}\n`);
      }
    }),
  );
  throw new Error("nobody killed the writer");
}

import { statSync } from "node:fs";
import { join } from "node:path";
import { openBelay } from "../../src/index.ts";
import type { Acknowledgement } from "./acknowledgements.ts";
import { copyData } from "./copy-data.ts";

/** A data folder as a crash leaves it, a few appends before its write-ahead log is moved into the database. */
export interface NearlyFullLog {
  readonly folder: string;
  readonly acknowledgements: readonly Acknowledgement[];
}

export async function prepareNearlyFullLog(root: string): Promise<NearlyFullLog> {
  const home = join(root, "filling");
  const folder = join(root, "nearly-full");
  const belay = await openBelay({ home });
  const session = "gamma-session";
  await belay.sessions.create({ agent_name: "worker", session_id: session });
  const acknowledgements: Acknowledgement[] = [];
  for (let n = 1; statSync(join(home, "belay.db-wal")).size < NEARLY_FULL; n += 1) {
    const text = `before ${n}`;
    const { version } = await belay.turns.record({ id: session, input: text, output: "" });
    acknowledgements.push({ session, version, text });
  }
  copyData(home, folder);
  await belay.close();
  return { folder, acknowledgements };
}

const FRAME_BYTES = 16_384 + 24;
const CHECKPOINT_FRAMES = 1000;
const NEARLY_FULL = (CHECKPOINT_FRAMES - 12) * FRAME_BYTES;

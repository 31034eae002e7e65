import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../crash/temporary-folder.ts";

/** A file with a key of its own. */
export function newKeyFile(byte = "7"): string {
  const file = join(temporaryFolder(), "key");
  writeFileSync(file, `${byte.repeat(64)}\n`, { mode: 0o600 });
  return file;
}

/** Runs something with a key in the environment. */
export async function withKey<T>(work: () => Promise<T>, file = newKeyFile()): Promise<T> {
  process.env.BELAY_KEY_FILE = file;
  try {
    return await work();
  } finally {
    delete process.env.BELAY_KEY_FILE;
  }
}

import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

/** Copies a data folder as a killed process would leave it, without the shared memory. */
export function copyData(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const name of ["belay.db", "belay.db-wal", "anchor.log"]) {
    if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name));
  }
}

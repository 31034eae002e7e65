import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Belay's own launcher, from the sources as well as from the bundle. */
export function ownProgram(): string | null {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const program = join(folder, "bin", "belay.mjs");
    if (existsSync(program)) return program;
    if (folder === dirname(folder)) return null;
  }
}

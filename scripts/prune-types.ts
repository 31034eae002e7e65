// Removes the files of dist/types that the package's entries do not need.
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import about from "../package.json" with { type: "json" };

const root = fileURLToPath(new URL("../", import.meta.url));
const folder = join(root, "dist", "types");
const reached = new Set<string>();

for (const entry of Object.values(about.exports)) {
  if (typeof entry === "object") reach(join(root, entry.types));
}
prune(folder);

function reach(file: string): void {
  if (reached.has(file) || !existsSync(file)) return;
  reached.add(file);
  for (const [, path = ""] of readFileSync(file, "utf8").matchAll(
    /["'](\.{1,2}\/[^"']+)\.ts["']/g,
  )) {
    reach(join(dirname(file), `${path}.d.ts`));
  }
}

function prune(at: string): void {
  for (const name of readdirSync(at)) {
    const path = join(at, name);
    if (statSync(path).isDirectory()) prune(path);
    else if (!reached.has(path)) rmSync(path);
  }
  if (readdirSync(at).length === 0) rmSync(at, { recursive: true });
}
